import { describe, expect, it } from 'vitest';
import { msgFlag, opMsg, opQuery, opReply, wireMessage } from '../../support/mongodb-messages.js';
import { badValue, documents, exchange, failure, reply, request, rows } from './exchanges.js';
import { cases, eventsOf, outcomeOf, run, type Script, type Step, verdictsOf } from './scripted-session.js';

const find = { find: 'users', filter: { $foo: 1 } };
const findText = '{ find users filter { $foo ?number } }';
const failed = [`failed 2 <${findText}> execute idle`, 'settled idle'];

const correlation: readonly Script[] = [
  ['a command that fails', exchange(1, find, badValue), failed],
  ['a command that runs', exchange(1, find, rows({ ok: 0, code: 5 })), []],
  [
    'several requests in flight, answered in order',
    [
      ['c', request(1, { find: 'a' }), request(2, { find: 'b' }), request(3, { find: 'c' })],
      ['s', reply(1, rows()), reply(2, badValue), reply(3, badValue)],
    ],
    [
      'failed 2 <{ find b }> execute idle',
      'settled idle',
      'failed 2 <{ find c }> execute idle',
      'settled idle',
    ],
  ],
  [
    'several requests in flight, answered in any order',
    [
      ['c', request(1, { find: 'a' }), request(2, { find: 'b' }), request(3, { find: 'c' })],
      ['s', reply(3, badValue), reply(1, badValue), reply(2, badValue)],
      ...exchange(4, { find: 'd' }, badValue),
    ],
    ['c', 'a', 'b', 'd'].flatMap((name) => [`failed 2 <{ find ${name} }> execute idle`, 'settled idle']),
  ],
  [
    'requests that all have the same id are answered in their order',
    [
      ['c', request(0, { find: 'a' }), request(0, { find: 'b' })],
      ['s', reply(0, badValue), reply(0, badValue)],
    ],
    ['a', 'b'].flatMap((name) => [`failed 2 <{ find ${name} }> execute idle`, 'settled idle']),
  ],
  [
    'a reply to nobody is passed by, and the next one is found',
    [['s', reply(77, badValue)], ...exchange(1, find, badValue)],
    ['bypassed reply_without_request', ...failed],
  ],
  [
    'a reply that comes twice counts once',
    [
      ['c', request(1, find)],
      ['s', reply(1, badValue), reply(1, badValue)],
    ],
    [...failed, 'bypassed reply_without_request'],
  ],
  [
    'a request that is never answered is in nobody’s way',
    [['c', request(1, { find: 'a' })], ...exchange(2, find, badValue)],
    failed,
  ],
  [
    'sections of either kind in any order',
    [
      ['c', request(1, { insert: 'users' }, { ...documents({ a: 1 }), areSequencesFirst: true })],
      ['s', reply(1, failure(26, 'NamespaceNotFound', 'ns does not exist'))],
    ],
    ['failed 26 <{ insert users documents [ { a:number } ] }> execute idle', 'settled idle'],
  ],
  [
    'checksums are passed on, and not taken for a section',
    [
      ['c', request(1, find, { isChecksummed: true })],
      ['s', reply(1, badValue, { isChecksummed: true })],
    ],
    failed,
  ],
  [
    'messages of an unknown opcode',
    [
      ['c', wireMessage(9999, Buffer.from('what is this'), { requestId: 5 })],
      ['s', wireMessage(9999, Buffer.alloc(0), { responseTo: 5 })],
      ['c', request(1, find)],
      ['s', wireMessage(9999, Buffer.from('?'), { responseTo: 1 })],
      ...exchange(2, find, badValue),
    ],
    ['bypassed unknown_message', 'bypassed reply_without_request', 'bypassed unknown_message', ...failed],
  ],
  [
    'messages of old that get no answer',
    [
      ['c', ...[2001, 2002, 2006, 2007].map((code) => wireMessage(code, Buffer.alloc(4), { requestId: 1 }))],
      ...exchange(1, find, badValue),
    ],
    failed,
  ],
];

const unacknowledged: readonly Script[] = [
  [
    'an unacknowledged write owes nothing',
    [
      ['c', request(1, { insert: 'users' }, { ...documents({ a: 1 }), flags: msgFlag.moreToCome })],
      ...exchange(2, find, badValue),
    ],
    failed,
  ],
  [
    'a thousand of them, then a find',
    [
      [
        'c',
        ...Array.from({ length: 1000 }, (_, id) =>
          request(id, { delete: 'users' }, { flags: msgFlag.moreToCome }),
        ),
      ],
      ['c', request(5, find)],
      ['s', reply(5, badValue)],
    ],
    failed,
  ],
];

const moreToCome = { flags: msgFlag.moreToCome };

const exhaust: readonly Script[] = [
  [
    'each reply answers to the one before, and the last may fail',
    [
      ['c', request(1, { getMore: 7, collection: 'users' }, { flags: msgFlag.exhaustAllowed })],
      ['s', opMsg(rows(), { requestId: 50, responseTo: 1, ...moreToCome })],
      ['s', opMsg(rows({ a: 1 }), { requestId: 51, responseTo: 50, ...moreToCome })],
      ['s', opMsg(failure(43, 'CursorNotFound', 'cursor id 7 not found'), { requestId: 52, responseTo: 51 })],
      ...exchange(2, find, badValue),
    ],
    ['failed 43 <{ getMore ?number collection users }> execute idle', 'settled idle', ...failed],
  ],
  [
    'a reply to the first id of a chain is one to nobody',
    [
      ['c', request(1, { getMore: 7, collection: 'users' }, { flags: msgFlag.exhaustAllowed })],
      ['s', opMsg(rows(), { requestId: 50, responseTo: 1, ...moreToCome })],
      ['s', opMsg(badValue, { requestId: 51, responseTo: 1 })],
    ],
    ['bypassed reply_without_request'],
  ],
  [
    'checksummed, with a request behind it',
    [
      ['c', request(1, { getMore: 7, collection: 'users' }, { flags: msgFlag.exhaustAllowed })],
      ['s', opMsg(rows(), { requestId: 50, responseTo: 1, ...moreToCome, isChecksummed: true })],
      ['c', request(2, find)],
      ['s', opMsg(rows(), { requestId: 51, responseTo: 50, isChecksummed: true })],
      ['s', reply(2, badValue)],
    ],
    failed,
  ],
];

const legacy: readonly Script[] = [
  [
    'a command by OP_QUERY',
    [
      ['c', opQuery({ count: 'users', query: { $foo: 1 } }, { requestId: 1, namespace: 'shop.$cmd' })],
      ['s', opReply([badValue], { requestId: 2, responseTo: 1 })],
    ],
    ['failed 2 <{ count users query { $foo ?number } }> execute idle', 'settled idle'],
  ],
  [
    'a command wrapped in $query',
    [
      [
        'c',
        opQuery(
          { $query: { count: 'users' }, $readPreference: { mode: 'nearest' } },
          {
            requestId: 1,
            namespace: 'shop.$cmd',
          },
        ),
      ],
      ['s', opReply([badValue], { responseTo: 1 })],
    ],
    ['failed 2 <{ count users }> execute idle', 'settled idle'],
  ],
  [
    'a query that fails says so by its flag; its text is not made',
    [
      ['c', opQuery({ a: { $foo: 1 } }, { requestId: 1, namespace: 'shop.users' })],
      ['s', opReply([{ $err: 'unknown operator: $foo', code: 2 }], { responseTo: 1, flags: 2 })],
    ],
    ['bypassed statement_text_unknown', 'failed 2 <?> execute idle', 'settled idle'],
  ],
  [
    'documents of a collection are no verdict',
    [
      ['c', opQuery({}, { requestId: 1, namespace: 'shop.users' })],
      ['s', opReply([{ ok: 0, errmsg: 'a field', code: 1, $err: 'another' }], { responseTo: 1 })],
    ],
    [],
  ],
  [
    'OP_GET_MORE is answered by OP_REPLY',
    [
      ['c', wireMessage(2005, Buffer.alloc(20), { requestId: 1 })],
      ['s', opReply([], { responseTo: 1, flags: 1 })],
      ...exchange(2, find, badValue),
    ],
    failed,
  ],
];

describe.each<readonly [string, readonly Script[]]>([
  ['correlation', correlation],
  ['unacknowledged writes', unacknowledged],
  ['exhaust', exhaust],
  ['messages of old', legacy],
])('%s', (_, scripts) => {
  it.each(cases(scripts))('%s', (_name, steps, verdicts, options) => {
    expect(verdictsOf(steps, options)).toEqual(verdicts);
  });
});

describe('where the session is', () => {
  it('follows the database that each command names', () => {
    const steps = [
      ...exchange(1, find, badValue),
      ...exchange(2, { ...find, $db: 'crm' }, rows()),
      ...exchange(3, { ...find, $db: 'crm' }, badValue),
      ...exchange(4, find, badValue),
    ];
    expect(eventsOf(steps)).toEqual([
      'in shop/shop',
      ...failed,
      'ready',
      'in shop/crm',
      ...failed,
      'in shop/shop',
      ...failed,
    ]);
  });

  it('is that of the request, however many are in flight', () => {
    const steps: Step[] = [
      ['c', request(1, find), request(2, { ...find, $db: 'crm' })],
      ['s', reply(1, badValue), reply(2, badValue)],
    ];
    expect(eventsOf(steps)).toEqual(['in shop/shop', ...failed, 'ready', 'in shop/crm', ...failed]);
  });

  it('is the same object for the same database', () => {
    const [first, second] = [1, 3].map((count) => {
      const steps = Array.from({ length: count }, (_, id) =>
        exchange(id, { find: 'a', $db: id % 2 === 0 ? 'shop' : 'crm' }, rows()),
      ).flat();
      return run(steps).session.scope;
    });
    expect(second).toEqual(first);
    const back = run([
      ...exchange(1, find, rows()),
      ...exchange(2, { ping: 1, $db: 'x' }, { ok: 1 }),
      ...exchange(3, find, rows()),
    ]);
    expect(back.events.filter((event) => event.startsWith('in '))).toEqual(['in shop/shop']);
  });

  it('is not moved by the talk between driver and server', () => {
    const talk = ['hello', 'isMaster', 'ismaster', 'ping', 'buildInfo', 'endSessions', 'killCursors'];
    const steps = talk.flatMap((name, id) => exchange(id, { [name]: 1, $db: 'admin' }, { ok: 1 }));
    expect(eventsOf(steps, { wantsSuccess: true, compression: 'relay' })).toEqual([]);
  });

  it('is not moved by a name that no database has', () => {
    const steps = exchange(1, { find: 'a', $db: 'x'.repeat(64) }, rows());
    expect(eventsOf(steps)).toEqual(['ready']);
  });
});

describe('readiness', () => {
  it('comes with the first command that is no talk, once', () => {
    const steps = [
      ...exchange(1, { hello: 1, $db: 'admin' }, { ok: 1 }),
      ...exchange(2, { find: 'a' }, rows()),
      ...exchange(3, { find: 'a' }, rows()),
    ];
    expect(eventsOf(steps)).toEqual(['in shop/shop', 'ready']);
  });

  it('does not come while the server wants a login', () => {
    const unauthorized = failure(13, 'Unauthorized', 'command find requires authentication');
    const { events } = outcomeOf(exchange(1, find, unauthorized));
    expect(events).not.toContain('ready');
  });
});

describe('successes', () => {
  const wantsSuccess = true;

  it.each([
    ['find', { find: 'users' }, '{ find users }'],
    ['aggregate', { aggregate: 'users', pipeline: [], cursor: {} }, '{ aggregate users pipeline [ ] }'],
    [
      'findAndModify',
      { findAndModify: 'users', query: { a: 1 } },
      '{ findAndModify users query { a ?number } }',
    ],
    ['create', { create: 'users' }, '{ create users }'],
  ])('of %s are told where they are wanted', (_, body, text) => {
    const steps = exchange(1, body, { ok: 1 });
    expect(verdictsOf(steps, { wantsSuccess })).toContain(`ok <${text}> 0`);
    expect(verdictsOf(steps).join()).not.toContain('ok <');
  });

  it('of a batch are told by its first operation', () => {
    const steps = exchange(1, { insert: 'users' }, { n: 2, ok: 1 }, documents({ a: 1 }, { b: 'x' }));
    expect(verdictsOf(steps, { wantsSuccess })).toEqual([
      'ok <{ insert users documents [ { a:number } ] }> 0',
    ]);
  });

  it.each([
    ['find users', '{ find users }'],
    ['getMore users', '{ getMore ?number collection users }'],
    ['aggregate ', '{ aggregate 1 pipeline [ ] }'],
    ['find leads', null],
  ])('may be wanted of %s alone', (wantsSuccessOf, text) => {
    const steps = [
      ...exchange(1, { find: 'users' }, rows()),
      ...exchange(2, { getMore: 7, collection: 'users' }, rows()),
      ...exchange(3, { aggregate: 1, pipeline: [], cursor: {} }, rows()),
      // what is seldom is asked for by its text
      ...exchange(4, { listIndexes: 'users' }, rows()),
    ];
    expect(verdictsOf(steps, { wantsSuccessOf })).toEqual([
      ...(text === null ? [] : [`ok <${text}> 0`]),
      'ok <{ listIndexes users }> 0',
    ]);
  });

  it.each(['serverStatus', 'listDatabases', 'getParameter', 'commitTransaction', 'abortTransaction', 'ping'])(
    'of %s are nobody’s lesson',
    (name) => {
      expect(verdictsOf(exchange(1, { [name]: 1, $db: 'admin' }, { ok: 1 }), { wantsSuccess })).toEqual([]);
    },
  );
});

describe('changes of the schema', () => {
  it.each(['create', 'createIndexes', 'drop', 'dropDatabase', 'dropIndexes', 'collMod', 'renameCollection'])(
    'are made by %s when it succeeds',
    (name) => {
      expect(verdictsOf(exchange(1, { [name]: 'users' }, { ok: 1 }))).toEqual(['schema changed']);
      expect(verdictsOf(exchange(1, { [name]: 'users' }, badValue))).not.toContain('schema changed');
    },
  );

  it.each([
    ['$out', [{ $match: {} }, { $out: 'b' }], ['schema changed']],
    ['$merge', [{ $merge: { into: 'b' } }], ['schema changed']],
    ['neither', [{ $match: { $out: 1 } }, { $limit: 1 }], []],
    ['nothing', [], []],
  ])('are made by an aggregate that ends in %s', (_, pipeline, events) => {
    expect(verdictsOf(exchange(1, { aggregate: 'a', pipeline, cursor: {} }, rows()))).toEqual(events);
  });
});

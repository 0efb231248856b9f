import type { Document } from 'bson';
import { describe, expect, it } from 'vitest';
import { limits } from '../../../src/core/limits.js';
import { type Compressor, compressed } from '../../support/mongodb-compression.js';
import {
  bodyOf,
  MessageSplitter,
  messageOf,
  msgFlag,
  opMsg,
  opQuery,
  opReply,
} from '../../support/mongodb-messages.js';
import { badValue, documents, duplicate, exchange, reply, request, rows } from './exchanges.js';
import {
  listenerAddress,
  type Options,
  outcomeOf,
  run,
  type Step,
  sampleNote,
  sentBytes,
  verdictsOf,
} from './scripted-session.js';

const note = () => sampleNote;
const helloReply = {
  isWritablePrimary: true,
  topologyVersion: { processId: 'p', counter: 1 },
  hosts: ['db1:27017', 'db2:27017'],
  primary: 'db1:27017',
  me: 'db1:27017',
  setName: 'rs0',
  compression: ['snappy', 'zlib'],
  maxWireVersion: 21,
  ok: 1,
};

/** As `eventsOf`, for messages that would take long to be cut everywhere. */
function longEventsOf(steps: readonly Step[], options: Options = {}): readonly string[] {
  const whole = run(steps, options);
  for (const chunking of ['all at once', 65_536, 100_003] as const) {
    const cut = run(steps, { ...options, chunking });
    expect(cut.events).toEqual(whole.events);
    expect(cut.received.equals(sentBytes(steps))).toBe(true);
  }
  return whole.events;
}

function longVerdictsOf(steps: readonly Step[], options: Options = {}): readonly string[] {
  return longEventsOf(steps, options).filter((event) => event !== 'ready' && !event.startsWith('in '));
}

function bodiesOf(bytes: Buffer): Document[] {
  return new MessageSplitter().push(bytes).map(bodyOf);
}

describe('topology', () => {
  const edited = { ...helloReply, hosts: [listenerAddress], primary: listenerAddress, me: listenerAddress };

  it.each([
    ['hello', exchange(1, { hello: 1, $db: 'admin' }, helloReply)],
    ['isMaster', exchange(1, { isMaster: 1, $db: 'admin' }, helloReply)],
    [
      'the hello of old',
      [
        ['c', opQuery({ ismaster: 1, helloOk: true }, { requestId: 1 })],
        ['s', opReply([helloReply], { responseTo: 1 })],
      ] as const,
    ],
  ])('in the reply to %s points at the listener', (_, steps) => {
    const { received, events } = outcomeOf(steps);
    expect(bodiesOf(received)).toEqual([edited]);
    expect(events).toEqual([]);
  });

  it('points at the address that the operator wants told', () => {
    const { received } = outcomeOf(exchange(1, { hello: 1, $db: 'admin' }, helloReply), {
      advertisedAddress: 'proxy.example:27017',
    });
    expect(bodiesOf(received)[0]).toMatchObject({
      hosts: ['proxy.example:27017'],
      me: 'proxy.example:27017',
    });
  });

  it('offers no compression where that is to be so', () => {
    const { received } = outcomeOf(exchange(1, { hello: 1, $db: 'admin' }, helloReply), {
      compression: 'clear',
    });
    const { compression: _, ...uncompressed } = edited;
    expect(bodiesOf(received)).toEqual([uncompressed]);
  });

  it('points there in every reply of a stream', () => {
    const flags = msgFlag.moreToCome;
    const steps: Step[] = [
      [
        'c',
        request(1, { hello: 1, maxAwaitTimeMS: 10_000, $db: 'admin' }, { flags: msgFlag.exhaustAllowed }),
      ],
      ['s', opMsg(helloReply, { requestId: 20, responseTo: 1, flags })],
      ['s', opMsg(helloReply, { requestId: 21, responseTo: 20, flags })],
      ['s', opMsg(helloReply, { requestId: 22, responseTo: 21, flags, isChecksummed: true })],
      ['s', opMsg(helloReply, { requestId: 23, responseTo: 22 })],
    ];
    expect(bodiesOf(outcomeOf(steps).received)).toEqual([edited, edited, edited, edited]);
  });

  it('is left in the reply to anything else', () => {
    const steps = exchange(1, { find: 'members' }, helloReply);
    expect(outcomeOf(steps).received).toEqual(sentBytes(steps));
  });

  it('of a hello whose request the handshake has sent is edited too', () => {
    const sentBefore = request(1, { hello: 1, $db: 'admin' });
    const { received } = outcomeOf([['s', reply(1, helloReply)]], { sentBefore });
    expect(bodiesOf(received)).toEqual([edited]);
  });
});

describe('compression', () => {
  const compressors: Compressor[] = ['noop', 'snappy', 'zlib', 'zstd'];
  const failing = (name: Compressor): Step[] => [
    ['c', compressed(request(1, { insert: 'users' }, documents({ a: 1 })), name)],
    ['s', compressed(reply(1, { n: 0, writeErrors: [duplicate(0)], ok: 1 }), name)],
  ];

  it.each(compressors)('%s is read, and what is edited goes out without it', (name) => {
    const verdict = [
      'failed 11000 <{ insert users documents [ { a:number } ] }> execute idle',
      'settled idle',
    ];
    expect(verdictsOf(failing(name))).toEqual(verdict);
    const { received } = outcomeOf(failing(name), { note });
    expect(bodiesOf(received)[0]?.['writeErrors'][0].note).toBe(sampleNote.long);
    expect(messageOf(received)).toMatchObject({ opcode: 2013, requestId: 9_001, responseTo: 1 });
  });

  it('of requests and replies is each message’s own business', () => {
    const steps: Step[] = [
      ['c', request(1, { find: 'a' }), compressed(request(2, { find: 'b' }), 'zlib')],
      ['s', compressed(reply(1, badValue), 'snappy'), reply(2, badValue)],
    ];
    expect(verdictsOf(steps).filter((event) => event.startsWith('failed'))).toEqual([
      'failed 2 <{ find a }> execute idle',
      'failed 2 <{ find b }> execute idle',
    ]);
  });

  it('of unacknowledged writes owes nothing, of exhaust keeps the chain', () => {
    const flags = msgFlag.moreToCome;
    const steps: Step[] = [
      ['c', compressed(request(1, { insert: 'users' }, { ...documents({ a: 1 }), flags }), 'zlib')],
      [
        'c',
        compressed(request(2, { getMore: 1, collection: 'a' }, { flags: msgFlag.exhaustAllowed }), 'zlib'),
      ],
      ['s', compressed(opMsg(rows(), { requestId: 30, responseTo: 2, flags }), 'zlib')],
      ['s', compressed(opMsg(badValue, { requestId: 31, responseTo: 30 }), 'zlib')],
    ];
    expect(verdictsOf(steps)).toEqual([
      'failed 2 <{ getMore ?number collection a }> execute idle',
      'settled idle',
    ]);
  });

  it('of rows that are too long for a failure is not undone', () => {
    const long = rows({ text: 'x'.repeat(limits.maxErrorFrameBytes) });
    const steps: Step[] = [
      ['c', request(1, { find: 'a' })],
      ['s', compressed(reply(1, long), 'zlib')],
      ...exchange(2, { find: 'b' }, badValue),
    ];
    expect(longVerdictsOf(steps, { wantsSuccess: true })).toEqual([
      'ok <{ find a }> 0',
      'failed 2 <{ find b }> execute idle',
      'settled idle',
    ]);
  });

  it('of what writes tell, and too much of it, is counted', () => {
    const long = {
      n: 0,
      writeErrors: [duplicate(0, { errmsg: 'x'.repeat(limits.maxHeldReplyBytes) })],
      ok: 1,
    };
    const steps: Step[] = [
      ['c', request(1, { insert: 'users' }, documents({ a: 1 }))],
      ['s', compressed(reply(1, long), 'zlib')],
    ];
    expect(longVerdictsOf(steps)).toEqual(['bypassed error_frame_too_large']);
  });
});

describe('long messages', () => {
  const filler = 'x'.repeat(limits.maxKeptRequestBytes);

  it('beyond what is kept of a request, the operation that failed has no text', () => {
    const all = documents({ a: 1 }, { filler }, { b: 1 });
    const steps = exchange(
      1,
      { insert: 'users' },
      { n: 1, writeErrors: [duplicate(0), duplicate(2)], ok: 1 },
      all,
    );
    expect(longVerdictsOf(steps)).toEqual([
      'failed 11000 <{ insert users documents [ { a:number } ] }> execute idle',
      'settled idle',
      'bypassed statement_text_unknown',
      'failed 11000 <?> execute idle',
      'settled idle',
    ]);
  });

  it('a body that is longer than what is kept has none at all', () => {
    const body = { insert: 'users', documents: [{ filler }] };
    const steps = exchange(1, body, badValue);
    expect(longVerdictsOf(steps)).toEqual([
      'bypassed statement_text_unknown',
      'failed 2 <?> execute idle',
      'settled idle',
    ]);
  });

  it('a body that was cut tells of the operations that were kept, if it says where it works', () => {
    const updates = [
      { q: { a: 1 }, u: { b: 1 } },
      { q: { filler }, u: { b: 1 } },
    ];
    const answer = { n: 0, writeErrors: [0, 1].map((index) => ({ index, code: 2, errmsg: 'no' })), ok: 1 };
    const body = opMsg({ update: 'users', $db: 'shop', updates }, { requestId: 1 });
    expect(
      longVerdictsOf([
        ['c', body],
        ['s', reply(1, answer)],
      ]),
    ).toEqual([
      'failed 2 <{ update users updates [ { q { a ?number } u { b:number } } ] }> cut execute idle',
      'settled idle',
      'bypassed statement_text_unknown',
      'failed 2 <?> execute idle',
      'settled idle',
    ]);
  });

  it('documents before a body that was not kept are nobody’s', () => {
    const options = { ...documents({ filler }), areSequencesFirst: true };
    expect(longVerdictsOf(exchange(1, { insert: 'users' }, badValue, options))).toEqual([
      'bypassed statement_text_unknown',
      'failed 2 <?> execute idle',
      'settled idle',
    ]);
    const unacknowledged = request(1, { insert: 'users' }, { ...options, flags: msgFlag.moreToCome });
    expect(
      longVerdictsOf([
        ['c', unacknowledged],
        ['s', reply(1, badValue)],
      ]),
    ).toEqual(['bypassed reply_without_request']);
  });

  it('rows pass as they come, and are a success', () => {
    const steps = [
      ...exchange(1, { find: 'users' }, rows({ text: 'x'.repeat(2 * limits.maxHeldReplyBytes) })),
      ...exchange(2, { find: 'users' }, badValue),
    ];
    expect(longEventsOf(steps, { wantsSuccess: true })).toEqual([
      'in shop/shop',
      'ok <{ find users }> 0',
      'ready',
      'failed 2 <{ find users }> execute idle',
      'settled idle',
    ]);
  });

  it('rows in an exhaust chain pass as they come', () => {
    const long = rows({ text: 'x'.repeat(2 * limits.maxHeldReplyBytes) });
    const steps: Step[] = [
      ['c', request(1, { getMore: 1, collection: 'a' }, { flags: msgFlag.exhaustAllowed })],
      ['s', opMsg(long, { requestId: 30, responseTo: 1, flags: msgFlag.moreToCome })],
      ['s', opMsg(badValue, { requestId: 31, responseTo: 30 })],
    ];
    expect(longVerdictsOf(steps)).toEqual([
      'failed 2 <{ getMore ?number collection a }> execute idle',
      'settled idle',
    ]);
  });

  it('failures that were not held are counted', () => {
    const long = 'x'.repeat(2 * limits.maxHeldReplyBytes);
    const steps = exchange(1, { find: 'users' }, { ...badValue, errmsg: long });
    const cut = run(steps, { chunking: 65_536 });
    expect(cut.events).toContain('bypassed error_frame_too_large');
    expect(cut.received.equals(sentBytes(steps))).toBe(true);
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Negotiated } from '../../../adapters/mysql/negotiated.js';
import { MysqlObserver } from '../../../adapters/mysql/observer.js';
import type { BlindReason } from '../../../src/core/adapter.js';
import { defaultLexicalOptions, type SessionContext } from '../../../src/core/verdict.js';
import {
  changeUser,
  closeStatement,
  execute,
  ping,
  prepare,
  query,
  sendLongData,
  statistics,
} from '../../support/mysql-client-packets.js';
import { maxPayloadBytes, packet, packets } from '../../support/mysql-protocol.js';
import {
  authSwitch,
  columnDefinition,
  endOfRows,
  eof,
  error,
  localInfileRequest,
  ok,
  prepareOk,
  progress,
  resultSet,
  textRow,
} from '../../support/mysql-server-packets.js';
import {
  eventsOf,
  modern,
  type Options,
  run,
  type Step,
  sampleNote,
  sentBytes,
  withEof,
} from './scripted-session.js';

const rows = resultSet(['a'], [['1'], ['2']]);
const noSuchColumn = error(1054, "Unknown column 'nope' in 'field list'", '42S22');
const failing: readonly Step[] = [
  ['c', query('select nope')],
  ['s', noSuchColumn],
];
const failed = ['failed 1054 <select nope> execute k=0 idle', 'settled idle'];

const bytes = (...values: number[]): Buffer => Buffer.from(values);

/** What turns a session blind: the reason is told once, everything is passed, nothing is reported any more. */
const blinding: readonly (readonly [string, BlindReason, readonly Step[], Options?])[] = [
  ['a packet nobody asked for', 'unexpected_server_message', [['s!', packet(ok(), 1)]]],
  [
    'a packet more than was asked for',
    'unexpected_server_message',
    [
      ['c', ping],
      ['s', ok(), ok()],
    ],
  ],
  [
    'rows behind the end of rows',
    'unexpected_server_message',
    [
      ['c', query('q')],
      ['s', ...rows, textRow(['1'])],
    ],
  ],
  [
    'an answer that begins with the wrong number',
    'malformed_server_frame',
    [
      ['c', ping],
      ['s!', packet(ok(), 2)],
    ],
  ],
  [
    'a row with the wrong number',
    'malformed_server_frame',
    [
      ['c', query('q')],
      ['s', ...rows.slice(0, 2)],
      ['s!', packet(textRow(['1']), 9)],
    ],
  ],
  [
    'the next answer in place of the end of this one',
    'malformed_server_frame',
    [
      ['c', query('q'), ping],
      ['s', ...rows.slice(0, -1)],
      ['s!', packet(ok(), 1)],
    ],
  ],
  [
    'an empty packet',
    'malformed_server_frame',
    [
      ['c', query('q')],
      ['s', Buffer.alloc(0)],
    ],
  ],
  [
    'an OK without flags',
    'malformed_server_frame',
    [
      ['c', ping],
      ['s', bytes(0, 0)],
    ],
  ],
  [
    'an OK whose counts do not end',
    'malformed_server_frame',
    [
      ['c', ping],
      ['s', bytes(0, 0xfe, 1)],
    ],
  ],
  [
    'an ERR without a number',
    'malformed_server_frame',
    [
      ['c', ping],
      ['s', bytes(0xff, 1)],
    ],
  ],
  [
    'rows where there are none',
    'malformed_server_frame',
    [
      ['c', ping],
      ['s', textRow(['1'])],
    ],
  ],
  [
    'no columns',
    'malformed_server_frame',
    [
      ['c', query('q')],
      ['s', bytes(0xfc, 0, 0)],
    ],
  ],
  [
    'more columns than there can be',
    'malformed_server_frame',
    [
      ['c', query('q')],
      ['s', bytes(0xfe, 0, 0, 0, 1, 0, 0, 0, 0)],
    ],
  ],
  [
    'a number of columns that does not end',
    'malformed_server_frame',
    [
      ['c', query('q')],
      ['s', bytes(0xfc, 1)],
    ],
  ],
  [
    'metadata flags that were not agreed on',
    'malformed_server_frame',
    [
      ['c', query('q')],
      ['s', bytes(1, 1)],
    ],
  ],
  [
    'an end in place of a definition',
    'malformed_server_frame',
    [
      ['c', query('q')],
      ['s', bytes(2), columnDefinition({ name: 'a' }), endOfRows()],
    ],
  ],
  [
    'a row in place of the EOF of the definitions',
    'malformed_server_frame',
    [
      ['c', query('q')],
      ['s', bytes(1), columnDefinition({ name: 'a' }), textRow(['1'])],
    ],
    { capabilities: withEof },
  ],
  [
    'the answer to a PREPARE cut short',
    'malformed_server_frame',
    [
      ['c', prepare('select 1')],
      ['s', prepareOk(1, 1, 0).subarray(0, 9)],
    ],
  ],
  [
    'rows in answer to a PREPARE',
    'malformed_server_frame',
    [
      ['c', prepare('q')],
      ['s', bytes(1)],
    ],
  ],
  [
    'a request for a file, not agreed on',
    'malformed_server_frame',
    [
      ['c', query('q')],
      ['s', localInfileRequest('/etc/passwd')],
    ],
    { capabilities: modern & ~0x80 },
  ],
  [
    'a second request for a file',
    'malformed_server_frame',
    [
      ['c', query('q')],
      ['s', localInfileRequest('a')],
      ['c+', Buffer.alloc(0)],
      ['s', localInfileRequest('b')],
    ],
  ],
  ['a command with a number', 'malformed_client_frame', [['c!', packet(ping, 1)]]],
  ['a command without a byte', 'malformed_client_frame', [['c', Buffer.alloc(0)]]],
  ['EXECUTE without an id', 'malformed_client_frame', [['c', bytes(0x17, 1, 0)]]],
  ['CHANGE_USER without its end', 'malformed_client_frame', [['c', bytes(0x11, 0x61, 0x62)]]],
  [
    'a command sent behind one whose file is asked for',
    'malformed_client_frame',
    [
      ['c', query('load data local'), ping],
      ['s', localInfileRequest('x')],
    ],
  ],
  ['binlog', 'not_followed', [['c', bytes(0x12, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)]]],
  ['binlog by GTID', 'not_followed', [['c', bytes(0x1e, 0, 0)]]],
  ['a table dump', 'not_followed', [['c', bytes(0x13, 1, 0x61)]]],
  ['clone', 'not_followed', [['c', bytes(0x20)]]],
  ['group replication', 'not_followed', [['c', bytes(0x21)]]],
  ['an unknown command', 'not_followed', [['c', bytes(0x7f, 1, 2)]]],
];

describe('bad input', () => {
  it.each(blinding.map(([name, reason, steps, options = {}]) => [name, reason, steps, options] as const))(
    '%s: blind, %s',
    (_name, reason, steps, options) => {
      const more: readonly Step[] = [...steps, ...failing, ['s!', packet(noSuchColumn, 7)]];
      expect(eventsOf(more, { ...options, wantsSuccess: false })).toEqual([`blind ${reason}`]);
    },
  );

  it('tells of the first of two faults only', () => {
    const steps: Step[] = [
      ['c!', packet(ping, 3)],
      ['s!', packet(ok(), 9)],
      ['c', bytes(0x12)],
    ];
    expect(eventsOf(steps)).toEqual(['blind malformed_client_frame']);
  });

  it('is blind at once, and passes everything, where the login was not one it knows', () => {
    const events: string[] = [];
    const session: SessionContext = {
      id: 's1',
      engine: 'mysql',
      backend: 'relational',
      scope: { upstream: 'shop', database: 'shop' },
      user: 'app',
      audience: 'agent',
      application: '',
      lexical: defaultLexicalOptions,
      setLexical: () => undefined,
      searchPath: null,
    };
    const handler = {
      wantsSuccess: true,
      failed: () => null,
      settled: () => undefined,
      succeeded: () => undefined,
      schemaChanged: () => undefined,
      noteAttached: () => undefined,
      bypassed: () => undefined,
      warned: () => undefined,
    };
    const terms = {
      capabilities: modern,
      extendedCapabilities: 0,
      engine: 'mysql',
      serverVersion: '',
      connectionId: 0,
      characterSet: 45,
      statusFlags: 2,
      database: '',
    } as const;
    for (const [negotiated, isAuthenticated] of [
      [undefined, true],
      [{ ...terms }, true],
      [new Negotiated(terms), false],
      [new Negotiated({ ...terms, capabilities: modern | 0x20 }), true],
      [new Negotiated({ ...terms, capabilities: modern | (1 << 26) }), true],
    ] as const) {
      const options = {
        session,
        handler,
        onBlind: (reason: string) => events.push(reason),
        onCancelKey: () => undefined,
        onReady: () => events.push('ready'),
        listenerAddress: '127.0.0.1:1',
      };
      const observer = new MysqlObserver(options, { negotiated, isAuthenticated });
      const received: Buffer[] = [];
      observer.toServer(packets(ping));
      observer.toClient(packets(noSuchColumn, 1), { write: (part) => received.push(part) });
      expect(Buffer.concat(received)).toEqual(packets(noSuchColumn, 1));
    }
    const unknown = 'unknown_protocol';
    expect(events).toEqual([unknown, unknown, unknown, 'not_followed', 'not_followed']);
  });

  it('an ERR packet with a number of its own belongs to no statement', () => {
    const idle = error(4031, 'The client was disconnected by the server because of inactivity.');
    // On an idle session; where an answer is due; in the middle of rows.
    expect(eventsOf([['s!', packet(idle, 0)], ...failing])).toEqual(failed);
    expect(
      eventsOf([
        ['c', query('select 1')],
        ['s!', packet(idle, 0)],
      ]),
    ).toEqual([]);
    expect(
      eventsOf([
        ['c', query('select 1')],
        ['s', ...rows.slice(0, -1)],
        ['s!', packet(error(1927, 'Connection was killed', '70100'), 0)],
      ]),
    ).toEqual([]);
  });

  it('the number 0 in its turn is one like any other', () => {
    const many = Array.from({ length: 253 }, () => textRow(['1']));
    const steps: Step[] = [
      ['c', query('q')],
      ['s', ...rows.slice(0, 2), ...many, noSuchColumn],
    ];
    expect(eventsOf(steps)).toEqual(['failed 1054 <q> execute k=0 idle', 'settled idle']);
    expect(sentBytes(steps).at(-noSuchColumn.length - 1)).toBe(0);
  });

  it('an ERR packet that is too long is passed by, and ends its command', () => {
    const long = Buffer.concat([noSuchColumn, Buffer.alloc(200_000, 0x61)]);
    const steps: Step[] = [['c', query('q')], ['s', long], ...failing];
    for (const chunking of ['whole', 'all at once', 1_000] as const) {
      const { events, received } = run(steps, { chunking, note: () => sampleNote });
      expect(events[0]).toBe('bypassed error_frame_too_large');
      expect(events[1]).toBe(failed[0]);
      expect(received.subarray(0, long.length + 4).equals(packet(long, 1))).toBe(true);
    }
  });

  it('progress of MariaDB is no failure; of MySQL there is none', () => {
    const steps: Step[] = [
      ['c', query('alter table t add unique (a)')],
      ['s', progress(1, 2, 666, 'copy to tmp table'), progress(2, 2, 0, 'Enabling keys'), noSuchColumn],
    ];
    const events = ['failed 1054 <alter table t add unique (a)> execute k=0 idle', 'settled idle'];
    expect(eventsOf(steps, { engine: 'mariadb', note: () => sampleNote }).slice(0, 3)).toEqual([
      events[0],
      events[1],
      `note ${sampleNote.recordId}`,
    ]);
    expect(eventsOf(steps, { engine: 'mysql' }).slice(0, 2)).toEqual([
      'failed 65535 <alter table t add unique (a)> execute k=0 idle',
      'settled idle',
    ]);
  });

  it('a command that the server refuses before it has come whole is the one that failed', () => {
    const tooLarge = error(1153, "Got a packet bigger than 'max_allowed_packet' bytes", '08S01');
    const text = query(`insert into t values ('${'x'.repeat(50_000)}')`);
    const [first, second] = [packets(text).subarray(0, 20_000), packets(text).subarray(20_000)];
    const { events } = run([
      ['c!', first],
      ['s!', packet(tooLarge, 1)],
      ['c!', second],
    ]);
    expect(events[0]).toMatch(/^failed 1153 <insert into t values \('x{19900,20000}> execute k=0 idle$/);
    expect(events.slice(1)).toEqual(['settled closed']);
  });

  it('commands over 16 MiB are one command, whose answer has the number behind their last packet', () => {
    for (const size of [maxPayloadBytes, 17_000_000, 2 * maxPayloadBytes]) {
      const text = query(Buffer.alloc(size - 1, 0x20).fill('select nope', 0, 11));
      const value = execute(1, [Buffer.alloc(size, 0x03)]);
      const steps: Step[] = [
        ['c', prepare('insert into t values (?)')],
        ['s', prepareOk(1, 0, 0)],
        ['c', text],
        ['s', noSuchColumn],
        ['c', value],
        ['s', noSuchColumn],
        ['c', sendLongData(1, 0, Buffer.alloc(size, 0x03)), ping],
        ['s>', ok()],
        ...failing,
      ];
      for (const chunking of ['all at once', 65_536] as const) {
        const { events } = run(steps, { chunking });
        expect(events.map((event) => event.replace(/ {2,}>/, '>'))).toEqual([
          'failed 1054 <select nope> execute k=0 idle',
          'settled idle',
          'failed 1054 <insert into t values (?)> execute k=0 idle',
          'settled idle',
          ...failed,
        ]);
      }
    }
  });

  it('a command that promises 16 MiB and stops holds nothing up', () => {
    const promise = packets(query(Buffer.alloc(1_000_000, 0x61))).subarray(0, 100);
    const { events, received } = run([
      ['c!', promise],
      ['s!', packet(noSuchColumn, 0)],
    ]);
    expect(events).toEqual([]);
    expect(received).toEqual(packet(noSuchColumn, 0));
  });

  it('turns blind when more is owed than is followed', () => {
    const text = query(`select '${'x'.repeat(60_000)}'`);
    const steps: Step[] = Array.from({ length: 1_200 }, () => ['c', text] as const);
    expect(run(steps, { chunking: 'all at once' }).events).toEqual(['blind expected_replies_over_limit']);
  });

  it('forgets texts of prepared statements over the bounds, and says so', () => {
    const text = `select '${'x'.repeat(60_000)}'`;
    const steps: Step[] = [];
    for (let id = 1; id <= 80; id += 1) steps.push(['c', prepare(text)], ['s', prepareOk(id, 0, 0)]);
    steps.push(['c', execute(80)], ['s', noSuchColumn], ['c', execute(1)], ['s', noSuchColumn]);
    const { events } = run(steps);
    const over = events.filter((event) => event === 'bypassed prepared_statements_over_limit');
    expect(over.length).toBeGreaterThan(5);
    expect(events.slice(over.length).map((event) => event.slice(0, 16))).toEqual([
      'bypassed stateme',
      'failed 1054 <?> ',
      'settled idle',
      'failed 1054 <sel',
      'settled idle',
    ]);
  });
});

describe('arbitrary bytes', () => {
  const payloads = [
    ...rows,
    ok(),
    ok({ status: 10 }),
    eof(),
    noSuchColumn,
    prepareOk(1, 1, 1),
    localInfileRequest('x'),
    authSwitch('x'),
    progress(1, 2, 3, 'x'),
    Buffer.alloc(0),
  ];
  const commands = [
    query('select 1; call p(); select nope'),
    query("prepare s from 'select 1'"),
    query('execute s'),
    prepare('select ?'),
    execute(1, ['a']),
    execute(0xffffffff),
    closeStatement(1),
    ping,
    statistics,
    changeUser({ user: 'a', authData: Buffer.alloc(0), database: 'b', plugin: 'c' }),
    Buffer.alloc(0),
  ];
  const raw = fc.uint8Array({ maxLength: 40 }).map((array) => Buffer.from(array));
  const step = fc.oneof(
    fc.tuple(fc.constantFrom('c' as const, 'c+' as const), fc.constantFrom(...commands)),
    fc.tuple(fc.constantFrom('s' as const, 's>' as const), fc.constantFrom(...payloads)),
    fc.tuple(fc.constantFrom('c!' as const, 's!' as const), raw),
    fc.tuple(fc.constantFrom('c' as const, 's' as const), raw),
  ) as fc.Arbitrary<Step>;
  const options = fc.record({
    engine: fc.constantFrom('mysql' as const, 'mariadb' as const),
    capabilities: fc.constantFrom(modern, withEof, modern | (1 << 25) | (1 << 27)),
    extendedCapabilities: fc.constantFrom(0, 0x1d),
  });

  it('never make it throw, and every byte of the server comes out in order', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), options, (steps, terms) => {
        expect(run(steps, terms).received.equals(sentBytes(steps))).toBe(true);
      }),
      { numRuns: 1_000 },
    );
  });

  it('give the same events and bytes in any chunking', () => {
    fc.assert(
      fc.property(
        fc.array(step, { maxLength: 20 }),
        options,
        fc.integer({ min: 1, max: 9 }),
        (steps, terms, size) => {
          const whole = run(steps, { ...terms, chunking: 'all at once' });
          const pieces = run(steps, { ...terms, chunking: size });
          expect(pieces.events).toEqual(whole.events);
          expect(pieces.received.equals(whole.received)).toBe(true);
        },
      ),
      { numRuns: 500 },
    );
  });

  it('conversations of every kind, waited for or not, are followed in any chunking, with notes in their places', () => {
    const select = resultSet(['a'], [['1']]);
    const exchanges: readonly (readonly [Buffer, readonly Buffer[], readonly string[]])[] = [
      [query('select a'), select, ['ok <select a> 0']],
      [query('select nope'), [noSuchColumn], [failed[0] as string, 'settled idle', 'note']],
      [query('select b'), [...select.slice(0, -1), noSuchColumn], ['failed', 'settled idle', 'note']],
      [
        query('insert 1; insert 2'),
        [ok({ status: 10 }), noSuchColumn],
        ['ok', 'failed', 'settled idle', 'note'],
      ],
      [prepare('select ?'), [prepareOk(1, 1, 0), columnDefinition({ name: 'a' })], []],
      [
        execute(1, ['a']),
        [error(1243, 'Unknown prepared statement')],
        ['bypassed', 'failed', 'settled idle', 'note'],
      ],
      [statistics, [bytes(0xff, 0xfe, 0)], []],
      [ping, [ok()], []],
    ];
    const choice = fc.record({ index: fc.nat(exchanges.length - 1), isWaitedFor: fc.boolean() });
    fc.assert(
      fc.property(fc.array(choice, { maxLength: 20 }), fc.integer({ min: 1, max: 60 }), (choices, size) => {
        const steps: Step[] = [];
        const expected: string[] = [];
        let waiting: Buffer[][] = [];
        for (const { index, isWaitedFor } of choices) {
          const [sent, answer, events] = exchanges[index] as (typeof exchanges)[number];
          steps.push(['c', sent]);
          waiting.push([...answer]);
          expected.push(...events);
          if (isWaitedFor) {
            for (const payloads of waiting) steps.push(['s>', ...payloads]);
            waiting = [];
          }
        }
        for (const payloads of waiting) steps.push(['s>', ...payloads]);
        const { events, received } = run(steps, { chunking: size, note: () => sampleNote });
        expect(events.map((event, at) => event.slice(0, expected[at]?.length))).toEqual(expected);
        const addition = `\n${sampleNote.long}`.length;
        const notes = expected.filter((event) => event === 'note').length;
        expect(received.length).toBe(sentBytes(steps).length + notes * addition);
      }),
      { numRuns: 300 },
    );
  });
});

// Names of prepared statements got out of step: replies in the wrong order when Parse and Close came without Sync
// (pgbouncer/pgbouncer#1555), Close of a statement whose Parse had failed (yandex/odyssey#1361), an unnamed statement
// replaced between Parse and Bind (pgbouncer/pgbouncer#44, #1288; oven-sh/bun#27952), an EXECUTE whose PREPARE had failed
// (pgdogdev/pgdog#876).
import { afterEach, expect, it } from 'vitest';
import { stopProxies } from '../integration/proxy/scripted-ends.js';
import { client } from '../protocol/postgres/frames.js';
import { describeEachPostgres } from '../support/postgres-servers.js';
import { RawPostgres } from '../support/raw-postgres.js';
import { letters } from './support/frames.js';
import { watch } from './support/watched-proxy.js';

afterEach(stopProxies);

const { bind, close, describe, execute, parse, query, sync } = client;
const runUnnamed = [bind('', ''), execute(''), sync()];

interface Write {
  readonly sent: readonly Buffer[];
  /** Types of the answer up to its last ReadyForQuery. */
  readonly answer: string;
}

const scripts: readonly (readonly [string, readonly Write[], readonly string[]])[] = [
  [
    'Parse and Close in turns without Sync leave no name behind',
    [
      {
        sent: [parse('a', 'select 1'), close('S', 'a'), parse('b', 'select 2'), close('S', 'b'), sync()],
        answer: '1313Z',
      },
      { sent: [bind('', 'a'), execute(''), sync()], answer: 'E[26000]Z' },
      {
        sent: [parse('a', 'select 1/(1-$1::int)'), describe('S', 'a'), close('S', 'a'), sync()],
        answer: '1tT3Z',
      },
    ],
    ['bypassed statement_text_unknown', 'failed 26000 <?> bind k=0 idle', 'settled idle'],
  ],
  [
    'Close of a statement whose Parse had failed is answered and harms nothing',
    [
      { sent: [parse('S_4', 'select nope'), describe('S', 'S_4'), sync()], answer: 'E[42703]Z' },
      { sent: [close('S', 'S_4'), sync()], answer: '3Z' },
      { sent: [parse('S_4', 'select 4'), bind('', 'S_4'), execute(''), sync()], answer: '12DCZ' },
    ],
    ['failed 42703 <select nope> parse k=0 idle', 'settled idle', 'ok <select 4> 0'],
  ],
  [
    'an unnamed statement is the one parsed last, until a simple query destroys it',
    [
      { sent: [parse('', 'select 1'), sync()], answer: '1Z' },
      { sent: [parse('', 'select 1/0'), sync()], answer: '1Z' },
      { sent: runUnnamed, answer: 'E[22012]Z' },
      { sent: [query('select 3')], answer: 'TDCZ' },
      { sent: runUnnamed, answer: 'E[26000]Z' },
    ],
    [
      'failed 22012 <select 1/0> bind k=0 idle',
      'settled idle',
      'ok <select 3> 0',
      'bypassed statement_text_unknown',
      'failed 26000 <?> bind k=0 idle',
      'settled idle',
    ],
  ],
  [
    'two statements under one name in one pipeline: each failure has the text of its time',
    [
      {
        sent: [
          parse('s', 'select 1/0'),
          bind('', 's'),
          execute(''),
          sync(),
          close('S', 's'),
          parse('s', 'select 2'),
        ],
        answer: '1E[22012]Z',
      },
      { sent: [bind('', 's'), execute(''), sync()], answer: '312DCZ' },
    ],
    ['failed 22012 <select 1/0> bind k=0 idle', 'settled idle', 'ok <select 2> 0'],
  ],
  [
    'an EXECUTE whose PREPARE failed has an answer of its own',
    [
      {
        sent: [query('prepare p as select nope'), query('execute p'), query('select 3')],
        answer: 'E[42703]ZE[26000]ZTDCZ',
      },
    ],
    [
      'failed 42703 <prepare p as select nope> execute k=0 idle',
      'settled idle',
      'failed 26000 <execute p> execute k=0 idle',
      'settled idle',
      'ok <select 3> 0',
    ],
  ],
  [
    'what was skipped after an error has changed no name',
    [
      { sent: [parse('s', 'select 1/0'), parse('', 'select 2'), sync()], answer: '11Z' },
      {
        sent: [
          parse('bad', 'select nope'),
          ...[
            parse('s', 'select 3'),
            close('S', 's'),
            parse('s', 'select 4'),
            query('select 5'),
            parse('', 'select 6'),
          ],
          sync(),
        ],
        answer: 'E[42703]Z',
      },
      { sent: runUnnamed, answer: '2DCZ' },
      { sent: [bind('', 's'), execute(''), sync()], answer: 'E[22012]Z' },
    ],
    [
      'failed 42703 <select nope> parse k=0 idle',
      'settled idle',
      'ok <select 2> 0',
      'failed 22012 <select 1/0> bind k=0 idle',
      'settled idle',
    ],
  ],
  [
    'DEALLOCATE in a pipeline takes the names of its time, not those parsed behind it',
    [
      {
        sent: [
          query('prepare p as select 1/0'),
          query('deallocate all'),
          parse('p', 'select 1/0 as second'),
          sync(),
        ],
        answer: 'CZCZ1Z',
      },
      { sent: [bind('', 'p'), execute(''), sync()], answer: 'E[22012]Z' },
      { sent: [query('deallocate prepare P'), query('execute p')], answer: 'CZE[26000]Z' },
    ],
    [
      'ok <prepare p as select 1/0> 0',
      'ok <deallocate all> 0',
      'failed 22012 <select 1/0 as second> bind k=0 idle',
      'settled idle',
      'ok <deallocate prepare P> 0',
      'failed 26000 <execute p> execute k=0 idle',
      'settled idle',
    ],
  ],
];

describeEachPostgres('names', (server) => {
  it.each(scripts)('%s', async (_what, writes, events) => {
    const proxy = await watch(server.url);
    const session = await RawPostgres.open(proxy.through(server.url));
    for (const { sent, answer } of writes) {
      await session.send(Buffer.concat(sent));
      expect(letters(await session.ready(answer.split('Z').length - 1))).toBe(answer);
    }
    expect(proxy.sessions[0]?.events).toEqual(events);
    expect(proxy.blind).toEqual([]);
    session.close();
  });
});

/**
 * Exchanges at the level of messages: what is sent in one write, and what ends the answer. Most of them are orders of
 * messages that no client library sends by itself but that proxies are known to have lost their place in.
 */
import { serialize } from 'pg-protocol';

export interface WireScenario {
  readonly name: string;
  /** Bytes written at once, each followed by waiting for its answer. */
  readonly exchanges: readonly WireExchange[];
}

export interface WireExchange {
  readonly send: Buffer;
  /** Type of the frame that ends the answer, and how many of them. */
  readonly until: string;
  readonly count: number;
}

const query = (text: string): Buffer => serialize.query(text);
const parse = (text: string, name = ''): Buffer => serialize.parse({ name, text });
const bind = (values: string[] = [], statement = '', portal = ''): Buffer =>
  serialize.bind({ statement, portal, values });
const describeStatement = (name = ''): Buffer => serialize.describe({ type: 'S', name });
const describePortal = (name = ''): Buffer => serialize.describe({ type: 'P', name });
const execute = (rows = 0, portal = ''): Buffer => serialize.execute({ portal, rows });
const closeStatement = (name: string): Buffer => serialize.close({ type: 'S', name });
const closePortal = (name = ''): Buffer => serialize.close({ type: 'P', name });
const sync = serialize.sync();
const flush = serialize.flush();
const copyData = (text: string): Buffer => serialize.copyData(Buffer.from(text));
const copyDone = serialize.copyDone();
const copyFail = serialize.copyFail('client gave up');

/** Parse, Bind, Describe and Execute of one text, without Sync. */
const run = (text: string, values: string[] = []): Buffer[] => [
  parse(text),
  bind(values),
  describePortal(),
  execute(),
];

/** A fast-path call: FunctionCall with two int4 arguments in text format. */
function functionCall(oid: number, args: readonly string[]): Buffer {
  const values = args.map((arg) => {
    const length = Buffer.alloc(4);
    length.writeInt32BE(arg.length);
    return Buffer.concat([length, Buffer.from(arg)]);
  });
  const head = Buffer.alloc(8);
  head.writeInt32BE(oid, 0);
  head.writeInt16BE(0, 4);
  head.writeInt16BE(args.length, 6);
  return message('F', Buffer.concat([head, ...values, Buffer.from([0, 0])]));
}

/** Any message of a client. */
function message(type: string, body: Buffer): Buffer {
  const head = Buffer.alloc(5);
  head.write(type, 0, 'latin1');
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}

function once(...parts: readonly Buffer[]): WireExchange[] {
  return [answered(1, ...parts)];
}

function answered(count: number, ...parts: readonly Buffer[]): WireExchange {
  return { send: Buffer.concat(parts), until: 'Z', count };
}

function upTo(until: string, count: number, ...parts: readonly Buffer[]): WireExchange {
  return { send: Buffer.concat(parts), until, count };
}

export const wireScenarios: readonly WireScenario[] = [
  { name: 'extended, one write', exchanges: once(...run('select id, name from city order by id'), sync) },
  { name: 'error at Parse', exchanges: once(...run('select nope from city'), sync) },
  { name: 'error at Bind', exchanges: once(parse('select $1::int'), bind(['x']), execute(), sync) },
  { name: 'error at Describe', exchanges: once(describeStatement('unknown'), sync) },
  {
    name: 'error at Execute',
    exchanges: once(...run('select 10 / (id - $1) from city order by id', ['2']), sync),
  },
  { name: 'Execute of no portal', exchanges: once(execute(0, 'nowhere'), sync) },
  {
    name: 'three statements, the second fails, the third is skipped',
    exchanges: [
      answered(1, ...run('select 1'), ...run('select 1/0'), ...run('select 2'), sync),
      answered(1, ...run('select 3'), sync),
    ],
  },
  {
    name: 'two texts in one write, the first fails',
    exchanges: [answered(2, query('select nope from city'), query('select 2'))],
  },
  {
    name: 'several statements in one text',
    exchanges: once(query('select 1; select 1 / 0 as second; select 2')),
  },
  { name: 'empty texts', exchanges: [answered(3, query(''), query(' ; '), ...run(''), sync)] },
  {
    name: 'five texts queued, the third fails',
    exchanges: [answered(5, ...['1', '2', 'nope', '4', '5'].map((one) => query(`select ${one}`)))],
  },
  {
    name: 'Parse and Close without Sync between',
    exchanges: once(
      parse('select 1', 'a'),
      closeStatement('a'),
      parse('select 2', 'b'),
      closeStatement('b'),
      sync,
    ),
  },
  {
    name: 'the next cycle follows a failed one in the same write',
    exchanges: [
      upTo(
        'T',
        1,
        parse('select $1::int'),
        bind(['x']),
        execute(),
        sync,
        parse('select id from city'),
        describeStatement(),
        flush,
      ),
      answered(1, sync),
    ],
  },
  {
    name: 'an error after Flush comes before any Sync',
    exchanges: [upTo('E', 1, parse('select nope from city'), describeStatement(), flush), answered(1, sync)],
  },
  {
    name: 'a suspended portal is continued and closed',
    exchanges: [
      answered(1, query('begin')),
      answered(1, parse('select g from generate_series(1, 5) g'), bind([], '', 'p'), execute(2, 'p'), sync),
      answered(1, execute(2, 'p'), sync),
      answered(1, closePortal('p'), sync),
      answered(1, query('commit')),
    ],
  },
  {
    name: 'a portal read row by row fails later',
    exchanges: [
      upTo(
        's',
        1,
        parse('select 10 / (3 - g) from generate_series(1, 5) g'),
        bind(),
        describePortal(),
        execute(1),
        flush,
      ),
      upTo('s', 1, execute(1), flush),
      upTo('E', 1, execute(1), flush),
      answered(1, sync),
    ],
  },
  {
    name: 'Close of a statement whose Parse failed',
    exchanges: [
      answered(1, parse('select nope', 's4'), describeStatement('s4'), sync),
      answered(1, closeStatement('s4'), sync),
    ],
  },
  {
    name: 'the unnamed statement is replaced and destroyed',
    exchanges: [
      answered(1, parse('select 1'), sync),
      answered(1, parse('select 1/0'), sync),
      answered(1, bind(), execute(), sync),
      answered(1, query('select 1')),
      answered(1, bind(), execute(), sync),
    ],
  },
  {
    name: 'a named statement used again and again',
    exchanges: [
      answered(1, parse('select 10 / (id - $1) from city', 'n1'), sync),
      answered(2, bind(['9'], 'n1'), execute(), sync, bind(['1'], 'n1'), execute(), sync),
      answered(1, parse('select 2', 'n1'), sync),
      answered(1, closeStatement('n1'), sync),
      answered(1, bind(['9'], 'n1'), execute(), sync),
    ],
  },
  {
    name: 'PREPARE fails, EXECUTE after it too',
    exchanges: [answered(3, query('prepare p as select nope'), query('execute p'), query('select 1'))],
  },
  {
    name: 'EXECUTE of a prepared text',
    exchanges: [
      answered(3, query('prepare q as select 10 / $1'), query('execute q (0)'), query('deallocate q')),
    ],
  },
  {
    name: 'COPY in the extended protocol',
    exchanges: [
      upTo('G', 1, parse('copy copied from stdin'), bind(), execute(), sync),
      answered(1, copyData('1\tone\n2\t'), copyData('two\n'), copyDone, sync),
      answered(1, query('delete from copied')),
    ],
  },
  {
    name: 'COPY of a missing table with its data in the same write',
    exchanges: [
      answered(1, parse('copy nowhere from stdin'), bind(), execute(), sync, copyData('1\n'), copyDone),
    ],
  },
  {
    name: 'COPY fails while the client still sends',
    exchanges: [
      upTo('G', 1, query('copy copied from stdin')),
      answered(1, copyData('x\tbad\n'), copyData('3\tmore\n'), copyDone),
    ],
  },
  {
    name: 'COPY given up by the client',
    exchanges: [upTo('G', 1, query('copy copied from stdin')), answered(1, copyData('9\tnine\n'), copyFail)],
  },
  { name: 'COPY out', exchanges: once(query('copy (select * from city order by id) to stdout')) },
  {
    name: 'COPY out fails midway',
    exchanges: once(query('copy (select 10 / (3 - g) from generate_series(1, 5) g) to stdout')),
  },
  {
    name: 'a deferred constraint after CommandComplete',
    exchanges: once(...run('insert into slot values (9, 2)'), sync),
  },
  {
    name: 'a deferred constraint at COMMIT',
    exchanges: [
      answered(1, query('begin')),
      answered(1, query('insert into slot values (9, 2)')),
      answered(1, query('commit')),
      answered(1, query('rollback')),
    ],
  },
  {
    name: 'a deferred constraint in a pipeline',
    exchanges: [answered(2, ...run('insert into slot values (9, 2)'), sync, ...run('select 1'), sync)],
  },
  {
    name: 'a failed block refuses and ends',
    exchanges: [
      answered(
        4,
        query('begin'),
        query('select nope from city'),
        query('select id from city'),
        query('commit'),
      ),
    ],
  },
  {
    name: 'a parameter changes before a failure in one write',
    exchanges: [answered(2, query("set timezone = 'UTC'"), ...run('select nope from city'), sync)],
  },
  { name: 'a warning before the error', exchanges: once(query('select warn_and_fail()')) },
  { name: 'a function call of no function', exchanges: once(functionCall(999_999, ['1', '2'])) },
  { name: 'a function call', exchanges: once(functionCall(177, ['1', '2'])) },
  { name: 'a function call that fails', exchanges: once(functionCall(154, ['1', '0'])) },
  { name: 'LISTEN and NOTIFY in one text', exchanges: once(query("listen n; notify n, 'x'; unlisten n")) },
  ...[4096, 8192, 16_384, 65_536].flatMap((edge) =>
    [-16, -1, 0, 1].map((offset) => ({
      name: `a row that ends near ${edge} (${offset})`,
      exchanges: [
        answered(2, query(`select repeat('x', ${edge + offset - 7 - 4})`), query('select nope from city')),
      ],
    })),
  ),
];

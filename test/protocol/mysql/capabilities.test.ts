import { describe, expect, it } from 'vitest';
import { capability, extendedCapability } from '../../../adapters/mysql/capabilities.js';
import {
  bulkExecute,
  closeStatement,
  execute,
  fieldType,
  prepare,
  query,
} from '../../support/mysql-client-packets.js';
import { lenenc, lenencString, status, uint } from '../../support/mysql-protocol.js';
import {
  columnDefinition,
  endOfRows,
  eof,
  error,
  ok,
  prepareOk,
  resultSet,
  textRow,
} from '../../support/mysql-server-packets.js';
import { eventsOf, modern, run, type Step, withEof } from './scripted-session.js';

const noSuchColumn = error(1054, "Unknown column 'nope' in 'field list'", '42S22');
const failing: readonly Step[] = [
  ['c', query('select nope')],
  ['s', noSuchColumn],
];
const failed = ['failed 1054 <select nope> execute k=0 idle', 'settled idle'];
const bytes = (...values: number[]): Buffer => Buffer.from(values);
const definition = columnDefinition({ name: 'a' });

/** Both have the same bytes for it under flags of their own. */
const metadata = [
  [
    'MySQL’s optional metadata',
    { capabilities: capability.optionalResultsetMetadata, extendedCapabilities: 0 },
  ],
  [
    'MariaDB’s cached metadata',
    { capabilities: 0, extendedCapabilities: extendedCapability.cacheMetadata, engine: 'mariadb' as const },
  ],
] as const;

describe.each(metadata)('%s', (_name, terms) => {
  it.each([modern, withEof])('definitions follow or not, under %i', (base) => {
    const isEofDeprecated = base === modern;
    const ends = isEofDeprecated ? [] : [eof()];
    const end = isEofDeprecated ? endOfRows() : eof();
    const steps: Step[] = [
      ['c', query('select 1')],
      ['s', bytes(1, 1), definition, ...ends, textRow(['1']), end],
      ['c', query('select 2')],
      ['s', bytes(1, 0), ...ends, textRow(['1']), textRow(['2']), end],
      ['c', query('select 251')],
      ['s', bytes(0xfc, 251, 0, 0), ...ends, textRow(['1']), end],
      ['c', query('do 1')],
      ['s', ok()],
      ...failing,
    ];
    const events = ['ok <select 1> 0', 'ok <select 2> 0', 'ok <select 251> 0', 'ok <do 1> 0', ...failed];
    expect(eventsOf(steps, { ...terms, capabilities: base | terms.capabilities })).toEqual(events);
  });

  it('a flag that is neither is no result set', () => {
    const steps: Step[] = [
      ['c', query('select 1')],
      ['s', bytes(1, 2)],
    ];
    const capabilities = modern | terms.capabilities;
    expect(eventsOf(steps, { ...terms, capabilities })).toEqual(['blind malformed_server_frame']);
  });
});

describe('optional metadata of a prepared statement', () => {
  const prepareOkWith = (columns: number, parameters: number, follows: number): Buffer =>
    Buffer.concat([prepareOk(1, columns, parameters), bytes(follows)]);

  it('its definitions are left out, the EOF packets behind them are not', () => {
    const steps = (isEofDeprecated: boolean): Step[] => {
      const ends = isEofDeprecated ? [] : [eof()];
      return [
        ['c', prepare('select a from t where a = ?')],
        ['s', prepareOkWith(1, 1, 1), definition, ...ends, definition, ...ends],
        ['c', prepare('select a, b from t where a = ?')],
        ['s', prepareOkWith(2, 1, 0), ...ends, ...ends],
        ['c', prepare('do ?')],
        ['s', prepareOkWith(0, 1, 0), ...ends],
        ['c', prepare('do 1')],
        ['s', prepareOkWith(0, 0, 0)],
        ...failing,
      ];
    };
    for (const base of [modern, withEof]) {
      const capabilities = base | capability.optionalResultsetMetadata;
      expect(eventsOf(steps(base === modern), { capabilities })).toEqual(failed);
    }
  });
});

describe('query attributes', () => {
  const options = { capabilities: modern | capability.queryAttributes };

  it('are stepped over', () => {
    const steps: Step[] = [
      ['c', query('select nope', {})],
      ['s', noSuchColumn],
      ['c', query('select nope2', { traceparent: '00-select-01', other: 'x'.repeat(300) })],
      ['s', noSuchColumn],
    ];
    expect(eventsOf(steps, options)).toEqual([
      ...failed,
      'failed 1054 <select nope2> execute k=0 idle',
      'settled idle',
    ]);
  });

  it('of every type, and NULL, are measured exactly', () => {
    const values: readonly (readonly [number, Buffer])[] = [
      [1, bytes(1)],
      [2, bytes(1, 2)],
      [fieldType.long, bytes(1, 2, 3, 4)],
      [4, bytes(1, 2, 3, 4)],
      [5, Buffer.alloc(8, 1)],
      [fieldType.longlong, Buffer.alloc(8, 1)],
      [9, bytes(1, 2, 3, 4)],
      [13, bytes(1, 2)],
      [10, bytes(4, 1, 2, 3, 4)],
      [11, bytes(0)],
      [12, bytes(7, 1, 2, 3, 4, 5, 6, 7)],
      [7, bytes(11, ...Array.from({ length: 11 }, () => 1))],
      [fieldType.varString, lenencString('text')],
      [fieldType.blob, lenencString('y'.repeat(400))],
      [0, lenencString('1.5')],
      [245, lenencString('{}')],
      [fieldType.null, Buffer.alloc(0)],
    ];
    // The last but one is there by type and NULL by the bitmap.
    const nulls = Buffer.alloc((values.length + 7) >> 3);
    nulls[1] = 1 << 7;
    const attributes = Buffer.concat([
      bytes(0x03),
      lenenc(values.length),
      lenenc(1),
      nulls,
      bytes(1),
      ...values.map(([type], index) => Buffer.concat([uint(type, 2), lenencString(`name${index}`)])),
      ...values.map(([, value], index) => (index === 15 ? Buffer.alloc(0) : value)),
    ]);
    const steps: Step[] = [
      ['c', Buffer.concat([attributes, Buffer.from('select nope')])],
      ['s', noSuchColumn],
    ];
    expect(eventsOf(steps, options)).toEqual(failed);
    // Cut anywhere, they leave no text, and the session goes on.
    for (let length = 1; length < attributes.length; length += 1) {
      const cut: Step[] = [
        ['c', attributes.subarray(0, length)],
        ['s', noSuchColumn],
        ...failing.slice(0, 0),
      ];
      expect(run(cut, options).events).toEqual([
        'bypassed statement_text_unknown',
        'failed 1054 <?> execute k=0 idle',
        'settled idle',
      ]);
    }
  });

  it.each([
    ['a type nobody knows', bytes(0x03, 1, 1, 0, 1, 99, 0, 0, 1)],
    ['types that are not sent', bytes(0x03, 1, 1, 0, 0, 1, 0x61)],
    ['more than the payload holds', bytes(0x03, 0xfd, 0xff, 0xff, 0xff, 1, 0, 1)],
  ])('%s: the text is not known', (_name, payload) => {
    const steps: Step[] = [
      ['c', payload],
      ['s', noSuchColumn],
      ['c', query('select nope', {})],
      ['s', noSuchColumn],
    ];
    expect(eventsOf(steps, options)).toEqual([
      'bypassed statement_text_unknown',
      'failed 1054 <?> execute k=0 idle',
      'settled idle',
      ...failed,
    ]);
  });

  it('leave a long statement its full length', () => {
    const text = `select '${'x'.repeat(200_000)}'`;
    const steps: Step[] = [
      ['c', query(text, { a: 'b'.repeat(3_000) })],
      ['s', noSuchColumn],
    ];
    const [event] = eventsOf(steps, options);
    expect(event).toMatch(/^failed 1054 <select 'x{65528}> execute/);
  });
});

describe('MariaDB', () => {
  const options = { engine: 'mariadb' as const };
  const last = 0xffff_ffff;

  it('the last statement prepared has an id that need not be waited for', () => {
    const steps: Step[] = [
      ['c', prepare('insert into t values (?)'), execute(last, ['1'])],
      ['s>', prepareOk(7, 0, 1), definition],
      ['s>', noSuchColumn],
      ['c', prepare('select nope'), execute(last)],
      ['s>', noSuchColumn],
      ['s>', error(1243, 'Unknown prepared statement handler (4294967295) given to')],
      ['c', prepare('select 5'), execute(last), closeStatement(last), execute(last), execute(8)],
      ['s>', prepareOk(8, 0, 0)],
      ['s>', noSuchColumn],
      ['s>', noSuchColumn],
      ['s>', noSuchColumn],
    ];
    expect(eventsOf(steps, options)).toEqual([
      'failed 1054 <insert into t values (?)> execute k=0 idle',
      'settled idle',
      'failed 1054 <select nope> parse k=0 idle',
      'settled idle',
      'bypassed statement_text_unknown',
      'failed 1243 <?> execute k=0 idle',
      'settled idle',
      'failed 1054 <select 5> execute k=0 idle',
      'settled idle',
      'bypassed statement_text_unknown',
      'failed 1054 <?> execute k=0 idle',
      'settled idle',
      'bypassed statement_text_unknown',
      'failed 1054 <?> execute k=0 idle',
      'settled idle',
    ]);
  });

  it('bulk execution belongs to its statement', () => {
    const rows = [['1'], ['2']];
    const steps: Step[] = [
      ['c', prepare('insert into t values (?)')],
      ['s', prepareOk(1, 0, 1), definition],
      ['c', bulkExecute(1, rows)],
      ['s', ok({ affectedRows: 2 })],
      ['c', bulkExecute(1, rows)],
      ['s', error(1062, "Duplicate entry '2' for key 'PRIMARY'", '23000')],
      ['c', bulkExecute(last, rows)],
      ['s', ...resultSet(['id'], [['1'], ['2']], { isBinary: true })],
    ];
    expect(eventsOf(steps, options)).toEqual([
      'ok <insert into t values (?)> 0',
      'failed 1062 <insert into t values (?)> execute k=0 idle',
      'settled idle',
      'ok <insert into t values (?)> 0',
    ]);
  });

  it('blocks outside of routines are answered like a CALL', () => {
    const more = status.autocommit | status.moreResults;
    const set = resultSet(['a'], [['1']], { end: { status: more } });
    const steps: Step[] = [
      ['c', query('begin not atomic select 1; select 2; end; select nope')],
      ['s', ...set, ...set, ok({ status: more }), noSuchColumn],
    ];
    expect(eventsOf(steps, options).slice(-2)).toEqual([
      'failed 1054 <begin not atomic select 1; select 2; end; select nope> execute k=1 idle',
      'settled idle',
    ]);
  });
});

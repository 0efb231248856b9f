/** The shaper as its callers see it: statements of a text, cache, trace, options, and work that stays linear. */
import { describe, expect, it } from 'vitest';
import { limits } from '../../../../src/core/limits.js';
import { defaultLexicalOptions } from '../../../../src/core/verdict.js';
import { oneShape, postgres, shapes } from './support.js';

const shape = (text: string, isTruncated = false) => postgres.shape(text, defaultLexicalOptions, isTruncated);

describe('statements of a text', () => {
  it('splits at semicolons and leaves out empty statements', () => {
    const text = ';; select 1; ;insert into t values (1);\n-- end\n;';
    const { statements } = shape(text);
    expect(statements.map((statement) => statement.shape)).toEqual([
      'select ?',
      'insert into t values ( ? )',
    ]);
    expect(statements.map(({ start, end }) => text.slice(start, end))).toEqual([
      'select 1',
      'insert into t values (1)',
    ]);
  });

  it('does not split in parentheses, literals, comments or an atomic body', () => {
    for (const text of [
      'create rule r as on insert to t do also (delete from a; delete from b)',
      'select \'a;b\', "c;d", $$e;f$$ /* g;h */ -- i;j',
      'create function f() returns int begin atomic select case when a then 1 end; select 2; end',
    ]) {
      expect(shape(text).statements).toHaveLength(1);
    }
    expect(shapes('create function f() begin atomic select 1; end; select 2')).toHaveLength(2);
    expect(shapes('begin; select 1; end; select 2')).toHaveLength(4);
  });

  it('is never empty and is bounded in number', () => {
    expect(shape('').statements).toHaveLength(1);
    expect(shape(' ; -- x').statements[0]).toMatchObject({
      shape: '',
      verb: '',
      tables: [],
      start: 0,
      end: 0,
    });
    expect(shape('select 1;'.repeat(1000)).statements).toHaveLength(limits.maxMultiStatements);
  });

  it('marks only the last statement of a truncated text', () => {
    expect(shape('select 1; select 2', true).statements.map((s) => s.isTruncated)).toEqual([false, true]);
    expect(shape('', true).statements[0]?.isTruncated).toBe(true);
  });

  it('bounds the tables of a statement', () => {
    const many = Array.from({ length: 200 }, (_, i) => `t${i}`).join(', ');
    expect(oneShape(`select 1 from ${many}`).tables).toHaveLength(limits.maxTablesPerStatement);
  });

  it('cuts names as the server does', () => {
    const long = `${'x'.repeat(62)}\u00e9y`;
    expect(oneShape(`select 1 from ${long}`).tables[0]?.name).toBe('x'.repeat(62));
    expect(oneShape(`select 1 from "${long}"`).tables[0]?.name).toBe('x'.repeat(62));
  });
});

describe('traceparent', () => {
  const id = '00-5bd66ef5095369c7b0d1f8f4bd33716a-c532cb4098ac3dd2-01';
  it.each([
    [`select 1 /*controller='x',traceparent='${id}'*/`, id],
    [`/*traceparent='${id}'*/ select 1; select 2`, id],
    [`select 1 -- traceparent='${id}'`, id],
    [`select '/*traceparent=''${id}''*/'`, null],
    [`select 1 /*traceparent='${id.toUpperCase()}'*/`, null],
    [`select 1 /*traceparent='${id.slice(1)}'*/`, null],
    [`select 1 /*xtraceparent='${id}'*/`, null],
    ['select 1', null],
  ])('%s', (text, trace) => {
    expect(shape(text).trace).toBe(trace);
  });
});

describe('options and cache', () => {
  it('reads backslashes by standard_conforming_strings', () => {
    const sql = "select 'a\\'', b, 'c'";
    expect(oneShape(sql, { isStandardConformingStrings: false }).shape).toBe('select ? , b , ?');
    expect(oneShape(sql).shape).toBe('select ?');
  });

  it('gives the same object for the same short text and options, and another for other options', () => {
    const text = 'select 42 from cached';
    expect(shape(text)).toBe(shape(text));
    const others = { ...defaultLexicalOptions, isStandardConformingStrings: false };
    expect(postgres.shape(text, others, false)).not.toBe(shape(text));
    expect(shape(text, true)).not.toBe(shape(text));
    const long = `select 1 from t where x = '${'y'.repeat(limits.maxCachedShapeTextBytes)}'`;
    expect(shape(long)).not.toBe(shape(long));
    expect(shape(long)).toEqual(shape(long));
  });

  it('does not confuse names that share a place in the table of names', () => {
    for (let i = 0; i < 5_000; i++) {
      const name = `n_${i.toString(36)}`;
      expect(oneShape(`select "${name}" from ${name.toUpperCase()}`).shape).toBe(
        `select ${name} from ${name}`,
      );
    }
  });
});

describe('work', () => {
  const size = limits.maxStatementBytes;
  const patterns = [
    "'",
    '"',
    '$$',
    '$a$',
    '$a',
    '(',
    '((',
    ')',
    '[',
    'in (',
    'array[',
    'values (',
    'values ((1),',
    '- ',
    '+-',
    '/*',
    '*/',
    '/*+ ',
    '--',
    '-- a\n',
    'a.',
    '.',
    ';',
    ',',
    '1,',
    "'a' ",
    'a b ',
    'with a as (',
    'from (',
    'a,',
    '\u{1f600}',
    '\0',
    "E'\\",
    'U&"',
    '0x',
    '1e+',
    'aaaaaaaa-',
    '((1),(2)),',
    'x in (a,1,b,2),',
    'begin atomic case ',
    '"a""',
    'a'.repeat(63),
    ': ',
  ];
  it.each(patterns)('is bounded for a text of %j over and over', (pattern) => {
    const text = pattern.repeat(Math.ceil(size / pattern.length)).slice(0, size);
    const before = process.cpuUsage();
    for (const isTruncated of [false, true])
      expect(shape(text, isTruncated).statements.length).toBeGreaterThan(0);
    const { user, system } = process.cpuUsage(before);
    // quadratic work on 64 Ki characters takes tens of seconds
    expect((user + system) / 1e6).toBeLessThan(3);
  });

  it('is bounded for a text of 10 MB', () => {
    const text = `insert into t values ${"(1, 'x'), ".repeat(1_000_000)}(2, 'y')`;
    expect(oneShape(text)).toMatchObject({ shape: 'insert into t values ( ? , ? )', isTruncated: true });
  });
});

/**
 * What holds for every text. Idempotence is tested on texts of shapes: in PostgreSQL's grammar `?` is an operator, so a
 * shape read again has no holes, but its text comes out as it went in.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { limits } from '../../../../src/core/limits.js';
import { defaultLexicalOptions } from '../../../../src/core/verdict.js';
import * as cases from './cases.js';
import { holdsLiteral, literal, marker, mysql, oneShape, postgres, shapes, templates } from './support.js';

const { verbs: _verbs, ...groups } = cases;
const allCases = Object.values(groups).flat();
const template = fc.constantFrom(...templates);
const fill = (tokens: readonly string[], values: readonly string[]): string[] => {
  let next = 0;
  return tokens.map((token) => (token === '\0' ? (values[next++ % values.length] ?? '1') : token));
};
const gap = fc.constantFrom(' ', '  ', '\n', '\t\r\n', " /* it's /* a */ note */ ", ' -- it\'s "a\n', '\f');
const someLiterals = fc.array(literal, { minLength: 1, maxLength: 8 });

describe('shapes', () => {
  it.each(allCases)('is idempotent: %s', (_sql, shape) => {
    expect(shapes(shape)).toEqual([shape]);
  });

  it('is idempotent on any soup of fragments', () => {
    fc.assert(
      fc.property(
        fc.tuple(
          fc.constantFrom([], ['set'], ['alter user'], ['create'], ['values']),
          fc.array(fragment, { maxLength: 30 }),
        ),
        fc.constantFrom('', ' '),
        (parts, glue) => {
          for (const shape of shapes(parts.flat().join(glue))) expect(shapes(shape)).toEqual([shape]);
        },
      ),
      { numRuns: 6000 },
    );
  });

  it('never holds a byte of a literal', () => {
    fc.assert(
      fc.property(template, someLiterals, (tokens, values) => {
        const sql = fill(tokens, values).join(' ');
        const made = shapes(sql);
        expect(made).toHaveLength(1);
        expect(made.some(holdsLiteral)).toBe(false);
      }),
      { numRuns: 2000 },
    );
  });

  it('never holds a byte of a literal, wherever the text is cut', () => {
    fc.assert(
      fc.property(template, someLiterals, fc.nat(), fc.boolean(), (tokens, values, at, isTruncated) => {
        const sql = fill(tokens, values).join(' ');
        const cut = sql.slice(0, at % (sql.length + 1));
        expect(shapes(cut, postgres, isTruncated).some(holdsLiteral)).toBe(false);
      }),
      { numRuns: 2000 },
    );
  });

  it('never holds a byte of a literal that a stray quote precedes', () => {
    fc.assert(
      fc.property(template, fc.nat(), fc.constantFrom("'", '"', '$$'), (tokens, at, stray) => {
        const sql = fill(tokens, [`'${marker}'`, `'a ${marker} b'`]);
        sql.splice(at % sql.length, 0, stray);
        expect(shapes(sql.join(' ')).some(holdsLiteral)).toBe(false);
      }),
      { numRuns: 2000 },
    );
  });

  it('is blind to literals, spacing, comments, the case of keywords and the semicolon', () => {
    fc.assert(
      fc.property(
        template,
        someLiterals,
        fc.array(gap, { minLength: 1, maxLength: 9 }),
        fc.boolean(),
        (tokens, values, gaps, isUpper) => {
          const plain = fill(tokens, ["'x'"]).join(' ');
          const written = fill(
            tokens.map((token) => (isUpper ? token.toUpperCase() : token)),
            values,
          );
          const sql = `${written.map((token, i) => token + (gaps[i % gaps.length] ?? ' ')).join('')};`;
          expect(shapes(sql)).toEqual(shapes(plain));
        },
      ),
      { numRuns: 2000 },
    );
  });

  it('is blind to parameters in the place of literals', () => {
    for (const tokens of templates) {
      expect(shapes(fill(tokens, ['$1', '$2']).join(' '))).toEqual(shapes(fill(tokens, ["'x'"]).join(' ')));
    }
  });

  it('is blind to the length of lists and the number of rows', () => {
    fc.assert(
      fc.property(fc.array(literal, { minLength: 1, maxLength: 40 }), (values) => {
        const list = values.join(', ');
        const rows = values.map((value) => `(${value}, 1)`).join(',');
        expect(shapes(`select 1 from t where a in (${list})`)).toEqual(['select ? from t where a in ( ?+ )']);
        expect(shapes(`select array[${list}]`)).toEqual(['select array [ ?+ ]']);
        expect(shapes(`insert into t values ${rows}`)).toEqual(['insert into t values ( ? , ? )']);
      }),
    );
  });

  it('takes any text, gives no control characters and one letter a hole', () => {
    const anything = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 200 }),
      fc.string({ unit: fc.constantFrom(...`'"$\`\\/*-+;()[],.:?@#e0x_ a\n\0\u2028\ud800`), maxLength: 200 }),
    );
    fc.assert(
      fc.property(anything, fc.boolean(), fc.constantFrom(postgres, mysql), (text, isTruncated, shaper) => {
        const { statements } = shaper.shape(text, defaultLexicalOptions, isTruncated);
        expect(statements.length).toBeGreaterThan(0);
        for (const { shape, holes, start, end } of statements) {
          expect(shape).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u);
          expect(holes).toMatch(/^[snbzpxmv]*$/);
          expect(start).toBeLessThanOrEqual(end);
          expect(end).toBeLessThanOrEqual(text.length);
        }
      }),
      { numRuns: 5000 },
    );
  });

  it('gives each statement of a text the shape it has alone', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...allCases), { minLength: 1, maxLength: 6 }), (picked) => {
        const sound = picked.filter(([sql, shape]) => shape !== '' && isSound(sql));
        const text = sound.map(([sql]) => `${sql}\n;`).join(';\n');
        if (sound.length > 0) expect(shapes(text)).toEqual(sound.map(([, shape]) => shape));
      }),
    );
  });

  it('cuts the text at the limit, marks it and stays stable behind whole rows', () => {
    const text = (rows: number, id: number): string =>
      `insert into t (a, b) values ${Array.from({ length: rows }, (_, i) => `(${i + id}, 'x')`).join(', ')}`;
    const size = limits.maxStatementBytes;
    for (const [rows, id] of [
      [9000, 1],
      [7777, 12345],
    ] as const) {
      const sql = text(rows, id);
      expect(sql.length).toBeGreaterThan(size);
      const made = oneShape(sql);
      expect(made.isTruncated).toBe(true);
      expect(made.shape).toBe('insert into t ( a , b ) values ( ? , ? )');
    }
    const whole = oneShape(text(100, 1));
    expect(whole.isTruncated).toBe(false);
  });

  it('has a truncated list end at its last whole item, wherever it is cut', () => {
    const sql = "select a from t where b in ('x', 'y', 'z'::text, 'w'::text)";
    const list = sql.indexOf("'z'");
    for (let cut = sql.indexOf("'y'"); cut < list; cut++) {
      expect(shapes(sql.slice(0, cut), postgres, true)).toEqual(['select a from t where b in ( ?+']);
    }
  });
});

const isSound = (sql: string): boolean =>
  !/\\\.|unterminated/.test(sql) && !cases.broken.some(([text]) => text === sql);

/** Pieces of SQL, sound and unsound, that meet in any order. */
const fragment = fc.oneof(
  literal,
  fc.constantFrom(
    ...[
      'select',
      'from',
      'where',
      'in',
      '(',
      ')',
      '[',
      ']',
      ',',
      ';',
      '.',
      'values',
      'array',
      'null',
      'true',
    ],
    ...[
      'is',
      'not',
      'default',
      'order by',
      'group by',
      'limit',
      '1',
      '-',
      '+',
      '*',
      '||',
      '::',
      ':',
      '$1',
      '$',
    ],
    ...[
      'a',
      'B',
      '"C"',
      '"d e"',
      '"f@g"',
      '"h"""',
      'U&"i"',
      't_1234567',
      'pg_temp_9',
      '/* x */',
      '-- y\n',
      '/*+ z 1 */',
    ],
    ...[
      'password',
      'identified',
      'pwd',
      'alter user',
      'grant',
      'for',
      'to',
      'by',
      '=',
      ':=',
      'between',
      'and',
      'cast',
      'f',
      '"J K"',
      '\u201cx y\u201d',
      '\u2018',
    ],
    ...[
      'execute',
      'savepoint',
      'fetch',
      'of',
      'current',
      'begin',
      'atomic',
      'end',
      'case',
      'copy',
      'stdin',
      'varchar',
    ],
    ...[
      '!=',
      '<>',
      '?',
      '?+',
      '\\',
      '{',
      '\u0007',
      '\u00e9',
      'with',
      'as',
      'on',
      'set',
      'like',
      "'",
      '"',
      '$$',
      '/*',
    ],
  ),
);

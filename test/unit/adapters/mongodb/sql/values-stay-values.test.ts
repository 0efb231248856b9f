/** Whatever a text literal, a parameter or a name holds: it changes no structure, reaches no message, and breaks nothing. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileSql } from '../../../../../adapters/mongodb/sql/compile.js';
import { placedWords, reservedWords } from '../../../../../adapters/mongodb/sql/keywords.js';
import { literalOf, nameOf } from './sql-text.js';

const now = new Date('2026-05-01T12:00:00Z');
const statements = [
  (a: string, b: string) =>
    `SELECT f, lower(g) FROM t WHERE f = ${a} AND NOT (g.h < ${b} OR f IN (${a}, ${b}))`,
  (a: string, b: string) =>
    `SELECT ${a} AS x, CASE WHEN f = ${b} THEN ${a} ELSE coalesce(g, ${b}) END FROM t`,
  (a: string, b: string) =>
    `SELECT f, count(*) FROM t WHERE f || ${a} = ${b} GROUP BY f HAVING max(g) > ${a} ORDER BY 2`,
  (a: string, b: string) => `INSERT INTO t (f, g.h) VALUES (${a}, ${b}), (${b}, NULL)`,
  (a: string, b: string) => `UPDATE t SET f = ${a}, g = concat(g, ${b}) WHERE h <> ${a}`,
  (a: string, b: string) => `UPDATE t SET f = ${a} WHERE g BETWEEN ${a} AND ${b}`,
  (a: string, b: string) => `DELETE FROM t WHERE f IS DISTINCT FROM ${a} OR _id = ${b}`,
];
const treacherous = fc.oneof(
  fc.constantFrom(
    '$where',
    '$$ROOT',
    '$f',
    "'; DROP TABLE t; --",
    "''",
    '\\',
    '{"$gt": 1}',
    '$1',
    '?',
    '--',
    '/*',
  ),
  fc.constantFrom(
    '__proto__',
    'constructor',
    '0123456789abcdef01234567',
    '%',
    '\0',
    '😀',
    '\n',
    '"n1"',
    ') OR (1 = 1',
  ),
  fc.string({ unit: 'grapheme', maxLength: 12 }),
);

describe('values stay values', () => {
  it('a literal means what the same parameter means', () => {
    fc.assert(
      fc.property(fc.constantFrom(...statements), treacherous, treacherous, (make, a, b) => {
        const byLiterals = compileSql(make(literalOf(a), literalOf(b)), [], { now });
        const byParameters = compileSql(make('$1', '$2'), [a, b], { now });
        expect(byLiterals).toEqual(byParameters);
        expect(byLiterals.kind).toBe('command');
      }),
    );
  });

  it('a value makes no key', () => {
    fc.assert(
      fc.property(fc.constantFrom(...statements), treacherous, treacherous, (make, a, b) => {
        const keys = (x: unknown, y: unknown) => keysOf(compileSql(make('$1', '$2'), [x, y], { now }));
        // an ObjectId's text is compared in two ways, so it is left out
        fc.pre(!/^[0-9a-f]{24}$/i.test(b));
        expect(keys(a, b)).toEqual(keys('x', 'y'));
      }),
    );
  });

  it('documents given as values are compared and stored, never run', () => {
    const evil = { $gt: '' };
    expect(compileSql('DELETE FROM t WHERE f = $1', [evil])).toMatchObject({ filter: { f: { $eq: evil } } });
    expect(compileSql('UPDATE t SET f = g, h = $1', [evil])).toMatchObject({
      update: [{ $set: { h: { $literal: evil } } }],
    });
    expect(compileSql('SELECT $1 AS x FROM t', [evil])).toMatchObject({
      pipeline: [{ $project: { x: { $literal: evil } } }],
    });
  });

  it('names are fields of that name, or refused', () => {
    fc.assert(
      fc.property(treacherous, (name) => {
        const compiled = compileSql(`DELETE FROM t WHERE ${nameOf(name)} > 1`);
        const isOdd = name
          .split('.')
          .some((part) => part === '' || part.startsWith('$') || part.includes('\0'));
        if (isOdd) expect(compiled).toMatchObject({ kind: 'refused', code: 'SQL_EXPRESSION' });
        else if (compiled.kind !== 'refused' && compiled.operation === 'deleteMany') {
          expect(Object.entries(compiled.filter)).toEqual([[name, { $gt: 1 }]]);
        } else expect.unreachable();
      }),
    );
  });

  it('no message shows a value', () => {
    const secret = 'hunter2secret';
    fc.assert(
      fc.property(
        fc.constantFrom(...statements),
        fc.nat(),
        fc.nat(),
        fc.constantFrom('', ')', 'FROM', '#', "'"),
        (make, at, cut, put) => {
          const text = make(`'${secret}'`, '4711471147114711');
          const from = at % text.length;
          const broken = text.slice(0, from) + put + text.slice(from + (cut % 20));
          const compiled = compileSql(broken);
          if (compiled.kind === 'refused') {
            expect(compiled.message).not.toMatch(/hunter|secret|4711/i);
            if (compiled.position !== null) expect(compiled.position).toBeLessThanOrEqual(broken.length + 1);
          }
        },
      ),
      { numRuns: 500 },
    );
  });

  it('any text is compiled or refused', () => {
    const marks = 'a b t 1 ? . , ( ) = < + * ; -- :: [ ] \' "'.split(' ');
    const word = fc.oneof(
      { weight: 3, arbitrary: fc.constantFrom(...marks, 'AND', 'NOT', 'IS', 'NULL', 'FROM', 'WHERE') },
      fc.constantFrom(...reservedWords, ...placedWords),
    );
    const beginnings = [
      'SELECT',
      'SELECT a FROM',
      'DELETE FROM t WHERE',
      'UPDATE t SET a =',
      'INSERT INTO t (a) VALUES',
    ];
    const soup = fc
      .tuple(
        fc.constantFrom(...beginnings),
        fc.array(word, { maxLength: 8 }),
        fc.constantFrom('', ' FROM t', ')'),
      )
      .map(([beginning, words, end]) => `${beginning} ${words.join(' ')}${end}`);
    fc.assert(
      fc.property(fc.oneof({ weight: 4, arbitrary: soup }, fc.string({ unit: 'binary' })), (text) => {
        const count = text.split('?').length - 1;
        expect(['command', 'refused']).toContain(compileSql(text, Array(count).fill(1)).kind);
      }),
      {
        numRuns: 3000,
        examples: [
          ['SELECT between FROM t'],
          ['INSERT INTO exists (a) VALUES (1)'],
          ['SELECT a FROM between'],
        ],
      },
    );
  });
});

/** All keys of what is sent but for those within values. */
function keysOf(node: unknown): string[] {
  if (typeof node !== 'object' || node === null) return [];
  return Object.entries(node).flatMap(([key, value]) => [key, ...keysOf(value)]);
}

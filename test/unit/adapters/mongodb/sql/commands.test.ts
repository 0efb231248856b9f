/** What statements become: the plain form where there is one, so that an index serves it. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { compileSql } from '../../../../../adapters/mongodb/sql/compile.js';

const now = new Date('2026-05-31T12:30:00Z');

function filterOf(condition: string, params: readonly unknown[] = []): unknown {
  const compiled = compileSql(`DELETE FROM t WHERE ${condition}`, params, { now });
  return compiled.kind === 'command' && compiled.operation === 'deleteMany' ? compiled.filter : compiled;
}

describe('filters', () => {
  it.each([
    ['a = 5', { a: { $eq: 5 } }],
    ['5 < a', { a: { $gt: 5 } }],
    ['a <> 5', { a: { $nin: [5, null] } }],
    ['NOT a > 5', { $and: [{ a: { $not: { $gt: 5 } } }, { a: { $ne: null } }] }],
    [
      'a = 1 AND b = 2 AND (c = 3 AND d = 4)',
      { $and: [1, 2, 3, 4].map((n) => ({ ['_abcd'.charAt(n)]: { $eq: n } })) },
    ],
    ['a IN (1, NULL, 2)', { a: { $in: [1, 2] } }],
    ['NOT (a = 1 OR b = 2)', { $and: [{ a: { $nin: [1, null] } }, { b: { $nin: [2, null] } }] }],
    ["a LIKE '50!%.x_' ESCAPE '!'", { a: { $regex: '^50%\\.x.\\z', $options: 's' } }],
    ["d >= now() - interval '1 month'", { d: { $gte: new Date('2026-04-30T12:30:00Z') } }],
    ["d = date '2024-05-01'", { d: { $eq: new Date('2024-05-01') } }],
    ['a = 5000000000', { a: { $eq: 5000000000n } }],
    ['a = -2147483648', { a: { $eq: -2147483648 } }],
    ['a = 1.50', { a: { $eq: 1.5 } }],
    ["a = E'x\\n\\u0041'", { a: { $eq: 'x\nA' } }],
    ["a = $tag$it's$tag$", { a: { $eq: "it's" } }],
    ['true', {}],
    ['1 = 1', {}],
    ['a = NULL', { $expr: false }],
    ['1 = 2 OR a = 1', { a: { $eq: 1 } }],
    ['Address.ZipCode = 1 /* a /* nested */ comment */ -- and one more', { 'Address.ZipCode': { $eq: 1 } }],
  ])('%s', (condition, filter) => {
    expect(filterOf(condition)).toEqual(filter);
  });

  it('the same parameter is the same value wherever it stands', () => {
    expect(filterOf('a = $2 OR b = $1 OR c = $2', [1, 2])).toEqual({
      $or: [{ a: { $eq: 2 } }, { b: { $eq: 1 } }, { c: { $eq: 2 } }],
    });
    expect(filterOf('a=? AND b<>?', [1, 2])).toEqual({
      $and: [{ a: { $eq: 1 } }, { b: { $nin: [2, null] } }],
    });
    expect(filterOf('a = ANY($1)', [[1, null]])).toEqual({ a: { $eq: 1 } });
  });
});

describe('commands', () => {
  it('asks for documents as they are by find', () => {
    expect(
      compileSql('SELECT * FROM t WHERE a = 1 ORDER BY a NULLS FIRST, _id DESC LIMIT 5 OFFSET 2'),
    ).toEqual({
      kind: 'command',
      operation: 'find',
      collection: 't',
      columns: null,
      filter: { a: { $eq: 1 } },
      sort: { a: 1, _id: -1 },
      skip: 2,
      limit: 5,
    });
  });

  it.each([
    ['SELECT * FROM t FETCH FIRST 3 ROWS ONLY', { limit: 3 }],
    ['SELECT * FROM t LIMIT ALL', { limit: null }],
    ['SELECT * FROM t LIMIT NULL OFFSET 0', { limit: null, skip: null }],
    ['SELECT * FROM t LIMIT 0', { filter: { $expr: false } }],
    ['SELECT t.* FROM "fs.files" AS t', { collection: 'fs.files' }],
    ['select * from t;;', { collection: 't' }],
  ])('%s', (text, expected) => {
    expect(compileSql(text)).toMatchObject({ operation: 'find', ...expected });
  });

  it('writes known values by operators, and others by a pipeline', () => {
    expect(compileSql("UPDATE t SET a = 1 + 1, b.c = 'x', d = DEFAULT")).toMatchObject({
      update: { $set: { a: 2, 'b.c': 'x' }, $unset: { d: true } },
    });
    expect(compileSql('UPDATE t SET a = b')).toMatchObject({
      update: [{ $set: { a: { $ifNull: ['$b', null] } } }],
    });
  });

  it('orders by names like numbers in the order of the statement', () => {
    expect(compileSql('SELECT * FROM t ORDER BY b NULLS FIRST, "2" NULLS FIRST')).toMatchObject({
      operation: 'aggregate',
      pipeline: [{ $project: { k0: '$b', k1: '$2' } }, { $sort: { k0: 1, k1: 1 } }, {}],
    });
  });
});

describe('bounds', () => {
  it('long lists cost little, and are not cut', () => {
    const items = Array.from({ length: 20_000 }, (_, at) => at - 10_000);
    expect(filterOf(`a IN (${items.join(', ')})`)).toEqual({ a: { $in: items } });
    const rows = items.map((item) => `(${item}, 'x')`).join(', ');
    const compiled = compileSql(`INSERT INTO t (a, b) VALUES ${rows}`);
    expect(compiled).toMatchObject({ operation: 'insertMany' });
    expect('documents' in compiled && compiled.documents.length).toBe(items.length);
  });

  it('words that may be part of a type cost as much as others', () => {
    expect(compileSql(`SELECT a FROM t WHERE ${'with '.repeat(20_000)}`)).toMatchObject({ kind: 'refused' });
  });

  it.each([
    ['SQL_STATEMENT', Array.from({ length: 3000 }, (_, at) => `a${at} = ${at}`).join(' OR ')],
    ['SQL_EXPRESSION', `${'('.repeat(200)}a${' + 1)'.repeat(200)} > 1`],
    ['SQL_EXPRESSION', `${'NOT '.repeat(300)} a`],
  ])('%s for what is too much', (code, condition) => {
    const compiled = compileSql(`SELECT a FROM t WHERE ${condition}`);
    expect(compiled).toMatchObject({ kind: 'refused', code });
  });

  it('what is nested does not multiply', () => {
    let value = 'a';
    for (let depth = 0; depth < 30; depth += 1) value = `lower(coalesce(nullif(${value}, 'x'), 'y'))`;
    const compiled = compileSql(`SELECT ${value} AS v FROM t WHERE (${value} = 'z') IS UNKNOWN`);
    expect(compiled.kind).toBe('command');
    expect(JSON.stringify(compiled).length).toBeLessThan(200_000);
  });
});

it('the shapes of the proxy do not load the parser', () => {
  const folder = new URL('../../../../../adapters/mongodb/sql/', import.meta.url);
  const imported = ['dialect.ts', 'keywords.ts']
    .map((name) => readFileSync(new URL(name, folder), 'utf8'))
    .join('\n');
  expect(imported).not.toContain('pgsql-ast-parser');
  expect([...imported.matchAll(/from '(.*?)'/g)].map(([, path]) => path)).toEqual([
    '../../../src/core/shape/shape.js',
    './keywords.js',
  ]);
});

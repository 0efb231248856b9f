/** Rows as they were asked for, whatever order a server's documents have. */
import { expect, it } from 'vitest';
import { compileSql } from '../../../../../adapters/mongodb/sql/compile.js';
import { runCompiled, type SqlDatabase } from '../../../../../adapters/mongodb/sql/run.js';

function answering(...documents: object[]): SqlDatabase {
  const cursor = { toArray: () => Promise.resolve(documents) };
  const unasked = () => Promise.reject(new Error('No write was asked for'));
  const collection = { find: () => cursor, aggregate: () => cursor };
  return {
    collection: () => ({ ...collection, insertMany: unasked, updateMany: unasked, deleteMany: unasked }),
  };
}

async function keysOf(sql: string, document: object): Promise<string[]> {
  const compiled = compileSql(sql);
  if (compiled.kind === 'refused') throw new Error(compiled.message);
  const result = await runCompiled(answering(document), compiled);
  if (result.kind !== 'rows') throw new Error('No rows');
  return Object.keys(result.rows[0] ?? {});
}

it('columns stand in the order of the statement', async () => {
  expect(await keysOf('SELECT b, a + 1 AS n, _id FROM t', { _id: 1, n: 2, b: 3 })).toEqual(['b', 'n', '_id']);
});

it('all columns stand in the order of the document', async () => {
  expect(await keysOf('SELECT * FROM t', { b: 3, _id: 1 })).toEqual(['b', '_id']);
});

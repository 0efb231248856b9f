/** WHERE and CASE over random documents: what a server answers is what SQL's three-valued logic says. */
import fc from 'fast-check';
import { MongoClient } from 'mongodb';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { compileSql } from '../../../adapters/mongodb/sql/compile.js';
import { runCompiled } from '../../../adapters/mongodb/sql/run.js';
import { describeEachMongo } from '../../support/mongodb-servers.js';
import { type Condition, condition, type Sample, sample } from './three-valued.js';

describeEachMongo('conditions of SQL', (server) => {
  const client = new MongoClient(server.url);
  const db = client.db('twiceshy_sql_conditions');
  let documents: Sample[] = [];

  beforeAll(async () => {
    await db.dropDatabase();
    documents = fc.sample(sample, 250).map((fields, _id) => ({ ...fields, _id })) as Sample[];
    await db.collection<Sample>('samples').insertMany([...documents]);
  });
  afterAll(async () => {
    await db.dropDatabase();
    await client.close();
  });

  async function rows(sql: string): Promise<readonly { readonly [name: string]: unknown }[]> {
    const compiled = compileSql(sql);
    if (compiled.kind === 'refused') throw new Error(`${compiled.code} ${compiled.message} ${sql}`);
    const result = await runCompiled(db, compiled);
    return result.kind === 'rows' ? result.rows : [];
  }

  it('WHERE keeps the documents for which the condition is true', async () => {
    await fc.assert(
      fc.asyncProperty(condition, async (tested: Condition) => {
        const found = await rows(`SELECT _id FROM samples WHERE ${tested.sql} ORDER BY _id`);
        const expected = documents.filter((document) => tested.truth(document) === true);
        expect(found.map((row) => row['_id'])).toEqual(expected.map((document) => document._id));
      }),
      { numRuns: 400 },
    );
  });

  it('a condition in a column is true, false or null', async () => {
    await fc.assert(
      fc.asyncProperty(condition, async (tested: Condition) => {
        const found = await rows(
          `SELECT NOT (${tested.sql}) AS x, CASE WHEN ${tested.sql} THEN 1 WHEN NOT (${tested.sql}) THEN 2 END AS y
           FROM samples ORDER BY _id`,
        );
        const truths = documents.map((document) => tested.truth(document));
        expect(found.map((row) => row['x'])).toEqual(truths.map((truth) => (truth === null ? null : !truth)));
        expect(found.map((row) => row['y'])).toEqual(
          truths.map((truth) => (truth === null ? null : truth ? 1 : 2)),
        );
      }),
      { numRuns: 200 },
    );
  });
});

/** Errors of the table, raised by a real server: the code, the class it is read as, and what its repetition is told. */
import { type Db, type Document, MongoClient } from 'mongodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readErrorCode } from '../../../adapters/mongodb/error-codes.js';
import { limits } from '../../../src/core/limits.js';
import type { SchemaModel } from '../../../src/core/schema/model.js';
import type { TestDatabase } from '../../servers/database.js';
import { createMongoDatabase } from '../../servers/mongodb-database.js';
import { type AvailableMongo, describeEachMongo } from '../../support/mongodb-servers.js';
import { fixture, raisingCases } from './cases.js';
import { failTwice, readSchema } from './memory.js';
import { raisedBy } from './raise.js';

describeEachMongo('errors', (server: AvailableMongo) => {
  let database: TestDatabase;
  let client: MongoClient;
  let db: Db;
  let schema: SchemaModel;
  beforeAll(async () => {
    database = await createMongoDatabase(server.url, fixture);
    client = new MongoClient(database.url, { retryWrites: false });
    db = client.db(database.name);
    schema = await readSchema(db);
  });
  afterAll(async () => {
    await client.close();
    await database.drop();
  });

  const cases = raisingCases.map(([code, failureClass, advice, command]) => ({
    ...{ code, failureClass, advice },
    command: typeof command === 'function' ? command : () => command,
    shown: shown(typeof command === 'function' ? command('db') : command),
  }));

  // Texts and codes are those of DocumentDB; another server words them otherwise, and has further codes for the same.
  it.runIf(server.name.startsWith('ferretdb')).each(cases)(
    '$code is $failureClass: $shown',
    async ({ code, failureClass, advice, command }) => {
      const written = command(database.name);
      const raised = await raisedBy(db, written);
      expect(raised.error.code, raised.error.message).toBe(String(code));
      const { note, records } = failTwice(written, raised, schema);
      if (advice === '') {
        expect(records).toEqual([]);
        return;
      }
      expect(records.map((record) => record.class)).toEqual([failureClass]);
      expect(records[0]?.failures).toBe(2);
      expect(note?.long).toContain(advice);
      expect(note?.short.length).toBeLessThanOrEqual(limits.maxShortNoteBytes);
      expect(records[0]?.detail).not.toMatch(/a@x|\b(?:ann|bob)\b/);
    },
  );
});

describe('the table of cases', () => {
  it('raises more than a hundred codes, all of them known', () => {
    const codes = new Set(raisingCases.map(([code]) => code));
    expect(codes.size).toBeGreaterThan(100);
    expect([...codes].filter((code) => readErrorCode(String(code)).name === null)).toEqual([]);
  });
});

function shown(command: Document): string {
  return JSON.stringify(command).slice(0, 100);
}

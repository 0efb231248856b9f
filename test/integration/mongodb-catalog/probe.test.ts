import type { Db } from 'mongodb';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openCatalog } from '../../../adapters/mongodb/catalog.js';
import { describeEachMongo } from '../../support/mongodb-servers.js';
import { until } from '../../support/until.js';
import { addressOf, CatalogBench, plain } from './support.js';

const soonMs = 5_000;
const users = (db: Db) => db.collection('users');

describeEachMongo('the probe', (server) => {
  const bench = new CatalogBench();

  beforeEach(async () => {
    await bench.open(server);
    await users(bench.db).createIndex({ email: 1 }, { unique: true, name: 'email_1' });
  });
  afterEach(() => bench.close());

  it.each<[string, (db: Db) => Promise<unknown>]>([
    ['a collection', (db) => db.command({ create: 'extra' })],
    ['a collection that an insert makes', (db) => db.collection('extra').insertOne({})],
    ['a dropped collection', (db) => users(db).drop()],
    ['a renamed collection', (db) => users(db).rename('people')],
    ['a unique index', (db) => users(db).createIndex({ nick: 1 }, { unique: true })],
    ['a dropped index', (db) => users(db).dropIndex('email_1')],
    ['a plain index', (db) => users(db).createIndex({ nick: 1 })],
    ['a dropped database', (db) => db.dropDatabase()],
  ])('moves for %s: at once when thorough, soon else', async (_, change) => {
    const other = await openCatalog(addressOf(server.url), plain, bench.database.name);
    try {
      const before = await bench.reader.probe(true);
      expect(await other.probe()).toBe(before);
      await change(bench.db);
      const after = await bench.reader.probe(true);
      expect(after).not.toBe(before);
      await until(async () => (await other.probe()) === after, soonMs, 'the other reader to see it');
    } finally {
      await other.close();
    }
  });

  it.each<[string, (db: Db) => Promise<unknown>]>([
    ['documents', (db) => users(db).insertMany([{ email: 'a' }, { email: 'b' }])],
    [
      'an index that is there',
      (db) => users(db).createIndex({ email: 1 }, { unique: true, name: 'email_1' }),
    ],
    [
      'a command that fails',
      (db) =>
        users(db)
          .dropIndex('none')
          .catch(() => undefined),
    ],
    ['queries', (db) => users(db).find().toArray()],
    ['another database', (db) => db.admin().listDatabases()],
  ])('stays for %s', async (_, harmless) => {
    const before = await bench.reader.probe(true);
    await harmless(bench.db);
    expect(await bench.reader.probe()).toBe(before);
    expect(await bench.reader.probe(true)).toBe(before);
  });

  it('comes back with the old declarations', async () => {
    const before = await bench.reader.probe(true);
    await users(bench.db).drop();
    expect(await bench.reader.probe(true)).not.toBe(before);
    await users(bench.db).createIndex({ email: 1 }, { unique: true, name: 'email_1' });
    expect(await bench.reader.probe(true)).toBe(before);
  });

  it('is of what a read after it hands out', async () => {
    await bench.reader.probe(true);
    await users(bench.db).createIndex({ nick: 1 }, { unique: true });
    const stale = await bench.reader.read();
    expect(stale.tables[0]?.constraints).toHaveLength(2);
    const fresh = await bench.reader.read();
    expect(fresh.tables[0]?.constraints).toHaveLength(3);
  });
});

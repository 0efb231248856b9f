import type { Db } from 'mongodb';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { describeEachMongo } from '../../support/mongodb-servers.js';
import { CatalogBench } from './support.js';

interface Change {
  readonly what: string;
  readonly make: (db: Db) => Promise<unknown>;
  readonly undo?: (db: Db) => Promise<unknown>;
}

const users = (db: Db) => db.collection('users');

describeEachMongo('fingerprints', (server) => {
  const bench = new CatalogBench();

  beforeEach(async () => {
    await bench.open(server);
    await users(bench.db).createIndex({ email: 1 }, { unique: true, name: 'email_1' });
    await bench.create('orders');
  });
  afterEach(() => bench.close());

  it.each<Change>([
    {
      what: 'a unique index',
      make: (db) => users(db).createIndex({ nick: 1 }, { unique: true, name: 'nick_1' }),
      undo: (db) => users(db).dropIndex('nick_1'),
    },
    {
      what: 'a partial unique index',
      make: (db) =>
        users(db).createIndex(
          { nick: 1 },
          { unique: true, name: 'nick_1', partialFilterExpression: { nick: { $gt: 'a' } } },
        ),
      undo: (db) => users(db).dropIndex('nick_1'),
    },
    {
      what: 'the loss of a unique index',
      make: (db) => users(db).dropIndex('email_1'),
      undo: (db) => users(db).createIndex({ email: 1 }, { unique: true, name: 'email_1' }),
    },
  ])(
    'move the constraints of the collection alone for $what, and come back with it',
    async ({ make, undo }) => {
      const before = { users: await bench.sums('users'), orders: await bench.sums('orders') };
      await make(bench.db);
      const after = { users: await bench.sums('users'), orders: await bench.sums('orders') };
      expect(after.users.tables).toBe(before.users.tables);
      expect(after.users.constraints).not.toBe(before.users.constraints);
      expect(after.orders).toEqual(before.orders);
      await undo?.(bench.db);
      expect(await bench.sums('users')).toEqual(before.users);
    },
  );

  it.each<Change>([
    { what: 'documents', make: (db) => users(db).insertOne({ email: 'a', any: 1 }) },
    { what: 'a plain index', make: (db) => users(db).createIndex({ nick: 1 }) },
    { what: 'another collection', make: (db) => db.collection('extra').insertOne({}) },
    {
      what: 'a change of another',
      make: (db) => db.collection('orders').createIndex({ no: 1 }, { unique: true }),
    },
  ])('do not move for $what', async ({ make }) => {
    const before = await bench.sums('users');
    await make(bench.db);
    expect(await bench.sums('users')).toEqual(before);
  });

  it('move the collection for an index that operators need', async () => {
    const before = await bench.sums('users');
    await users(bench.db).createIndex({ bio: 'text' });
    const after = await bench.sums('users');
    expect(after.tables).not.toBe(before.tables);
    expect(after.constraints).toBe(before.constraints);
  });

  it('are those of a missing collection until an insert makes it, and again once it is dropped', async () => {
    const absent = await bench.sums('later');
    await bench.db.collection('later').insertOne({});
    const present = await bench.sums('later');
    expect(present.tables).not.toBe(absent.tables);
    await bench.db.collection('later').drop();
    expect(await bench.sums('later')).toEqual(absent);
  });

  it('are the old ones where a collection is dropped and declared alike', async () => {
    const before = await bench.sums('users');
    await users(bench.db).drop();
    await users(bench.db).createIndex({ email: 1 }, { unique: true, name: 'email_1' });
    expect(await bench.sums('users')).toEqual(before);
  });

  it('go with the name', async () => {
    const before = await bench.sums('users');
    await users(bench.db).rename('people');
    const renamed = await bench.sums('people');
    expect(renamed.tables).not.toBe(before.tables);
    expect((await bench.model()).table(bench.database.name, 'users')).toBeUndefined();
  });
});

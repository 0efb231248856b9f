import { beforeEach, describe, expect, it } from 'vitest';
import { catalogOfDb } from '../../../../adapters/mongodb/catalog.js';
import { CatalogListing } from '../../../../adapters/mongodb/catalog-listing.js';
import { limits } from '../../../../src/core/limits.js';
import { buildSchema } from '../../../../src/core/schema/schema.js';
import { FakeCatalogDb, idIndex } from './fake-catalog-db.js';

describe('the catalog of a database', () => {
  let fake: FakeCatalogDb;

  beforeEach(() => {
    fake = new FakeCatalogDb();
    fake.collections = [
      { name: 'users', options: { validator: { age: { $gte: 0 } } } },
      { name: 'orders', options: {} },
      { name: 'system.profile', options: {} },
    ];
    fake.indexes['users'] = [idIndex, { key: { nick: 1 }, name: 'nick_1' }];
  });

  it('is read into tables of a schema that is called as the database is', async () => {
    const reader = catalogOfDb(fake.db);
    expect(reader.engine).toBe('mongodb');
    const input = await reader.read();
    expect(input.defaultSearchPath).toEqual(['shop']);
    const model = buildSchema(input, 1);
    expect(model.tableCount).toBe(2);
    expect(model.resolve([{ schema: null, name: 'users' }], null, '').names).toEqual(['shop.users']);
    for (const name of ['users', 'shop.users', 'validator', 'age', 'nick', 'nick_1', '_id_']) {
      expect(model.knows(name)).toBe(true);
    }
    expect(model.similarTables('user', 1)).toEqual(['users']);
    await reader.close();
  });

  it('tells the server’s own collections from those that are not there', async () => {
    const model = buildSchema(await catalogOfDb(fake.db).read(), 1);
    expect(model.resolve([{ schema: null, name: 'system.profile' }], null, '')).toMatchObject({
      names: ['shop.system.profile'],
      hasAbsent: false,
    });
    expect(model.resolve([{ schema: null, name: 'nowhere' }], null, '').hasAbsent).toBe(true);
  });

  it('goes by names where the account may not list collections, says so, and sees when it may', async () => {
    fake.refusals['listCollections'] = 13;
    const reader = catalogOfDb(fake.db);
    expect(reader.blindSpot).toBeNull();
    const { tables } = await reader.read();
    expect(tables.map(({ name, constraints }) => [name, constraints.length])).toEqual([
      ['orders', 1],
      ['users', 1],
    ]);
    expect(reader.blindSpot).toMatch(/may not run listCollections on shop.*grant it the role read on shop/);
    delete fake.refusals['listCollections'];
    expect((await reader.read()).tables[1]?.constraints).toHaveLength(2);
    expect(reader.blindSpot).toBeNull();
  });

  it.each([13, 8000])('is empty where the account may do nothing at all (%i)', async (code) => {
    fake.refusals['listCollections'] = code;
    fake.refusals['listCollections(names)'] = code;
    const reader = catalogOfDb(fake.db);
    expect((await reader.read()).tables).toEqual([]);
    expect(reader.blindSpot).toContain('listCollections');
  });

  it('says what is unseen where indexes are', async () => {
    fake.refusals['listIndexes:orders'] = 13;
    const reader = catalogOfDb(fake.db);
    const { tables } = await reader.read();
    expect(tables.map(({ constraints }) => constraints.length)).toEqual([0, 2]);
    expect(reader.blindSpot).toContain('may not run listIndexes on shop');
    delete fake.refusals['listIndexes:orders'];
    await reader.probe(true);
    expect(reader.blindSpot).toBeNull();
  });

  it('says what is missing where nobody logged in', async () => {
    fake.refusals['listCollections'] = 13;
    fake.refusals['listCollections(names)'] = 13;
    const listing = new CatalogListing(fake.db, true);
    await listing.collections();
    expect(listing.blindSpot).toContain('the URL names no user for the catalog');
  });

  it('is not read beyond its bounds', async () => {
    fake.collections = Array.from({ length: limits.maxCatalogTables + 1 }, (_, index) => ({
      name: `c${index}`,
    }));
    await expect(catalogOfDb(fake.db).probe(true)).rejects.toMatchObject({ code: 'CATALOG_FAILED' });
  });
});

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { catalogOfDb, openCatalog } from '../../../adapters/mongodb/catalog.js';
import { buildSchema } from '../../../src/core/schema/schema.js';
import { describeEachMongo } from '../../support/mongodb-servers.js';
import { addressOf, CatalogBench, plain } from './support.js';

describeEachMongo('the catalog', (server) => {
  const bench = new CatalogBench();
  beforeEach(() => bench.open(server));
  afterEach(() => bench.close());

  it('of a database that was never written to is empty', async () => {
    const model = await bench.model();
    expect(model.tableCount).toBe(0);
    expect(model.defaultSearchPath).toEqual([bench.database.name]);
    expect(bench.reader).toMatchObject({ engine: 'mongodb', blindSpot: null });
  });

  it('has collections and their indexes', async () => {
    const users = bench.db.collection('users');
    await users.createIndexes([
      { key: { email: 1 }, unique: true, name: 'email_1' },
      { key: { tenant: 1, 'address.zip': -1 }, unique: true, sparse: true, name: 'tenant_zip' },
      { key: { name: 1 }, name: 'by_name' },
    ]);
    const { tables, otherNames } = await bench.reader.read();
    expect(tables).toMatchObject([
      {
        schema: bench.database.name,
        name: 'users',
        kind: 'collection',
        columns: [],
        constraints: [
          { kind: 'primary_key', name: '_id_', columns: ['_id'] },
          { kind: 'unique_index', name: 'email_1', columns: ['email'], definition: '{"key":{"email":1}}' },
          { kind: 'unique_index', name: 'tenant_zip', columns: ['tenant', 'address.zip'] },
        ],
      },
    ]);
    expect(otherNames).toEqual(expect.arrayContaining(['by_name', 'name', 'address.zip']));
  });

  it('has collections whose names are not plain', async () => {
    const names = ['a.b', 'with space', 'größe', '日本', 'sémi;colon', '__proto__', 'systematic', 'UPPER'];
    for (const name of names) await bench.db.collection(name).insertOne({ a: 1 });
    await bench.db
      .collection('a.b')
      .createIndex({ 'odd key': 1, ключ: 1 }, { unique: true, name: 'odd name' });
    const model = await bench.model();
    expect(model.tableCount).toBe(names.length);
    for (const name of names) {
      const { names: resolved, hasAbsent } = model.resolve([{ schema: null, name }], null, '');
      expect(resolved).toEqual([`${bench.database.name}.${name}`]);
      expect(hasAbsent).toBe(false);
    }
    const unique = model
      .table(bench.database.name, 'a.b')
      ?.constraints.find(({ name }) => name === 'odd name');
    expect(unique?.columns).toEqual(['odd key', 'ключ']);
  });

  it('is of its own database', async () => {
    await bench.create('here');
    const other = new CatalogBench();
    await other.open(server);
    try {
      await other.create('elsewhere');
      expect((await other.model()).tableCount).toBe(1);
      expect((await bench.model()).table(bench.database.name, 'elsewhere')).toBeUndefined();
    } finally {
      await other.close();
    }
  });

  it('is read through a caller’s own client, which stays open', async () => {
    await bench.db.collection('users').createIndex({ email: 1 }, { unique: true });
    const reader = catalogOfDb(bench.db);
    expect(await reader.read()).toEqual(await bench.reader.read());
    expect(await reader.probe(true)).toBe(await bench.reader.probe(true));
    await reader.close();
    expect(await bench.db.command({ ping: 1 })).toMatchObject({ ok: 1 });
  });

  it('of the server’s own databases can be read', async () => {
    for (const name of ['admin', 'config', 'local']) {
      const reader = await openCatalog(addressOf(server.url), plain, name);
      const model = buildSchema(await reader.read(), 1);
      expect(model.resolve([{ schema: null, name: 'system.users' }], null, '').hasAbsent).toBe(false);
      await reader.close();
    }
  });

  // FerretDB 2.7 holds documents to them, and does not list them.
  it.runIf(server.capabilities.hasValidators && !server.isFerret)('has validators', async () => {
    const validator = { $jsonSchema: { required: ['age'], properties: { age: { bsonType: 'int' } } } };
    await bench.create('users', { validator });
    const table = (await bench.model()).table(bench.database.name, 'users');
    expect(table?.columns).toMatchObject([{ name: 'age', type: 'int', isNotNull: true }]);
    expect(table?.constraints.map(({ name }) => name)).toEqual(expect.arrayContaining(['validator', '_id_']));
  });

  // FerretDB 2.7 takes the options of these and makes plain collections.
  it.runIf(!server.isFerret)('has views, capped collections and time series', async () => {
    await bench.create('plain');
    await bench.create('adults', { viewOn: 'plain', pipeline: [{ $match: { age: { $gte: 18 } } }] });
    await bench.create('log', { capped: true, size: 4096 });
    await bench.create('weather', { timeseries: { timeField: 't' } });
    const model = await bench.model();
    expect(model.tableCount).toBe(4);
    expect(model.table(bench.database.name, 'adults')?.kind).toBe('view');
    expect(model.table(bench.database.name, 'log')?.detail).toContain('capped');
    expect(model.table(bench.database.name, 'weather')?.detail).toContain('timeseries');
  });
});

describeEachMongo('a database of a thousand collections', (server) => {
  const bench = new CatalogBench();
  const count = 1_050;

  beforeAll(async () => {
    await bench.open(server);
    for (let index = 0; index < count; index += 1) await bench.create(`c${index}`);
    await bench.db.collection(`c${count - 1}`).createIndex({ email: 1 }, { unique: true });
  });
  afterAll(() => bench.close());

  describe('needs more than one batch', () => {
    it('and is read whole, without holding anybody up', async () => {
      let longestMs = 0;
      let last = performance.now();
      const timer = setInterval(() => {
        longestMs = Math.max(longestMs, performance.now() - last);
        last = performance.now();
      }, 1);
      await bench.reader.probe(true);
      const { tables } = await bench.reader.read();
      clearInterval(timer);
      expect(tables).toHaveLength(count);
      expect(tables.find(({ name }) => name === `c${count - 1}`)?.constraints).toHaveLength(2);
      // Generous: other work has the machine too.
      expect(longestMs).toBeLessThan(500);
    });
  });
});

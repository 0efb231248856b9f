import { MongoClient } from 'mongodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestDatabase } from '../../servers/database.js';
import { mongoAccounts } from '../../servers/mongodb-accounts.js';
import { asMongoAccount, createMongoDatabase, onMongo } from '../../servers/mongodb-database.js';
import { bodyOf, opQuery, readMsg } from '../../support/mongodb-messages.js';
import { describeEachMongo } from '../../support/mongodb-servers.js';
import { MongoLoginRefused, RawMongo } from '../../support/raw-mongodb.js';

describeEachMongo('a provisioned server of MongoDB’s protocol', (server) => {
  let database: TestDatabase;

  beforeAll(async () => {
    database = await createMongoDatabase(server.url, async (db) => {
      await db.collection<{ _id: number }>('own').insertOne({ _id: 1 });
    });
  });

  afterAll(() => database.drop());

  it('is the server its name says', async () => {
    const info = await onMongo(server.url, (client) => client.db('admin').command({ buildInfo: 1 }));
    expect('ferretdb' in info).toBe(server.isFerret);
    expect(server.name.includes('mongodb-')).toBe(!server.isFerret);
  });

  it.runIf(server.tls !== null)('lets every test account in', async () => {
    for (const account of mongoAccounts) {
      await onMongo(asMongoAccount(database.url, account), async (client) => {
        const own = client.db().collection('own');
        expect(await own.countDocuments()).toBe(1);
      });
    }
  });

  it.runIf(server.tls !== null)('speaks TLS under the certificate of its authority', async () => {
    const url = server.tls?.url ?? '';
    expect(await onMongo(url, (client) => client.db('admin').command({ ping: 1 }))).toMatchObject({ ok: 1 });
    const plain = new MongoClient(url.replace('tls=true', 'tls=false'), { serverSelectionTimeoutMS: 500 });
    await expect(plain.connect()).rejects.toThrow();
    await plain.close();
  });

  describe('a session without a library', () => {
    it('logs in, and is refused with a wrong password', async () => {
      const session = await RawMongo.open(server.url);
      expect(await session.run({ ping: 1 })).toMatchObject({ ok: 1 });
      session.close();
      const wrong = asMongoAccount(server.url, { name: 'app', password: 'wrong' });
      const refused = await RawMongo.open(wrong).catch((error: unknown) => error);
      expect(refused).toBeInstanceOf(MongoLoginRefused);
      expect((refused as MongoLoginRefused).reply).toMatchObject({ ok: 0, code: 18 });
    });

    it('sends sections in either order, with and without a checksum', async () => {
      const session = await RawMongo.open(database.url, { pieceBytes: 7 });
      const documents = [{ _id: 1 }, { _id: 2 }];
      for (const options of [{}, { areSequencesFirst: true }, { isChecksummed: true }]) {
        const sequences = [{ identifier: 'documents', documents }];
        const reply = await session.run({ insert: 'sent', ordered: false }, { sequences, ...options });
        expect(reply).toMatchObject({ ok: 1 });
      }
      const found = await session.runMessage({ find: 'sent', sort: { _id: 1 } });
      expect(readMsg(found).body['cursor'].firstBatch).toEqual(documents);
      session.close();
    });

    it('greets by OP_QUERY', async () => {
      const session = await RawMongo.dial(server.url);
      await session.send(opQuery({ isMaster: 1 }, { requestId: 77 }));
      const reply = await session.message();
      expect(reply).toMatchObject({ opcode: 1, responseTo: 77 });
      expect(bodyOf(reply)).toMatchObject({ ok: 1, ismaster: true });
      session.close();
    });
  });
});

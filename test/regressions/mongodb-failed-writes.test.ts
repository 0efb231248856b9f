// Writes that failed in a reply that is ok were recorded as successes (elastic/apm-agent-nodejs#3182, #3695,
// opentracing-contrib/java-mongo-driver#11, elastic/beats#189).
import type { Document } from 'bson';
import { afterEach, expect, it } from 'vitest';
import { createMongoDatabase } from '../servers/mongodb-database.js';
import { bodyOf, opMsg } from '../support/mongodb-messages.js';
import { type AvailableMongo, describeEachMongo } from '../support/mongodb-servers.js';
import {
  drivers,
  failuresIn,
  failuresOf,
  openScriptedMongo,
  outcome,
  serveMongo,
  stopMongo,
  watchMongo,
  withoutNote,
} from './support/mongodb-sessions.js';

afterEach(stopMongo);

const five = [{ _id: 11 }, { _id: 1 }, { _id: 12 }, { _id: 2, name: 'x' }, { _id: 13 }];

async function seeded(server: AvailableMongo) {
  return createMongoDatabase(server.url, async (db) => {
    await db.collection<{ _id: number }>('users').insertMany([{ _id: 1 }, { _id: 2 }]);
  });
}

describeEachMongo('writes of which some fail', (server) => {
  it.each(drivers)('%s: each is a failure of its own document', async (_name, { MongoClient }) => {
    const told: unknown[] = [];
    const events: string[][] = [];
    for (const isProxied of [false, true]) {
      const database = await seeded(server);
      const proxy = await watchMongo(server.url);
      const client = new MongoClient(isProxied ? proxy.through(database.url) : database.url, {
        monitorCommands: true,
      });
      const replies: Document[] = [];
      client.on('commandSucceeded', ({ commandName, reply }) => {
        if (commandName === 'insert' || commandName === 'update')
          replies.push(withoutNote(reply as Document));
      });
      const users = client.db().collection<{ _id: number; [field: string]: unknown }>('users');
      const write = () => users.insertMany(five, { ordered: false }).catch((error: unknown) => error);
      const { code, writeErrors, result } = (await write()) as Document;
      expect([code, writeErrors.length, result.insertedCount]).toEqual([11000, 2, 3]);
      expect(writeErrors.map(({ index }: Document) => index)).toEqual([1, 3]);
      await write();
      const update = { updateOne: { filter: { _id: 1 }, update: { $nope: { a: 1 } } } };
      const good = { updateOne: { filter: { _id: 2 }, update: { $set: { a: 1 } } } };
      await users.bulkWrite([good, update as never], { ordered: false }).catch(() => undefined);
      told.push(replies);
      events.push(failuresIn(proxy));
      expect(proxy.blind).toEqual([]);
      await client.close();
      await database.drop();
    }
    const [direct, proxied] = told;
    expect(proxied).toEqual(direct);
    const failed = (events[1] ?? [])
      .filter((event) => event.startsWith('failed'))
      .map((event) => event.split(' execute')[0]);
    expect(failed.slice(0, 2)).toEqual([
      'failed 11000 <{ insert users documents [ { _id:number } ] }>',
      'failed 11000 <{ insert users documents [ { _id:number name:string } ] }>',
    ]);
    // The second time all five are there.
    expect(failed.slice(2, 7).every((event) => event?.startsWith('failed 11000 <{ insert users'))).toBe(true);
    expect(failed.slice(7)).toEqual([
      'failed 9 <{ update users updates [ { q { _id ?number } u { $nope { a ?number } } } ] }>',
    ]);
    expect((events[1] ?? []).filter((event) => event === 'note').length).toBeGreaterThan(3);
  });
});

it('fields of a failed write stay as they are next to its note, and the others without one', async () => {
  const { proxy, session, end } = await openScriptedMongo();
  const writeErrors = [
    {
      index: 1,
      code: 11000,
      keyPattern: { email: 1 },
      keyValue: { email: 'a@x' },
      errmsg: 'E11000 duplicate key',
    },
    { index: 3, code: 121, errInfo: { failingDocumentId: 4 }, errmsg: 'Document failed validation' },
  ];
  const command = { insert: 'users', documents: five, ordered: false, $db: 'shop' };
  for (let time = 1; time <= 2; time += 1) {
    await session.send(opMsg(command, { requestId: time }));
    end.reply(await end.mustRequest(), { n: 3, writeErrors, ok: 1 });
    const reply = bodyOf(await session.message());
    expect(withoutNote(reply)).toEqual({ n: 3, writeErrors, ok: 1 });
    expect(outcome(reply)).toBe(time === 1 ? 'ok W[11000, 121]' : 'ok W[11000 noted, 121 noted]');
  }
  expect(failuresOf(proxy.sessions[0]).slice(0, 4)).toEqual([
    'failed 11000 <{ insert users documents [ { _id:number } ] }> execute k=0 idle',
    'settled idle',
    'failed 121 <{ insert users documents [ { _id:number name:string } ] }> execute k=0 idle',
    'settled idle',
  ]);
});

it('the bulkWrite command tells of its failures in a cursor, in whatever batch they come', async () => {
  const row = (idx: number, more: Document): Document => ({ idx, n: 0, ...more });
  const upstream = await serveMongo(
    (command) => {
      if (command['bulkWrite'] === undefined) return undefined;
      const firstBatch = [
        row(0, { ok: 1, n: 1 }),
        row(1, {
          ok: 0,
          code: 11000,
          errmsg: 'E11000 duplicate key',
          keyPattern: { _id: 1 },
          keyValue: { _id: 1 },
        }),
      ];
      const counts = { nErrors: 1, nInserted: 1, nMatched: 0, nModified: 0, nUpserted: 0, nDeleted: 0 };
      return { ok: 1, cursor: { id: 0n, firstBatch, ns: 'admin.$cmd.bulkWrite' }, ...counts };
    },
    { hello: { maxWireVersion: 25 } },
  );
  const proxy = await watchMongo(upstream.port);
  const [, { MongoClient }] = drivers[0] as (typeof drivers)[number];
  const client = new MongoClient(proxy.through(upstream.url), { retryWrites: false });
  const model = (_id: number) => ({ name: 'insertOne', namespace: 'shop.users', document: { _id } }) as never;
  for (let time = 1; time <= 2; time += 1) {
    const error: unknown = await client
      .bulkWrite([model(5), model(1)], { ordered: false })
      .catch((e: unknown) => e);
    const { writeErrors, partialResult } = error as {
      writeErrors: Map<number, Document>;
      partialResult: Document;
    };
    expect([...writeErrors.keys()]).toEqual([1]);
    expect(writeErrors.get(1)).toMatchObject({ code: 11000 });
    expect(partialResult).toMatchObject({ insertedCount: 1 });
  }
  await client.close();
  expect(failuresIn(proxy).map((event) => event.split('<')[0])).toEqual([
    'failed 11000 ',
    'failed 11000 ',
    'note',
  ]);
  expect(proxy.blind).toEqual([]);
});

// A reply that is ok, and whose write was done, is an error to the caller: its write concern was not met
// (mongodb/node-mongodb-native#3525).
import { afterEach, expect, it } from 'vitest';
import { drivers, failuresIn, serveMongo, stopMongo, watchMongo } from './support/mongodb-sessions.js';

afterEach(stopMongo);

const writeConcernError = {
  code: 64,
  codeName: 'WriteConcernFailed',
  errmsg: 'waiting for replication timed out',
  errInfo: { wtimeout: true, writeConcern: { w: 5, wtimeout: 100 } },
};

it.each(drivers)('%s throws it, and the write counts as done', async (_name, { MongoClient }) => {
  const monitored: string[] = [];
  const upstream = await serveMongo((command) => {
    if (command['insert'] !== undefined) return { ok: 1, n: 1, writeConcernError };
    return command['create'] === undefined ? undefined : { ok: 1, writeConcernError };
  });
  const proxy = await watchMongo(upstream.port);
  const client = new MongoClient(proxy.through(upstream.url), { retryWrites: false, monitorCommands: true });
  client.on('commandSucceeded', ({ commandName }) => void monitored.push(commandName));
  const db = client.db('shop');
  const writeConcern = { w: 5, wtimeoutMS: 100 };
  for (let time = 1; time <= 2; time += 1) {
    const error: unknown = await db
      .collection('users')
      .insertOne({ a: 1 }, { writeConcern })
      .catch((e: unknown) => e);
    expect(error).toMatchObject({ name: 'MongoWriteConcernError', code: 64 });
    expect((error as { result: object }).result).toMatchObject({ ok: 1, n: 1 });
  }
  await expect(db.createCollection('orders', { writeConcern })).rejects.toMatchObject({ code: 64 });
  await client.close();
  expect(monitored.filter((name) => name === 'insert')).toHaveLength(2);
  const events = proxy.sessions.flatMap(({ events: all }) => all).filter((event) => !event.startsWith('ok'));
  const insert = '<{ insert users documents [ { a:number } ] }>';
  expect(events.filter((event) => event !== 'closed')).toEqual([
    `failed 64 ${insert} commit k=0 idle`,
    'settled idle',
    `failed 64 ${insert} commit k=0 idle`,
    'note',
    'settled idle',
    'failed 64 <{ create orders }> commit k=0 idle',
    'settled idle',
    // The collection is there.
    'schema changed',
  ]);
  expect(failuresIn(proxy).filter((event) => event === 'note')).toHaveLength(1);
  expect(proxy.blind).toEqual([]);
});

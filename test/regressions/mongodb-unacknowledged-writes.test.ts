// A proxy waited for the reply to a write that gets none (mongodb/mongonet#40, #42).
import type { Document } from 'bson';
import { afterEach, expect, it } from 'vitest';
import { limits } from '../../src/core/limits.js';
import { createMongoDatabase } from '../servers/mongodb-database.js';
import { bodyOf, type Message, msgFlag, opMsg } from '../support/mongodb-messages.js';
import { describeEachMongo } from '../support/mongodb-servers.js';
import { RawMongo } from '../support/raw-mongodb.js';
import {
  drivers,
  failuresIn,
  failuresOf,
  openScriptedMongo,
  outcome,
  serveMongo,
  stopMongo,
  watchMongo,
} from './support/mongodb-sessions.js';
import { describePymongo, runPymongo } from './support/pymongo.js';

afterEach(stopMongo);

const rows = [{ _id: 1 }];
const found = { ok: 1, cursor: { id: 0n, ns: 'shop.users', firstBatch: rows } };

it.each(drivers)('%s: a thousand of them, then a find on the same socket', async (_name, { MongoClient }) => {
  let writes = 0;
  const upstream = await serveMongo((command) => {
    if (command['insert'] !== undefined) writes += 1;
    return command['find'] === undefined ? undefined : found;
  });
  const proxy = await watchMongo(upstream.port);
  const client = new MongoClient(proxy.through(upstream.url), { maxPoolSize: 1 });
  const users = client.db('shop').collection<{ _id: number }>('users');
  for (let index = 0; index < 1000; index += 1)
    expect(await users.insertOne({ _id: index }, { writeConcern: { w: 0 } })).toMatchObject({
      acknowledged: false,
    });
  expect(await users.find().toArray()).toEqual(rows);
  expect(writes).toBe(1000);
  await client.close();
  expect(failuresIn(proxy)).toEqual([]);
  expect(proxy.blind).toEqual([]);
});

describePymongo('unacknowledged writes', () => {
  it('a thousand of them, then a find on the same socket', async () => {
    let writes = 0;
    const upstream = await serveMongo((command) => {
      if (command['insert'] !== undefined) writes += 1;
      return command['find'] === undefined ? undefined : found;
    });
    const proxy = await watchMongo(upstream.port);
    const program = `
client = pymongo.MongoClient(url, maxPoolSize=1)
users = client.shop.get_collection("users", write_concern=pymongo.WriteConcern(w=0))
for n in range(1000): users.insert_one({"_id": n})
say(list(client.shop.users.find()))
client.close()
`;
    expect(await runPymongo(program, proxy.through(upstream.url))).toEqual(rows);
    expect(writes).toBe(1000);
    expect(failuresIn(proxy)).toEqual([]);
    expect(proxy.blind).toEqual([]);
  });
});

it('more of them than may be owed a reply leave the session as it is', async () => {
  const { proxy, session, end } = await openScriptedMongo();
  const count = limits.maxRequestsInFlight + 100;
  const write = (requestId: number): Buffer =>
    opMsg({ insert: 'users', documents: rows, $db: 'shop' }, { requestId, flags: msgFlag.moreToCome });
  await session.send(...Array.from({ length: count }, (_, index) => write(index)));
  const refused = { ok: 0, errmsg: 'x', code: 26 };
  for (const time of [1, 2]) {
    // An id that was one of theirs.
    const replying = session.run({ find: 'users', $db: 'shop' }, { requestId: time });
    for (let taken = time === 1 ? 0 : count; taken < count; taken += 1) await end.mustRequest();
    end.reply(await end.mustRequest(), refused);
    expect(outcome(await replying)).toBe(time === 1 ? 'E[26]' : 'E[26 noted]');
  }
  expect(failuresOf(proxy.sessions[0]).filter((event) => event.startsWith('bypassed'))).toEqual([]);
  expect(proxy.blind).toEqual([]);
});

describeEachMongo('unacknowledged writes', (server) => {
  it('are answered as the server does it, which FerretDB does though nobody asked', async () => {
    const database = await createMongoDatabase(server.url);
    const proxy = await watchMongo(server.url);
    const [direct, proxied] = [
      await asked(database.url, 'direct'),
      await asked(proxy.through(database.url), 'proxied'),
    ];
    expect(proxied).toEqual(direct);
    expect(direct.at(-1)).toMatchObject({ responseTo: 'the find', reply: { ok: 1 } });
    const passedBy = failuresIn(proxy).filter((event) => event.startsWith('bypassed'));
    expect(passedBy).toHaveLength(direct.length - 1);
    expect(proxy.blind).toEqual([]);
    await database.drop();
  });
});

/** A hundred writes and a find behind them: every reply, by what it answers to. */
async function asked(url: string, collection: string): Promise<Document[]> {
  const session = await RawMongo.open(url);
  const $db = session.database;
  const ids = Array.from({ length: 100 }, () => session.nextRequestId());
  const last = session.nextRequestId();
  const writes = ids.map((requestId) =>
    opMsg(
      { insert: collection, documents: [{ _id: requestId }], $db },
      { requestId, flags: msgFlag.moreToCome },
    ),
  );
  await session.send(
    ...writes,
    opMsg({ count: collection, query: { _id: { $gte: 0 } }, $db }, { requestId: last }),
  );
  const got: Message[] = [];
  do got.push(await session.message());
  while (got.at(-1)?.responseTo !== last);
  session.close();
  return got.map((message) => ({
    responseTo: message.responseTo === last ? 'the find' : 'a write',
    reply: bodyOf(message),
  }));
}

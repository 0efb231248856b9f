// Programs read the index and the value of a duplicate key from its message (balderdashy/sails-mongo#336,
// matteodelabre/mongoose-beautiful-unique-validation#13, #17, #48, jhenriquez/mongoose-mongodb-errors#7), and look in messages
// for words that tell one error from another (Tokutek/mongo#181).
import type { Document } from 'bson';
import { afterEach, describe, expect, it } from 'vitest';
import { createMongoDatabase } from '../servers/mongodb-database.js';
import { describeEachMongo } from '../support/mongodb-servers.js';
import { RawMongo } from '../support/raw-mongodb.js';
import { drivers, serveMongo, stopMongo, watchMongo } from './support/mongodb-sessions.js';
import { describePymongo, runPymongo } from './support/pymongo.js';
import { startApp } from './support/running-app.js';
import { wireNote } from './support/watched-proxy.js';

afterEach(stopMongo);

/** As servers have worded it, oldest first. */
const duplicates = [
  'E11000 duplicate key error index: shop.users.$email_1  dup key: { : "ann@example.org" }',
  'E11000 duplicate key error collection: shop.users index: email_1 dup key: { : "ann@example.org" }',
  'E11000 duplicate key error collection: shop.users index: email_1 dup key: { email: "ann@example.org" }',
  'E11000 duplicate key error collection: shop.users index: name_1_age_-1 dup key: { name: "a } b", age: 5.0 }',
  'E11000 duplicate key error collection: shop.users index: email_1 dup key: { email: "two\nlines" }',
];

/** What such programs take from a message: something always, or they throw. */
const readings: readonly ((message: string) => unknown)[] = [
  (message) => /index:\s*(?:\S*\$)?(\S+)\s+dup key/.exec(message)?.[1],
  (message) => /dup key: \{ (?:(\S*): )?"?([^"]*)"? \}/.exec(message)?.slice(1),
  (message) => message.match(/\{([\s\S]*)\}/)?.[1],
  (message) => message.slice(message.lastIndexOf('{'), message.lastIndexOf('}') + 1),
  (message) => message.split('index: ')[1]?.split(' ')[0],
  (message) => message.split(':').length,
  (message) => /(\w+)_-?1\b/.exec(message)?.[1],
  (message) => message.indexOf('11000'),
];

/** Up to the end of the message: only an application's ends where the server's does. */
const toTheEnd: readonly ((message: string) => unknown)[] = [
  (message) => /dup key: (\{[\s\S]*\})$/.exec(message)?.[1],
  (message) => JSON.stringify(message.slice(message.indexOf('dup key: ') + 9)),
];

const refusal = (errmsg: string): Document => ({
  n: 0,
  ok: 1,
  writeErrors: [{ index: 0, code: 11000, errmsg }],
});

describe.each(drivers)('%s', (_name, { MongoClient }) => {
  it.each(duplicates)('of %s reads the same', async (errmsg) => {
    for (const audience of ['application', 'agent'] as const) {
      const upstream = await serveMongo((command) =>
        command['insert'] === undefined ? undefined : refusal(errmsg),
      );
      const proxy = await watchMongo(upstream.port, { audience });
      const client = new MongoClient(proxy.through(upstream.url), { retryWrites: false });
      const users = client.db('shop').collection('users');
      const messages: string[] = [];
      for (let time = 1; time <= 2; time += 1) {
        const error: unknown = await users.insertOne({ a: 1 }).catch((caught: unknown) => caught);
        messages.push((error as Error).message);
      }
      const [first = '', second = ''] = messages;
      expect(first).toBe(errmsg);
      if (audience === 'application') expect(second).toBe(errmsg);
      else expect(second).toBe(`${errmsg}\n${wireNote.short}`);
      const read = audience === 'application' ? [...readings, ...toTheEnd] : readings.slice(0, 2);
      expect(read.map((reading) => reading(second))).toEqual(read.map((reading) => reading(first)));
      await client.close();
    }
  });
});

/** Errors that clients of old, and of today, know by what stands in their message. */
const known: readonly (readonly [string, Document, Document])[] = [
  [
    'a collection that is there',
    { create: 'users' },
    { code: 48, codeName: 'NamespaceExists', errmsg: "a collection 'shop.users' already exists" },
  ],
  ['one that is not', { drop: 'nope' }, { code: 26, codeName: 'NamespaceNotFound', errmsg: 'ns not found' }],
  [
    'a database that is not',
    { dropIndexes: 'nope', index: '*' },
    { code: 26, codeName: 'NamespaceNotFound', errmsg: 'ns not found shop.nope' },
  ],
  [
    'an index that is not',
    { dropIndexes: 'users', index: 'a' },
    { code: 27, codeName: 'IndexNotFound', errmsg: 'index not found with name [a]' },
  ],
  [
    'a cursor that is not',
    { getMore: 5n, collection: 'users' },
    { code: 43, codeName: 'CursorNotFound', errmsg: 'cursor id 5 not found' },
  ],
];

const answering = (command: Document): Document | undefined => {
  const name = Object.keys(command)[0] ?? '';
  const found = known.find(
    ([, one]) => Object.keys(one)[0] === name && String(one[name]) === String(command[name]),
  );
  return found === undefined ? undefined : { ok: 0, ...found[2] };
};

describe.each(known)('%s', (_what, command, error) => {
  it('has the message that it had, and the note in a field of its own, for an application', async () => {
    const upstream = await serveMongo(answering);
    const proxy = await watchMongo(upstream.port, { audience: 'application' });
    const session = await RawMongo.dial(proxy.through(upstream.url));
    expect(await session.run(command)).toEqual({ ok: 0, ...error });
    expect(await session.run(command)).toEqual({ ok: 0, ...error, note: wireNote.long });
  });

  it('begins with the message that it had, for an agent', async () => {
    const upstream = await serveMongo(answering);
    const proxy = await watchMongo(upstream.port, { audience: 'agent' });
    const session = await RawMongo.dial(proxy.through(upstream.url));
    await session.run(command);
    const note = { errmsg: `${error['errmsg']}\n${wireNote.short}`, note: wireNote.long };
    expect(await session.run(command)).toEqual({ ok: 0, ...error, ...note });
  });
});

describePymongo('what is done about a collection that is not there', () => {
  const program = `
client = pymongo.MongoClient(url, serverSelectionTimeoutMS=10000)
db = client.get_database("shop")
said = []
for time in range(3):
    for name, work in {
        "drop": lambda: db.drop_collection("nope"),
        "create": lambda: db.create_collection("users", check_exists=False),
        "drop index": lambda: db.users.drop_index("a"),
        "drop indexes": lambda: db.nope.drop_indexes(),
    }.items():
        try:
            work()
            said.append([name, "done"])
        except Exception as error:
            said.append([name, type(error).__name__, getattr(error, "code", None)])
client.close()
say(said)
`;

  it.each(['application', 'agent'] as const)('is the same through the proxy, for an %s', async (audience) => {
    const upstream = await serveMongo(answering);
    const proxy = await watchMongo(upstream.port, { audience });
    const direct = await runPymongo(program, upstream.url);
    expect(await runPymongo(program, proxy.through(upstream.url))).toEqual(direct);
    expect(direct).toHaveLength(12);
    expect(proxy.sessions.flatMap(({ events }) => events)).toContain('note');
  });
});

describeEachMongo('what is said of a collection', (server) => {
  it.each(['application', 'agent'] as const)(
    'begins with the words of the server, for an %s',
    async (audience) => {
      const database = await createMongoDatabase(server.url, async (db) => {
        await db.createCollection('users');
        await db.collection<{ _id: number }>('users').insertOne({ _id: 1 });
      });
      const app = await startApp(database.url, { audience });
      const direct = await RawMongo.open(database.url);
      const session = await RawMongo.open(app.through(database.url));
      const commands = [
        { create: 'users', viewOn: 'other' },
        { drop: 'nope' },
        { dropIndexes: 'users', index: 'nope' },
        { insert: 'users', documents: [{ _id: 1 }] },
        { collMod: 'nope' },
      ];
      for (const command of commands) {
        const expected = await direct.run(command);
        for (let time = 1; time <= 3; time += 1) {
          const { note: _, ...reply } = await session.run(command);
          if (audience === 'application') expect(withoutNotes(reply)).toEqual(withoutNotes(expected));
          else expect(String(reply['errmsg'])).toMatch(new RegExp(`^${escaped(String(expected['errmsg']))}`));
        }
      }
      direct.close();
      session.close();
      await app.stop();
      await database.drop();
    },
  );
});

function withoutNotes(reply: Document): Document {
  const { writeErrors } = reply;
  if (writeErrors === undefined) return reply;
  return { ...reply, writeErrors: (writeErrors as Document[]).map(({ note: _, ...rest }) => rest) };
}

function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

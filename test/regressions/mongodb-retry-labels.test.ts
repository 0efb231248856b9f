// Labels stand at the top of a reply whose error stands inside writeConcernError; losing either stops a driver's retries
// (mongodb/mongo-java-driver#766, mongodb/mongo-ruby-driver#1914).
import { type Document, Long, ObjectId } from 'bson';
import { afterEach, expect, it } from 'vitest';
import { RawMongo } from '../support/raw-mongodb.js';
import {
  drivers,
  failuresIn,
  outcome,
  servePrimary,
  stopMongo,
  watchMongo,
  withoutNote,
} from './support/mongodb-sessions.js';
import { describePymongo, runPymongo } from './support/pymongo.js';

afterEach(stopMongo);

const hello = { topologyVersion: { processId: new ObjectId(), counter: Long.fromNumber(1) } };
const shuttingDown = { code: 91, codeName: 'ShutdownInProgress', errmsg: 'Replication is being shut down' };
const labels = { errorLabels: ['RetryableWriteError'] };

const replies: readonly (readonly [string, Document, string])[] = [
  ['inside writeConcernError', { ok: 1, n: 1, writeConcernError: shuttingDown, ...labels }, 'commit'],
  ['as the reply', { ok: 0, ...shuttingDown, ...labels }, 'execute'],
];

for (const [where, failing, phase] of replies) {
  it.each(drivers)(
    `%s tries a write once more whose error stands ${where}`,
    async (_name, { MongoClient }) => {
      const seen: { lsid: string; txnNumber: string }[] = [];
      const upstream = await servePrimary((command) => {
        if (command['insert'] === undefined) return undefined;
        seen.push({ lsid: command['lsid'].id.toString('hex'), txnNumber: String(command['txnNumber']) });
        // Each second try succeeds, and each third write never does.
        return seen.length % 2 === 1 || seen.length > 4 ? failing : { ok: 1, n: 1 };
      }, hello);
      const proxy = await watchMongo(upstream.port);
      const client = new MongoClient(proxy.through(upstream.url), {
        minHeartbeatFrequencyMS: 50,
        serverMonitoringMode: 'poll',
        replicaSet: 'rs0',
      });
      const users = client.db('shop').collection<{ _id: number }>('users');
      for (const _id of [1, 2]) expect(await users.insertOne({ _id })).toMatchObject({ acknowledged: true });
      await expect(users.insertOne({ _id: 3 })).rejects.toMatchObject({ code: 91 });
      await client.close();
      expect(seen).toHaveLength(6);
      for (const first of [0, 2, 4]) expect(seen[first + 1]).toEqual(seen[first]);
      const failed = failuresIn(proxy).filter((event) => event.startsWith('failed 91'));
      expect(failed).toHaveLength(4);
      expect(new Set(failed.map((event) => event.split(' ').at(-3)))).toEqual(new Set([phase]));
      // From the second on each of them came with a note, and was tried again all the same.
      expect(failuresIn(proxy).filter((event) => event === 'note')).toHaveLength(3);
      expect(proxy.blind).toEqual([]);
    },
  );

  it(`they are the same next to a note, ${where}`, async () => {
    const upstream = await servePrimary((command) => (command['insert'] === undefined ? undefined : failing));
    const proxy = await watchMongo(upstream.port);
    const session = await RawMongo.dial(proxy.through(upstream.url));
    const [first = {}, second = {}] = [
      await session.run({ insert: 'users', documents: [{ _id: 1 }] }),
      await session.run({ insert: 'users', documents: [{ _id: 1 }] }),
    ];
    expect(outcome(second)).toBe(failing['ok'] === 1 ? 'ok C[91 noted]' : 'E[91 noted]');
    expect(first).toEqual(failing);
    expect(withoutNote(second)).toEqual(failing);
    expect(Object.keys(second).filter((key) => key !== 'note')).toEqual(Object.keys(failing));
  });
}

describePymongo('a write whose error stands inside writeConcernError', () => {
  it('is tried once more', async () => {
    const seen: string[] = [];
    const [, failing] = replies[0] as (typeof replies)[number];
    const upstream = await servePrimary((command) => {
      if (command['insert'] === undefined) return undefined;
      seen.push(String(command['txnNumber']));
      return seen.length % 2 === 1 || seen.length > 4 ? failing : { ok: 1, n: 1 };
    });
    const proxy = await watchMongo(upstream.port);
    const program = `
client = pymongo.MongoClient(url, replicaSet="rs0")
said = []
for n in range(3):
    try:
        said.append(client.shop.users.insert_one({"_id": n}).acknowledged)
    except errors.PyMongoError as error:
        said.append([type(error).__name__, error.code, error.details["errmsg"].split("\\n")[0]])
client.close()
say(said)
`;
    const told = await runPymongo(program, proxy.through(upstream.url));
    expect(told).toEqual([true, true, ['WriteConcernError', 91, shuttingDown.errmsg]]);
    expect(seen).toHaveLength(6);
    for (const first of [0, 2, 4]) expect(seen[first + 1]).toBe(seen[first]);
    expect(failuresIn(proxy).filter((event) => event === 'note')).toHaveLength(3);
    expect(proxy.blind).toEqual([]);
  });
});

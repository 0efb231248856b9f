// Errors that tell a driver that the primary is gone did so of the proxy itself, or lost what tells which server meant it when
// (coinbase/mongobetween#16).
import { type Document, Long, ObjectId, Timestamp } from 'bson';
import { afterEach, describe, expect, it } from 'vitest';
import { RawMongo } from '../support/raw-mongodb.js';
import type { ScriptedMongoServer } from '../support/scripted-mongodb-server.js';
import {
  type Driver,
  drivers,
  failuresIn,
  outcome,
  servePrimary,
  stopMongo,
  watchMongo,
  withoutNote,
} from './support/mongodb-sessions.js';
import { describePymongo, runPymongo } from './support/pymongo.js';
import { startApp } from './support/running-app.js';

afterEach(stopMongo);

const processId = new ObjectId();

/** What a server says of how often its state has changed. Drivers pass by what is older than they know. */
interface TopologyVersion {
  readonly processId: ObjectId;
  counter: Long;
}

const errors: readonly (readonly [number, string, string])[] = [
  [10107, 'NotWritablePrimary', 'not primary'],
  [91, 'ShutdownInProgress', 'The server is in quiesce mode and will shut down'],
  [11600, 'InterruptedAtShutdown', 'interrupted at shutdown'],
  [13435, 'NotPrimaryNoSecondaryOk', 'not primary and secondaryOk=false'],
];

const reply = (
  code: number,
  codeName: string,
  errmsg: string,
  topologyVersion: TopologyVersion,
): Document => ({
  ok: 0,
  errmsg,
  code,
  codeName,
  topologyVersion,
  errorLabels: ['RetryableWriteError'],
  $clusterTime: {
    clusterTime: new Timestamp({ t: 5, i: 1 }),
    signature: { hash: Buffer.alloc(20), keyId: Long.fromNumber(7) },
  },
  operationTime: new Timestamp({ t: 5, i: 1 }),
});

/** What a driver does and shows: its views of the server, its pool, the errors it throws. */
async function behaviour({ MongoClient }: Driver, url: string): Promise<unknown[]> {
  const told: unknown[] = [];
  const client = new MongoClient(url, {
    minHeartbeatFrequencyMS: 50,
    serverMonitoringMode: 'poll',
    replicaSet: 'rs0',
    retryReads: false,
    retryWrites: false,
  });
  client.on('serverDescriptionChanged', ({ newDescription }) => void told.push(newDescription.type));
  client.on('connectionPoolCleared', () => void told.push('pool cleared'));
  const users = client.db('shop').collection('users');
  for (const work of [() => users.findOne({ a: 1 }), () => users.insertOne({ a: 1 })]) {
    for (let time = 1; time <= 2; time += 1) {
      const error: unknown = await work().catch((caught: unknown) => caught);
      const { name, code, errorLabelSet, errorResponse } = error as Document;
      const { errmsg, note, ...rest } = errorResponse as Document;
      told.push({ name, code, labels: [...errorLabelSet], reply: withoutNote({ errmsg, ...rest }) });
      if (note !== undefined) told.push('noted');
    }
  }
  await client.close();
  return told;
}

describe.each(errors)('%i %s', (code, codeName, errmsg) => {
  /** With each error the server's state is another one, unless it `isSteady`. */
  function serve(isSteady = false): Promise<ScriptedMongoServer> {
    const topologyVersion = { processId, counter: Long.fromNumber(1) };
    return servePrimary(
      (command) => {
        if (command['find'] === undefined && command['insert'] === undefined) return undefined;
        if (!isSteady) topologyVersion.counter = topologyVersion.counter.add(1);
        return reply(code, codeName, errmsg, topologyVersion);
      },
      { topologyVersion },
    );
  }

  it.each(drivers)('makes %s do what it does without a proxy', async (_name, driver) => {
    const direct = await behaviour(driver, (await serve()).url);
    const upstream = await serve();
    const proxy = await watchMongo(upstream.port);
    const proxied = await behaviour(driver, proxy.through(upstream.url));
    expect(proxied.filter((one) => one !== 'noted')).toEqual(direct);
    expect(direct.filter((one) => one === 'Unknown').length).toBeGreaterThan(3);
    expect(direct.includes('pool cleared')).toBe(/Shutdown/.test(codeName));
    expect(proxied.filter((one) => one === 'noted')).toHaveLength(2);
    // Every connection went through the proxy.
    expect(proxy.sessions).toHaveLength(upstream.sessions.length);
    expect(proxy.blind).toEqual([]);
  });

  it('passes as it came, and the memory does not speak of it', async () => {
    const upstream = await serve(true);
    const app = await startApp(upstream.url);
    const direct = await RawMongo.dial(upstream.url);
    const proxied = await RawMongo.dial(app.through(upstream.url));
    for (let time = 1; time <= 3; time += 1) {
      const expected = await direct.runMessage({ find: 'users' });
      const got = await proxied.runMessage({ find: 'users' });
      // but for the number of the message itself
      expect(got.bytes.subarray(12)).toEqual(expected.bytes.subarray(12));
    }
    direct.close();
    proxied.close();
    expect(await app.stop()).toEqual([]);
  });

  it('keeps its code, labels, times and version next to a note', async () => {
    const upstream = await serve(true);
    const proxy = await watchMongo(upstream.port);
    const session = await RawMongo.dial(proxy.through(upstream.url));
    const [first, second] = [await session.run({ find: 'users' }), await session.run({ find: 'users' })];
    expect([outcome(first), outcome(second)]).toEqual([`E[${code}]`, `E[${code} noted]`]);
    expect(withoutNote(second)).toEqual(first);
    expect(failuresIn(proxy).filter((event) => event.startsWith('failed'))).toHaveLength(2);
    expect(proxy.blind).toEqual([]);
  });
});

describePymongo('an error of a server that is no primary', () => {
  it('is the same through the proxy', async () => {
    const program = `
client = pymongo.MongoClient(url, replicaSet="rs0", retryReads=False, retryWrites=False, serverMonitoringMode="poll")
said = []
for work in [client.shop.users.find_one, lambda: client.shop.users.insert_one({"_id": 1})]:
    for time in range(2):
        try:
            work()
        except errors.PyMongoError as error:
            details = dict(error.details)
            details.pop("note", None)
            details["errmsg"] = details["errmsg"].split("\\n")[0]
            said.append([type(error).__name__, details["code"], details])
client.close()
say(said)
`;
    const answering = (command: Document): Document | undefined => {
      if (command['find'] === undefined && command['insert'] === undefined) return undefined;
      return { ok: 0, errmsg: 'not primary', code: 10107, codeName: 'NotWritablePrimary' };
    };
    const upstream = await servePrimary(answering);
    const proxy = await watchMongo(upstream.port);
    const direct = await runPymongo(program, upstream.url);
    expect(await runPymongo(program, proxy.through(upstream.url))).toEqual(direct);
    expect(direct).toHaveLength(4);
    expect(failuresIn(proxy).filter((event) => event === 'note')).toHaveLength(2);
    expect(proxy.blind).toEqual([]);
  });
});

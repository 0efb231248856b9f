// Sessions of loadBalanced=true were dropped and never came back (Automattic/mongoose#15042).
import { type Document, ObjectId } from 'bson';
import { afterEach, describe, expect, it } from 'vitest';
import {
  type Driver,
  drivers,
  failuresIn,
  serveMongo,
  stopMongo,
  watchMongo,
} from './support/mongodb-sessions.js';

afterEach(stopMongo);

const serviceId = new ObjectId();
const mongos = { msg: 'isdbgrid' };

async function behaviour({ MongoClient }: Driver, url: string): Promise<unknown> {
  const client = new MongoClient(`${url}?loadBalanced=true`, {
    serverSelectionTimeoutMS: 1000,
    monitorCommands: true,
  });
  const ids: unknown[] = [];
  client.on('commandStarted', (event) => void ids.push(String(event.serviceId)));
  try {
    const users = client.db('shop').collection<{ _id: number }>('users');
    await users.insertOne({ _id: 1 });
    const rows = await users.find().toArray();
    return { ids, rows };
  } catch (error) {
    const { name, message, code } = error as Document;
    return { name, message: String(message).replaceAll(/\d+\.\d+\.\d+\.\d+:\d+/g, 'address'), code };
  } finally {
    await client.close();
  }
}

const answer = (command: Document): Document | undefined =>
  command['find'] === undefined
    ? undefined
    : { ok: 1, cursor: { id: 0n, ns: 'shop.users', firstBatch: [{ _id: 1 }] } };

describe.each(drivers)('%s', (_name, driver) => {
  it('works with a server that says which one it is', async () => {
    const asked: unknown[] = [];
    const upstream = await serveMongo(
      (command) => {
        if (command['loadBalanced'] !== undefined) asked.push(command['loadBalanced']);
        return answer(command);
      },
      { hello: { ...mongos, serviceId } },
    );
    const proxy = await watchMongo(upstream.port);
    const direct = await behaviour(driver, upstream.url);
    const proxied = await behaviour(driver, proxy.through(upstream.url));
    expect(proxied).toEqual(direct);
    const { ids, rows } = direct as { ids: string[]; rows: unknown };
    expect([new Set(ids), rows]).toEqual([new Set([String(serviceId)]), [{ _id: 1 }]]);
    expect(asked).toEqual([true, true]);
    expect(failuresIn(proxy)).toEqual([]);
    expect(proxy.blind).toEqual([]);
  });

  it('is told by its driver of a server that does not, as without a proxy', async () => {
    const upstream = await serveMongo(answer, { hello: mongos });
    const proxy = await watchMongo(upstream.port);
    const direct = await behaviour(driver, upstream.url);
    expect(await behaviour(driver, proxy.through(upstream.url))).toEqual(direct);
    expect(direct).toMatchObject({ message: expect.stringMatching(/load balanc|serviceId/i) });
  });
});

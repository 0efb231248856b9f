// Drivers read the members from hello and go straight to them, past the proxy (TableProApp/TablePro#1622,
// Automattic/mongoose#10718, debezium/debezium#4384).
import { createServer, type Server } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { mongodbAdapter } from '../../adapters/mongodb/adapter.js';
import { drivers, servePrimary, stopMongo, watchMongo } from './support/mongodb-sessions.js';

/** Another member, which nobody is to call. */
let elsewhere: Server;
let calls = 0;

beforeEach(async () => {
  calls = 0;
  elsewhere = createServer((socket) => {
    calls += 1;
    socket.destroy();
  });
  await new Promise<void>((resolve) => elsewhere.listen(0, '127.0.0.1', resolve));
});

afterEach(async () => {
  await stopMongo();
  await new Promise((resolve) => elsewhere.close(resolve));
});

const addressOf = (server: Server): string => {
  const address = server.address();
  return typeof address === 'object' && address !== null ? `127.0.0.1:${address.port}` : '';
};

describe.each(drivers)('%s', (_name, { MongoClient }) => {
  it.each([
    ['replicaSet=rs0', { replicaSet: 'rs0' }],
    ['neither', {}],
    ['directConnection=true', { directConnection: true }],
  ])('stays on the listener with %s', async (_how, options) => {
    const passives = [addressOf(elsewhere)];
    const upstream = await servePrimary(() => undefined, { passives, arbiters: passives });
    const proxy = await watchMongo(upstream.port);
    const client = new MongoClient(proxy.through(upstream.url), { ...options, heartbeatFrequencyMS: 500 });
    const known = new Set<string>();
    client.on('topologyDescriptionChanged', ({ newDescription }) => {
      for (const address of newDescription.servers.keys()) known.add(address);
    });
    const shop = client.db('shop');
    for (let index = 0; index < 5; index += 1) expect(await shop.command({ ping: 1 })).toEqual({ ok: 1 });
    await shop.collection('users').insertOne({ a: 1 });
    await shop
      .collection('users')
      .findOne({ a: 1 }, { readPreference: 'secondaryPreferred' })
      .catch(() => null);
    await client.close();
    expect([...known]).toEqual([`127.0.0.1:${proxy.proxy.port}`]);
    expect(calls).toBe(0);
    // The member itself was reached through the proxy alone.
    expect(upstream.sessions).toHaveLength(proxy.sessions.length);
    const events = proxy.sessions.flatMap(({ events: all }) => all);
    expect(events.filter((event) => event.startsWith('ok <{ insert users'))).toHaveLength(1);
    expect(proxy.blind).toEqual([]);
  });

  it('with directConnection=true stays on a secondary, and knows that it is one', async () => {
    const secondary = { isWritablePrimary: false, secondary: true };
    const upstream = await servePrimary(() => undefined, secondary);
    const proxy = await watchMongo(upstream.port);
    const client = new MongoClient(proxy.through(upstream.url), { directConnection: true });
    const types: string[] = [];
    client.on('serverDescriptionChanged', ({ newDescription }) => void types.push(newDescription.type));
    expect(await client.db('shop').command({ ping: 1 })).toEqual({ ok: 1 });
    await client.close();
    expect(types).toContain('RSSecondary');
  });
});

it('what the operator wants told is told, and goes nowhere but there', async () => {
  const upstream = await servePrimary(() => undefined);
  const advertisedAddress = addressOf(elsewhere);
  const proxy = await watchMongo(upstream.port, { policy: { advertisedAddress } });
  const [, { MongoClient }] = drivers[0] as (typeof drivers)[number];
  const client = new MongoClient(proxy.through(upstream.url), {
    replicaSet: 'rs0',
    serverSelectionTimeoutMS: 500,
  });
  await expect(client.connect()).rejects.toThrow();
  await client.close();
  expect(calls).toBeGreaterThan(0);
});

it.each([
  ['mongodb+srv://app:pw@cluster0.example.net/shop', /mongodb\+srv|one member/],
  ['mongodb://app:pw@db1:27017,db2:27017/shop?replicaSet=rs0', /one member/],
])('an upstream that is no one server is refused: %s', (url, words) => {
  expect(() => mongodbAdapter.parseUrl(url)).toThrow(words);
});

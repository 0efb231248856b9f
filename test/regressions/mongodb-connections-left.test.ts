// Connections by which clients watch the server outlived them (gravitational/teleport#60692).
import { afterEach, describe, expect, it } from 'vitest';
import { startRelay } from '../support/tcp-relay.js';
import { until } from '../support/until.js';
import { drivers, serveMongo, stopMongo, watchMongo } from './support/mongodb-sessions.js';

afterEach(stopMongo);

const waitMs = 60_000;

describe.each(drivers)('%s', (_name, { MongoClient }) => {
  it('200 clients, opened and closed, leave nothing at the server', async () => {
    const upstream = await serveMongo(() => undefined);
    const relay = await startRelay({ targetHost: '127.0.0.1', targetPort: upstream.port });
    const proxy = await watchMongo(relay.port);
    const url = proxy.through(upstream.url);
    let most = 0;
    for (let batch = 0; batch < 10; batch += 1) {
      const clients = Array.from({ length: 20 }, () => new MongoClient(url));
      await Promise.all(clients.map((client) => client.db('shop').command({ ping: 1 })));
      most = Math.max(most, relay.pairs.size);
      await Promise.all(clients.map((client) => client.close()));
    }
    // Each has a monitor besides its pool.
    expect(most).toBeGreaterThanOrEqual(40);
    expect(proxy.sessions.length).toBeGreaterThanOrEqual(400);
    await until(() => relay.pairs.size === 0, waitMs, 'every upstream connection to end');
    await until(() => proxy.proxy.listener.sessions === 0, waitMs, 'every session to end');
    expect(proxy.sessions.filter(({ events }) => events.at(-1) !== 'closed')).toEqual([]);
    expect(proxy.blind).toEqual([]);
    await relay.close();
  });
});

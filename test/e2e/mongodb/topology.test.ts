/** A member of a replica set names its own address to drivers: through the proxy they stay with the proxy. */
import { MongoClient, type MongoClientOptions, type TopologyDescription } from 'mongodb';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { TestDatabase } from '../../servers/database.js';
import { createMongoDatabase } from '../../servers/mongodb-database.js';
import { describeEachMongo } from '../../support/mongodb-servers.js';
import { type RunningProxy, startProxy } from '../../support/start-proxy.js';
import { hasNote } from '../battery/notes.js';
import { seed } from './battery/schema.js';

const waitMs = 20_000;

describeEachMongo('a driver at a member of a replica set', (server) => {
  const memberUrl = server.replicaSetUrl ?? (server.capabilities.hasTopology ? server.url : null);
  let database: TestDatabase;
  let proxy: RunningProxy;

  beforeAll(async () => {
    if (memberUrl === null) return;
    database = await createMongoDatabase(memberUrl, seed);
    proxy = await startProxy({ upstreamUrl: database.url });
  });

  afterAll(async () => {
    await proxy?.stop();
    await database?.drop();
  });

  /** Fails twice and gives what the driver came to know, where it went, and whether the second failure had a note. */
  async function look(options: MongoClientOptions) {
    const client = new MongoClient(proxy.through(database.url), {
      serverSelectionTimeoutMS: waitMs,
      ...options,
    });
    const known: TopologyDescription[] = [];
    const used = new Set<string>();
    client.on('topologyDescriptionChanged', ({ newDescription }) => known.push(newDescription));
    client.on('connectionCreated', ({ address }) => used.add(address));
    const users = client.db().collection('users');
    try {
      const fail = (): Promise<Error> => users.findOne({ age: { $nope: 1 } }).then(unexpected, asError);
      await fail();
      const { message } = await fail();
      const last = known.at(-1);
      return {
        kind: last?.type,
        addresses: [...(last?.servers.keys() ?? [])],
        used: [...used],
        isTold: hasNote(message),
      };
    } finally {
      await client.close();
    }
  }

  it.runIf(memberUrl !== null)('is shown the proxy as the only member', async () => {
    const address = `${proxy.host}:${proxy.port}`;
    const seen = await look({});
    expect(seen).toEqual({
      kind: 'ReplicaSetWithPrimary',
      addresses: [address],
      used: [address],
      isTold: true,
    });
  });

  it.runIf(memberUrl !== null)('stays with it under directConnection too', async () => {
    const address = `${proxy.host}:${proxy.port}`;
    const seen = await look({ directConnection: true });
    expect(seen).toEqual({ kind: 'Single', addresses: [address], used: [address], isTold: true });
  });
});

function unexpected(): never {
  throw new Error('The command was to fail');
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}

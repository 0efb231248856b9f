import { MongoClient } from 'mongodb';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openCatalog } from '../../../adapters/mongodb/catalog.js';
import { noCounters } from '../../../src/core/counters.js';
import { limits } from '../../../src/core/limits.js';
import type { Scope } from '../../../src/core/verdict.js';
import { HeldCatalogs } from '../../../src/proxy/held-catalogs.js';
import { SchemaPollers } from '../../../src/proxy/schema-pollers.js';
import type { TestDatabase } from '../../servers/database.js';
import { createMongoDatabase } from '../../servers/mongodb-database.js';
import { describeEachMongo } from '../../support/mongodb-servers.js';
import { startRelay, type TcpRelay } from '../../support/tcp-relay.js';
import { until } from '../../support/until.js';
import { addressOf, plain } from './support.js';

const deadlineMs = 15_000;

describeEachMongo('pollers', (server) => {
  let databases: TestDatabase[];
  let client: MongoClient;
  let relay: TcpRelay;
  let pollers: SchemaPollers;
  let health: string[];

  beforeEach(async () => {
    const { host, port } = addressOf(server.url);
    databases = await Promise.all([1, 2].map(() => createMongoDatabase(server.url)));
    client = new MongoClient(server.url);
    relay = await startRelay({ targetHost: host, targetPort: port });
    health = [];
    const address = { ...addressOf(server.url), host: '127.0.0.1', port: relay.port };
    const adapter = { catalogCovers: 'database', openCatalog } as const;
    pollers = new SchemaPollers({
      upstreams: new Map([['main', { adapter, address, tls: plain }]]),
      counters: noCounters,
      onHealth: ({ database }, failure) =>
        health.push(failure === null ? `${database} back` : `${database} gone`),
    });
  });

  afterEach(async () => {
    await pollers.close();
    await relay.close();
    await client.close();
    for (const database of databases) await database.drop();
  });

  const scope = (index: number): Scope => ({ upstream: 'main', database: databases[index]?.name ?? '' });
  const db = (index: number) => client.db(scope(index).database);
  const constraints = (index: number): number | undefined =>
    pollers.current(scope(index))?.table(scope(index).database, 'users')?.constraints.length;

  it('have a model soon, and notice what another session changes without being told', async () => {
    const release = pollers.sessionOpened(scope(0));
    expect(await pollers.ready(scope(0), deadlineMs)).toBe(true);
    expect(constraints(0)).toBeUndefined();
    await db(0).collection('users').insertOne({});
    await until(() => constraints(0) === 1, deadlineMs, 'the collection');
    await db(0).collection('users').createIndex({ email: 1 }, { unique: true, name: 'email_1' });
    await until(() => constraints(0) === 2, deadlineMs, 'the index');
    await db(0).collection('users').dropIndex('email_1');
    await until(() => constraints(0) === 1, deadlineMs, 'the index to go');
    release();
  });

  it('follow a session that names one database after the other, and let go when it ends', async () => {
    for (const index of [0, 1]) await db(index).collection('users').createIndex({ a: 1 }, { unique: true });
    const held = new HeldCatalogs(pollers, () => performance.now());
    held.open(scope(0));
    held.use(scope(1));
    for (let turn = 0; turn < 1_000; turn += 1) held.use(scope(turn % 2));
    await until(() => constraints(0) === 2 && constraints(1) === 2, deadlineMs, 'both databases');
    // For each: one for commands, and the driver's own.
    expect(relay.pairs.size).toBe(4);
    held.close();
    await until(() => relay.pairs.size === 0, deadlineMs, 'the connections to go');
    expect(constraints(0)).toBe(2);
  });

  it('read at once after a change seen on the wire, also where nobody holds the database', async () => {
    pollers.sessionOpened(scope(0))();
    await pollers.ready(scope(0), deadlineMs);
    await until(() => relay.pairs.size === 0, deadlineMs, 'the connection to go');
    await db(0).collection('users').createIndex({ a: 1 }, { unique: true });
    pollers.refresh(scope(0), 'ddl_seen');
    expect(pollers.isInDoubt(scope(0))).toBe(true);
    await until(() => constraints(0) === 2 && !pollers.isInDoubt(scope(0)), deadlineMs, 'the index');
  });

  it('outlive a server that goes and comes back', async () => {
    const { port } = relay;
    await db(0).collection('users').insertOne({});
    pollers.sessionOpened(scope(0));
    await pollers.ready(scope(0), deadlineMs);
    await relay.close();
    const state = (): string | undefined => pollers.states()[0]?.state;
    await until(() => state() === 'failing', deadlineMs, 'the server to be missed');
    pollers.refresh(scope(0), 'asked');
    await until(() => health.length === 1, deadlineMs, 'the news of it');
    expect(health).toEqual([`${scope(0).database} gone`]);
    expect(constraints(0)).toBe(1);
    await db(0).collection('users').createIndex({ a: 1 }, { unique: true });
    const target = addressOf(server.url);
    relay = await startRelay({ targetHost: target.host, targetPort: target.port, port });
    pollers.refresh(scope(0), 'asked');
    await until(() => constraints(0) === 2, limits.catalogBackoffMaxMs, 'the index');
    expect(health).toEqual([`${scope(0).database} gone`, `${scope(0).database} back`]);
  });
});

import pg from 'pg';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openCatalog } from '../../../adapters/postgres/catalog.js';
import { noCounters } from '../../../src/core/counters.js';
import type { Scope } from '../../../src/core/verdict.js';
import { SchemaPollers } from '../../../src/proxy/schema-pollers.js';
import { createDatabase, runOn, type TestDatabase } from '../../servers/database.js';
import { describeEachPostgres } from '../../support/postgres-servers.js';
import { until } from '../../support/until.js';
import { addressOf, plain } from './support.js';

const deadlineMs = 15_000;

describeEachPostgres('pollers', (server) => {
  let database: TestDatabase;
  let pollers: SchemaPollers;
  let scope: Scope;
  let session: pg.Client;

  beforeEach(async () => {
    database = await createDatabase(server.url, 'create table users (id integer primary key)');
    const adapter = { catalogCovers: 'database', openCatalog } as const;
    const upstream = { adapter, address: addressOf(server.url), tls: plain };
    pollers = new SchemaPollers({ upstreams: new Map([['main', upstream]]), counters: noCounters });
    scope = { upstream: 'main', database: database.name };
    session = new pg.Client(database.url);
    session.on('error', () => undefined);
    await session.connect();
  });

  afterEach(async () => {
    await pollers.close();
    await session.end();
    await database.drop();
  });

  const columns = (): string => {
    const table = pollers.current(scope)?.table('public', 'users');
    return (table?.columns ?? []).map(({ name }) => name).join();
  };

  it('have a model soon, and notice what another session changes without being told', async () => {
    const release = pollers.sessionOpened(scope);
    expect(await pollers.ready(scope, deadlineMs)).toBe(true);
    expect(columns()).toBe('id');
    await session.query('alter table users add column email text');
    await until(() => columns() === 'id,email', deadlineMs, 'the new column');
    await session.query('alter table users drop column email');
    await until(() => columns() === 'id', deadlineMs, 'the column to go');
    release();
  });

  it('come back after their connection is cut, and catch up', async () => {
    pollers.sessionOpened(scope);
    await pollers.ready(scope, deadlineMs);
    await session.query(`select pg_terminate_backend(pid) from pg_stat_activity
                          where application_name = 'twiceshy catalog' and datname = current_database()`);
    await session.query('alter table users add column email text');
    await until(() => columns() === 'id,email', deadlineMs, 'the new column');
    await until(() => pollers.states()[0]?.state === 'current', deadlineMs, 'a healthy poller');
  });

  it('hold no connection to a database without sessions, so that it can be dropped', async () => {
    const release = pollers.sessionOpened(scope);
    await pollers.ready(scope, deadlineMs);
    await session.end();
    release();
    await runOn(server.url, `drop database ${database.name}`);
  });

  it('are sure of the model again when a session returns', async () => {
    const release = pollers.sessionOpened(scope);
    await pollers.ready(scope, deadlineMs);
    release();
    await until(() => pollers.states()[0]?.state === 'resting', deadlineMs, 'rest');
    await session.query('alter table users add column email text');
    pollers.sessionOpened(scope);
    expect(pollers.isDirty(scope)).toBe(true);
    await until(() => !pollers.isDirty(scope), deadlineMs, 'a look');
    expect(columns()).toBe('id,email');
  });

  it('say what fails, and recover from it', async () => {
    const missing = { upstream: 'main', database: `${database.name}_later` };
    const heard: (string | null)[] = [];
    pollers.onRead((read, model) => heard.push(model === null ? null : read.database));
    pollers.sessionOpened(missing);
    await until(() => pollers.states()[0]?.state === 'failing', deadlineMs, 'the failure');
    expect(pollers.states()[0]?.failure).toMatchObject({ code: '3D000' });
    expect(pollers.current(missing)).toBeNull();
    await runOn(server.url, `create database ${missing.database} template template0`);
    try {
      expect(await pollers.ready(missing, deadlineMs)).toBe(true);
      expect(heard).toContain(null);
      expect(heard.at(-1)).toBe(missing.database);
    } finally {
      await pollers.close();
      await runOn(server.url, `drop database ${missing.database} with (force)`);
    }
  });
});

import { randomBytes } from 'node:crypto';
import { type Connection, createConnection } from 'mysql2/promise';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openCatalog } from '../../../adapters/mysql/catalog.js';
import { noCounters } from '../../../src/core/counters.js';
import { limits } from '../../../src/core/limits.js';
import type { Scope } from '../../../src/core/verdict.js';
import { SchemaPollers } from '../../../src/proxy/schema-pollers.js';
import type { TestDatabase } from '../../servers/database.js';
import { createMysqlDatabase, runMysql } from '../../servers/mysql-database.js';
import { describeEachMysql } from '../../support/mysql-servers.js';
import { until } from '../../support/until.js';
import { addressOf, plain } from './support.js';

const deadlineMs = 15_000;

describeEachMysql('pollers', (server) => {
  let database: TestDatabase;
  let account: { readonly name: string; readonly password: string };
  let pollers: SchemaPollers;
  let scope: Scope;
  let session: Connection;
  let blindSpots: (string | null)[];

  beforeEach(async () => {
    database = await createMysqlDatabase(server.url, 'create table users (id int primary key)');
    account = { name: `twiceshy_${randomBytes(6).toString('hex')}`, password: 'pollerpw' };
    await runMysql(server.url, `create user ${account.name}@'%' identified by '${account.password}'`);
    await grant('select, trigger on *.*');
    blindSpots = [];
    const adapter = { catalogCovers: 'server', openCatalog } as const;
    const upstream = { adapter, address: addressOf(server.url, account), tls: plain };
    pollers = new SchemaPollers({
      upstreams: new Map([['main', upstream]]),
      counters: noCounters,
      onBlindSpot: (_, blindSpot) => blindSpots.push(blindSpot),
    });
    scope = { upstream: 'main', database: database.name };
    session = await createConnection({ uri: database.url, multipleStatements: true });
  });

  afterEach(async () => {
    await pollers.close();
    await session.end();
    await runMysql(server.url, `drop user ${account.name}@'%'`);
    await database.drop();
  });

  const grant = (what: string) => runMysql(server.url, `grant ${what} to ${account.name}@'%'`);
  const revoke = (what: string) => runMysql(server.url, `revoke ${what} from ${account.name}@'%'`);

  const columns = (table = 'users'): string => {
    const found = pollers.current(scope)?.table(database.name, table);
    return (found?.columns ?? []).map(({ name }) => name).join();
  };

  const connections = async (): Promise<readonly number[]> => {
    const rows = await runMysql(
      server.url,
      `select id from information_schema.processlist where user = '${account.name}'`,
    );
    return rows.map((row) => Number(row['id'] ?? row['ID']));
  };

  it('have a model soon, and notice what another session changes without being told', async () => {
    const release = pollers.sessionOpened(scope);
    expect(await pollers.ready(scope, deadlineMs)).toBe(true);
    expect(columns()).toBe('id');
    await session.query('alter table users add column email text');
    await until(() => columns() === 'id,email', 2 * limits.catalogProbeMs + 3_000, 'the new column');
    await session.query('alter table users drop column email');
    await until(() => columns() === 'id', 2 * limits.catalogProbeMs + 3_000, 'the column to go');
    release();
  });

  it('see every database by one connection, also those made later', async () => {
    pollers.sessionOpened(scope);
    await pollers.ready(scope, deadlineMs);
    const other = await createMysqlDatabase(server.url, 'create table elsewhere (a int, b int)');
    try {
      const found = () => pollers.current(scope)?.table(other.name, 'elsewhere')?.columns.length === 2;
      await until(found, deadlineMs, 'the table of the new database');
      const otherScope = { upstream: 'main', database: other.name };
      expect(pollers.current(otherScope)).toBe(pollers.current(scope));
      expect(await connections()).toHaveLength(1);
    } finally {
      await other.drop();
    }
  });

  it('see how a change ends that began before they read, told of it or not', async () => {
    pollers.sessionOpened(scope);
    await pollers.ready(scope, deadlineMs);
    const reader = await createConnection(database.url);
    for (const isTold of [true, false]) {
      // A transaction that has looked at the table keeps its change waiting, which has been counted already.
      await reader.query('begin');
      await reader.query('select * from users');
      const column = isTold ? 'told' : 'untold';
      const changing = session.query(`alter table users add column ${column} int`);
      const before = pollers.current(scope)?.version ?? 0;
      await runMysql(database.url, 'create table marker (id int)');
      // The poller has read after the change began.
      await until(() => columns('marker') === 'id', deadlineMs, 'the marker');
      expect(columns()).not.toContain(column);
      expect(pollers.current(scope)?.version).toBeGreaterThan(before);
      await reader.query('commit');
      await changing;
      if (isTold) pollers.refresh(scope, 'ddl_seen');
      await until(() => columns().includes(column), deadlineMs, `the column ${column}`);
      await runMysql(database.url, 'drop table marker');
      await until(() => columns('marker') === '', deadlineMs, 'the marker to go');
    }
    await reader.end();
  });

  it('come back after their connection is cut, and catch up', async () => {
    pollers.sessionOpened(scope);
    await pollers.ready(scope, deadlineMs);
    for (const id of await connections()) await session.query(`kill ${id}`);
    await session.query('alter table users add column email text');
    await until(() => columns() === 'id,email', deadlineMs, 'the new column');
    await until(() => pollers.states()[0]?.state === 'current', deadlineMs, 'a healthy poller');
  });

  it('see changes while there is no session, over one connection', async () => {
    await pollers.ready(scope, deadlineMs);
    pollers.sessionOpened(scope)();
    await session.query('alter table users add column email text');
    await until(() => columns() === 'id,email', deadlineMs, 'the new column');
    expect(await connections()).toHaveLength(1);
  });

  it('warn once of what the account is not shown, and see it as soon as it is', async () => {
    await revoke('select, trigger on *.*');
    await session.query('create table hidden (id int, secret int); create table shown (id int)');
    await grant(`select on \`${database.name}\`.shown`);
    pollers.sessionOpened(scope);
    await pollers.ready(scope, deadlineMs);
    expect(columns('shown')).toBe('id');
    expect(columns('hidden')).toBe('');
    expect(blindSpots).toEqual([expect.stringMatching(/^twiceshy_\w+@% lacks SELECT and TRIGGER on \*\.\*/)]);
    expect(pollers.states()[0]?.blindSpot).toBe(blindSpots[0]);
    await grant('select, trigger on *.*');
    await until(() => columns('hidden') === 'id,secret', deadlineMs, 'the hidden table');
    expect(blindSpots.slice(1)).toEqual([null]);
  });

  it('say what fails, and recover from it', async () => {
    await runMysql(server.url, `alter user ${account.name}@'%' account lock`);
    const health: unknown[] = [];
    const adapter = { catalogCovers: 'server', openCatalog } as const;
    const upstream = { adapter, address: addressOf(server.url, account), tls: plain };
    const other = new SchemaPollers({
      upstreams: new Map([['main', upstream]]),
      counters: noCounters,
      onHealth: (_, failure) => health.push(failure),
    });
    other.sessionOpened(scope);
    await until(() => health.length === 1, deadlineMs, 'the failure');
    expect(health[0]).toMatchObject({ errno: server.flavour === 'mysql' ? 3118 : 4151 });
    await runMysql(server.url, `alter user ${account.name}@'%' account unlock`);
    await until(() => health.length === 2, deadlineMs, 'the recovery');
    expect(health[1]).toBeNull();
    await other.close();
  });
});

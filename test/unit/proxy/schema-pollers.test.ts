import { beforeEach, describe, expect, it } from 'vitest';
import { noCounters } from '../../../src/core/counters.js';
import { limits } from '../../../src/core/limits.js';
import { SchemaPollers } from '../../../src/proxy/schema-pollers.js';
import { FakeClock, FakeDatabase } from './fake-catalog.js';

describe('SchemaPollers', () => {
  const address = { host: '127.0.0.1', port: 1, user: 'u', password: 'p', database: 'd' };
  let clock: FakeClock;
  let database: FakeDatabase;
  let opened: string[];
  let refused: number;
  let pollers: SchemaPollers;

  beforeEach(() => {
    clock = new FakeClock();
    database = new FakeDatabase(clock);
    opened = [];
    refused = 0;
    const adapter = {
      catalogCovers: 'database' as const,
      openCatalog: (_address: unknown, _tls: unknown, name: string) => {
        opened.push(name);
        return database.open();
      },
    };
    pollers = new SchemaPollers({
      upstreams: new Map([['main', { adapter, address, tls: { mode: 'disable' } }]]),
      counters: {
        ...noCounters,
        count: (name) => {
          if (name === 'catalog_databases_refused') refused += 1;
        },
      },
      clock,
    });
  });

  const scope = (name: string) => ({ upstream: 'main', database: name });

  it('has one poller a database, started when first seen', async () => {
    expect(pollers.current(scope('a'))).toBeNull();
    expect(pollers.isDirty(scope('a'))).toBe(false);
    pollers.firstSeen(scope('a'));
    pollers.firstSeen(scope('a'));
    pollers.sessionOpened(scope('b'));
    expect(pollers.isDirty(scope('a'))).toBe(true);
    await clock.advance(0);
    expect(opened).toEqual(['a', 'b']);
    expect(pollers.current(scope('a'))?.tableCount).toBe(1);
    expect(pollers.states().map((status) => status.scope.database)).toEqual(['a', 'b']);
  });

  it('tells every listener of every read', async () => {
    const heard: string[] = [];
    pollers.onRead((read, model) => heard.push(`${read.database} ${model?.tableCount}`));
    pollers.firstSeen(scope('a'));
    await clock.advance(0);
    database.failure = new Error('gone');
    pollers.firstSeen(scope('b'));
    await clock.advance(0);
    expect(heard).toEqual(['a 1', 'b undefined']);
  });

  it('is ready with the first model, or not in time', async () => {
    const ready = pollers.ready(scope('a'), 100);
    await clock.advance(0);
    expect(await ready).toBe(true);
    expect(await pollers.ready(scope('a'), 100)).toBe(true);
    database.failure = new Error('gone');
    const late = pollers.ready(scope('b'), 100);
    await clock.advance(100);
    expect(await late).toBe(false);
  });

  it('forgets a database without sessions for a new one, and refuses when all have some', async () => {
    const releases = Array.from({ length: limits.maxPolledDatabases }, (_, index) =>
      pollers.sessionOpened(scope(`d${index}`)),
    );
    pollers.sessionOpened(scope('extra'))();
    expect(refused).toBe(1);
    expect(pollers.states()).toHaveLength(limits.maxPolledDatabases);
    releases[3]?.();
    pollers.sessionOpened(scope('extra'));
    await clock.advance(0);
    const names = pollers.states().map((status) => status.scope.database);
    expect(names).toHaveLength(limits.maxPolledDatabases);
    expect(names).toContain('extra');
    expect(names).not.toContain('d3');
    expect(refused).toBe(1);
  });

  it('keeps no name that only clients know, and those of the configuration', async () => {
    database.failure = new Error('no such database');
    pollers.firstSeen(scope('configured'));
    const release = pollers.sessionOpened(scope('typo'));
    await clock.advance(0);
    expect(pollers.states()).toHaveLength(2);
    release();
    await clock.advance(limits.catalogBackoffMaxMs);
    expect(pollers.states().map((status) => status.scope.database)).toEqual(['configured']);
  });

  it('reports health once when it turns', async () => {
    const health: unknown[] = [];
    const adapter = { catalogCovers: 'database' as const, openCatalog: () => database.open() };
    pollers = new SchemaPollers({
      upstreams: new Map([['main', { adapter, address, tls: { mode: 'disable' } }]]),
      counters: noCounters,
      clock,
      onHealth: (_, failure) => health.push(failure),
    });
    database.failure = new Error('gone');
    pollers.sessionOpened(scope('a'));
    await clock.advance(10_000);
    expect(health).toEqual([database.failure]);
    const { failure } = database;
    database.failure = null;
    await clock.advance(limits.catalogBackoffMaxMs);
    expect(health).toEqual([failure, null]);
  });

  it('closes every connection and starts no more', async () => {
    pollers.sessionOpened(scope('a'));
    pollers.sessionOpened(scope('b'));
    await clock.advance(0);
    await pollers.close();
    expect(database.openReaders).toBe(0);
    pollers.firstSeen(scope('c'));
    await clock.advance(10_000);
    expect(opened).toEqual(['a', 'b']);
  });
});

describe('SchemaPollers of a server whose catalog is read as a whole', () => {
  const address = { host: '127.0.0.1', port: 1, user: 'u', password: 'p', database: 'shop' };
  let clock: FakeClock;
  let database: FakeDatabase;
  let health: string[];
  let blindSpots: (string | null)[];
  let pollers: SchemaPollers;

  beforeEach(() => {
    clock = new FakeClock();
    database = new FakeDatabase(clock);
    health = [];
    blindSpots = [];
    const adapter = { catalogCovers: 'server' as const, openCatalog: () => database.open() };
    const upstream = { adapter, address, tls: { mode: 'disable' as const } };
    pollers = new SchemaPollers({
      upstreams: new Map([
        ['main', upstream],
        ['other', upstream],
      ]),
      counters: noCounters,
      clock,
      onHealth: (read, failure) => health.push(`${read.upstream} ${read.database} ${String(failure)}`),
      onBlindSpot: (_, blindSpot) => blindSpots.push(blindSpot),
    });
  });

  const scope = (name: string, upstream = 'main') => ({ upstream, database: name });

  it('has one poller and one model for all databases, and for sessions in none', async () => {
    pollers.firstSeen(scope('shop'));
    pollers.sessionOpened(scope('billing'));
    pollers.sessionOpened(scope(''));
    await clock.advance(0);
    expect(database.take()).toBe('open probe! read');
    const model = pollers.current(scope('shop'));
    expect(model).not.toBeNull();
    for (const name of ['billing', '', 'not_there_yet']) expect(pollers.current(scope(name))).toBe(model);
    expect(pollers.states().map((status) => status.scope)).toEqual([scope('*')]);
    expect(pollers.catalogOf(scope('billing'))).toEqual(scope('*'));
    expect(pollers.catalogOf(scope('*'))).toEqual(scope('*'));
  });

  it('keeps servers apart', async () => {
    pollers.firstSeen(scope('shop'));
    await clock.advance(0);
    expect(pollers.current(scope('shop', 'other'))).toBeNull();
    pollers.firstSeen(scope('shop', 'other'));
    expect(pollers.isDirty(scope('shop', 'other'))).toBe(true);
    expect(pollers.isDirty(scope('shop'))).toBe(false);
    expect(pollers.states()).toHaveLength(2);
  });

  it('follows a session from database to database (USE) without another connection', async () => {
    const release = pollers.sessionOpened(scope('shop'));
    await clock.advance(0);
    database.take();
    // What the session does in another database is asked of the same poller, and ends with the same hold.
    pollers.refresh(scope('billing'), 'ddl_seen');
    expect(pollers.isDirty(scope('shop'))).toBe(true);
    expect(pollers.isInDoubt(scope('anything'))).toBe(true);
    await clock.advance(limits.catalogDebounceMs);
    expect(database.take()).toBe('probe!');
    expect(pollers.isDirty(scope('billing'))).toBe(false);
    release();
    await clock.advance(limits.catalogLingerMs);
    expect(database.openReaders).toBe(0);
    expect(pollers.states()).toHaveLength(1);
  });

  it('takes room for one database, however many are named', async () => {
    for (let index = 0; index < 2 * limits.maxPolledDatabases; index += 1) {
      pollers.sessionOpened(scope(`d${index}`))();
    }
    await clock.advance(limits.catalogLingerMs);
    expect(pollers.states()).toHaveLength(1);
    expect(database.calls.filter((call) => call === 'open')).toHaveLength(1);
  });

  it.each(['shop', 'no_such_database', ''])('is ready with the first read, asked for <%s>', async (name) => {
    const ready = pollers.ready(scope(name), 100);
    await clock.advance(0);
    expect(await ready).toBe(true);
  });

  it('watches a server of the configuration without sessions, so that the next one finds no doubt', async () => {
    pollers.firstSeen(scope('shop'));
    await clock.advance(10 * limits.catalogLingerMs);
    expect(database.openReaders).toBe(1);
    database.take();
    await clock.advance(limits.catalogProbeMs);
    expect(database.take()).toBe('probe');
    const release = pollers.sessionOpened(scope('shop'));
    expect(pollers.isInDoubt(scope('shop'))).toBe(false);
    expect(pollers.isDirty(scope('shop'))).toBe(false);
    release();
    await clock.advance(10 * limits.catalogLingerMs);
    expect(database.openReaders).toBe(1);
  });

  it('announces reads and failures under the scope of the server', async () => {
    const heard: string[] = [];
    pollers.onRead((read, model) => heard.push(`${read.database} ${model?.tableCount}`));
    database.failure = new Error('gone');
    pollers.firstSeen(scope('shop'));
    const late = pollers.ready(scope('shop'), 100);
    await clock.advance(100);
    expect(await late).toBe(false);
    database.failure = null;
    pollers.sessionOpened(scope('billing'));
    await clock.advance(limits.catalogBackoffMaxMs);
    expect(heard[0]).toBe('* undefined');
    expect(heard.at(-1)).toBe('* 1');
    expect(health).toEqual(['main * Error: gone', 'main * null']);
  });

  it('tells once what the account is not shown, and when that has changed', async () => {
    database.blindSpot = 'lacks SELECT';
    pollers.sessionOpened(scope('shop'));
    await clock.advance(0);
    pollers.refresh(scope('shop'), 'asked');
    await clock.advance(10_000);
    expect(blindSpots).toEqual(['lacks SELECT']);
    expect(pollers.states()[0]?.blindSpot).toBe('lacks SELECT');
    database.blindSpot = null;
    pollers.refresh(scope('shop'), 'asked');
    await clock.advance(10_000);
    expect(blindSpots).toEqual(['lacks SELECT', null]);
    expect(pollers.states()[0]?.blindSpot).toBeNull();
  });
});

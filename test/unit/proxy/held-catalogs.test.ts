import { beforeEach, describe, expect, it } from 'vitest';
import { noCounters } from '../../../src/core/counters.js';
import { limits } from '../../../src/core/limits.js';
import type { Scope } from '../../../src/core/verdict.js';
import { HeldCatalogs, type WatchedCatalogs } from '../../../src/proxy/held-catalogs.js';
import { SchemaPollers } from '../../../src/proxy/schema-pollers.js';
import { FakeClock, FakeDatabase } from './fake-catalog.js';

const scope = (database: string): Scope => ({ upstream: 'main', database });

describe('HeldCatalogs', () => {
  let watched: string[];
  let calls: string[];
  let now: number;
  let held: HeldCatalogs;

  const catalogs = (catalogOf: WatchedCatalogs['catalogOf']): WatchedCatalogs => ({
    catalogOf,
    sessionOpened: ({ database }) => {
      watched.push(database);
      calls.push(`+${database}`);
      return () => {
        watched = watched.filter((other) => other !== database);
        calls.push(`-${database}`);
      };
    },
  });

  beforeEach(() => {
    watched = [];
    calls = [];
    now = 0;
    held = new HeldCatalogs(
      catalogs((of) => of),
      () => now,
    );
  });

  /** Fills the session's places with a, b, c, …, a used first. */
  function fill(): string[] {
    const names = Array.from({ length: limits.maxCatalogsPerSession }, (_, index) =>
      String.fromCharCode(97 + index),
    );
    held.open(scope(names[0] as string));
    for (const name of names.slice(1)) held.use(scope(name));
    return names;
  }

  it('holds nothing for who was not let in', () => {
    held.use(scope('a'));
    held.use(scope('b'));
    expect(watched).toEqual([]);
    held.open(scope('b'));
    expect(watched).toEqual(['b']);
  });

  it('holds each database once, however often the session comes back', () => {
    held.open(scope('a'));
    for (const name of ['b', 'a', 'b', 'a', 'a']) held.use(scope(name));
    expect(calls).toEqual(['+a', '+b']);
  });

  it('gives up the one used longest ago, and not before its time', () => {
    const names = fill();
    expect(watched).toEqual(names);
    now = limits.catalogTurnMs - 1;
    held.use(scope('a'));
    held.use(scope('new'));
    expect(watched).toEqual(names);
    now += 1;
    held.use(scope('new'));
    expect(watched).toEqual([...names.filter((name) => name !== 'b'), 'new']);
    expect(calls.slice(-2)).toEqual(['-b', '+new']);
  });

  it('takes turns no faster than it may, whatever the session does', () => {
    held.open(scope('d0'));
    for (let step = 1; step <= 100; step += 1) {
      now += limits.catalogTurnMs / 10;
      held.use(scope(`d${step}`));
      expect(watched.length).toBeLessThanOrEqual(limits.maxCatalogsPerSession);
    }
    // In ten turns' time each of the places was given to another ten times at most.
    expect(calls.length).toBeLessThanOrEqual(2 * 11 * limits.maxCatalogsPerSession);
    expect(calls.length).toBeGreaterThan(2 * limits.maxCatalogsPerSession);
  });

  it('is in no database and holds none, then goes to one', () => {
    held.open(scope(''));
    expect(watched).toEqual([]);
    held.use(scope('a'));
    expect(watched).toEqual(['a']);
  });

  it('lets go of everything at the end, and takes no more', () => {
    const names = fill();
    held.close();
    expect(watched).toEqual([]);
    expect(calls.slice(-names.length)).toEqual(names.map((name) => `-${name}`));
    held.use(scope('late'));
    held.close();
    expect(calls).toHaveLength(2 * names.length);
  });

  it('holds one catalog for all databases where that covers the server', () => {
    held = new HeldCatalogs(
      catalogs((of) => ({ ...of, database: '*' })),
      () => now,
    );
    held.open(scope(''));
    for (const name of ['a', 'b', 'c', 'd', 'e']) held.use(scope(name));
    expect(calls).toHaveLength(1);
  });
});

describe('a database that nobody holds', () => {
  let clock: FakeClock;
  let database: FakeDatabase;
  let pollers: SchemaPollers;

  beforeEach(() => {
    clock = new FakeClock();
    database = new FakeDatabase(clock);
    const adapter = { catalogCovers: 'database' as const, openCatalog: () => database.open() };
    const address = { host: '127.0.0.1', port: 1, user: 'u', password: 'p', database: 'd' };
    pollers = new SchemaPollers({
      upstreams: new Map([['main', { adapter, address, tls: { mode: 'disable' } }]]),
      counters: noCounters,
      clock,
    });
  });

  it('is made sure of when its model is gone by, at most once a turn', async () => {
    pollers.sessionOpened(scope('a'))();
    await clock.advance(limits.catalogTurnMs / 2);
    const before = pollers.current(scope('a'));
    expect(before?.tableCount).toBe(1);
    expect(database.take()).toBe('open probe! read close');
    database.tables.push('orders');
    await clock.advance(limits.catalogTurnMs);
    // This once it goes by what it has, and says so.
    expect(pollers.current(scope('a'))).toBe(before);
    expect(pollers.isInDoubt(scope('a'))).toBe(true);
    for (let use = 0; use < 100; use += 1) pollers.current(scope('a'));
    await clock.advance(limits.catalogTurnMs - 1);
    expect(database.take()).toBe('open probe! read close');
    expect(pollers.current(scope('a'))?.tableCount).toBe(2);
    expect(pollers.isInDoubt(scope('a'))).toBe(false);
    expect(database.openReaders).toBe(0);
  });

  it('asks a server that is gone as often as anyone would', async () => {
    pollers.sessionOpened(scope('a'))();
    await clock.advance(limits.catalogTurnMs);
    database.take();
    database.failure = new Error('gone');
    for (let second = 0; second < 120; second += 1) {
      pollers.current(scope('a'));
      await clock.advance(1_000);
    }
    const opens = database.take().split(' ').length;
    expect(opens).toBeGreaterThan(3);
    expect(opens).toBeLessThan(20);
    database.failure = null;
    for (let second = 0; second < 120; second += 1) {
      pollers.current(scope('a'));
      await clock.advance(1_000);
    }
    expect(pollers.isInDoubt(scope('a'))).toBe(false);
  });

  it('is left to its own timing while someone holds it', async () => {
    pollers.sessionOpened(scope('a'));
    await clock.advance(0);
    database.take();
    for (let use = 0; use < 10; use += 1) {
      await clock.advance(limits.catalogProbeMs);
      pollers.current(scope('a'));
    }
    expect(new Set(database.take().split(' '))).toEqual(new Set(['probe']));
  });
});

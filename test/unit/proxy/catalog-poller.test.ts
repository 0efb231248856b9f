import { beforeEach, describe, expect, it } from 'vitest';
import type { CatalogReader } from '../../../src/core/adapter.js';
import { type CounterName, noCounters } from '../../../src/core/counters.js';
import { limits } from '../../../src/core/limits.js';
import type { SchemaModel } from '../../../src/core/schema/model.js';
import { CatalogPoller } from '../../../src/proxy/catalog-poller.js';
import type { PollerClock } from '../../../src/proxy/poller-clock.js';
import { SchemaPollers } from '../../../src/proxy/schema-pollers.js';

/** Time that stands still until a test moves it. */
class FakeClock implements PollerClock {
  #now = 0;
  #timers: { at: number; callback: () => void }[] = [];

  now(): number {
    return this.#now;
  }

  after(delayMs: number, callback: () => void): () => void {
    const timer = { at: this.#now + delayMs, callback };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((other) => other !== timer);
    };
  }

  yield(): Promise<void> {
    return Promise.resolve();
  }

  /** Runs what is due within the next `ms`, in order, and lets promises settle after each. */
  async advance(ms: number): Promise<void> {
    const end = this.#now + ms;
    await settle();
    for (;;) {
      const next = this.#timers.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0];
      if (next === undefined) break;
      this.#timers = this.#timers.filter((timer) => timer !== next);
      this.#now = Math.max(this.#now, next.at);
      next.callback();
      await settle();
    }
    this.#now = Math.max(this.#now, end);
  }

  /** Time that passes inside a call. */
  spend(ms: number): void {
    this.#now += ms;
  }

  get pending(): number {
    return this.#timers.length;
  }
}

async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
}

/** A database whose catalog is a list of table names; every call is written down. */
class FakeDatabase {
  tables = ['users'];
  /** What the probe looks at, where it is not the tables. */
  probed: string | null = null;
  readTakesMs = 1;
  failure: Error | null = null;
  readonly calls: string[] = [];
  openReaders = 0;
  /** While set, reads wait for it. */
  gate: Promise<void> | null = null;

  readonly #clock: FakeClock;

  constructor(clock: FakeClock) {
    this.#clock = clock;
  }

  async open(): Promise<CatalogReader> {
    this.calls.push('open');
    if (this.failure !== null) throw this.failure;
    this.openReaders += 1;
    return {
      engine: 'postgresql',
      probe: async (isThorough = false) => {
        this.calls.push(isThorough ? 'probe!' : 'probe');
        if (this.failure !== null) throw this.failure;
        return this.probed ?? this.tables.join();
      },
      read: async () => {
        this.calls.push('read');
        const tables = [...this.tables];
        await this.gate;
        this.#clock.spend(this.readTakesMs);
        const kind = 'table' as const;
        return {
          defaultSearchPath: ['public'],
          tables: tables.map((name) => ({ schema: 'public', name, kind, columns: [], constraints: [] })),
        };
      },
      close: async () => {
        this.openReaders -= 1;
        this.calls.push('close');
      },
    };
  }

  take(): string {
    return this.calls.splice(0).join(' ');
  }
}

describe('CatalogPoller', () => {
  let clock: FakeClock;
  let database: FakeDatabase;
  let heard: (SchemaModel | null)[];
  let counted: string[];
  let poller: CatalogPoller;

  beforeEach(() => {
    clock = new FakeClock();
    database = new FakeDatabase(clock);
    heard = [];
    counted = [];
    poller = new CatalogPoller({
      open: () => database.open(),
      onRead: (model) => heard.push(model),
      counters: { count: (name: CounterName, label = '') => void counted.push(`${name} ${label}`) },
      clock,
    });
  });

  /** Held, read, with nothing due but the next probe. */
  async function started(): Promise<() => void> {
    const release = poller.hold();
    await clock.advance(2 * limits.catalogDebounceMs);
    database.take();
    heard.length = 0;
    return release;
  }

  it('reads at once, then probes for as long as it is held', async () => {
    poller.hold();
    expect(poller.isDirty).toBe(true);
    expect(poller.status().state).toBe('starting');
    await clock.advance(0);
    expect(database.take()).toBe('open probe! read');
    expect(poller.isDirty).toBe(false);
    expect(heard).toEqual([poller.model]);
    await clock.advance(3.5 * limits.catalogProbeMs);
    expect(database.take()).toBe('probe probe probe');
    expect(poller.status()).toMatchObject({
      state: 'current',
      tableCount: 1,
      failuresInARow: 0,
      failure: null,
    });
    expect(heard).toHaveLength(1);
  });

  it('reads again when the probe moves, with a new version and the same objects for what stayed', async () => {
    await started();
    const before = poller.model;
    database.tables = ['users', 'orders'];
    await clock.advance(2 * limits.catalogProbeMs);
    expect(database.take()).toBe('probe probe! read probe');
    expect(poller.model?.version).toBe(2);
    expect(poller.model?.table('public', 'users')).toBe(before?.table('public', 'users'));
    expect(counted).toContain('catalog_probes moved');
    expect(counted).toContain('catalog_reads changed');
  });

  it('keeps the model, and its version, where a read finds nothing new', async () => {
    await started();
    const before = poller.model;
    poller.refresh('asked');
    await clock.advance(limits.catalogDebounceMs);
    expect(database.take()).toBe('probe! read');
    expect(poller.model).toBe(before);
    expect(heard).toEqual([before]);
    expect(counted.at(-1)).toBe('catalog_reads unchanged');
  });

  it('answers a refresh by the probe alone where that has not moved', async () => {
    await started();
    poller.refresh('drift_suspected');
    expect(poller.isDirty).toBe(true);
    await clock.advance(limits.catalogDebounceMs);
    expect(database.take()).toBe('probe!');
    expect(poller.isDirty).toBe(false);
    expect(heard).toEqual([poller.model]);
  });

  it('serves the first refresh at once and those that follow together', async () => {
    await started();
    await clock.advance(limits.catalogProbeMs / 2);
    poller.refresh('ddl_seen');
    await clock.advance(0);
    expect(database.take()).toBe('probe!');
    for (let count = 0; count < 5; count += 1) {
      poller.refresh('ddl_seen');
      await clock.advance(10);
    }
    expect(database.take()).toBe('');
    await clock.advance(limits.catalogDebounceMs - 50);
    expect(database.take()).toBe('probe!');
    expect(poller.isDirty).toBe(false);
  });

  it('rests after a slow read in proportion', async () => {
    await started();
    database.readTakesMs = 400;
    database.tables = ['a'];
    poller.refresh('ddl_seen');
    await clock.advance(0);
    expect(database.take()).toBe('probe! read');
    database.tables = ['b'];
    poller.refresh('ddl_seen');
    await clock.advance(399 * limits.catalogReadRest);
    expect(database.take()).toBe('');
    await clock.advance(limits.catalogReadRest);
    expect(database.take()).toBe('probe! read');
  });

  it('stays dirty through a read that began before the ask, and reads once more', async () => {
    await started();
    let open: () => void = () => undefined;
    database.gate = new Promise((resolve) => {
      open = resolve;
    });
    database.tables = ['a'];
    poller.refresh('ddl_seen');
    await clock.advance(0);
    database.tables = ['a', 'b'];
    poller.refresh('ddl_seen');
    open();
    await clock.advance(0);
    expect(heard).toHaveLength(1);
    expect(poller.isDirty).toBe(true);
    await clock.advance(limits.catalogDebounceMs);
    expect(database.take()).toBe('probe! read probe! read');
    expect(poller.isDirty).toBe(false);
    expect(poller.model?.tableCount).toBe(2);
  });

  it('reads again where the schema changed between probe and read', async () => {
    await started();
    database.probed = 'before';
    poller.refresh('ddl_seen');
    await clock.advance(0);
    database.probed = 'after';
    await clock.advance(limits.catalogProbeMs + 2 * limits.catalogDebounceMs);
    expect(database.take()).toBe('probe! read probe probe! read');
  });

  it('backs off from a failure, keeps the model, and connects anew', async () => {
    await started();
    database.failure = new Error('gone');
    await clock.advance(limits.catalogProbeMs);
    expect(database.take()).toBe('probe close');
    expect(poller.status()).toMatchObject({ state: 'failing', failuresInARow: 1, failure: database.failure });
    expect(poller.model).not.toBeNull();
    poller.refresh('ddl_seen');
    // 1, 2, 4, 8, 16 times the shortest wait, the last of which has just begun to be 32.
    await clock.advance(32 * limits.catalogBackoffMinMs);
    expect(database.take()).toBe('open open open open open');
    expect(heard).toEqual([null, null, null, null, null]);
    await clock.advance(20 * limits.catalogBackoffMaxMs);
    expect(database.calls.length).toBeGreaterThan(18);
    expect(database.calls.length).toBeLessThan(24);
    database.take();
    database.failure = null;
    database.tables = ['other'];
    await clock.advance(limits.catalogBackoffMaxMs);
    expect(database.take()).toMatch(/^open probe! read( probe)*$/);
    expect(poller.status().state).toBe('current');
    expect(poller.isDirty).toBe(false);
  });

  it('tries once for a refresh that nobody is connected for, and again when somebody is', async () => {
    database.failure = new Error('gone');
    await clock.advance(limits.catalogBackoffMaxMs);
    expect(database.take()).toBe('open');
    expect(clock.pending).toBe(0);
    expect(poller.isDirty).toBe(true);
    database.failure = null;
    poller.hold();
    await clock.advance(0);
    expect(database.take()).toBe('open probe! read');
  });

  it('does not sit out a long wait when a session has just reached the server', async () => {
    await started();
    database.failure = new Error('gone');
    await clock.advance(10 * limits.catalogBackoffMaxMs);
    database.failure = null;
    database.take();
    poller.hold();
    await clock.advance(limits.catalogProbeMs);
    expect(database.take()).toMatch(/^open/);
    expect(poller.status().state).toBe('current');
  });

  it('misses nothing that happened while a lost connection was away', async () => {
    await started();
    database.failure = new Error('gone');
    await clock.advance(limits.catalogProbeMs);
    database.failure = null;
    database.tables = ['other'];
    database.take();
    await clock.advance(limits.catalogProbeMs + limits.catalogDebounceMs);
    expect(database.take()).toBe('open probe! probe! read');
  });

  it('lets go of the connection after the last holder, and looks again with the next', async () => {
    const release = await started();
    const releaseOther = poller.hold();
    release();
    release();
    await clock.advance(limits.catalogLingerMs);
    expect(database.openReaders).toBe(1);
    releaseOther();
    await clock.advance(limits.catalogLingerMs);
    expect(database.openReaders).toBe(0);
    expect(poller.status().state).toBe('resting');
    expect(clock.pending).toBe(0);
    database.take();
    poller.hold();
    expect(poller.isDirty).toBe(true);
    await clock.advance(0);
    expect(database.take()).toBe('open probe!');
    expect(poller.isDirty).toBe(false);
  });

  it('reads for a refresh without a holder too, and lets go again', async () => {
    await clock.advance(limits.catalogLingerMs);
    expect(database.take()).toBe('open probe! read close');
    poller.refresh('asked');
    await clock.advance(limits.catalogLingerMs);
    expect(database.take()).toBe('open probe! read close');
  });

  it('waits for a refresh after a long read without the connection, once nobody holds it', async () => {
    database.readTakesMs = 2_000;
    const release = await started();
    expect(database.openReaders).toBe(1);
    poller.refresh('ddl_seen');
    release();
    await clock.advance(limits.catalogLingerMs);
    expect(database.openReaders).toBe(0);
    expect(poller.isDirty).toBe(true);
    database.take();
    await clock.advance(2_000 * limits.catalogReadRest);
    expect(database.take()).toBe('open probe! close');
    expect(poller.isDirty).toBe(false);
    expect(clock.pending).toBe(0);
  });

  it('stops for good, also in the middle of a read', async () => {
    let open: () => void = () => undefined;
    database.gate = new Promise((resolve) => {
      open = resolve;
    });
    poller.hold();
    await clock.advance(0);
    await poller.stop();
    open();
    await clock.advance(10 * limits.catalogProbeMs);
    poller.refresh('asked');
    await clock.advance(10 * limits.catalogProbeMs);
    expect(database.openReaders).toBe(0);
    expect(heard).toEqual([]);
    expect(clock.pending).toBe(0);
    expect(poller.status().state).toBe('stopped');
  });
});

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

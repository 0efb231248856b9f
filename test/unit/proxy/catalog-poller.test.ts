import { beforeEach, describe, expect, it } from 'vitest';
import type { CounterName } from '../../../src/core/counters.js';
import { limits } from '../../../src/core/limits.js';
import type { SchemaModel } from '../../../src/core/schema/model.js';
import { CatalogPoller } from '../../../src/proxy/catalog-poller.js';
import { FakeClock, FakeDatabase } from './fake-catalog.js';

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

/** A probe that moves when a change begins, as MySQL's and MariaDB's counters of statements do. */
import { beforeEach, describe, expect, it } from 'vitest';
import { noCounters } from '../../../src/core/counters.js';
import { limits } from '../../../src/core/limits.js';
import { CatalogPoller } from '../../../src/proxy/catalog-poller.js';
import { FakeClock, FakeDatabase } from './fake-catalog.js';

describe('CatalogPoller with a probe that is early', () => {
  let clock: FakeClock;
  let database: FakeDatabase;
  let poller: CatalogPoller;

  beforeEach(() => {
    clock = new FakeClock();
    database = new FakeDatabase(clock);
    database.isProbeEarly = true;
    poller = new CatalogPoller({
      open: () => database.open(),
      onRead: () => undefined,
      counters: noCounters,
      clock,
    });
  });

  /** How often it read within `ms`. */
  async function readsWithin(ms: number): Promise<number> {
    database.take();
    await clock.advance(ms);
    return database
      .take()
      .split(' ')
      .filter((call) => call === 'read').length;
  }

  /** Held until only the reads that time asks for are left. */
  async function settled(): Promise<void> {
    poller.hold();
    await clock.advance(3 * limits.catalogRereadMs);
    database.take();
  }

  const names = () => poller.model?.tableCount ?? 0;

  it('reads again ever more rarely after a change, and for as long as it is held', async () => {
    await settled();
    database.begun += 1;
    // At 0, 1, 2, 4, 8, 16, 32 times the time between probes, or by the probe that follows.
    expect(await readsWithin(70 * limits.catalogProbeMs)).toBeGreaterThanOrEqual(6);
    expect(await readsWithin(40 * limits.catalogProbeMs)).toBeLessThanOrEqual(1);
    await clock.advance(2 * limits.catalogRereadMs);
    expect(await readsWithin(10 * limits.catalogRereadMs)).toBeGreaterThanOrEqual(9);
    expect(await readsWithin(10 * limits.catalogRereadMs)).toBeLessThanOrEqual(10);
  });

  it.each([2, 10, 60, 240])(
    'sees the end of a change that took %i s within as long again',
    async (seconds) => {
      await settled();
      database.begun += 1;
      await clock.advance(seconds * 1000);
      expect(names()).toBe(1);
      database.tables = ['users', 'orders'];
      await clock.advance(seconds * 1000 + 2 * limits.catalogProbeMs);
      expect(names()).toBe(2);
    },
  );

  it('sees what nothing tells of, in time', async () => {
    await settled();
    database.tables = ['users', 'orders'];
    await clock.advance(limits.catalogRereadMs + 2 * limits.catalogProbeMs);
    expect(names()).toBe(2);
  });

  it('reads at once when the end of a change was seen, which moves no probe', async () => {
    await settled();
    database.begun += 1;
    await clock.advance(7.5 * limits.catalogProbeMs);
    database.tables = ['users', 'orders'];
    poller.refresh('ddl_seen');
    database.take();
    await clock.advance(0);
    expect(database.take()).toBe('probe! read');
    expect(names()).toBe(2);
  });

  it('takes an unmoved probe for an answer to anything else, once all that was begun is long over', async () => {
    await settled();
    poller.refresh('drift_suspected');
    await clock.advance(0);
    expect(database.take()).toBe('probe!');
    expect(poller.isDirty).toBe(false);
  });

  it('reads what became due while nobody was there, when somebody comes', async () => {
    const release = poller.hold();
    await clock.advance(0);
    release();
    await clock.advance(limits.catalogLingerMs);
    database.take();
    await clock.advance(limits.catalogRereadMs);
    expect(database.take()).toBe('');
    database.tables = ['users', 'orders'];
    poller.hold();
    await clock.advance(0);
    expect(database.take()).toBe('open probe! read');
    expect(names()).toBe(2);
  });

  it('spends less on a probe that moves all the time for nothing, and not less on what it is told', async () => {
    await settled();
    database.readTakesMs = 500;
    const busy = async (seconds: number): Promise<number> => {
      let reads = 0;
      for (let second = 0; second < seconds; second += 1) {
        database.begun += 1;
        reads += await readsWithin(1000);
      }
      return reads;
    };
    await busy(30);
    const seconds = 300;
    expect(await busy(seconds)).toBeLessThanOrEqual(
      (seconds * 1000) / (limits.catalogFalseAlarmRest * database.readTakesMs),
    );
    expect(poller.isDirty).toBe(false);
    database.tables = ['users', 'orders'];
    poller.refresh('ddl_seen');
    await clock.advance(limits.catalogReadRest * database.readTakesMs);
    expect(names()).toBe(2);
    // Something did change: the next move is worth a look at once again.
    database.begun += 1;
    expect(await readsWithin(limits.catalogReadRest * 2 * database.readTakesMs)).toBeGreaterThanOrEqual(1);
  });

  it('logs in anew to read what an account that saw only part may see by now', async () => {
    database.blindSpot = 'lacks SELECT';
    poller.hold();
    await clock.advance(0);
    expect(database.take()).toBe('open probe! read');
    expect(poller.status().blindSpot).toBe('lacks SELECT');
    database.blindSpot = null;
    database.begun += 1;
    await clock.advance(limits.catalogProbeMs);
    expect(database.take()).toBe('probe probe! close open read');
    expect(poller.status().blindSpot).toBeNull();
    database.begun += 1;
    await clock.advance(limits.catalogProbeMs);
    expect(database.take()).toBe('probe probe! read');
  });
});

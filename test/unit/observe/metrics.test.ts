import { describe, expect, it } from 'vitest';
import { counterNames } from '../../../src/core/counters.js';
import { CounterSet } from '../../../src/observe/counters.js';
import { createMetrics, type Gauges } from '../../../src/observe/metrics.js';

const still: Gauges = {
  openSessions: () => [['shop', 3]],
  recordsByStatus: () => [['live', 7]],
  queuedEvents: () => 2,
  catalogs: () => [
    {
      upstream: 'shop',
      database: 'orders',
      state: 'failing',
      tableCount: 4,
      ageMs: null,
      lastReadMs: 250,
    },
  ],
};

describe('createMetrics', () => {
  it('shows every counter with its value at the scrape', async () => {
    const counters = new CounterSet();
    const registry = createMetrics(counters, still);
    counters.count('notes_attached', 'syntax', 5);
    counters.count('resolutions');
    const text = await registry.metrics();
    for (const name of Object.keys(counterNames))
      expect(text).toContain(`# TYPE twiceshy_${name}_total counter`);
    expect(text).toContain('twiceshy_notes_attached_total{class="syntax"} 5');
    expect(text).toContain('twiceshy_resolutions_total 1');
  });

  it('does not add a scrape to the one before', async () => {
    const counters = new CounterSet();
    const registry = createMetrics(counters, still);
    counters.count('retractions');
    await registry.metrics();
    expect(await registry.metrics()).toContain('twiceshy_retractions_total 1\n');
  });

  it('reads the gauges when asked', async () => {
    const text = await createMetrics(new CounterSet(), still).metrics();
    expect(text).toContain('twiceshy_sessions_open{listener="shop"} 3');
    expect(text).toContain('twiceshy_records{status="live"} 7');
    expect(text).toContain('twiceshy_store_queue_depth 2');
    expect(text).toContain('twiceshy_catalog_state{upstream="shop",database="orders",state="failing"} 1');
    expect(text).toContain('twiceshy_catalog_last_read_seconds{upstream="shop",database="orders"} 0.25');
    expect(text).toContain('twiceshy_catalog_tables{upstream="shop",database="orders"} 4');
    expect(text).not.toContain('twiceshy_catalog_age_seconds{');
    expect(text).toContain('twiceshy_process_cpu_user_seconds_total');
  });
});

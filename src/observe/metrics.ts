/**
 * /metrics: the counters of `CounterSet` and what is true at the moment of the scrape, as `twiceshy_*`.
 * Everything is read when asked for; nothing here runs between scrapes but Node's own process metrics.
 */
import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { type CounterName, counterNames } from '../core/counters.js';
import { type CounterSet, labelNameOf } from './counters.js';

/** State at the time of a scrape, given by the app. */
export interface Gauges {
  openSessions(): Iterable<readonly [listener: string, count: number]>;
  recordsByStatus(): Iterable<readonly [status: string, count: number]>;
  queuedEvents(): number;
  catalogs(): Iterable<{
    readonly upstream: string;
    readonly database: string;
    readonly state: string;
    readonly tableCount: number;
    /** Since the model was last found to be right; null before the first read. */
    readonly ageMs: number | null;
    readonly lastReadMs: number | null;
  }>;
}

/** A registry of its own, so that two apps in one process do not share numbers. */
export function createMetrics(counters: CounterSet, gauges: Gauges): Registry {
  const registry = new Registry();
  for (const name of Object.keys(counterNames) as CounterName[]) addCounter(registry, counters, name);
  addGauges(registry, gauges);
  collectDefaultMetrics({ register: registry, prefix: 'twiceshy_' });
  return registry;
}

function addCounter(registry: Registry, counters: CounterSet, name: CounterName): void {
  const labelName = labelNameOf(name);
  new Counter({
    name: `twiceshy_${name}_total`,
    help: counterNames[name],
    labelNames: labelName === null ? [] : [labelName],
    registers: [registry],
    collect() {
      this.reset();
      if (labelName === null) return this.inc(counters.value(name));
      for (const [label, value] of counters.entries(name)) this.inc({ [labelName]: label }, value);
    },
  });
}

function addGauges(registry: Registry, gauges: Gauges): void {
  const registers = [registry];
  new Gauge({
    name: 'twiceshy_sessions_open',
    help: 'Client sessions open now, by listener',
    labelNames: ['listener'],
    registers,
    collect() {
      this.reset();
      for (const [listener, count] of gauges.openSessions()) this.set({ listener }, count);
    },
  });
  new Gauge({
    name: 'twiceshy_records',
    help: 'Records in memory, by status',
    labelNames: ['status'],
    registers,
    collect() {
      this.reset();
      for (const [status, count] of gauges.recordsByStatus()) this.set({ status }, count);
    },
  });
  new Gauge({
    name: 'twiceshy_store_queue_depth',
    help: 'Events waiting to be written to the store',
    registers,
    collect() {
      this.set(gauges.queuedEvents());
    },
  });
  addCatalogGauges(registers, gauges);
}

function addCatalogGauges(registers: Registry[], gauges: Gauges): void {
  const labelNames = ['upstream', 'database'];
  new Gauge({
    name: 'twiceshy_catalog_state',
    help: '1 under the state the catalog poller of a database is in',
    labelNames: [...labelNames, 'state'],
    registers,
    collect() {
      this.reset();
      for (const { upstream, database, state } of gauges.catalogs())
        this.set({ upstream, database, state }, 1);
    },
  });
  const perCatalog = [
    ['tables', 'Tables in the catalog last read', (catalog: Catalog) => catalog.tableCount],
    [
      'age_seconds',
      'Since the catalog was last found to be right',
      (catalog: Catalog) => seconds(catalog.ageMs),
    ],
    [
      'last_read_seconds',
      'How long the last full read took',
      (catalog: Catalog) => seconds(catalog.lastReadMs),
    ],
  ] as const;
  for (const [name, help, read] of perCatalog) {
    new Gauge({
      name: `twiceshy_catalog_${name}`,
      help,
      labelNames,
      registers,
      collect() {
        this.reset();
        for (const catalog of gauges.catalogs()) {
          const value = read(catalog);
          if (value !== null) this.set({ upstream: catalog.upstream, database: catalog.database }, value);
        }
      },
    });
  }
}

type Catalog = ReturnType<Gauges['catalogs']> extends Iterable<infer T> ? T : never;

function seconds(ms: number | null): number | null {
  return ms === null ? null : ms / 1000;
}

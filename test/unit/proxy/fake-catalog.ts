/** What the pollers' tests stand on: a clock that a test moves, and a database whose catalog is a list of names. */
import type { CatalogReader } from '../../../src/core/adapter.js';
import type { PollerClock } from '../../../src/proxy/poller-clock.js';

/** Time that stands still until a test moves it. */
export class FakeClock implements PollerClock {
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
export class FakeDatabase {
  tables = ['users'];
  /** What the probe looks at, where it is not the tables. */
  probed: string | null = null;
  readTakesMs = 1;
  failure: Error | null = null;
  /** What the probe counts while `isProbeEarly`: changes begun, also those that come to nothing. */
  begun = 0;
  /** As a product has it whose probe moves when a change begins. */
  isProbeEarly = false;
  blindSpot: string | null = null;
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
      isProbeEarly: this.isProbeEarly,
      blindSpot: this.blindSpot,
      probe: async (isThorough = false) => {
        this.calls.push(isThorough ? 'probe!' : 'probe');
        if (this.failure !== null) throw this.failure;
        return this.probed ?? (this.isProbeEarly ? String(this.begun) : this.tables.join());
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

/**
 * What stands behind every way in, be it a proxy or a library: the memory and its store, the schemas, and the sink that
 * verdicts go through. Opened as a whole and released as a whole, the memory last, so that what was learned is written.
 */
import type { EngineSupport } from './core/adapter.js';
import type { Counters } from './core/counters.js';
import { limits } from './core/limits.js';
import { MemoryIndex } from './core/memory/memory-index.js';
import type { Engine } from './core/verdict.js';
import { type EngineParts, type SinkPolicy, VerdictSink } from './core/verdict-sink.js';
import type { HealthLog } from './observe/health-log.js';
import { type PolledUpstream, SchemaPollers } from './proxy/schema-pollers.js';
import { EventQueue } from './storage/event-queue.js';
import type { FsyncPolicy } from './storage/jsonl/options.js';
import { openJsonlStore } from './storage/jsonl/store.js';

export interface MemoryRuntimeOptions {
  readonly folder: string;
  readonly fsync: FsyncPolicy;
  /** Whose statements are understood. */
  readonly engines: readonly EngineSupport[];
  /** By the upstream's name in scopes. */
  readonly upstreams: ReadonlyMap<string, PolledUpstream>;
  readonly counters: Counters;
  readonly health: HealthLog;
  /** Read each time it is needed; default: the sink's. */
  readonly policy?: () => SinkPolicy;
}

export class MemoryRuntime {
  readonly memory: MemoryIndex;
  readonly queue: EventQueue;
  readonly pollers: SchemaPollers;
  readonly sink: VerdictSink;
  readonly #health: HealthLog;
  readonly #releases: (() => Promise<void> | void)[];

  /** Rejects with a `TwiceshyError` (MEMORY_LOCKED, MEMORY_UNREADABLE) where the folder cannot be used. */
  static async open(options: MemoryRuntimeOptions): Promise<MemoryRuntime> {
    const { folder, fsync, counters, health } = options;
    const store = await openJsonlStore(folder, {
      fsync,
      counters,
      onReport: (report) => health.store(report),
    });
    const memory = new MemoryIndex();
    try {
      await store.replay((event) => void memory.apply(event));
    } catch (error) {
      await store.close();
      throw error;
    }
    const queue = new EventQueue({ store, counters, onError: (change) => health.queue(change) });
    return new MemoryRuntime(options, memory, queue, [() => store.close(), () => queue.close()]);
  }

  private constructor(
    options: MemoryRuntimeOptions,
    memory: MemoryIndex,
    queue: EventQueue,
    releases: (() => Promise<void> | void)[],
  ) {
    const { counters, health, policy } = options;
    const engines = new Map<Engine, EngineParts>(
      options.engines.map((support) => [support.engine, { ...support, shaper: support.createShaper() }]),
    );
    this.memory = memory;
    this.queue = queue;
    this.#health = health;
    this.pollers = new SchemaPollers({
      upstreams: options.upstreams,
      counters,
      onHealth: (scope, failure) => health.catalog(scope, failure),
      onBlindSpot: (scope, blindSpot) => health.blindSpot(scope, blindSpot),
    });
    this.sink = new VerdictSink({
      ...{ memory, counters },
      schemas: this.pollers,
      emit: (event) => queue.emit(event),
      engine: (engine) => engines.get(engine),
      ...(policy !== undefined && { policy }),
      now: Date.now,
    });
    const timer = setInterval(() => this.sink.flush(), limits.observationFlushMs);
    timer.unref();
    this.#releases = [
      ...releases,
      () => this.pollers.close(),
      () => {
        clearInterval(timer);
        this.sink.close();
      },
    ];
  }

  /** Hands what the sink and the queue hold to the store. */
  writeOut(): Promise<void> {
    this.sink.flush();
    return this.queue.flush();
  }

  /** Sessions must be closed before. Never rejects; a second call does nothing. */
  async close(): Promise<void> {
    for (let release = this.#releases.pop(); release !== undefined; release = this.#releases.pop()) {
      try {
        await release();
      } catch (error) {
        this.#health.release(error);
      }
    }
  }
}

/**
 * Between the sink and the store: events go in synchronously and never fail, and come out in batches, one write at a time.
 *
 * Invariant: at most `maxQueuedEvents` wait, whatever the store does; an event is written, waiting, or counted as
 * dropped with the reason. A store that fails is tried again with growing pauses, and tells so once, not once an event.
 */
import type { Counters } from '../core/counters.js';
import { limits } from '../core/limits.js';
import type { MemoryEvent, Store } from '../core/memory/record.js';

/** Reported when the store begins to fail and when it works again: one log line each. */
export interface QueueChange {
  readonly state: 'failing' | 'recovered';
  /** The store's reason; null for `recovered`. */
  readonly error: Error | null;
  /** Events waiting now. */
  readonly queued: number;
  /** Events dropped since the store began to fail. */
  readonly dropped: number;
}

export interface EventQueueOptions {
  readonly store: Pick<Store, 'add'>;
  readonly counters: Counters;
  readonly onError: (change: QueueChange) => void;
  readonly maxQueuedEvents?: number;
  readonly maxBatchEvents?: number;
  readonly retryMinMs?: number;
  readonly retryMaxMs?: number;
}

export class EventQueue {
  readonly #options: EventQueueOptions;
  readonly #maxQueued: number;
  readonly #maxBatch: number;
  #waiting: MemoryEvent[] = [];
  #inFlight = 0;
  #writing: Promise<void> | null = null;
  #retryTimer: NodeJS.Timeout | null = null;
  #retryMs = 0;
  #isFailing = false;
  #isClosed = false;
  #droppedWhileFailing = 0;

  constructor(options: EventQueueOptions) {
    this.#options = options;
    this.#maxQueued = options.maxQueuedEvents ?? limits.maxQueuedEvents;
    this.#maxBatch = options.maxBatchEvents ?? limits.maxStoreBatchEvents;
  }

  /** Events not yet written. */
  get depth(): number {
    return this.#waiting.length + this.#inFlight;
  }

  /** True from a write that failed until one that works. */
  get isFailing(): boolean {
    return this.#isFailing;
  }

  /** Takes one event. Never throws, never waits; a full or closed queue drops it and counts. */
  emit(event: MemoryEvent): void {
    if (this.#isClosed || this.depth >= this.#maxQueued) {
      this.#drop(this.#isClosed ? 'closed' : 'queue_full', 1);
      return;
    }
    this.#waiting.push(event);
    if (this.#retryTimer === null) this.#start();
  }

  /** Resolves when all that was emitted before is written, or the store has refused it once more. Never rejects. */
  async flush(): Promise<void> {
    await this.#writing;
    this.#cancelRetry();
    this.#start();
    await this.#writing;
  }

  /** Writes what is left in one last attempt; what cannot be written is dropped and counted. Never rejects. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.flush();
    this.#cancelRetry();
    if (this.#waiting.length > 0) this.#drop('write_failed', this.#waiting.length);
    this.#waiting = [];
  }

  #start(): void {
    if (this.#writing !== null || this.#waiting.length === 0) return;
    this.#writing = this.#writeAll();
  }

  async #writeAll(): Promise<void> {
    // Events of the same turn go into one batch.
    await Promise.resolve();
    while (this.#waiting.length > 0 && (await this.#writeBatch()));
    // In the same turn as the last look at what waits: an event emitted later starts a new write.
    this.#writing = null;
  }

  /** False when the store refused the batch, which then waits for the next attempt. */
  async #writeBatch(): Promise<boolean> {
    const batch = this.#waiting.splice(0, this.#maxBatch);
    this.#inFlight = batch.length;
    try {
      await this.#options.store.add(batch);
      this.#inFlight = 0;
      this.#succeeded();
      return true;
    } catch (error) {
      this.#inFlight = 0;
      this.#waiting.unshift(...batch);
      this.#failed(error);
      return false;
    }
  }

  #succeeded(): void {
    this.#retryMs = 0;
    if (!this.#isFailing) return;
    this.#isFailing = false;
    this.#tell('recovered', null);
    this.#droppedWhileFailing = 0;
  }

  #failed(error: unknown): void {
    const { retryMinMs = limits.storeRetryMinMs, retryMaxMs = limits.storeRetryMaxMs } = this.#options;
    this.#retryMs = Math.min(retryMaxMs, Math.max(retryMinMs, this.#retryMs * 2));
    if (!this.#isClosed) {
      this.#retryTimer = setTimeout(() => {
        this.#retryTimer = null;
        this.#start();
      }, this.#retryMs);
      this.#retryTimer.unref();
    }
    if (this.#isFailing) return;
    this.#isFailing = true;
    this.#tell('failing', error instanceof Error ? error : new Error('The store failed.', { cause: error }));
  }

  #tell(state: QueueChange['state'], error: Error | null): void {
    try {
      this.#options.onError({ state, error, queued: this.depth, dropped: this.#droppedWhileFailing });
    } catch {
      // A logger's trouble is not the memory's.
    }
  }

  #drop(reason: 'queue_full' | 'write_failed' | 'closed', count: number): void {
    if (this.#isFailing) this.#droppedWhileFailing += count;
    this.#options.counters.count('store_events_dropped', reason, count);
  }

  #cancelRetry(): void {
    if (this.#retryTimer !== null) clearTimeout(this.#retryTimer);
    this.#retryTimer = null;
  }
}

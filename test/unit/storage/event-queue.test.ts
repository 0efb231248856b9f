import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Counters } from '../../../src/core/counters.js';
import type { MemoryEvent } from '../../../src/core/memory/record.js';
import { EventQueue, type EventQueueOptions, type QueueChange } from '../../../src/storage/event-queue.js';
import { observed } from '../../contract/store-events.js';

/** A store that is told when each write ends, and how. */
class ScriptedStore {
  readonly written: number[] = [];
  batches: MemoryEvent[][] = [];
  isBroken = false;
  #waiting: (() => void)[] = [];
  isSlow = false;

  async add(events: readonly MemoryEvent[]): Promise<void> {
    this.batches.push([...events]);
    if (this.isSlow) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    if (this.isBroken) throw new Error('disk full');
    for (const event of events) this.written.push(Number.parseInt(event.id, 16));
  }

  finishOne(): void {
    this.#waiting.shift()?.();
  }
}

function makeQueue(options: Partial<EventQueueOptions> = {}) {
  const store = new ScriptedStore();
  const changes: QueueChange[] = [];
  const dropped: Record<string, number> = {};
  const counters: Counters = {
    count: (name, label = '', by = 1) => {
      if (name === 'store_events_dropped') dropped[label] = (dropped[label] ?? 0) + by;
    },
  };
  const queue = new EventQueue({ store, counters, onError: (change) => changes.push(change), ...options });
  return { queue, store, changes, dropped };
}

const event = (n: number): MemoryEvent => observed(n, n);
const emitAll = (queue: EventQueue, from: number, to: number): void => {
  for (let n = from; n < to; n++) queue.emit(event(n));
};
const range = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, n) => from + n);

describe('EventQueue', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('writes what was emitted, in order and in batches, one write at a time', async () => {
    const { queue, store } = makeQueue({ maxBatchEvents: 4 });
    emitAll(queue, 0, 10);
    await queue.flush();
    expect(store.written).toEqual(range(0, 10));
    expect(store.batches.map((batch) => batch.length)).toEqual([4, 4, 2]);
    expect(queue.depth).toBe(0);
  });

  it('writes by itself, without a flush', async () => {
    const { queue, store } = makeQueue();
    queue.emit(event(1));
    await vi.advanceTimersByTimeAsync(0);
    expect(store.written).toEqual([1]);
  });

  it('takes events while a write is going on, and bounds them with those in flight', async () => {
    const { queue, store, dropped } = makeQueue({ maxQueuedEvents: 5, maxBatchEvents: 2 });
    store.isSlow = true;
    emitAll(queue, 0, 2);
    await vi.advanceTimersByTimeAsync(0);
    expect(store.batches).toHaveLength(1);
    emitAll(queue, 2, 10);
    expect(queue.depth).toBe(5);
    expect(dropped).toEqual({ queue_full: 5 });
    store.isSlow = false;
    store.finishOne();
    await queue.flush();
    expect(store.written).toEqual(range(0, 5));
  });

  it('keeps events of a failing store and writes them once it works, telling each change once', async () => {
    const { queue, store, changes } = makeQueue({ retryMinMs: 100, retryMaxMs: 1_000 });
    store.isBroken = true;
    emitAll(queue, 0, 3);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(store.batches.length).toBeGreaterThan(3);
    expect(queue.isFailing).toBe(true);
    expect(changes).toMatchObject([{ state: 'failing', queued: 3, error: { message: 'disk full' } }]);
    emitAll(queue, 3, 5);
    store.isBroken = false;
    await vi.advanceTimersByTimeAsync(1_000);
    expect(store.written).toEqual(range(0, 5));
    expect(queue.isFailing).toBe(false);
    expect(changes).toMatchObject([{ state: 'failing' }, { state: 'recovered', error: null }]);
  });

  it('waits longer after each failure, up to a bound', async () => {
    const { queue, store } = makeQueue({ retryMinMs: 100, retryMaxMs: 400 });
    store.isBroken = true;
    queue.emit(event(1));
    const attempts: number[] = [];
    for (const ms of [0, 100, 200, 400, 400, 400]) {
      await vi.advanceTimersByTimeAsync(ms);
      attempts.push(store.batches.length);
    }
    expect(attempts).toEqual([1, 2, 3, 4, 5, 6]);
  });

  it('is bounded while the store fails, and says how many it lost', async () => {
    const { queue, store, changes, dropped } = makeQueue({ maxQueuedEvents: 4 });
    store.isBroken = true;
    queue.emit(event(0));
    await vi.advanceTimersByTimeAsync(0);
    emitAll(queue, 1, 20);
    expect(queue.depth).toBe(4);
    store.isBroken = false;
    await queue.flush();
    expect(store.written).toEqual(range(0, 4));
    expect(dropped).toEqual({ queue_full: 16 });
    expect(changes.at(-1)).toMatchObject({ state: 'recovered', dropped: 16 });
  });

  it('flush resolves though the store refuses, and the events stay for the next attempt', async () => {
    const { queue, store } = makeQueue();
    store.isBroken = true;
    queue.emit(event(1));
    await queue.flush();
    expect(queue.depth).toBe(1);
    store.isBroken = false;
    await queue.flush();
    expect(store.written).toEqual([1]);
  });

  it('flush waits for a write that fails in between and tries the rest again', async () => {
    const { queue, store } = makeQueue();
    store.isSlow = true;
    store.isBroken = true;
    queue.emit(event(1));
    await vi.advanceTimersByTimeAsync(0);
    const flushed = queue.flush();
    store.isSlow = false;
    store.finishOne();
    await flushed;
    expect(queue.depth).toBe(1);
    store.isBroken = false;
    await vi.advanceTimersByTimeAsync(60_000);
    expect(store.written).toEqual([1]);
  });

  it('close writes what is left and counts what comes later', async () => {
    const { queue, store, dropped } = makeQueue();
    emitAll(queue, 0, 3);
    await queue.close();
    expect(store.written).toEqual([0, 1, 2]);
    queue.emit(event(4));
    expect(dropped).toEqual({ closed: 1 });
  });

  it('close of a failing store drops and counts what cannot be written, and leaves no timer', async () => {
    const { queue, store, dropped } = makeQueue();
    store.isBroken = true;
    emitAll(queue, 0, 3);
    await queue.close();
    expect(dropped).toEqual({ write_failed: 3 });
    expect(queue.depth).toBe(0);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('survives a listener that throws', async () => {
    const { queue, store } = makeQueue({
      onError: () => {
        throw new Error('logger broke');
      },
    });
    store.isBroken = true;
    queue.emit(event(1));
    await vi.advanceTimersByTimeAsync(0);
    store.isBroken = false;
    await queue.flush();
    expect(store.written).toEqual([1]);
  });

  it('loses no event whatever the interleaving of emits and turns', async () => {
    const { queue, store } = makeQueue({ maxBatchEvents: 3 });
    let n = 0;
    for (let round = 0; round < 200; round++) {
      queue.emit(event(n++));
      for (let turn = 0; turn < round % 7; turn++) await Promise.resolve();
    }
    await vi.advanceTimersByTimeAsync(0);
    expect(store.written).toEqual(range(0, n));
  });
});

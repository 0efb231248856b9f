/**
 * Between the memory and the store: every change is made in memory at once, and written in an order and form that
 * folds back to the same state.
 *
 * Holds what cannot be written yet: a record whose transaction state has still to be told, or whose schema is being
 * read again and may give it another id. Sums up observations and successes between flushes.
 */
import { limits } from '../limits.js';
import { failureEventOf } from '../memory/failure-event.js';
import { statusReason } from '../memory/fold.js';
import type { MemoryIndex } from '../memory/memory-index.js';
import type { FailureFacts, MemoryEvent, MemoryRecord } from '../memory/record.js';
import type { SchemaModel } from '../schema/model.js';
import type { TransactionState } from '../verdict.js';
import { keyFailure, type ObservedFailure } from './observed-failure.js';

/** Author and reason of what successes take back; a later failure of the same record undoes it. */
export const unchangedSuccess = { author: 'success', reason: 'the same statement ran unchanged' } as const;

interface Hold {
  readonly record: MemoryRecord;
  /** Its failure event is still to be written. */
  readonly isNew: boolean;
  isSettled: boolean;
  after: TransactionState;
  /** The latest failure of the hold whose schema is awaited, else the first. */
  observed: ObservedFailure;
  /** The scope whose schema is being read again; null: it is known. */
  awaited: string | null;
  /** The schema read since, where the transaction state is what is still missing. */
  model: SchemaModel | null;
  /** Failures since the hold began. */
  failures: number;
  readonly lastAtBefore: string;
  readonly since: number;
  readonly events: MemoryEvent[];
}

interface Tally {
  failures: number;
  successes: number;
  lastAt: string;
}

export class Outbox {
  readonly #memory: MemoryIndex;
  readonly #emit: (event: MemoryEvent) => void;
  readonly #holds = new Map<MemoryRecord, Hold>();
  readonly #tallies = new Map<MemoryRecord, Tally>();

  constructor(memory: MemoryIndex, emit: (event: MemoryEvent) => void) {
    this.#memory = memory;
    this.#emit = emit;
  }

  /**
   * Adds a failure to the memory, as a new record or as one more observation. `awaited` is the key of its scope where
   * the schema it was keyed by is being read again. `settle` must follow.
   */
  recordFailure(
    facts: FailureFacts,
    observed: ObservedFailure,
    awaited: string | null,
  ): { readonly record: MemoryRecord; readonly isNew: boolean } {
    const moment = new Date(observed.at).toISOString();
    const known = this.#memory.byId(facts.id);
    if (known !== undefined) {
      this.#observe(known, moment, observed, awaited);
      return { record: known, isNew: false };
    }
    this.#memory.apply(failureEventOf(facts, moment));
    const record = this.#memory.byId(facts.id);
    if (record === undefined) throw new Error('A failure added to the memory is not in it.');
    this.#holds.set(record, newHold(record, true, observed, awaited, moment));
    return { record, isNew: true };
  }

  /** The transaction state after the failure recorded last for this record. */
  settle(record: MemoryRecord, after: TransactionState): void {
    const hold = this.#holds.get(record);
    if (hold === undefined || hold.isSettled) return;
    hold.isSettled = true;
    hold.after = after;
    if (hold.isNew) record.after = after;
    if (hold.model !== null) this.#rekey(hold, hold.model);
    else this.#release(hold);
  }

  /** One more success of a record's shape. */
  succeeded(record: MemoryRecord, at: number): void {
    const moment = new Date(at).toISOString();
    this.#memory.apply({ v: 1, event: 'observed', id: record.id, at: moment, count: 0, successes: 1 });
    this.#tally(record, moment).successes++;
  }

  /** Applies an event to the memory and writes it, after the record's own failure. */
  apply(event: MemoryEvent): void {
    const record = this.#memory.byId(event.id);
    this.#memory.apply(event);
    const hold = record === undefined ? undefined : this.#holds.get(record);
    if (hold === undefined) this.#emit(event);
    else hold.events.push(event);
  }

  /** The schema of a scope has been read and nothing more is awaited: what was keyed provisionally is keyed for good. */
  schemaRead(scopeKey: string, model: SchemaModel): void {
    for (const hold of [...this.#holds.values()]) {
      if (hold.awaited !== scopeKey) continue;
      if (hold.isSettled) this.#rekey(hold, model);
      else hold.model = model;
    }
  }

  /** These tables have just been changed: what failed on them failed before that, under the schema last read. */
  tablesChanged(scopeKey: string, tables: readonly string[]): void {
    for (const hold of [...this.#holds.values()]) {
      if (hold.awaited !== scopeKey) continue;
      if (!hold.record.tables.some((name) => tables.includes(name))) continue;
      hold.awaited = null;
      this.#release(hold);
    }
  }

  /** Writes what was summed up, and what has waited for a schema longer than is worth waiting. */
  flush(now: number): void {
    for (const hold of [...this.#holds.values()]) {
      if (now - hold.since <= limits.maxAwaitCatalogMs) continue;
      hold.awaited = null;
      this.#release(hold);
    }
    for (const [record, tally] of this.#tallies) {
      if (this.#holds.has(record)) continue;
      this.#tallies.delete(record);
      const { failures, successes, lastAt } = tally;
      if (failures === 0 && successes === 0) continue;
      const counts = successes === 0 ? { count: failures } : { count: failures, successes };
      this.#emit({ v: 1, event: 'observed', id: record.id, at: lastAt, ...counts });
    }
  }

  /** Writes everything, as it is known now; for the end of the process. */
  close(now: number): void {
    for (const hold of [...this.#holds.values()]) {
      hold.isSettled = true;
      hold.awaited = null;
      this.#release(hold);
    }
    this.flush(now);
  }

  #observe(record: MemoryRecord, moment: string, observed: ObservedFailure, awaited: string | null): void {
    const hold = this.#holds.get(record);
    if (hold !== undefined) {
      hold.failures++;
      if (awaited !== null && hold.awaited === null) {
        hold.awaited = awaited;
        hold.observed = observed;
      }
    } else if (awaited !== null) {
      this.#holds.set(record, newHold(record, false, observed, awaited, record.lastAt));
    }
    const { author, reason } = unchangedSuccess;
    if (record.status === 'retracted' && record.statusReason === statusReason(reason, author)) {
      this.apply({
        v: 1,
        event: 'restored',
        id: record.id,
        at: moment,
        reason: 'it failed again',
        author: 'failure',
      });
    }
    this.#memory.apply({ v: 1, event: 'observed', id: record.id, at: moment, count: 1 });
    this.#tally(record, moment).failures++;
  }

  #tally(record: MemoryRecord, moment: string): Tally {
    let tally = this.#tallies.get(record);
    if (tally === undefined) {
      tally = { failures: 0, successes: 0, lastAt: moment };
      this.#tallies.set(record, tally);
    }
    if (moment > tally.lastAt) tally.lastAt = moment;
    return tally;
  }

  #release(hold: Hold): void {
    if (!hold.isSettled || hold.awaited !== null) return;
    this.#holds.delete(hold.record);
    if (hold.isNew) hold.record.detail = hold.observed.detail(hold.record);
    if (hold.isNew) this.#emit(failureEventOf(hold.record, hold.record.firstAt));
    for (const event of hold.events) this.#emit(withId(event, hold.record.id));
  }

  #rekey(hold: Hold, model: SchemaModel): void {
    const { record, observed } = hold;
    if (hold.awaited === null) return;
    hold.awaited = null;
    const { facts } = keyFailure(observed, model);
    if (facts.id === record.id) this.#release(hold);
    else if (hold.isNew) this.#moveRecord(hold, facts);
    else this.#moveObservations(hold, facts);
  }

  /** The whole record was made under the wrong schema. */
  #moveRecord(hold: Hold, facts: FailureFacts): void {
    const { record } = hold;
    const kept = this.#memory.rekey(record, facts);
    if (kept === record) {
      this.#release(hold);
      return;
    }
    this.#holds.delete(record);
    this.#tallies.delete(record);
    const tally = this.#tally(kept, record.lastAt);
    tally.failures += record.failures;
    tally.successes += record.successes;
    for (const event of hold.events) this.apply(withId(event, kept.id));
  }

  /** The record was there before; only what failed since the schema moved belongs to another. */
  #moveObservations(hold: Hold, facts: FailureFacts): void {
    const { record, failures } = hold;
    this.#memory.unobserve(record, failures, hold.lastAtBefore);
    const tally = this.#tally(record, hold.lastAtBefore);
    tally.failures = Math.max(0, tally.failures - failures);
    tally.lastAt = hold.lastAtBefore;
    this.#release(hold);
    for (let moved = 0; moved < failures; moved++) {
      const made = this.recordFailure(facts, hold.observed, null);
      this.settle(made.record, hold.after);
    }
  }
}

function newHold(
  record: MemoryRecord,
  isNew: boolean,
  observed: ObservedFailure,
  awaited: string | null,
  lastAtBefore: string,
): Hold {
  return {
    record,
    isNew,
    observed,
    awaited,
    lastAtBefore,
    since: observed.at,
    isSettled: false,
    after: 'unknown',
    model: null,
    failures: 1,
    events: [],
  };
}

function withId(event: MemoryEvent, id: string): MemoryEvent {
  return event.id === id ? event : { ...event, id };
}

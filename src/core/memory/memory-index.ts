/**
 * All records in RAM, folded and indexed for recall. Owns every record it hands out: others read them and change
 * them only through events, so that what is in memory is always what the log folds to.
 *
 * Built for a million records: repeated parts are shared (interning.ts), keys with one record hold it directly.
 */
import type { Backend, Engine, Scope } from '../verdict.js';
import { EventFold, type FoldOutcome, recordOf } from './fold.js';
import { Interning } from './interning.js';
import { MemoryPartition } from './partition.js';
import type { FailureEvent, MemoryEvent, MemoryRecord, RecordStatus } from './record.js';
import { recordId } from './record-id.js';

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** What of a record depends on the schema it was keyed by. */
type SchemaKey = Pick<MemoryRecord, 'tables' | 'fingerprint' | 'object'>;

export class MemoryIndex {
  readonly #records = new Map<string, MemoryRecord>();
  readonly #fold: EventFold;
  readonly #interning = new Interning();
  readonly #partitions = new Map<Scope, MemoryPartition[]>();
  readonly #byStatus: Record<RecordStatus, number> = {
    live: 0,
    retracted: 0,
    superseded: 0,
    under_review: 0,
    deleted: 0,
  };

  constructor() {
    this.#fold = new EventFold(this.#records, (event) => this.#make(event));
  }

  get size(): number {
    return this.#records.size;
  }

  /** Folds one event in. A failure whose id is known is one more observation of its record. */
  apply(event: MemoryEvent): FoldOutcome {
    const known = this.#records.get(event.id);
    const before = known?.status;
    const outcome = this.#fold.apply(event);
    const record = known ?? this.#records.get(event.id);
    if (record === undefined) return outcome;
    if (before === undefined) {
      this.#partitionOf(record).add(record);
      this.#byStatus[record.status]++;
    } else if (before !== record.status) {
      this.#byStatus[before]--;
      this.#byStatus[record.status]++;
      if (before === 'live') this.#partitionOf(record).liveCount--;
      if (record.status === 'live') this.#partitionOf(record).liveCount++;
    }
    return outcome;
  }

  byId(id: string): MemoryRecord | undefined {
    return this.#records.get(id);
  }

  /** Every record, in order of first appearance. */
  records(): IterableIterator<MemoryRecord> {
    return this.#records.values();
  }

  /** How many records have each status, kept up to date; for metrics. */
  countByStatus(): Readonly<Record<RecordStatus, number>> {
    return this.#byStatus;
  }

  /** The part of the memory a session of this scope can recall from; the same object until the process ends. */
  partition(scope: Scope, engine: Engine, backend: Backend): MemoryPartition {
    return this.#partitionAt(this.#interning.scope(scope), engine, backend);
  }

  /**
   * Moves a record whose schema was not known rightly when it was made to the id it should have had, counts kept.
   * Returns the record that now holds them: the one that already had that id, where there is one.
   */
  rekey(record: MemoryRecord, { tables, fingerprint, object }: SchemaKey): MemoryRecord {
    this.remove(record);
    const moved: Mutable<MemoryRecord> = record;
    moved.tables = tables;
    moved.fingerprint = fingerprint;
    moved.object = object;
    moved.id = recordId(record);
    const present = this.#records.get(moved.id);
    if (present !== undefined) {
      present.failures += record.failures;
      present.successes += record.successes;
      if (record.lastAt > present.lastAt) present.lastAt = record.lastAt;
      return present;
    }
    this.#interning.share(moved);
    this.#records.set(moved.id, record);
    this.#partitionOf(record).add(record);
    this.#byStatus[record.status]++;
    return record;
  }

  /** Takes back `count` observations that turned out to belong to another record. */
  unobserve(record: MemoryRecord, count: number, lastAt: string): void {
    record.failures = Math.max(1, record.failures - count);
    record.lastAt = lastAt;
  }

  /** Takes a record out as if it had never been; only for one that was never written to the store. */
  remove(record: MemoryRecord): void {
    if (this.#records.get(record.id) !== record) return;
    this.#fold.forget(record.id);
    this.#partitionOf(record).remove(record);
    this.#byStatus[record.status]--;
  }

  /** Forgets everything; partitions handed out stay valid and are empty. */
  clear(): void {
    this.#fold.clear();
    for (const partitions of this.#partitions.values()) {
      for (const partition of partitions) partition.clear();
    }
    for (const status of Object.keys(this.#byStatus) as RecordStatus[]) this.#byStatus[status] = 0;
  }

  #make(event: FailureEvent): MemoryRecord {
    const record: Mutable<MemoryRecord> = recordOf(event);
    this.#interning.share(record);
    return record;
  }

  #partitionOf(record: MemoryRecord): MemoryPartition {
    return this.#partitionAt(record.scope, record.engine, record.backend);
  }

  /** `scope` is a shared instance. */
  #partitionAt(scope: Scope, engine: Engine, backend: Backend): MemoryPartition {
    let partitions = this.#partitions.get(scope);
    if (partitions === undefined) {
      partitions = [];
      this.#partitions.set(scope, partitions);
    }
    for (const one of partitions) if (one.engine === engine && one.backend === backend) return one;
    const partition = new MemoryPartition(engine, backend, (tables) => this.#interning.knownTables(tables));
    partitions.push(partition);
    return partition;
  }
}

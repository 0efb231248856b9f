/**
 * Folding the append-only log into records: the one place that says what each event does.
 *
 * Invariants: only a `failure` makes a record; a status is decided by the latest event in time, not in arrival, so
 * that logs of several writers fold to one state; events of kinds or versions not known here change nothing.
 */
import type { FailureEvent, MemoryEvent, MemoryRecord, RecordStatus } from './record.js';

/** `held`: the record's failure has not been seen yet; `ignored`: nothing here knows the event. */
export type FoldOutcome = 'added' | 'changed' | 'held' | 'ignored';

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** Events that came before their record's failure; more than this many and the oldest record's are let go. */
const maxHeldIds = 10_000;

/** The record a failure event starts, with one occurrence. */
export function recordOf(event: FailureEvent): MemoryRecord {
  return {
    id: event.id,
    scope: event.scope,
    backend: event.backend,
    engine: event.engine,
    shape: event.shape,
    holes: event.holes ?? '',
    isTruncated: event.isTruncated === true,
    tables: event.tables ?? [],
    verb: event.verb ?? '',
    fingerprint: event.fingerprint,
    class: event.class,
    code: event.code,
    isStructural: event.isStructural === true,
    object: event.object ?? null,
    detail: event.detail ?? '',
    phase: event.phase ?? 'execute',
    after: event.after ?? 'unknown',
    evidence: event.evidence ?? { session: '' },
    status: 'live',
    failures: 1,
    successes: 0,
    firstAt: event.at,
    lastAt: event.at,
    validFrom: event.at,
    validTo: null,
    recordedAt: event.at,
    resolution: null,
    ignored: 0,
    confirmed: 0,
    contradicted: 0,
    reviewBy: null,
    statusReason: null,
  };
}

/** How `statusReason` is put together from an event's reason and author. */
export function statusReason(reason: string, author: string): string {
  return `${reason} (${author})`;
}

/** Folds events one at a time into `records`, which the caller owns and may read at any time. */
export class EventFold {
  readonly records: Map<string, MemoryRecord>;
  readonly #makeRecord: (event: FailureEvent) => MemoryRecord;
  readonly #held = new Map<string, MemoryEvent[]>();
  /** Moment of the latest status event, only for records that had one. */
  readonly #statusAt = new Map<string, string>();

  constructor(records = new Map<string, MemoryRecord>(), makeRecord = recordOf) {
    this.records = records;
    this.#makeRecord = makeRecord;
  }

  apply(event: MemoryEvent): FoldOutcome {
    if (event.v !== 1) return 'ignored';
    const record = this.records.get(event.id);
    if (record !== undefined) return this.#change(record, event) ? 'changed' : 'ignored';
    if (event.event !== 'failure') return this.#hold(event);
    const made = this.#makeRecord(event);
    this.records.set(event.id, made);
    const held = this.#held.get(event.id);
    if (held !== undefined) {
      this.#held.delete(event.id);
      for (const earlier of held) this.#change(made, earlier);
    }
    return 'added';
  }

  /** Forgets a record as if its events had never come. */
  forget(id: string): void {
    this.records.delete(id);
    this.#held.delete(id);
    this.#statusAt.delete(id);
  }

  clear(): void {
    this.records.clear();
    this.#held.clear();
    this.#statusAt.clear();
  }

  /** How many ids have events but no failure. */
  get heldCount(): number {
    return this.#held.size;
  }

  #hold(event: MemoryEvent): FoldOutcome {
    const held = this.#held.get(event.id);
    if (held !== undefined) {
      held.push(event);
      return 'held';
    }
    if (this.#held.size >= maxHeldIds) {
      const oldest = this.#held.keys().next();
      if (oldest.done !== true) this.#held.delete(oldest.value);
    }
    this.#held.set(event.id, [event]);
    return 'held';
  }

  #change(record: MemoryRecord, event: MemoryEvent): boolean {
    switch (event.event) {
      case 'failure':
        observe(record, event.at, 1);
        return true;
      case 'observed':
        if (event.count > 0) observe(record, event.at, event.count);
        record.successes += event.successes ?? 0;
        return true;
      case 'resolved':
        record.resolution = event.resolution;
        return true;
      case 'feedback':
        return countFeedback(record, event);
      default:
        return this.#changeStatus(record, event);
    }
  }

  #changeStatus(record: MemoryRecord, event: MemoryEvent): boolean {
    const change = statusChange(event);
    if (change === null) return false;
    const latest = this.#statusAt.get(record.id);
    if (latest !== undefined && event.at < latest) return true;
    this.#statusAt.set(record.id, event.at);
    if (event.event === 'reviewed') record.reviewBy = event.reviewBy ?? null;
    // A review speaks of a record that is shown or waiting to be; it does not bring back what was taken out.
    if (event.event === 'reviewed' && record.status !== 'live' && record.status !== 'under_review')
      return true;
    record.status = change.status;
    record.statusReason = change.reason;
    record.validTo = change.status === 'live' || change.status === 'under_review' ? null : event.at;
    // Only a reviewer has judged the contradictions; a record that merely failed again keeps them.
    if (event.event === 'reviewed' && event.verdict === 'keep') record.contradicted = 0;
    return true;
  }
}

/** Folds a whole log; records come out in the order of their first failure in it. */
export function foldEvents(events: Iterable<MemoryEvent>): Map<string, MemoryRecord> {
  const fold = new EventFold();
  for (const event of events) fold.apply(event);
  return fold.records;
}

function observe(record: Mutable<MemoryRecord>, at: string, count: number): void {
  record.failures += count;
  if (at > record.lastAt) record.lastAt = at;
  if (at < record.firstAt) {
    record.firstAt = at;
    record.validFrom = at;
  }
}

function countFeedback(record: MemoryRecord, event: MemoryEvent & { event: 'feedback' }): boolean {
  if (event.kind === 'ignored') record.ignored += event.count;
  else if (event.kind === 'confirmed') record.confirmed += event.count;
  else if (event.kind === 'contradicted') record.contradicted += event.count;
  else return false;
  return true;
}

/** The status an event leads to, or null for events that have none or are not known. */
function statusChange(event: MemoryEvent): { status: RecordStatus; reason: string | null } | null {
  switch (event.event) {
    case 'retracted':
      return { status: 'retracted', reason: statusReason(event.reason, event.author) };
    case 'deleted':
      return { status: 'deleted', reason: statusReason(event.reason, event.author) };
    case 'superseded':
      return { status: 'superseded', reason: `superseded by ${event.by}` };
    case 'restored':
      return { status: 'live', reason: null };
    case 'reviewed':
      if (event.verdict === 'keep') return { status: 'live', reason: null };
      return event.verdict === 'under_review'
        ? { status: 'under_review', reason: statusReason('under review', event.author) }
        : null;
    default:
      return null;
  }
}

/** What all sessions of a sink share; sessions are built on it by session-sink.ts, the whole by verdict-sink.ts. */
import type { LRUCache } from 'lru-cache';
import type { Counters } from '../counters.js';
import type { MemoryIndex } from '../memory/memory-index.js';
import type { MemoryPartition } from '../memory/partition.js';
import type { MemoryRecord } from '../memory/record.js';
import type { Note } from '../notes/note.js';
import type { Recall } from '../recall/recall.js';
import type { SchemaSource, TableName } from '../schema/model.js';
import type { Engine, Scope, TransactionState } from '../verdict.js';
import type { AwaitingCatalog } from './awaiting-catalog.js';
import type { EngineParts } from './observed-failure.js';
import type { Outbox } from './outbox.js';
import type { ScopeWatch } from './scope-watch.js';

/** What may be changed while running; read each time it is needed. */
export interface SinkPolicy {
  /** False: failures are recorded, nothing is ever attached. */
  readonly isEnabled: boolean;
  /** Share of sessions, 0 to 1, that get no notes, for comparison. */
  readonly holdback: number;
  /** How often one record's note is shown in one session. */
  readonly notesPerSession: number;
}

/** A failure reported and not settled yet; `record` is null while its catalog is unknown. */
export interface FailureTicket {
  record: MemoryRecord | null;
  after: TransactionState;
  isSettled: boolean;
  /** Tells the session that its failure has got a record. */
  onKeyed: (record: MemoryRecord, tables: readonly string[]) => void;
}

/** A success to be judged under a known schema. */
export interface SuccessToJudge {
  readonly partition: MemoryPartition;
  readonly shape: string;
  readonly holes: string;
  readonly tables: readonly TableName[];
  readonly searchPath: readonly string[] | null;
  readonly user: string;
  /** The session's own open failure that this success contradicts, and the record of the note shown for it. */
  readonly contradicts: { readonly record: MemoryRecord; readonly noted: MemoryRecord | null } | null;
}

/** What was attached to the first try of a write. */
export interface AttemptAnswer {
  readonly note: Note | null;
}

export interface SinkCore {
  readonly memory: MemoryIndex;
  readonly schemas: SchemaSource;
  readonly outbox: Outbox;
  readonly recall: Recall;
  readonly counters: Counters;
  readonly awaiting: AwaitingCatalog<FailureTicket>;
  /** Writes that failed lately and that a driver may try again, by `StatementFailure.attempt`. */
  readonly attempts: LRUCache<string, AttemptAnswer>;
  engine(engine: Engine): EngineParts | undefined;
  policy(): SinkPolicy;
  watch(scope: Scope): ScopeWatch<SuccessToJudge>;
  /** Milliseconds since the epoch. */
  now(): number;
}

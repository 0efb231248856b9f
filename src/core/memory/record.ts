/**
 * The record of one remembered failure and the events of the append-only log it is folded from
 * (docs/store-format.md). Types only; ids in record-id.ts, folding in fold.ts.
 */
import type { FailureClass, NamedObject } from '../failure/failure-class.js';
import type { Backend, Engine, Phase, Scope, TransactionState } from '../verdict.js';

/** Hashes of the schema a failure was seen under, 16 lower-case hex digits each. */
export interface RecordFingerprint {
  /** Sum over the statement's own tables; a table that does not exist counts as absent. */
  readonly tables: string;
  /** The same over constraints, unique indexes and triggers of those tables. */
  readonly constraints: string;
  /** The whole database: for display and for the ablation, not part of the gate. */
  readonly database: string;
}

/** Where a failure was first seen; for people, never matched on. */
export interface Evidence {
  readonly session: string;
  readonly application?: string;
  readonly user?: string;
  /** W3C traceparent from a sqlcommenter comment. */
  readonly trace?: string;
}

/** Identity of a failure: everything the id is a hash of, and what travels with it unchanged. */
export interface FailureFacts {
  /** 16 lower-case hex digits, see record-id.ts. */
  readonly id: string;
  readonly scope: Scope;
  readonly backend: Backend;
  readonly engine: Engine;
  readonly shape: string;
  /** Kinds of the literals that became holes, one letter each in order. */
  readonly holes: string;
  /** Statement text was cut at the lexer's bound: exact match only. */
  readonly isTruncated?: boolean;
  /** Qualified names, sorted; a name that did not resolve stands as it was written. */
  readonly tables: readonly string[];
  readonly verb: string;
  readonly fingerprint: RecordFingerprint;
  readonly class: FailureClass;
  readonly code: string;
  readonly isStructural: boolean;
  readonly object: NamedObject | null;
  /** Redacted message, for display only. */
  readonly detail: string;
  readonly phase: Phase;
  readonly after: TransactionState;
  readonly evidence: Evidence;
}

/** What later ran where the failed shape did not. Shapes hold no values. */
export interface Resolution {
  readonly shape: string;
  readonly tables: readonly string[];
}

export type FeedbackKind = 'ignored' | 'confirmed' | 'contradicted';

interface EventBase {
  readonly v: 1;
  readonly id: string;
  /** RFC 3339 in UTC with milliseconds. */
  readonly at: string;
}

export type FailureEvent = EventBase & FailureFacts & { readonly event: 'failure' };

export type MemoryEvent =
  | FailureEvent
  /** `count` more occurrences up to `at`, and `successes` of the same shape; aggregated between flushes. */
  | (EventBase & { readonly event: 'observed'; readonly count: number; readonly successes?: number })
  | (EventBase & { readonly event: 'resolved'; readonly resolution: Resolution })
  | (EventBase & { readonly event: 'feedback'; readonly kind: FeedbackKind; readonly count: number })
  | (EventBase & { readonly event: 'retracted'; readonly reason: string; readonly author: string })
  | (EventBase & { readonly event: 'superseded'; readonly by: string })
  | (EventBase & {
      readonly event: 'reviewed';
      readonly verdict: 'keep' | 'under_review';
      readonly author: string;
      readonly reviewBy?: string;
    })
  | (EventBase & { readonly event: 'deleted'; readonly reason: string; readonly author: string })
  | (EventBase & { readonly event: 'restored'; readonly reason: string; readonly author: string });

export type RecordStatus = 'live' | 'retracted' | 'superseded' | 'under_review' | 'deleted';

/** The state of a record after all its events: what recall reads. Mutable counts, immutable facts. */
export interface MemoryRecord extends FailureFacts {
  /** These two are known only once the session has told what became of its transaction. */
  after: TransactionState;
  detail: string;
  status: RecordStatus;
  /** Occurrences, the first included. */
  failures: number;
  /** Successes of the same shape under the same fingerprint since it was recorded. */
  successes: number;
  readonly firstAt: string;
  lastAt: string;
  /** Bitemporal: it held in the schema's world from `validFrom` to `validTo` (null: still); we learned it at `recordedAt`. */
  readonly validFrom: string;
  validTo: string | null;
  readonly recordedAt: string;
  resolution: Resolution | null;
  ignored: number;
  confirmed: number;
  contradicted: number;
  /** After this moment it no longer holds until someone reviews it; null: no expiry. */
  reviewBy: string | null;
  /** Why and by whom it left `live`, where it did. */
  statusReason: string | null;
}

/** Where events go for good. One contract for every kind of store; one test suite over all of them. */
export interface Store {
  /** Appends; resolves when the events are as durable as the store promises. Adding a known failure id adds an observation. */
  add(events: readonly MemoryEvent[]): Promise<void>;
  /** Everything ever believed, folded, in order of first appearance. */
  all(): Promise<MemoryRecord[]>;
  /** What holds now; `isCurrent` decides whether a record's fingerprint is still that of the schema (default: yes). */
  live(isCurrent?: (record: MemoryRecord) => boolean): Promise<MemoryRecord[]>;
  /** Forgets everything. */
  clear(): Promise<void>;
  close(): Promise<void>;
}

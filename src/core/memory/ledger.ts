/**
 * A session's open failures: what the statements that run next say about them. Pure bookkeeping; the sink turns the
 * outcomes into events. Bounded in number, in statements and in time, so that nothing far away is taken for a fix.
 */
import { isRetryable } from '../failure/failure-class.js';
import { limits } from '../limits.js';
import type { VerbFamily } from '../shape/shape.js';
import type { FeedbackKind, MemoryRecord, Resolution } from './record.js';

/** A statement with its tables resolved. */
export interface ResolvedStatement {
  readonly shape: string;
  readonly holes: string;
  readonly verb: string;
  readonly verbFamily: VerbFamily;
  /** As in `ResolvedTables.names`. */
  readonly tables: readonly string[];
}

/** What a success said of an earlier failure of the session. */
export type LedgerOutcome =
  | { readonly kind: 'resolved'; readonly record: MemoryRecord; readonly resolution: Resolution }
  | { readonly kind: 'feedback'; readonly record: MemoryRecord; readonly feedback: FeedbackKind }
  /** A structural failure ran as it was: its record is wrong, and so was the note of `noted`, where one was shown. */
  | { readonly kind: 'unchanged'; readonly record: MemoryRecord; readonly noted: MemoryRecord | null };

interface OpenFailure {
  readonly record: MemoryRecord;
  readonly statement: ResolvedStatement;
  readonly openedAt: number;
  statementsLeft: number;
  /** The record whose note was made for this failure; `isShown` once it was on the wire. */
  noted: MemoryRecord | null;
  isShown: boolean;
}

export class Ledger {
  #open: OpenFailure[] = [];

  get isEmpty(): boolean {
    return this.#open.length === 0;
  }

  /**
   * Opens a failure of `record`. `noted` is the record a note is about to be shown of, or null. Returns the record
   * whose note was shown for the same failure before and thus ignored, or null.
   */
  failed(
    record: MemoryRecord,
    statement: ResolvedStatement,
    noted: MemoryRecord | null,
    now: number,
  ): MemoryRecord | null {
    this.#expire(now);
    const index = this.#open.findIndex((open) => open.record === record);
    const [previous] = index < 0 ? [] : this.#open.splice(index, 1);
    if (this.#open.length >= limits.maxOpenFailures) this.#open.shift();
    this.#open.push({
      record,
      statement,
      openedAt: now,
      statementsLeft: limits.maxOpenFailureStatements,
      noted,
      isShown: false,
    });
    return previous?.isShown === true ? previous.noted : null;
  }

  /** The note made for the failure opened last was put on the wire. */
  shown(recordId: string): void {
    const latest = this.#open.at(-1);
    if (latest?.noted?.id === recordId) latest.isShown = true;
  }

  /** What a success says of the open failures; those it settles are closed. */
  succeeded(statement: ResolvedStatement, now: number): readonly LedgerOutcome[] {
    if (this.#open.length === 0) return [];
    this.#expire(now);
    const outcomes: LedgerOutcome[] = [];
    this.#open = this.#open.filter((open) => {
      open.statementsLeft--;
      if (statement.shape === open.statement.shape) {
        // It runs, with these values or others: no other shape is needed where this one was refused.
        judgeSameShape(open, statement, outcomes);
        return false;
      }
      return !settleByOtherShape(open, statement, outcomes) && open.statementsLeft > 0;
    });
    return outcomes;
  }

  clear(): void {
    this.#open = [];
  }

  #expire(now: number): void {
    const oldest = this.#open[0];
    if (oldest === undefined || now - oldest.openedAt <= limits.maxOpenFailureMs) return;
    this.#open = this.#open.filter((open) => now - open.openedAt <= limits.maxOpenFailureMs);
  }
}

function judgeSameShape(open: OpenFailure, statement: ResolvedStatement, outcomes: LedgerOutcome[]): void {
  const { record } = open;
  const noted = open.isShown ? open.noted : null;
  if (mayRunUnchanged(record)) {
    if (noted !== null) outcomes.push({ kind: 'feedback', record: noted, feedback: 'confirmed' });
  } else if (record.isStructural && statement.holes === open.statement.holes) {
    // Of a data-dependent failure nothing follows: the values may be others.
    outcomes.push({ kind: 'unchanged', record, noted });
  }
}

function settleByOtherShape(
  open: OpenFailure,
  statement: ResolvedStatement,
  outcomes: LedgerOutcome[],
): boolean {
  const failed = open.statement;
  // A statement without tables has nothing that ties a later one to it.
  if (failed.tables.length === 0 || !failed.tables.every((name) => statement.tables.includes(name)))
    return false;
  const isReplacement = mayReplace(statement, failed);
  if (open.isShown && open.noted !== null && (isReplacement || (isWrite(statement) && isWrite(failed)))) {
    outcomes.push({ kind: 'feedback', record: open.noted, feedback: 'confirmed' });
    open.isShown = false;
  }
  if (!isReplacement) return false;
  const { shape, tables } = statement;
  outcomes.push({ kind: 'resolved', record: open.record, resolution: { shape, tables } });
  return true;
}

/** Classes whose note asks for the same statement once more, so that its success bears the note out. */
function mayRunUnchanged(record: MemoryRecord): boolean {
  return isRetryable(record.class) || record.class === 'statement_timeout';
}

function mayReplace(statement: ResolvedStatement, failed: ResolvedStatement): boolean {
  if (statement.verbFamily !== failed.verbFamily) return false;
  switch (failed.verbFamily) {
    // Families wide enough that only the same verb does the same thing.
    case 'ddl':
    case 'call':
    case 'other':
      return statement.verb === failed.verb;
    default:
      return true;
  }
}

function isWrite(statement: ResolvedStatement): boolean {
  switch (statement.verbFamily) {
    case 'insert':
    case 'update':
    case 'delete':
    case 'merge':
    case 'copy':
      return true;
    default:
      return false;
  }
}

/**
 * Tells the sink of every failure that one reply declares, and puts the notes it answers with into the reply. A command
 * fails as a whole (`ok: 0`), in some of its operations (`writeErrors`, a bulkWrite's cursor), or only in how far its
 * writes have spread (`writeConcernError`). MongoDB manual, "insert", "bulkWrite", "Command Response".
 *
 * Owns the order of events: each failure is reported, its note placed, and settled before the next.
 */
import type { VerdictHandler } from '../../src/core/adapter.js';
import { limits } from '../../src/core/limits.js';
import type { Note } from '../../src/core/notes/note.js';
import type {
  SessionContext,
  StatementFailure,
  StatementText,
  TransactionState,
} from '../../src/core/verdict.js';
import { BsonCursor } from './bson/cursor.js';
import { commandKind } from './command-kind.js';
import { type ErrorElement, readErrorElement, readLabels } from './error-element.js';
import { serverError } from './error-fields.js';
import type { KeptCommand } from './kept-command.js';
import { NotePlacement, type NoteTarget } from './note-placement.js';
import type { OwedRequest } from './owed-requests.js';
import type { Place } from './reply-body.js';
import type { ReplyReader } from './reply-reader.js';
import type { Transactions } from './transaction-state.js';

export interface FailedReplyParts {
  readonly handler: VerdictHandler;
  readonly session: Pick<SessionContext, 'audience'>;
  readonly transactions: Transactions;
  /** Told before each failure: the session is where this statement ran. */
  onStatement(statement: StatementText | null): void;
}

/** Servers refuse with it what a client may not do, and everything before it has authenticated. */
const unauthorized = 13;

export class FailedReply {
  readonly #parts: FailedReplyParts;
  readonly #request: OwedRequest;
  readonly #command: KeptCommand;
  readonly #reply: ReplyReader;
  readonly #labels: readonly string[];
  readonly #before: TransactionState;
  #placement: NotePlacement | null = null;
  /** Failures that the reply declares. */
  count = 0;
  /** The command was refused for want of rights. */
  isUnauthorized = false;

  constructor(parts: FailedReplyParts, request: OwedRequest, command: KeptCommand, reply: ReplyReader) {
    this.#parts = parts;
    this.#request = request;
    this.#command = command;
    this.#reply = reply;
    const { bytes, errorLabels } = reply.body;
    this.#labels = readLabels(bytes, errorLabels.start, errorLabels.end);
    this.#before = parts.transactions.before(command.terms.transaction);
  }

  /** Reports all there is. The reply with its notes, or null where it stays as it is. */
  report(): Buffer | null {
    const { body } = this.#reply;
    if (body.isFailed) {
      this.#report({ kind: 'reply' }, body.start, body.end);
    } else {
      if (body.writeErrors.start >= 0) this.#reportArray('writeError', body.writeErrors);
      if (this.#request.kind === commandKind.bulkWrite && body.errorCount !== 0) this.#reportBatch();
      const { start, end } = body.writeConcernError;
      if (start >= 0) this.#report({ kind: 'writeConcernError' }, start, end);
    }
    return this.#placement?.finish() ?? null;
  }

  #reportArray(kind: 'writeError' | 'batchError', place: Place): void {
    const { bytes } = this.#reply.body;
    const cursor = new BsonCursor();
    if (!cursor.open(bytes, place.start, place.end)) return;
    const element = new BsonCursor();
    for (let position = 0; cursor.next(); position += 1) {
      if (!cursor.isContainer) continue;
      if (kind === 'batchError' && !isFailedOperation(element, cursor)) continue;
      this.#report({ kind, position }, cursor.valueStart, cursor.valueEnd);
    }
  }

  /** What a bulkWrite tells of its operations comes as the rows of a cursor. */
  #reportBatch(): void {
    const { bytes, resultCursor } = this.#reply.body;
    const cursor = new BsonCursor();
    if (resultCursor.start < 0 || !cursor.open(bytes, resultCursor.start, resultCursor.end)) return;
    while (cursor.next()) {
      if (!cursor.isContainer || !cursor.isKey('firstBatch')) continue;
      this.#reportArray('batchError', { start: cursor.valueStart, end: cursor.valueEnd });
      return;
    }
  }

  /** One failure, declared by the document [start, end) of the reply. */
  #report(target: NoteTarget, start: number, end: number): void {
    const { handler, transactions } = this.#parts;
    this.count += 1;
    if (this.count > limits.maxFailuresPerReply) {
      handler.bypassed('failures_over_limit');
      return;
    }
    const element = readErrorElement(this.#reply.body.bytes, start, end, this.#labels);
    if (element === null) {
      handler.bypassed('error_frame_malformed');
      return;
    }
    if (element.code === unauthorized && target.kind === 'reply') this.isUnauthorized = true;
    const failure = this.#failure(target, element);
    const note = handler.failed(failure);
    if (note !== null) this.#attach(target, note);
    handler.settled(
      transactions.failed(this.#command.terms.transaction, {
        kind: this.#request.kind,
        code: failure.error.code,
        labels: element.labels,
        isWriteConcern: target.kind === 'writeConcernError',
      }),
    );
  }

  #failure(target: NoteTarget, element: ErrorElement): StatementFailure {
    const { handler, onStatement } = this.#parts;
    const operation = 'position' in target ? (element.operation ?? target.position) : null;
    const statement = this.#command.statement(operation);
    onStatement(statement);
    if (statement === null) handler.bypassed('statement_text_unknown');
    const isAfter =
      target.kind === 'writeConcernError' || this.#request.kind === commandKind.commitTransaction;
    const { retry } = this.#command.terms;
    return {
      statement,
      completedBefore: 0,
      phase: isAfter ? 'commit' : 'execute',
      error: serverError(element),
      before: this.#before,
      isCancelRequested: false,
      // What the driver tries again may fail otherwise the next time, and that is another failure.
      ...(retry !== null && { attempt: `${retry}:${operation ?? target.kind}:${element.code}` }),
    };
  }

  #attach(target: NoteTarget, note: Note): void {
    const { handler, session } = this.#parts;
    const { bytes, start, end } = this.#reply;
    this.#placement ??= new NotePlacement(bytes, start, end);
    if (this.#placement.place(target, note, session.audience)) handler.noteAttached(note);
    else handler.bypassed('note_does_not_fit');
  }
}

function isFailedOperation(element: BsonCursor, row: BsonCursor): boolean {
  if (!element.enter(row)) return false;
  while (element.next()) {
    if (element.isKey('ok')) return element.number() === 0;
  }
  return false;
}

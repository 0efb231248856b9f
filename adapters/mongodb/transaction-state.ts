/**
 * The state of the transaction a request ran in. A transaction belongs to a logical session (`lsid`, `txnNumber`), not to
 * the connection, so each request says itself whether it is in one; remembered is only which of them the server has
 * given up. MongoDB manual, "Transactions"; driver specification "Transactions", `errorLabels`.
 *
 * The server gives up a transaction on any error of a command that had begun to run in it, whether it says so with the
 * label TransientTransactionError or in `writeErrors`; what it refuses before looking for the transaction leaves it open.
 */
import { limits } from '../../src/core/limits.js';
import type { TransactionState } from '../../src/core/verdict.js';
import { type CommandKind, commandKind } from './command-kind.js';

/** Raised while the command is parsed and its sender's rights are checked. */
const raisedBefore: ReadonlySet<string> = new Set([
  '13', // Unauthorized
  '59', // CommandNotFound
  '263', // OperationNotSupportedInTransaction
]);

const transient = 'TransientTransactionError';
const unknownCommit = 'UnknownTransactionCommitResult';

export interface TransactionFailure {
  readonly kind: CommandKind;
  readonly code: string;
  readonly labels: readonly string[];
  /** Only the write concern was not met: the command itself has taken effect. */
  readonly isWriteConcern: boolean;
}

export class Transactions {
  /** Keys of transactions that the server gave up, oldest first. */
  readonly #aborted = new Set<string>();
  /** Keys of those whose statements changed the schema, which nobody else sees before they are committed. */
  readonly #changing = new Set<string>();

  /** `key` names the transaction; null outside of one. */
  before(key: string | null): TransactionState {
    if (key === null) return 'idle';
    return this.#aborted.has(key) ? 'aborted' : 'open';
  }

  /** The state that a failure leaves. */
  failed(key: string | null, failure: TransactionFailure): TransactionState {
    if (key === null) return 'idle';
    const after = stateAfter(failure, this.before(key));
    if (after === 'aborted') remember(this.#aborted, key);
    if (after === 'aborted' || after === 'idle') this.#changing.delete(key);
    return after;
  }

  get hasSchemaChange(): boolean {
    return this.#changing.size > 0;
  }

  changedSchema(key: string): void {
    remember(this.#changing, key);
  }

  /** True where others see another schema now. */
  committed(key: string | null): boolean {
    return key !== null && this.#changing.delete(key);
  }
}

function remember(keys: Set<string>, key: string): void {
  keys.delete(key);
  keys.add(key);
  if (keys.size <= limits.maxKnownTransactions) return;
  for (const oldest of keys) {
    keys.delete(oldest);
    return;
  }
}

function stateAfter(failure: TransactionFailure, before: TransactionState): TransactionState {
  const { kind, code, labels, isWriteConcern } = failure;
  if (kind === commandKind.abortTransaction) return 'idle';
  if (kind === commandKind.commitTransaction) {
    if (isWriteConcern || labels.includes(transient)) return 'idle';
    return labels.includes(unknownCommit) ? 'unknown' : stateAfterCommit(code, before);
  }
  if (isWriteConcern) return before;
  return raisedBefore.has(code) && !labels.includes(transient) ? before : 'aborted';
}

/** A refused commit has ended the transaction, unless it was never looked at. */
function stateAfterCommit(code: string, before: TransactionState): TransactionState {
  return raisedBefore.has(code) ? before : 'unknown';
}

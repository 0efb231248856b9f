/**
 * Turns what replies say of their requests into verdicts, in the database that each request names. Owns where the session
 * is: a command names its database with it, and one connection serves many.
 */
import type { ObserverOptions } from '../../src/core/adapter.js';
import type { Scope, StatementText } from '../../src/core/verdict.js';
import { BsonCursor } from './bson/cursor.js';
import { commandKind, hasOperations, isHousekeeping, isWork } from './command-kind.js';
import type { DatabaseScopes } from './database-scopes.js';
import { FailedReply, type FailedReplyParts } from './failed-reply.js';
import { KeptCommand } from './kept-command.js';
import type { OwedRequest } from './owed-requests.js';
import type { ReplyBody } from './reply-body.js';
import type { ReplyReader } from './reply-reader.js';
import { Statement } from './statement.js';
import { Transactions } from './transaction-state.js';

export class Verdicts {
  readonly #options: ObserverOptions;
  readonly #scopes: DatabaseScopes;
  readonly #transactions = new Transactions();
  readonly #failedParts: FailedReplyParts;
  readonly #cursor = new BsonCursor();
  #request: OwedRequest | null = null;

  constructor(options: ObserverOptions, scopes: DatabaseScopes) {
    this.#options = options;
    this.#scopes = scopes;
    this.#failedParts = {
      handler: options.handler,
      session: options.session,
      transactions: this.#transactions,
      onStatement: (statement) => this.#enterFailed(statement),
    };
  }

  /** A reply that was read. What replaces it, or null; and whether the server let the command run. */
  replied(
    request: OwedRequest,
    reply: ReplyReader,
  ): { readonly message: Buffer | null; readonly isLetIn: boolean } {
    if (!isFailure(request, reply.body)) {
      this.succeeded(request);
      return letIn;
    }
    const command = new KeptCommand(request);
    this.#request = request;
    const failed = new FailedReply(this.#failedParts, request, command, reply);
    const message = failed.report();
    this.#request = null;
    // A list of failures may be empty.
    if (failed.count === 0) this.succeeded(request);
    // Written it is, though it may be lost again.
    else if (!reply.body.isFailed) this.#schemaMayHaveChanged(request, command);
    return { message, isLetIn: !failed.isUnauthorized };
  }

  /** A reply of which only this much is known, because it was too long to be held. */
  passed(request: OwedRequest, body: ReplyBody | null): void {
    const isUnknown = body === null && hasOperations(request.kind);
    if (isUnknown || (body !== null && isFailure(request, body)))
      this.#options.handler.bypassed('error_frame_too_large');
    else this.succeeded(request);
  }

  succeeded(request: OwedRequest): void {
    const { kind, scope } = request;
    if (kind === commandKind.plain) {
      this.#enter(scope);
      if (this.#isSuccessWanted(request)) this.#reportSuccess(new KeptCommand(request));
      return;
    }
    if (kind === commandKind.commitTransaction) {
      if (this.#transactions.hasSchemaChange) this.#schemaMayHaveChanged(request, new KeptCommand(request));
      return;
    }
    if (!isWork(kind)) return;
    if (kind === commandKind.bulkWrite) {
      this.#bulkWriteRan(request);
      return;
    }
    this.#enter(scope);
    const mayChangeSchema = kind === commandKind.ddl || kind === commandKind.aggregate;
    const isSuccessWanted = this.#isSuccessWanted(request);
    if (!isSuccessWanted && !mayChangeSchema) return;
    const command = new KeptCommand(request);
    if (isSuccessWanted) this.#reportSuccess(command);
    if (mayChangeSchema) this.#schemaMayHaveChanged(request, command);
  }

  /** Whether the memory has to do with a command of this name on this collection: most have nothing to do with it. */
  #isSuccessWanted({ bytes, bodyStart }: OwedRequest): boolean {
    const { handler } = this.#options;
    if (!handler.wantsSuccess) return false;
    if (handler.wantsSuccessOf === undefined || bodyStart === 0) return true;
    const command = this.#cursor;
    if (!command.open(bytes, bodyStart, bytes.length) || !command.next()) return true;
    return handler.wantsSuccessOf(command.key(), command.text() ?? '');
  }

  /** It is sent to `admin`, and works where its operations say. */
  #bulkWriteRan(request: OwedRequest): void {
    const command = new KeptCommand(request);
    const statement = command.statement(0);
    if (statement === null) return;
    this.#enter(this.#scopeOf(statement) ?? request.scope);
    if (this.#options.handler.wantsSuccess) this.#options.handler.succeeded({ statement, index: 0 });
  }

  #reportSuccess(command: KeptCommand): void {
    const { handler } = this.#options;
    const subject = handler.wantsSuccessOf === undefined ? null : command.subject;
    if (subject !== null && handler.wantsSuccessOf?.(subject.verb, subject.table) === false) return;
    const statement = command.statement(0);
    if (statement !== null) handler.succeeded({ statement, index: 0 });
  }

  #schemaMayHaveChanged({ kind }: OwedRequest, command: KeptCommand): void {
    const { transaction } = command.terms;
    if (kind === commandKind.commitTransaction) {
      if (this.#transactions.committed(transaction)) this.#options.handler.schemaChanged();
      return;
    }
    const isChanged =
      kind === commandKind.ddl || (kind === commandKind.aggregate && command.writesCollection);
    if (!isChanged) return;
    if (transaction === null) this.#options.handler.schemaChanged();
    else this.#transactions.changedSchema(transaction);
  }

  #enterFailed(statement: StatementText | null): void {
    const request = this.#request;
    if (request === null) return;
    const own = request.kind === commandKind.bulkWrite ? this.#scopeOf(statement) : null;
    // Who is not let in could name any database.
    if (!isHousekeeping(request.kind)) this.#enter(own ?? request.scope);
  }

  #scopeOf(statement: StatementText | null): Scope | null {
    const database = statement instanceof Statement ? statement.database : null;
    return database === null ? null : this.#scopes.of(database);
  }

  #enter(scope: Scope | null): void {
    const { session } = this.#options;
    if (scope !== null && scope !== session.scope) session.scope = scope;
  }
}

const letIn = { message: null, isLetIn: true } as const;

function isFailure({ kind }: OwedRequest, body: ReplyBody): boolean {
  return (
    body.isFailed ||
    body.writeErrors.start >= 0 ||
    body.writeConcernError.start >= 0 ||
    (kind === commandKind.bulkWrite && body.errorCount !== 0 && body.resultCursor.start >= 0)
  );
}

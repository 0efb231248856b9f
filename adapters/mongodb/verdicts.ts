/**
 * Turns what replies say of their requests into verdicts, in the database that each request names. Owns where the session
 * is: a command names its database with it, and one connection serves many.
 */
import type { ObserverOptions } from '../../src/core/adapter.js';
import type { Scope, StatementText } from '../../src/core/verdict.js';
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
      this.#succeeded(request);
      return letIn;
    }
    const command = new KeptCommand(request);
    this.#request = request;
    const failed = new FailedReply(this.#failedParts, request, command, reply);
    const message = failed.report();
    this.#request = null;
    // A list of failures may be empty; and what has not spread yet is done all the same.
    if (failed.count === 0) this.#succeeded(request);
    else if (!reply.body.isFailed) this.#tookEffect(request, command);
    return { message, isLetIn: !failed.isUnauthorized };
  }

  /** A reply of which only this much is known, because it was too long to be held. */
  passed(request: OwedRequest, body: ReplyBody | null): void {
    const isUnknown = body === null && hasOperations(request.kind);
    if (isUnknown || (body !== null && isFailure(request, body)))
      this.#options.handler.bypassed('error_frame_too_large');
    else this.#succeeded(request);
  }

  #succeeded(request: OwedRequest): void {
    const { kind, scope } = request;
    if (kind === commandKind.plain) {
      this.#enter(scope);
      if (this.#options.handler.wantsSuccess) this.#reportSuccess(new KeptCommand(request));
      return;
    }
    if (kind === commandKind.commitTransaction) {
      if (this.#transactions.hasSchemaChange) this.#tookEffect(request, new KeptCommand(request));
      return;
    }
    if (!isWork(kind)) return;
    if (kind === commandKind.bulkWrite) {
      this.#bulkWriteRan(request);
      return;
    }
    this.#enter(scope);
    const changesSchema = doesChangeSchema(request);
    const { wantsSuccess } = this.#options.handler;
    if (!wantsSuccess && !changesSchema) return;
    const command = new KeptCommand(request);
    if (wantsSuccess) this.#reportSuccess(command);
    if (changesSchema) this.#tookEffect(request, command);
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

  /** What was done to the schema is told once others see it. */
  #tookEffect(request: OwedRequest, { terms }: KeptCommand): void {
    const { transaction } = terms;
    const isCommit = request.kind === commandKind.commitTransaction;
    if (isCommit ? !this.#transactions.committed(transaction) : !doesChangeSchema(request)) return;
    if (isCommit || transaction === null) this.#options.handler.schemaChanged();
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

function doesChangeSchema({ kind, writesCollection }: OwedRequest): boolean {
  return kind === commandKind.ddl || writesCollection;
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

/**
 * Watches one session's bytes: splits them into frames, reduces them to session state and turns what the server says
 * into verdicts. Owns the order of events around a failure: statements before it, the failure with its note while the
 * frame is held, the transaction state at ReadyForQuery.
 *
 * Invariant: whatever goes wrong in here, every byte is passed on; the session turns blind instead.
 */
import type {
  BlindReason,
  ByteOutput,
  CancellableObserver,
  ObserverOptions,
} from '../../src/core/adapter.js';
import { limits } from '../../src/core/limits.js';
import type { ServerError, TransactionState } from '../../src/core/verdict.js';
import { FrameScanner, type FrameVisitor, int32At, noWantedBytes } from './framing.js';
import { decodeBind } from './messages/bind.js';
import { decodeTagEffect, type TagEffect, tagEffect } from './messages/command-tag.js';
import { cstringEnd } from './messages/cstring.js';
import { decodeErrorResponse } from './messages/error-response.js';
import { clientMessage, serverMessage } from './messages/message-type.js';
import { decodeParameterStatus } from './messages/parameter-status.js';
import { decodeParse } from './messages/parse.js';
import { placeNote } from './note-placement.js';
import { SearchPathTracker } from './search-path.js';
import { type Attribution, SessionState } from './session.js';
import { readDeallocateName, readExecuteName, readPrepare } from './sql-prepare.js';
import { Statement } from './statement.js';
import { TextDecoding } from './text-decoding.js';

const wantedOfClient = noWantedBytes();
wantedOfClient[clientMessage.query] = limits.maxStatementBytes + 1;
wantedOfClient[clientMessage.parse] = limits.maxStatementBytes + 1;
wantedOfClient[clientMessage.bind] = limits.maxNameBytes;
wantedOfClient[clientMessage.describe] = limits.maxNameBytes;
wantedOfClient[clientMessage.execute] = limits.maxNameBytes;
wantedOfClient[clientMessage.close] = limits.maxNameBytes;
wantedOfClient[clientMessage.functionCall] = 4;
wantedOfClient[clientMessage.sync] = 0;
wantedOfClient[clientMessage.copyDone] = 0;
wantedOfClient[clientMessage.copyFail] = 0;

const wantedOfServer = noWantedBytes();
for (const type of Object.values(serverMessage)) wantedOfServer[type] = 0;
wantedOfServer[serverMessage.backendKeyData] = limits.maxCancelKeyBytes;
wantedOfServer[serverMessage.commandComplete] = limits.maxNameBytes;
wantedOfServer[serverMessage.errorResponse] = limits.maxErrorFrameBytes;
wantedOfServer[serverMessage.parameterStatus] = limits.maxNameBytes;
wantedOfServer[serverMessage.readyForQuery] = 1;

const portalByte = 0x50; // 'P' in Describe and Close; 'S' names a statement
const statusOf: Readonly<Record<number, TransactionState>> = { 73: 'idle', 84: 'open', 69: 'aborted' };
/**
 * A cancel reaches the statement running when the server acts on it, or at most the one after; and it may reach both,
 * because PostgreSQL signals the backend and then its process group.
 */
const readiesACancelMayPass = 2;

export class PostgresObserver implements CancellableObserver {
  readonly #options: ObserverOptions;
  readonly #state: SessionState;
  readonly #decoding = new TextDecoding();
  readonly #searchPath: SearchPathTracker;
  readonly #client: FrameScanner;
  readonly #server: FrameScanner;
  readonly #successes: { readonly statement: Statement; readonly index: number }[] = [];
  #hasUnsettledFailure = false;
  #hasSchemaChange = false;
  #isRolledBack = false;
  #readiesUntilCancelIsStale = 0;
  /** Relayed cancels that the server may not have acted on yet. */
  #cancelsUnderWay = 0;
  #blindReason: BlindReason | null = null;

  constructor(options: ObserverOptions) {
    this.#options = options;
    this.#state = new SessionState(true, (reason) => options.handler.bypassed(reason));
    this.#searchPath = new SearchPathTracker(options.session.searchPath);
    const malformed = (reason: BlindReason) => (): void => this.#turnBlind(reason);
    const clientVisitor: FrameVisitor = {
      frame: (type, bytes, start, end, isWhole) => this.#onClientFrame(type, bytes, start, end, isWhole),
      malformed: malformed('malformed_client_frame'),
    };
    const serverVisitor: FrameVisitor = {
      frame: (type, bytes, start, end, isWhole) => this.#onServerFrame(type, bytes, start, end, isWhole),
      malformed: malformed('malformed_server_frame'),
    };
    this.#client = new FrameScanner(wantedOfClient, clientVisitor);
    this.#server = new FrameScanner(wantedOfServer, serverVisitor);
    this.#server.hold(serverMessage.errorResponse, true);
  }

  get blindReason(): BlindReason | null {
    return this.#blindReason;
  }

  toServer(chunk: Buffer): void {
    if (this.#blindReason !== null) return;
    try {
      this.#client.scan(chunk, null);
    } catch {
      this.#turnBlind('observer_error');
    }
  }

  toClient(chunk: Buffer, out: ByteOutput): void {
    this.#server.scan(chunk, out);
  }

  end(out: ByteOutput): void {
    this.#server.flush(out);
    this.#settle('closed');
  }

  cancelRelayed(): void {
    this.#cancelsUnderWay += 1;
    this.#readiesUntilCancelIsStale = readiesACancelMayPass;
  }

  cancelOver(): void {
    this.#cancelsUnderWay -= 1;
    this.#readiesUntilCancelIsStale = readiesACancelMayPass;
  }

  #turnBlind(reason: BlindReason): void {
    if (this.#blindReason !== null) return;
    this.#blindReason = reason;
    this.#client.stop();
    this.#server.stop();
    this.#successes.length = 0;
    this.#settle('unknown');
    this.#options.onBlind(reason);
  }

  #onClientFrame(type: number, bytes: Buffer, start: number, end: number, isWhole: boolean): null {
    if (!this.#reduceClientFrame(type, bytes, start, end, isWhole))
      this.#turnBlind('expected_replies_over_limit');
    return null;
  }

  /** False when more replies are owed than are followed. */
  #reduceClientFrame(type: number, bytes: Buffer, start: number, end: number, isWhole: boolean): boolean {
    const state = this.#state;
    switch (type) {
      case clientMessage.query: {
        const textEnd = isWhole ? Math.max(start, end - 1) : end;
        return state.query(this.#statement(bytes, start, textEnd, isWhole, null));
      }
      case clientMessage.parse: {
        const message = decodeParse(bytes, start, end);
        if (message === null) return this.#malformedClientFrame();
        const statement = this.#statement(bytes, message.queryStart, message.queryEnd, isWhole, message.name);
        return state.parse(statement);
      }
      case clientMessage.bind: {
        const message = decodeBind(bytes, start, end);
        if (message === null) return this.#malformedClientFrame();
        return state.bind(message.portal, message.statement);
      }
      case clientMessage.describe:
      case clientMessage.close: {
        const nameEnd = cstringEnd(bytes, start + 1, end);
        if (nameEnd < 0) return this.#malformedClientFrame();
        const name = bytes.toString('latin1', start + 1, nameEnd);
        const isPortal = bytes[start] === portalByte;
        return type === clientMessage.describe ? state.describe(isPortal, name) : state.close(isPortal, name);
      }
      case clientMessage.execute: {
        const nameEnd = cstringEnd(bytes, start, end);
        if (nameEnd < 0) return this.#malformedClientFrame();
        return state.execute(nameEnd === start ? '' : bytes.toString('latin1', start, nameEnd));
      }
      case clientMessage.functionCall: {
        const oid = end - start >= 4 ? int32At(bytes, start) >>> 0 : 0;
        return state.functionCall(Statement.synthetic(`fastpath function_${oid}`, this.#decoding));
      }
      case clientMessage.sync:
        return state.sync();
      case clientMessage.copyDone:
        return state.copyEnded(false);
      case clientMessage.copyFail:
        return state.copyEnded(true);
      default:
        return true;
    }
  }

  #statement(bytes: Buffer, start: number, end: number, isWhole: boolean, name: string | null): Statement {
    const cut = Math.min(end, start + limits.maxStatementBytes);
    const isTruncated = !isWhole || cut < end;
    return name === null
      ? Statement.ofQuery(bytes, start, cut, isTruncated, this.#decoding)
      : Statement.prepared(bytes, start, cut, isTruncated, name, this.#decoding);
  }

  #malformedClientFrame(): true {
    this.#turnBlind('malformed_client_frame');
    return true;
  }

  #onServerFrame(type: number, bytes: Buffer, start: number, end: number, isWhole: boolean): Buffer | null {
    try {
      return this.#reduceServerFrame(type, bytes, start, end, isWhole);
    } catch {
      this.#turnBlind('observer_error');
      return null;
    }
  }

  #reduceServerFrame(
    type: number,
    bytes: Buffer,
    start: number,
    end: number,
    isWhole: boolean,
  ): Buffer | null {
    switch (type) {
      case serverMessage.commandComplete:
        this.#onCompleted(decodeTagEffect(bytes, start, end));
        return null;
      case serverMessage.emptyQueryResponse:
        this.#onCompleted(tagEffect.none);
        return null;
      case serverMessage.readyForQuery:
        this.#onReady(statusOf[bytes[start] as number] ?? 'unknown');
        return null;
      case serverMessage.errorResponse:
        return this.#onError(bytes, start, end, isWhole);
      case serverMessage.parameterStatus:
        this.#onParameterStatus(bytes, start, end);
        return null;
      case serverMessage.backendKeyData:
        if (isWhole) this.#options.onCancelKey(bytes.toString('latin1', start, end));
        return null;
      default:
        if (!this.#state.replied(type)) this.#turnBlind('unexpected_server_message');
        return null;
    }
  }

  #onCompleted(effect: TagEffect): void {
    const completed = this.#state.completed(effect);
    if (completed === 'unexpected') {
      this.#turnBlind('unexpected_server_message');
      return;
    }
    if (effect !== tagEffect.none) this.#applyTag(effect, completed?.statement ?? null);
    if (completed === null || effect === tagEffect.rollback || !this.#options.handler.wantsSuccess) return;
    if (this.#successes.length < limits.maxPendingSuccesses) this.#successes.push(completed);
    else this.#options.handler.bypassed('successes_over_limit');
  }

  #applyTag(effect: TagEffect, statement: Statement | null): void {
    const { prepared } = this.#state;
    switch (effect) {
      case tagEffect.ddl:
        this.#hasSchemaChange = true;
        break;
      case tagEffect.rollback:
        this.#isRolledBack = true;
        break;
      case tagEffect.commit:
        this.#isRolledBack = false;
        break;
      case tagEffect.prepare: {
        const prepare = statement === null ? null : readPrepare(statement.text());
        if (prepare !== null)
          prepared.prepared(prepare.name, Statement.synthetic(prepare.body, this.#decoding));
        break;
      }
      case tagEffect.deallocate: {
        const name = statement === null ? null : readDeallocateName(statement.text());
        if (name !== null) prepared.deallocate(name);
        break;
      }
      case tagEffect.deallocateAll:
        prepared.deallocateAll();
        break;
      case tagEffect.discardAll:
        prepared.deallocateAll();
        this.#setSearchPath('discard all');
        break;
      case tagEffect.set:
        if (statement !== null) this.#setSearchPath(statement.text());
        break;
      default:
    }
  }

  #setSearchPath(text: string): void {
    this.#searchPath.ran(text);
    this.#options.session.searchPath = this.#searchPath.current;
  }

  #onReady(status: TransactionState): void {
    const isFirst = this.#state.isStartup;
    const isRolledBack = this.#isRolledBack || this.#state.isCycleUndone;
    if (!this.#state.ready(status)) {
      this.#turnBlind('unexpected_server_message');
      return;
    }
    if (isFirst) {
      this.#options.onReady();
      return;
    }
    if (this.#readiesUntilCancelIsStale > 0) this.#readiesUntilCancelIsStale -= 1;
    if (this.#successes.length > 0) this.#reportSuccesses();
    if (this.#hasUnsettledFailure) this.#settle(status);
    this.#isRolledBack = false;
    this.#searchPath.settled(status !== 'idle', isRolledBack);
    this.#options.session.searchPath = this.#searchPath.current;
    if (status !== 'idle') return;
    if (this.#hasSchemaChange) {
      this.#hasSchemaChange = false;
      this.#options.handler.schemaChanged();
    }
  }

  #reportSuccesses(): void {
    for (const success of this.#successes) this.#options.handler.succeeded(success);
    this.#successes.length = 0;
  }

  #settle(after: TransactionState): void {
    if (!this.#hasUnsettledFailure) return;
    this.#hasUnsettledFailure = false;
    this.#options.handler.settled(after);
  }

  #onError(bytes: Buffer, start: number, end: number, isWhole: boolean): Buffer | null {
    const attribution = this.#state.errorReceived();
    const error = isWhole ? decodeErrorResponse(bytes, start, end, this.#decoding) : null;
    if (attribution === 'startup') return null;
    if (attribution === 'unsolicited') {
      if (!isSessionEnd(error)) this.#turnBlind('unexpected_server_message');
      return null;
    }
    if (error === null) {
      this.#options.handler.bypassed(isWhole ? 'error_frame_malformed' : 'error_frame_too_large');
      return null;
    }
    // Statements of a cycle that is undone as a whole did not succeed; in an open block they did, before this.
    if (this.#state.isCycleUndone) this.#successes.length = 0;
    else this.#reportSuccesses();
    this.#settle('unknown');
    return this.#reportFailure(attribution, error, bytes.subarray(start - 5, end));
  }

  #reportFailure(attribution: Attribution, error: ServerError, frame: Buffer): Buffer | null {
    const { handler, session } = this.#options;
    const isCancelRequested = attribution.isCopyFail || this.#isCancelDue();
    const blamed = this.#blamedStatement(attribution, error);
    if (blamed.statement === null) handler.bypassed('statement_text_unknown');
    this.#hasUnsettledFailure = true;
    const note = handler.failed({
      statement: blamed.statement,
      completedBefore: attribution.completedBefore,
      phase: attribution.phase,
      error: blamed.error,
      before: attribution.before,
      isCancelRequested,
    });
    if (note === null) return null;
    const placed = placeNote(frame, note, session.audience);
    if (placed === null) handler.bypassed('note_does_not_fit');
    else handler.noteAttached(note);
    return placed;
  }

  #isCancelDue(): boolean {
    return this.#readiesUntilCancelIsStale > 0 || this.#cancelsUnderWay > 0;
  }

  #blamedStatement(
    attribution: Attribution,
    error: ServerError,
  ): { readonly statement: Statement | null; readonly error: ServerError } {
    const { statement, phase } = attribution;
    if (statement === null) return { statement, error };
    // The server knows no such statement or portal, so the text we have for that name is not what failed.
    const isNameUnknown = (error.code === '26000' || error.code === '34000') && statement.name !== '';
    if (isNameUnknown && phase !== 'parse') return { statement: null, error };
    // An EXECUTE of a name that the server does not know fails as itself.
    const executed = error.code === '26000' ? null : readExecuteName(statement.text());
    const prepared = executed === null ? null : this.#state.prepared.statement(executed);
    if (prepared === null) return { statement, error };
    // A position would count in either text; it is not known in which.
    const { position: _position, ...rest } = error;
    return { statement: prepared, error: rest };
  }

  #onParameterStatus(bytes: Buffer, start: number, end: number): void {
    const status = decodeParameterStatus(bytes, start, end);
    if (status === null) return;
    const { session } = this.#options;
    switch (status.name) {
      case 'client_encoding':
        this.#decoding.setEncoding(status.value);
        break;
      case 'application_name':
        session.application = status.value;
        break;
      case 'standard_conforming_strings':
        session.setLexical({ isStandardConformingStrings: status.value === 'on' });
        break;
      case 'search_path':
        this.#searchPath.reported(status.value);
        session.searchPath = this.#searchPath.current;
        break;
      default:
    }
  }
}

/** FATAL and PANIC end the session and need no statement to blame. An error that cannot be read is given the benefit. */
function isSessionEnd(error: ServerError | null): boolean {
  return error === null || error.severity === 'FATAL' || error.severity === 'PANIC';
}

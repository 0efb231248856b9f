/**
 * Watches one session's bytes after the login: splits them into packets, reduces them to session state and turns what the
 * server says into verdicts. Owns the order of events around a failure: statements before it, the failure with its note
 * while the ERR packet is held, the transaction state that it leaves.
 *
 * Invariant: whatever goes wrong in here, every byte is passed on; the session turns blind instead.
 */
import type {
  BlindReason,
  ByteOutput,
  CancellableObserver,
  ObserverOptions,
  SessionIdentity,
} from '../../src/core/adapter.js';
import { limits } from '../../src/core/limits.js';
import type { ServerError, TransactionState } from '../../src/core/verdict.js';
import { blamedStatement } from './blamed-statement.js';
import { capability, serverStatus } from './capabilities.js';
import { ClientCommands, nothingWanted, wantedOfCommands } from './client-commands.js';
import { readErrorFields } from './error-fields.js';
import { errorHeader, PacketScanner, type WantedBytes, wantedBytes } from './framing.js';
import type { ChangeUser } from './messages/change-user.js';
import { decodeError } from './messages/error.js';
import { readSessionState } from './messages/session-state.js';
import { positionOfNear } from './near-position.js';
import { Negotiated } from './negotiated.js';
import { decodeMessage, placeNote } from './note-placement.js';
import { owed } from './reply-queue.js';
import { step } from './response.js';
import { SessionState } from './session.js';
import { SessionSettings } from './session-settings.js';
import { readDeallocate, readPrepare } from './sql-prepare.js';
import { stateAfterFailure } from './state-after-failure.js';
import { Statement } from './statement.js';
import { type StatementKind, statementKind } from './statement-kind.js';

const compressed = capability.compress | capability.zstdCompression;
const syntaxErrno = 1064;

const everyPacket = wantedBytes(limits.maxNameBytes);
everyPacket[errorHeader] = limits.maxErrorFrameBytes;
/** Of rows only what may end them. */
const endsOfRows = wantedBytes(-1);
endsOfRows[0xfe] = limits.maxNameBytes;
endsOfRows[errorHeader] = limits.maxErrorFrameBytes;

export class MysqlObserver implements CancellableObserver {
  readonly #options: ObserverOptions;
  readonly #terms: Negotiated;
  readonly #state: SessionState;
  readonly #settings: SessionSettings;
  readonly #commands: ClientCommands;
  readonly #client: PacketScanner;
  readonly #server: PacketScanner;
  readonly #wantedOfClient: WantedBytes;
  #isSendingFile = false;
  #blindReason: BlindReason | null = null;

  constructor(options: ObserverOptions, identity: Pick<SessionIdentity, 'isAuthenticated' | 'negotiated'>) {
    this.#options = options;
    const isKnown = identity.negotiated instanceof Negotiated && identity.isAuthenticated;
    this.#terms = isKnown ? (identity.negotiated as Negotiated) : unknownTerms;
    const { capabilities } = this.#terms;
    const { session, handler } = options;
    this.#settings = new SessionSettings(session, this.#terms);
    this.#state = new SessionState({
      terms: this.#terms,
      context: session,
      onOverLimit: (reason) => handler.bypassed(reason),
    });
    this.#commands = new ClientCommands(this.#state, capabilities, () => this.#settings.client);
    this.#wantedOfClient = wantedOfCommands(capabilities);
    this.#client = new PacketScanner('client', this.#wantedOfClient, {
      packet: (bytes, start, end, length, sequence) => {
        this.#onClientPacket(bytes, start, end, length, sequence);
        return null;
      },
      continued: (sequence) => this.#state.continued(sequence),
      outOfStep: () => undefined,
    });
    this.#server = new PacketScanner('server', everyPacket, {
      packet: (bytes, start, end, length, sequence, isInStep) =>
        this.#onServerPacket(bytes, start, end, length, sequence, isInStep),
      continued: () => undefined,
      outOfStep: () => this.#turnBlind('malformed_server_frame'),
    });
    if (!isKnown) this.#turnBlind('unknown_protocol');
    else if ((capabilities & compressed) !== 0) this.#turnBlind('not_followed');
    else options.onReady();
  }

  get blindReason(): BlindReason | null {
    return this.#blindReason;
  }

  /** Everything sent to the server is answered; of a session that is not followed it is taken to be so. */
  get isIdle(): boolean {
    return this.#blindReason !== null || this.#state.owedReplies === 0;
  }

  /** The client sends a file that the server asked for: until an empty payload nothing of it is a command. */
  get isSendingFile(): boolean {
    return this.#isSendingFile;
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
  }

  /** There is no cancel request in this protocol: KILL is a statement, and its victim's error says so. */
  cancelRelayed(): void {}

  #turnBlind(reason: BlindReason): void {
    if (this.#blindReason !== null) return;
    this.#blindReason = reason;
    this.#client.stop();
    this.#server.stop();
    this.#options.onBlind(reason);
  }

  // ---- the client

  #onClientPacket(bytes: Buffer, start: number, end: number, length: number, sequence: number): void {
    if (this.#isSendingFile) {
      if (length === 0) this.#fileSent();
      return;
    }
    if (sequence !== 0 && this.#state.isChangingUser) return;
    if (sequence !== 0 || length === 0) {
      this.#turnBlind('malformed_client_frame');
      return;
    }
    switch (this.#commands.received(bytes, start, end, length, sequence)) {
      case 'over limit':
        this.#turnBlind('expected_replies_over_limit');
        break;
      case 'malformed':
        this.#turnBlind('malformed_client_frame');
        break;
      case 'not followed':
        this.#turnBlind('not_followed');
        break;
      default:
    }
  }

  #fileSent(): void {
    this.#isSendingFile = false;
    this.#client.want(this.#wantedOfClient);
  }

  // ---- the server

  #onServerPacket(
    bytes: Buffer,
    start: number,
    end: number,
    length: number,
    sequence: number,
    isInStep: boolean,
  ): Buffer | null {
    try {
      return this.#reduceServerPacket(bytes, start, end, length, sequence, isInStep);
    } catch {
      this.#turnBlind('observer_error');
      return null;
    }
  }

  #reduceServerPacket(
    bytes: Buffer,
    start: number,
    end: number,
    length: number,
    sequence: number,
    isInStep: boolean,
  ): Buffer | null {
    const state = this.#state;
    // A server that refuses a command for its size does so before the client has sent all of it.
    if (state.owedReplies === 0) this.#client.visitEarly();
    const isOwed = state.owedReplies > 0;
    if (!isOwed || !isInStep || !state.isDue(sequence)) {
      // Shutdown, idle timeout, kill: an ERR packet with a number of its own belongs to no statement.
      const isError = length > 0 && bytes[start] === errorHeader;
      if (isError && isInStep) this.#server.restart();
      if (!isError) this.#turnBlind(isOwed ? 'malformed_server_frame' : 'unexpected_server_message');
      return null;
    }
    const done = state.packet(bytes, start, end, length);
    let replacement: Buffer | null = null;
    switch (done) {
      case step.goesOn:
        break;
      case step.awaitsClient:
        if (state.response.isFileRequest) this.#onFileRequest();
        break;
      case step.failed:
        replacement = this.#onError(bytes, start, end, length);
        break;
      case step.broken:
        this.#turnBlind('malformed_server_frame');
        break;
      default:
        this.#onEnded(bytes, end);
    }
    if (done === step.over || done === step.failed || done === step.awaitsClient) this.#server.restart();
    this.#server.want(state.isInRows ? endsOfRows : everyPacket);
    return replacement;
  }

  #onFileRequest(): void {
    // What was sent behind the command has become part of the file.
    if (this.#state.owedReplies > 1) {
      this.#turnBlind('malformed_client_frame');
      return;
    }
    this.#isSendingFile = true;
    this.#client.want(nothingWanted);
  }

  /** A response is complete, and said so with an OK or EOF packet, or something that is neither. */
  #onEnded(bytes: Buffer, end: number): void {
    const { response, endedKind: kind, endedSubject: subject } = this.#state;
    switch (kind) {
      case owed.prepare:
      case owed.statistics:
        return;
      case owed.changeUser:
        this.#settings.userChanged(subject as ChangeUser);
        break;
      case owed.resetConnection:
        this.#settings.wasReset();
        break;
      case owed.initDb:
        this.#settings.ran(statementKind.use, (subject as Statement).text());
        break;
      case owed.query:
      case owed.execute:
      case owed.openCursor:
      case owed.fetch:
        if (this.#state.endedIndex >= 0) this.#onStatementRan();
        break;
      default:
    }
    this.#settings.statusChanged(response.status);
    const isTracked = (this.#terms.capabilities & capability.sessionTrack) !== 0 && response.rest >= 0;
    if (isTracked && (response.status & serverStatus.sessionStateChanged) !== 0)
      readSessionState(bytes, response.rest, end, this.#settings);
  }

  #onStatementRan(): void {
    const { handler, session } = this.#options;
    const { endedStatement: sent, endedIndex, response } = this.#state;
    let statement = sent;
    let index = endedIndex;
    let kind = sent?.kindOf(index, session) ?? statementKind.other;
    if (sent !== null && kind === statementKind.execute) {
      const executed = this.#state.executed(this.#state.endedSentence(sent));
      if (executed !== null) {
        statement = executed;
        index = 0;
        kind = executed.kind;
      }
    }
    if (response.warnings > 0 && (!response.isResultSet || kind === statementKind.write))
      handler.warned(response.warnings);
    if (statement === null) return;
    if (handler.wantsSuccess) handler.succeeded({ statement, index });
    if (kind === statementKind.ddl) handler.schemaChanged();
    else if (kind >= statementKind.set)
      this.#applyEffect(
        kind,
        statement === sent ? this.#state.endedSentence(sent) : statement.sentence(0, null),
      );
  }

  #applyEffect(kind: StatementKind, text: string): void {
    switch (kind) {
      case statementKind.set:
      case statementKind.use:
        this.#settings.ran(kind, text);
        break;
      case statementKind.prepare:
        this.#onPrepared(text);
        break;
      case statementKind.deallocate: {
        const name = readDeallocate(text);
        if (name !== null) this.#state.prepared.deallocated(name);
        break;
      }
      default:
    }
  }

  #onPrepared(text: string): void {
    const { session, handler } = this.#options;
    const prepare = readPrepare(text, session.lexical.isBackslashLiteral);
    if (prepare === null) return;
    const body = prepare.body === null ? null : Statement.synthetic(prepare.body);
    if (!this.#state.prepared.named(prepare.name, body)) handler.bypassed('prepared_statements_over_limit');
  }

  #onError(bytes: Buffer, start: number, end: number, length: number): Buffer | null {
    const { handler, session } = this.#options;
    const state = this.#state;
    if (state.endedKind === owed.changeUser) return null;
    const isWhole = end - start === length;
    const packet = isWhole ? decodeError(bytes, start, end) : null;
    if (packet === null) {
      handler.bypassed(isWhole ? 'error_frame_malformed' : 'error_frame_too_large');
      return null;
    }
    const { errno, sqlState, messageStart } = packet;
    const message = decodeMessage(bytes, messageStart, end, this.#settings);
    const { statement, index, kind, phase } = blamedStatement(state, session, errno);
    if (statement === null) handler.bypassed('statement_text_unknown');
    const before = state.transaction;
    const note = handler.failed({
      statement,
      completedBefore: index,
      phase,
      error: this.#errorOf(errno, sqlState, message, statement),
      before,
      isCancelRequested: false,
    });
    this.#settle(stateAfterFailure(errno, { kind, phase }, session.engine, before));
    if (note === null) return null;
    const frame = bytes.subarray(start - 4, end);
    const placed = placeNote(frame, note, session.audience, this.#settings.isResultsWide);
    if (placed === null) handler.bypassed('note_does_not_fit');
    else handler.noteAttached(note);
    return placed;
  }

  #settle(after: TransactionState): void {
    this.#state.transaction = after;
    this.#options.handler.settled(after);
  }

  #errorOf(
    errno: number,
    sqlState: string | null,
    message: string,
    statement: Statement | null,
  ): ServerError {
    const code = String(errno);
    const position =
      errno === syntaxErrno && statement !== null ? positionOfNear(message, statement.text()) : undefined;
    return {
      code,
      message,
      ...(sqlState === null ? {} : { sqlState }),
      ...readErrorFields(code, message, this.#terms.engine),
      ...(position === undefined ? {} : { position }),
    };
  }
}

const unknownTerms = new Negotiated({
  capabilities: 0,
  extendedCapabilities: 0,
  engine: 'mysql',
  serverVersion: '',
  connectionId: 0,
  characterSet: 0,
  statusFlags: 0,
  database: '',
});

/**
 * The state of one session as both sides have declared it: which replies are owed, in which order, and which statement
 * each belongs to (docs 55.2 "Message Flow"). A reducer: messages in, state and answers out; no bytes, no policy.
 *
 * Rules it rests on, each from the server's own main loop as documented:
 * - every Query, FunctionCall and Sync is answered by one ReadyForQuery;
 * - after an error in an extended message everything up to the next Sync is skipped, Query and FunctionCall included;
 * - while the server reads COPY data it swallows Sync and Flush; when the COPY fails, copy-aftermath.ts takes over.
 * What does not fit is reported as unexpected; the caller turns blind.
 */
import type { BypassReason } from '../../src/core/adapter.js';
import { limits } from '../../src/core/limits.js';
import type { Phase, TransactionState } from '../../src/core/verdict.js';
import { CopyAftermath } from './copy-aftermath.js';
import { type TagEffect, tagEffect } from './messages/command-tag.js';
import { serverMessage } from './messages/message-type.js';
import { bindNames, nameOf, PreparedStatements } from './prepared-statements.js';
import { isCopyMark, type Owed, owed, ReplyQueue, type Subject } from './reply-queue.js';
import { Statement } from './statement.js';

/** To which statement an ErrorResponse belongs. */
export interface Attribution {
  readonly statement: Statement | null;
  readonly completedBefore: number;
  readonly phase: Phase;
  readonly before: TransactionState;
  /** The client itself sent CopyFail. */
  readonly isCopyFail: boolean;
}

/** The answer of `errorReceived` where there is no statement to blame. */
export type NoAttribution = 'startup' | 'unsolicited';

const phaseOf: Readonly<Partial<Record<Owed, Phase>>> = {
  [owed.query]: 'execute',
  [owed.parse]: 'parse',
  [owed.bind]: 'bind',
  [owed.describe]: 'describe',
  [owed.execute]: 'execute',
  [owed.close]: 'execute',
  [owed.functionCall]: 'call',
  [owed.sync]: 'commit',
};

export class SessionState {
  readonly prepared = new PreparedStatements();
  readonly #queue = new ReplyQueue();
  readonly #onOverLimit: (reason: BypassReason) => void;
  readonly #aftermath = new CopyAftermath(this.#queue);
  /** Until the first ReadyForQuery. */
  isStartup: boolean;
  #transaction: TransactionState = 'idle';
  /** Transaction state at the last ReadyForQuery. */
  #cycleStart: TransactionState = 'idle';
  #hasCycleFailed = false;
  #isSkippingToSync = false;
  /** Statements of the head Query that have completed. */
  #completed = 0;
  #hasHeadFailed = false;
  #isCopying = false;
  /** The server reads COPY data and the client has not ended it. */
  #isCopyInOpen = false;
  #isCopyFail = false;
  #lastExecuted: Statement | null = null;

  constructor(isStartup: boolean, onOverLimit: (reason: BypassReason) => void) {
    this.isStartup = isStartup;
    this.#onOverLimit = onOverLimit;
  }

  get owedReplies(): number {
    return this.#queue.size;
  }

  get transaction(): TransactionState {
    return this.#transaction;
  }

  /** Nothing the cycle's statements did survived: it failed, and no transaction block was open before it. */
  get isCycleUndone(): boolean {
    return this.#hasCycleFailed && this.#cycleStart === 'idle';
  }

  // ---- what the client sends; false means the bound on owed replies is reached

  query(statement: Statement): boolean {
    return this.#isSkippingToSync || this.#owe(owed.query, statement);
  }

  functionCall(statement: Statement): boolean {
    return this.#isSkippingToSync || this.#owe(owed.functionCall, statement);
  }

  parse(statement: Statement): boolean {
    return this.#isSkippingToSync || this.#owe(owed.parse, statement);
  }

  bind(portal: string, statementName: string): boolean {
    return this.#isSkippingToSync || this.#owe(owed.bind, bindNames(portal, statementName));
  }

  describe(isPortal: boolean, name: string): boolean {
    return this.#isSkippingToSync || this.#owe(owed.describe, nameOf(isPortal, name));
  }

  execute(portal: string): boolean {
    return this.#isSkippingToSync || this.#owe(owed.execute, nameOf(true, portal));
  }

  close(isPortal: boolean, name: string): boolean {
    return this.#isSkippingToSync || this.#owe(owed.close, nameOf(isPortal, name));
  }

  sync(): boolean {
    if (this.#isCopyInOpen) return this.#owe(owed.swallowed, null);
    this.#isSkippingToSync = false;
    return this.#owe(owed.sync, null);
  }

  /** CopyDone or CopyFail. */
  copyEnded(isFail: boolean): boolean {
    if (this.#isCopyInOpen) {
      this.#isCopyFail = isFail;
      return this.#owe(owed.copyOver, null);
    }
    // The server may come to ask for data that the client has sent and ended already.
    if (this.#queue.size === 0 || this.#isSkippingToSync) return true;
    return this.#owe(isFail ? owed.copyFail : owed.copyDone, null);
  }

  // ---- what the server sends; false means it does not fit

  /** Replies that carry nothing we keep: their type decides. */
  replied(type: number): boolean {
    if (!this.#isPlaced(type)) return false;
    const head = this.#head();
    switch (type) {
      case serverMessage.parseComplete:
      case serverMessage.bindComplete:
      case serverMessage.closeComplete:
        return this.#namesChanged(type, head);
      case serverMessage.noData:
        return this.#popIf(head === owed.describe);
      case serverMessage.rowDescription:
        if (head === owed.query || head === owed.execute) return true;
        return this.#popIf(head === owed.describe);
      case serverMessage.parameterDescription:
        return head === owed.describe;
      case serverMessage.portalSuspended:
        return this.#popIf(head === owed.execute);
      case serverMessage.functionCallResponse:
        return head === owed.functionCall;
      case serverMessage.copyInResponse:
        if (head !== owed.query && head !== owed.execute) return false;
        this.#copyInStarted();
        return true;
      case serverMessage.copyOutResponse:
      case serverMessage.copyBothResponse:
        this.#isCopying = true;
        return head === owed.query || head === owed.execute;
      default:
        return true;
    }
  }

  /**
   * CommandComplete or EmptyQueryResponse. Returns the statement and its index in the text, null when the text is not
   * known, or 'unexpected'.
   */
  completed(
    effect: TagEffect,
  ): { readonly statement: Statement; readonly index: number } | null | 'unexpected' {
    if (!this.#isPlaced(serverMessage.commandComplete)) return 'unexpected';
    const head = this.#head();
    if (head !== owed.query && head !== owed.execute) return 'unexpected';
    const statement = this.#headStatement();
    const index = this.#completed;
    this.#copyEnded();
    if (effect === tagEffect.begin) this.#transaction = 'open';
    else if (effect === tagEffect.commit || effect === tagEffect.rollback) this.#transaction = 'idle';
    if (head === owed.query) {
      this.#completed += 1;
    } else {
      this.#queue.pop();
      this.#lastExecuted = statement;
    }
    return statement === null ? null : { statement, index };
  }

  /** ErrorResponse: says whose it is and skips what the server skips. */
  errorReceived(): Attribution | NoAttribution {
    if (this.isStartup) return 'startup';
    if (!this.#isPlaced(serverMessage.errorResponse)) return 'unsolicited';
    const head = this.#head();
    const phase = phaseOf[head];
    if (phase === undefined || this.#hasHeadFailed) return 'unsolicited';
    const attribution: Attribution = {
      statement: head === owed.sync ? this.#lastExecuted : this.#headStatement(),
      completedBefore: this.#completed,
      phase: this.#isCopying ? 'copy' : phase,
      before: this.#transaction,
      isCopyFail: this.#isCopyFail,
    };
    this.#hasCycleFailed = true;
    if (head === owed.parse && attribution.statement?.name === '') this.prepared.unnamedParseFailed();
    const isExtended = head !== owed.query && head !== owed.functionCall && head !== owed.sync;
    const isPlaceUnsure = this.#isCopying && this.#aftermath.copyFailed(isExtended ? 'extended' : 'simple');
    this.#copyEnded();
    if (!isExtended) this.#hasHeadFailed = true;
    else if (isPlaceUnsure) this.#queue.pop();
    else this.#skipToSync();
    return attribution;
  }

  /** ReadyForQuery with its status byte. False: it answers nothing. */
  ready(status: TransactionState): boolean {
    this.#transaction = status;
    this.#cycleStart = status;
    if (this.isStartup) {
      this.isStartup = false;
      return true;
    }
    this.#hasCycleFailed = false;
    this.#lastExecuted = null;
    if (status === 'idle') this.prepared.transactionEnded();
    if (this.#aftermath.isUnsure) return this.#isPlaced(serverMessage.readyForQuery);
    const isAnswered = this.#aftermath.awaitsReady ? this.#readyAfterCopy() : this.#readyOfHead();
    this.#completed = 0;
    this.#hasHeadFailed = false;
    this.#copyEnded();
    return isAnswered;
  }

  #readyOfHead(): boolean {
    const head = this.#head();
    if (head === owed.query) this.prepared.dropUnnamed();
    return this.#popIf(head === owed.sync || head === owed.query || head === owed.functionCall);
  }

  /** The head's marks of Syncs stay where they are until it is known which of them are answered. */
  #readyAfterCopy(): boolean {
    if (this.#hasHeadFailed) this.#queue.pop();
    return this.#place(this.#aftermath.firstReady());
  }

  #owe(kind: Owed, subject: Subject): boolean {
    if (this.#queue.bytes >= limits.maxExpectedReplyBytes) return false;
    if (kind !== owed.swallowed) this.#isCopyInOpen = false;
    this.#queue.push(kind, subject);
    return true;
  }

  /** Kind of the oldest owed reply, markers passed over. */
  #head(): Owed {
    let kind = this.#queue.headKind();
    while (kind === owed.swallowed || isCopyMark(kind)) {
      this.#queue.pop();
      kind = this.#queue.headKind();
    }
    return kind;
  }

  /** ParseComplete, BindComplete or CloseComplete: from here on the server knows the names so. */
  #namesChanged(type: number, head: Owed): boolean {
    const subject = this.#queue.headSubject();
    if (subject instanceof Statement) {
      if (type !== serverMessage.parseComplete || head !== owed.parse) return false;
      if (!this.prepared.parsed(subject)) this.#onOverLimit('prepared_statements_over_limit');
    } else if (type === serverMessage.bindComplete && head === owed.bind) {
      if (subject !== null && !this.prepared.bound(subject)) this.#onOverLimit('portals_over_limit');
    } else if (type === serverMessage.closeComplete && head === owed.close) {
      if (subject !== null) this.prepared.closed(subject);
    } else return false;
    this.#queue.pop();
    return true;
  }

  /** The text that the head of the queue is about, as the names stand now. */
  #headStatement(): Statement | null {
    const subject = this.#queue.headSubject();
    return subject === null || subject instanceof Statement ? subject : this.prepared.find(subject);
  }

  #popIf(isExpected: boolean): boolean {
    if (isExpected) this.#queue.pop();
    return isExpected;
  }

  /** The server starts to read COPY data: the Syncs that the client sent ahead of its end are part of it. */
  #copyInStarted(): void {
    this.#isCopying = true;
    this.#isCopyInOpen = true;
    for (let index = 1; index < this.#queue.size && this.#isCopyInOpen; index += 1) {
      const kind = this.#queue.kindAt(index);
      if (kind === owed.sync) this.#queue.setKindAt(index, owed.swallowed);
      // Those of a COPY before this one, in the same text.
      if (kind === owed.sync || kind === owed.swallowed || kind === owed.copyOver) continue;
      // Anything else is no part of a COPY: unless that fails first, the server will end the session.
      this.#isCopyInOpen = false;
      if (!isCopyMark(kind)) return;
      this.#queue.setKindAt(index, owed.copyOver);
      this.#isCopyFail = kind === owed.copyFail;
    }
  }

  #copyEnded(): void {
    if (!this.#isCopying) return;
    this.#isCopying = false;
    this.#isCopyInOpen = false;
    this.#isCopyFail = false;
  }

  #skipToSync(): void {
    for (let kind = this.#queue.headKind(); kind !== owed.sync; kind = this.#queue.headKind()) {
      if (kind === owed.none) {
        this.#isSkippingToSync = true;
        return;
      }
      this.#queue.pop();
    }
  }

  /** Settles where the server is after a failed COPY. False: a message of this type answers nothing there. */
  #isPlaced(type: number): boolean {
    if (this.#aftermath.awaitsReady) return false;
    return !this.#aftermath.isUnsure || this.#place(this.#aftermath.received(type));
  }

  /** The server turned out to be behind this many entries; those before it were skipped or swallowed. */
  #place(place: number | null | 'unsure'): boolean {
    if (place === 'unsure') return true;
    if (place === null) return false;
    for (let skipped = 0; skipped < place; skipped += 1) this.#queue.pop();
    for (let index = 0; index < this.#queue.size; index += 1) {
      if (this.#queue.kindAt(index) === owed.swallowed) this.#queue.setKindAt(index, owed.sync);
    }
    return true;
  }
}

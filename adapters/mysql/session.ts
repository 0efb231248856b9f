/**
 * The state of one session as both sides have declared it: which answers are owed, in which order, where the server is in
 * the first of them, and which statement each packet belongs to (source documentation, "Command Phase"). A reducer:
 * commands and packets in, state and answers out; no policy.
 *
 * Rules it rests on:
 * - every command is answered in the order of the commands, also where the client does not wait; three get no answer;
 * - the first packet of an answer has the sequence number that follows the command's last packet;
 * - a statement of a multi-statement text is answered by one response, but CALL and its like by result sets and one OK.
 */

import type { BypassReason } from '../../src/core/adapter.js';
import { limits } from '../../src/core/limits.js';
import type { Phase, SessionContext, TransactionState } from '../../src/core/verdict.js';
import { serverStatus } from './capabilities.js';
import type { NegotiatedTerms } from './negotiated.js';
import { PreparedStatements } from './prepared-statements.js';
import { type Owed, owed, ReplyQueue, type Subject } from './reply-queue.js';
import { Response, type Step, step } from './response.js';
import { readExecute } from './sql-prepare.js';
import { Statement } from './statement.js';
import { statementKind } from './statement-kind.js';

const phaseOf: Readonly<Partial<Record<Owed, Phase>>> = {
  [owed.query]: 'execute',
  [owed.execute]: 'execute',
  [owed.openCursor]: 'execute',
  [owed.fetch]: 'execute',
  [owed.prepare]: 'parse',
};

export interface SessionParts {
  readonly terms: Pick<NegotiatedTerms, 'capabilities' | 'extendedCapabilities' | 'engine' | 'statusFlags'>;
  readonly context: Pick<SessionContext, 'engine' | 'lexical'>;
  readonly onOverLimit: (reason: BypassReason) => void;
}

export class SessionState {
  readonly prepared = new PreparedStatements();
  readonly response: Response;
  readonly #queue = new ReplyQueue();
  readonly #parts: SessionParts;
  /** The first packet of the head's answer has come. */
  #isBegun = false;
  /** Which statement of the head's text the next response belongs to. */
  #index = 0;
  /** The head's text was answered by more than one response. */
  #isMulti = false;
  /** The last command may go on in further packets. */
  #isTailOpen = false;

  transaction: TransactionState;

  // What the last `packet` has ended: the command, what it was about, and which statement of its text has run or failed.
  endedKind: Owed = owed.none;
  endedSubject: Subject | null = null;
  endedStatement: Statement | null = null;
  /** -1: no statement has run to its end. */
  endedIndex = -1;
  #isEndedMulti = false;

  constructor(parts: SessionParts) {
    this.#parts = parts;
    this.response = new Response(parts.terms);
    this.transaction = stateOf(parts.terms.statusFlags);
  }

  get owedReplies(): number {
    return this.#queue.size;
  }

  /** Everything but the beginning and the end of what comes next can pass unseen. */
  get isInRows(): boolean {
    return this.#isBegun && this.response.isInRows;
  }

  get endedPhase(): Phase {
    return phaseOf[this.endedKind] ?? 'call';
  }

  /** The statement that has run or failed, of the text that was sent, from its first word on. */
  endedSentence(sent: Statement): string {
    return sent.sentence(this.endedIndex, this.#isEndedMulti ? this.#parts.context : null);
  }

  /** Client packets that do not begin a sequence belong to the authentication the server is in, or is about to begin. */
  get isChangingUser(): boolean {
    return this.#queue.head === owed.changeUser;
  }

  // ---- what the client sends

  /** `sequence` is that of the command's packet. False: the bound on owed answers is reached. */
  command(kind: Owed, sequence: number, subject: Subject | null): boolean {
    this.#isTailOpen = false;
    if (kind === owed.closeStatement && this.#queue.size === 0) {
      this.prepared.closed(subject as number);
      return true;
    }
    if (this.#queue.bytes >= limits.maxExpectedReplyBytes) return false;
    this.#queue.owe(kind, (sequence + 1) & 0xff, subject);
    this.#isTailOpen = kind !== owed.closeStatement;
    return true;
  }

  /** A command that gets no answer. */
  unanswered(): void {
    this.#isTailOpen = false;
  }

  /** The last command goes on in a packet with this number. */
  continued(sequence: number): void {
    if (this.#isTailOpen) this.#queue.setTailSequence((sequence + 1) & 0xff);
  }

  // ---- what the server sends

  /** Whether a packet with this number can begin the head's answer, where it has not begun. */
  isDue(sequence: number): boolean {
    return this.#isBegun || sequence === this.#queue.headSequence;
  }

  /** The first packet of a payload. Only when an answer is owed. */
  packet(bytes: Buffer, start: number, end: number, length: number): Step {
    if (!this.#isBegun) {
      this.#isBegun = true;
      this.response.begin(this.#queue.headForm);
    }
    const done = this.response.packet(bytes, start, end, length);
    if (done === step.goesOn || done === step.awaitsClient || done === step.broken) return done;
    this.endedKind = this.#queue.head;
    this.endedSubject = this.#queue.headSubject();
    this.endedStatement = this.#subjectStatement();
    if (done === step.failed) this.#failed();
    else this.#ended(done === step.resultOver);
    if (done !== step.resultOver) this.#next();
    return done;
  }

  #failed(): void {
    this.endedIndex = this.#index;
    this.#isEndedMulti = this.#isMulti;
    if (this.endedKind === owed.prepare) this.prepared.prepareFailed();
    // MariaDB lets the session live on as it was before, without its prepared statements.
    if (this.endedKind === owed.changeUser) this.prepared.clear();
  }

  #ended(hasMore: boolean): void {
    const { status } = this.response;
    this.endedIndex = -1;
    switch (this.endedKind) {
      case owed.query:
        this.endedIndex = this.#statementEnded(hasMore);
        this.#isEndedMulti = this.#isMulti;
        break;
      case owed.execute:
      case owed.openCursor:
        this.#isEndedMulti = false;
        if (!hasMore && !(this.response.isResultSet && this.response.isCursor)) this.endedIndex = 0;
        break;
      case owed.fetch:
        this.#isEndedMulti = false;
        if ((status & serverStatus.lastRowSent) !== 0) this.endedIndex = 0;
        break;
      case owed.prepare:
        this.#prepared();
        return;
      case owed.statistics:
        return;
      case owed.changeUser:
      case owed.resetConnection:
        this.prepared.clear();
        break;
      default:
    }
    this.transaction = stateOf(status);
  }

  /** Which statement of the head's text the response completes; -1: the response is one of several of the same. */
  #statementEnded(hasMore: boolean): number {
    if (!hasMore && !this.#isMulti) return 0;
    this.#isMulti = true;
    if (hasMore && this.response.isResultSet && this.#isCompound()) return -1;
    this.#index += 1;
    return this.#index - 1;
  }

  /** The statement that is being answered is followed by an OK of its own. */
  #isCompound(): boolean {
    const statement = this.endedStatement;
    if (statement === null) return false;
    const { context } = this.#parts;
    const kind = statement.kindOf(this.#index, context);
    if (kind !== statementKind.execute) return kind === statementKind.compound;
    const text = statement.sentence(this.#index, context);
    return this.executed(text)?.kind === statementKind.compound;
  }

  /** The text that an EXECUTE statement runs; null where it is not known. */
  executed(text: string): Statement | null {
    const execute = readExecute(text, this.#parts.context.lexical.isBackslashLiteral);
    if (execute === null) return null;
    return 'body' in execute ? Statement.synthetic(execute.body) : this.prepared.byName(execute.name);
  }

  #prepared(): void {
    const statement = this.endedStatement;
    if (statement === null) return;
    if (!this.prepared.prepared(this.response.preparedId, statement))
      this.#parts.onOverLimit('prepared_statements_over_limit');
  }

  #subjectStatement(): Statement | null {
    const subject = this.endedSubject;
    if (typeof subject === 'number') return this.prepared.byId(subject);
    return subject instanceof Statement ? subject : null;
  }

  /** The head is answered. */
  #next(): void {
    this.#isBegun = false;
    this.#index = 0;
    this.#isMulti = false;
    this.#queue.pop();
    while (this.#queue.head === owed.closeStatement) {
      this.prepared.closed(this.#queue.headSubject() as number);
      this.#queue.pop();
    }
  }
}

function stateOf(status: number): TransactionState {
  return (status & serverStatus.inTransaction) !== 0 ? 'open' : 'idle';
}

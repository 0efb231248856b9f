/**
 * Where the server is in its answer to one command: the order of packets that the protocol prescribes for it. MySQL:
 * "Text Resultset", "Multi-Resultset", "COM_STMT_PREPARE Response", "COM_STMT_FETCH", "COM_CHANGE_USER"; MariaDB: "4 - Server
 * Response Packets". A reducer of packets; it knows no queue, no statement and no policy.
 *
 * Rules that only trying shows, the same on MySQL 9.7 and MariaDB 10.11 unless said otherwise:
 * - COM_SET_OPTION and COM_DEBUG are answered by what ends rows, not by OK (0x00);
 * - a cursor's response ends at what ends its definitions; each COM_STMT_FETCH has an end of its own;
 * - the status says that a cursor exists also behind a cursor inside a routine, where no client asked for one and the rows
 *   follow, and then on until the statement is over;
 * - where definitions are left out, the EOF packets behind them are not;
 * - MySQL, with EOF packets in use: the one that ends OUT parameters forgets to say that another response follows.
 */
import { capability, extendedCapability, serverStatus } from './capabilities.js';
import { errorHeader, maxPayloadBytes } from './framing.js';
import { decodeDefinitionCount } from './messages/column-count.js';
import { errnoAt, progressErrno } from './messages/error.js';
import { decodeEof, decodeOk, type ServerState } from './messages/ok.js';
import { decodePrepareOk } from './messages/prepare-ok.js';
import type { NegotiatedTerms } from './negotiated.js';

/** How the answer to a command is made up. */
export const form = {
  /** OK, ERR, a request for a file, or a result set; and further ones while the server says so. */
  results: 1,
  /** Rows, or definitions, up to their end. */
  rows: 2,
  prepared: 3,
  /** One OK, EOF or ERR packet. */
  single: 4,
  /** One packet, whatever is in it. */
  anything: 5,
  /** Packets of an authentication, then OK or ERR. */
  authentication: 6,
  /** As `results`, but the rows may be left for COM_STMT_FETCH. */
  cursor: 7,
} as const;

export type Form = (typeof form)[keyof typeof form];

/** What a packet did to the answer. */
export const step = {
  goesOn: 0,
  /** The server waits for more of the client: a file, or authentication data. */
  awaitsClient: 1,
  /** A response is complete; another one to the same command follows. */
  resultOver: 2,
  /** The answer is complete. */
  over: 3,
  /** An ERR packet: the answer is complete. */
  failed: 4,
  /** No packet that could stand here. */
  broken: 5,
} as const;

export type Step = (typeof step)[keyof typeof step];

const okHeader = 0x00;
const fileRequestHeader = 0xfb;
const endHeader = 0xfe;
/** An EOF packet is shorter; a row that begins like one says in eight bytes how long its first value is. */
const minAmbiguousBytes = 9;

type Phase = 'first' | 'definitions' | 'end of definitions' | 'rows' | 'counted' | Form;

export class Response implements ServerState {
  readonly #isEofDeprecated: boolean;
  readonly #canOmitDefinitions: boolean;
  readonly #canAskForFiles: boolean;
  readonly #hasProgress: boolean;
  #phase: Phase = form.anything;
  /** Definitions, or packets of an answer whose number is known, that have yet to come. */
  #left = 0;
  #hasOutParameters = false;
  #isCursorAsked = false;

  // Of the last OK or EOF packet.
  status = 0;
  warnings = 0;
  rest = -1;
  /** The response that is complete had rows. */
  isResultSet = false;
  /** The server asked for a file in the step before. */
  isFileRequest = false;
  /** Statement id of the last COM_STMT_PREPARE that was answered. */
  preparedId = 0;

  constructor(terms: Pick<NegotiatedTerms, 'capabilities' | 'extendedCapabilities' | 'engine'>) {
    const { capabilities, extendedCapabilities, engine } = terms;
    this.#isEofDeprecated = (capabilities & capability.deprecateEof) !== 0;
    this.#canAskForFiles = (capabilities & capability.localFiles) !== 0;
    this.#canOmitDefinitions =
      engine === 'mariadb'
        ? (extendedCapabilities & extendedCapability.cacheMetadata) !== 0
        : (capabilities & capability.optionalResultsetMetadata) !== 0;
    this.#hasProgress = engine === 'mariadb';
  }

  /** Everything but the beginning and the end of rows can pass unseen. */
  get isInRows(): boolean {
    return this.#phase === 'rows';
  }

  /** The rows of what was answered last are left for COM_STMT_FETCH; a routine's results never are. */
  get isCursor(): boolean {
    const { cursorExists, moreResultsExist } = serverStatus;
    return this.#isCursorAsked && (this.status & (cursorExists | moreResultsExist)) === cursorExists;
  }

  /** The next packet is the first of an answer of this form. */
  begin(answer: Form): void {
    this.isFileRequest = false;
    this.#hasOutParameters = false;
    this.#isCursorAsked = answer === form.cursor;
    const isResults = answer === form.results || this.#isCursorAsked;
    this.#phase = isResults ? 'first' : answer === form.rows ? 'rows' : answer;
  }

  /** The first packet of a payload: `bytes[start, end)` is as much of it as is wanted, `length` all of it. */
  packet(bytes: Buffer, start: number, end: number, length: number): Step {
    if (this.#phase === form.anything) return step.over;
    if (length === 0) return this.#phase === form.authentication ? step.awaitsClient : step.broken;
    const first = bytes[start] as number;
    if (first === errorHeader) return this.#error(bytes, start, length);
    switch (this.#phase) {
      case 'first':
        return this.#first(bytes, start, end, length, first);
      case 'definitions':
        return this.#definition(first);
      case 'end of definitions':
        return this.#endOfDefinitions(bytes, start, end, length, first);
      case 'rows':
        if (first !== endHeader || length >= (this.#isEofDeprecated ? maxPayloadBytes : minAmbiguousBytes))
          return step.goesOn;
        return this.#end(bytes, start, end) ? this.#resultOver(true) : step.broken;
      case 'counted':
        this.#left -= 1;
        return this.#left > 0 ? step.goesOn : step.over;
      case form.prepared:
        return first === okHeader ? this.#prepared(bytes, start, end) : step.broken;
      case form.single:
        if (first === okHeader) return decodeOk(bytes, start, end, this) ? step.over : step.broken;
        return first === endHeader && this.#end(bytes, start, end) ? step.over : step.broken;
      default:
        if (first !== okHeader) return step.awaitsClient;
        return decodeOk(bytes, start, end, this) ? step.over : step.broken;
    }
  }

  #error(bytes: Buffer, start: number, length: number): Step {
    if (length < 3 || length === maxPayloadBytes) return step.broken;
    return this.#hasProgress && errnoAt(bytes, start) === progressErrno ? step.goesOn : step.failed;
  }

  #first(bytes: Buffer, start: number, end: number, length: number, first: number): Step {
    if (first === okHeader) {
      if (!decodeOk(bytes, start, end, this)) return step.broken;
      return this.#resultOver(false);
    }
    if (first === fileRequestHeader) {
      if (!this.#canAskForFiles || this.isFileRequest) return step.broken;
      this.isFileRequest = true;
      return step.awaitsClient;
    }
    if (first === endHeader)
      return length < minAmbiguousBytes && this.#end(bytes, start, end)
        ? this.#resultOver(false)
        : step.broken;
    const count = decodeDefinitionCount(bytes, start, end, this.#canOmitDefinitions);
    if (count < 0) return step.broken;
    this.#left = count;
    if (count > 0) this.#phase = 'definitions';
    else this.#phase = this.#isEofDeprecated ? 'rows' : 'end of definitions';
    return step.goesOn;
  }

  #definition(first: number): Step {
    if (first === endHeader || first === okHeader) return step.broken;
    this.#left -= 1;
    if (this.#left === 0) this.#phase = this.#isEofDeprecated ? 'rows' : 'end of definitions';
    return step.goesOn;
  }

  #endOfDefinitions(bytes: Buffer, start: number, end: number, length: number, first: number): Step {
    if (first !== endHeader || length >= minAmbiguousBytes || !decodeEof(bytes, start, end, this))
      return step.broken;
    if (this.isCursor) return this.#resultOver(true);
    this.#hasOutParameters = (this.status & serverStatus.outParameters) !== 0;
    this.#phase = 'rows';
    return step.goesOn;
  }

  #prepared(bytes: Buffer, start: number, end: number): Step {
    const prepared = decodePrepareOk(bytes, start, end);
    if (prepared === null) return step.broken;
    const { id, columns, parameters, hasDefinitions } = prepared;
    this.preparedId = id;
    this.#left = hasDefinitions ? columns + parameters : 0;
    if (!this.#isEofDeprecated) this.#left += (columns > 0 ? 1 : 0) + (parameters > 0 ? 1 : 0);
    this.#phase = 'counted';
    return this.#left > 0 ? step.goesOn : step.over;
  }

  /** What ends rows, and answers a few commands. False: malformed. */
  #end(bytes: Buffer, start: number, end: number): boolean {
    return this.#isEofDeprecated ? decodeOk(bytes, start, end, this) : decodeEof(bytes, start, end, this);
  }

  #resultOver(isResultSet: boolean): Step {
    this.isResultSet = isResultSet;
    const hasMore = (this.status & serverStatus.moreResultsExist) !== 0 || this.#hasOutParameters;
    this.#hasOutParameters = false;
    this.isFileRequest = false;
    this.#phase = 'first';
    return hasMore ? step.resultOver : step.over;
  }
}

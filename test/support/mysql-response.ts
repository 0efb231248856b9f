/**
 * Where the answer to a command ends: a second, independent reading of the protocol for clients of tests.
 * Documentation: "COM_QUERY Response", "Text Resultset", "COM_STMT_PREPARE Response", "COM_STMT_FETCH", "Multi-Resultset".
 */
import { capability, command, mariadbCapability, PayloadReader, status } from './mysql-protocol.js';
import { readOk } from './mysql-server-packets.js';

/** Commands that get no answer at all. */
export const unanswered: ReadonlySet<number> = new Set([
  command.quit,
  command.stmtClose,
  command.stmtSendLongData,
]);

export interface Agreed {
  readonly capabilities: number;
  readonly extendedCapabilities: number;
}

type Step = (payload: Buffer) => Step | 'end';

/**
 * Tells for each packet of an answer whether it is the last. A request for a local file ends the answer as far as
 * the server is concerned: what follows the file is the answer of a new `AnswerEnd` for the same command.
 */
export class AnswerEnd {
  private step: Step;
  private isContinuation = false;

  constructor(commandByte: number, agreed: Agreed) {
    this.step = firstStep(commandByte, agreed);
  }

  isLast(payload: Buffer): boolean {
    // A payload of 16 MiB goes on in the next packet, whose first byte means nothing.
    const isContinued = payload.length === 0xffffff;
    if (this.isContinuation) {
      this.isContinuation = isContinued;
      return false;
    }
    this.isContinuation = isContinued;
    const next = this.step(payload);
    if (next === 'end') return true;
    this.step = next;
    return false;
  }
}

function firstStep(commandByte: number, agreed: Agreed): Step {
  if (commandByte === command.query) return result(agreed);
  if (commandByte === command.stmtExecute) return result(agreed, true);
  if (commandByte === command.bulkExecute || commandByte === command.processInfo) return result(agreed);
  if (commandByte === command.stmtPrepare) return prepared(agreed);
  if (commandByte === command.stmtFetch || commandByte === command.fieldList)
    return rows(agreed, () => 'end');
  return () => 'end';
}

function isEofDeprecated(agreed: Agreed): boolean {
  return (agreed.capabilities & capability.deprecateEof) !== 0;
}

/** One OK, ERR, file request or result set; further ones while the status says so. */
function result(agreed: Agreed, isExecute = false): Step {
  const self: Step = (payload) => {
    if (payload[0] === 0xff) return isProgress(payload, agreed) ? self : 'end';
    if (payload[0] === 0xfb) return 'end';
    if (payload[0] === 0x00)
      return (readOk(payload).status & status.moreResults) !== 0 ? result(agreed) : 'end';
    const { count, hasDefinitions } = columnCount(payload, agreed);
    return definitions(agreed, hasDefinitions ? count : 0, afterDefinitions(agreed, isExecute));
  };
  return self;
}

/** The number comes first and the flag behind it, also on MySQL, whose documentation has them the other way round. */
function columnCount(payload: Buffer, agreed: Agreed): { count: number; hasDefinitions: boolean } {
  const reader = new PayloadReader(payload);
  const count = reader.lenenc() ?? 0;
  const isOptional = (agreed.capabilities & capability.optionalMetadata) !== 0;
  const isCached = (agreed.extendedCapabilities & mariadbCapability.cacheMetadata) !== 0;
  const hasFlag = (isOptional || isCached) && !reader.isAtEnd;
  return { count, hasDefinitions: hasFlag ? reader.uint(1) === 1 : true };
}

/** `count` definitions, then `next`; an ERR in their place ends the answer. */
function definitions(_agreed: Agreed, count: number, next: Step): Step {
  if (count === 0) return next;
  return (payload) => (payload[0] === 0xff ? 'end' : definitions(_agreed, count - 1, next));
}

/** An EOF packet where they are in use, or rows at once; a cursor leaves its rows for COM_STMT_FETCH. */
function afterDefinitions(agreed: Agreed, isExecute: boolean): Step {
  const more: (flags: number) => Step | 'end' = (flags) =>
    (flags & status.moreResults) !== 0 ? result(agreed) : 'end';
  const body = rows(agreed, more);
  if (isEofDeprecated(agreed)) return body;
  return (payload) => {
    if (payload[0] === 0xff) return 'end';
    const flags = payload.readUInt16LE(3);
    // Behind a cursor inside a routine the flag is there as well, with the routine's results.
    const isCursor = isExecute && (flags & status.moreResults) === 0;
    if (isCursor && (flags & status.cursorExists) !== 0) return 'end';
    // MySQL does not say behind the row of OUT parameters that an OK packet follows.
    return (flags & status.outParameters) !== 0 ? rows(agreed, () => result(agreed)) : body;
  };
}

function rows(agreed: Agreed, more: (flags: number) => Step | 'end'): Step {
  const self: Step = (payload) => {
    if (payload[0] === 0xff) return isProgress(payload, agreed) ? self : 'end';
    const isEnd = payload[0] === 0xfe && payload.length < (isEofDeprecated(agreed) ? 0xffffff : 9);
    if (!isEnd) return self;
    return more(isEofDeprecated(agreed) ? readOk(payload).status : payload.readUInt16LE(3));
  };
  return self;
}

function prepared(agreed: Agreed): Step {
  return (payload) => {
    if (payload[0] === 0xff) return 'end';
    const columns = payload.readUInt16LE(5);
    const parameters = payload.readUInt16LE(7);
    const optional = (agreed.capabilities & capability.optionalMetadata) !== 0;
    const hasDefinitions = !optional || payload.length < 13 || payload[12] === 1;
    const ends = isEofDeprecated(agreed) ? 0 : 1;
    const sent = (count: number): number => (hasDefinitions ? count : 0) + ends;
    const total = [parameters, columns].reduce((sum, count) => sum + (count > 0 ? sent(count) : 0), 0);
    return total === 0 ? 'end' : counted(total);
  };
}

/** Ends at the `count`th packet. */
function counted(count: number): Step {
  return () => (count === 1 ? 'end' : counted(count - 1));
}

function isProgress(payload: Buffer, agreed: Agreed): boolean {
  const agreedOn = (agreed.extendedCapabilities & mariadbCapability.progress) !== 0;
  return agreedOn && payload.length > 3 && payload.readUInt16LE(1) === 0xffff;
}

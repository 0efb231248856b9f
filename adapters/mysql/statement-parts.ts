/**
 * The statements of a multi-statement text, as the server counts them: split at semicolons outside quotes, comments and
 * the bodies of routines. For answers only: which response belongs to which statement, and what that does to the session.
 * How failures are told apart by shape is the lexer's business (src/core/shape).
 */
import { limits } from '../../src/core/limits.js';
import type { LexicalOptions } from '../../src/core/verdict.js';
import {
  commentEnd,
  executableStart,
  isBlank,
  isWord,
  lineEnd,
  readStatementKind,
  type StatementKind,
  skipBlanks,
  wordEnd,
} from './statement-kind.js';

export interface StatementPart {
  /** Bounds of its bytes, without the semicolon. */
  readonly start: number;
  readonly end: number;
  readonly kind: StatementKind;
}

const semicolon = 0x3b;
const backslash = 0x5c;
const backtick = 0x60;
const singleQuote = 0x27;
const doubleQuote = 0x22;

/** At most `limits.maxMultiStatements` of them. Bytes below 0x80 must be ASCII wherever they stand. */
export function splitStatements(
  bytes: Buffer,
  start: number,
  end: number,
  options: Pick<LexicalOptions, 'isBackslashLiteral' | 'isAnsiQuotes'>,
): StatementPart[] {
  const parts: StatementPart[] = [];
  let from = start;
  const body = new RoutineBody();
  let at = start;
  const add = (to: number): void => {
    if (skipBlanks(bytes, from, to) < to)
      parts.push({ start: from, end: to, kind: readStatementKind(bytes, from, to) });
    from = to + 1;
    body.reset();
  };
  while (at < end && parts.length < limits.maxMultiStatements) {
    const byte = bytes[at] as number;
    const word = wordEnd(bytes, at, end);
    if (word > at) {
      body.word(bytes, at, word);
      at = word;
    } else if (byte === semicolon) {
      body.semicolon();
      if (!body.isOpen) add(at);
      at += 1;
    } else {
      at = elementEnd(bytes, at, end, options);
    }
  }
  if (parts.length < limits.maxMultiStatements) add(end);
  return parts;
}

/** Behind a quoted text, a comment, or any other byte. */
function elementEnd(
  bytes: Buffer,
  at: number,
  end: number,
  { isBackslashLiteral, isAnsiQuotes }: Pick<LexicalOptions, 'isBackslashLiteral' | 'isAnsiQuotes'>,
): number {
  const byte = bytes[at] as number;
  if (byte === singleQuote) return quotedEnd(bytes, at, end, !isBackslashLiteral);
  if (byte === doubleQuote) return quotedEnd(bytes, at, end, !isBackslashLiteral && !isAnsiQuotes);
  if (byte === backtick) return quotedEnd(bytes, at, end, false);
  const next = at + 1 < end ? (bytes[at + 1] as number) : 0;
  if (byte === 0x23) return lineEnd(bytes, at, end);
  if (byte === 0x2d && next === 0x2d && isBlank(bytes, at + 2, end)) return lineEnd(bytes, at, end);
  if (byte !== 0x2f || next !== 0x2a) return at + 1;
  return executableStart(bytes, at + 2, end) || commentEnd(bytes, at + 2, end);
}

/** A doubled quote ends one text and begins the next, which comes to the same. */
function quotedEnd(bytes: Buffer, start: number, end: number, hasEscapes: boolean): number {
  const quote = bytes[start] as number;
  let at = start + 1;
  while (at < end && bytes[at] !== quote) at += hasEscapes && bytes[at] === backslash ? 2 : 1;
  return Math.min(at + 1, end);
}

const routineWords = ['procedure', 'function', 'trigger', 'event', 'package'];
/** Behind END these name what ends; BEGIN and CASE alone are counted. */
const blockWords = ['if', 'loop', 'repeat', 'while', 'for'];

/** Whether a semicolon stands inside the body of a routine or of MariaDB's BEGIN NOT ATOMIC. */
class RoutineBody {
  #words = 0;
  #isCreate = false;
  #isBegin = false;
  #isRoutine = false;
  #depth = 0;
  /** The last word was END: the next one tells what ended. */
  #isAfterEnd = false;

  get isOpen(): boolean {
    return this.#depth > 0;
  }

  reset(): void {
    this.#words = 0;
    this.#isCreate = false;
    this.#isBegin = false;
    this.#isRoutine = false;
    this.#depth = 0;
    this.#isAfterEnd = false;
  }

  semicolon(): void {
    if (this.#isAfterEnd) this.#depth -= 1;
    this.#isAfterEnd = false;
  }

  word(bytes: Buffer, from: number, to: number): void {
    this.#words += 1;
    if (this.#words > 2 && !this.#isCreate && !this.#isRoutine) return;
    const is = (word: string): boolean => isWord(bytes, from, to, word);
    if (this.#words === 1) {
      this.#isCreate = is('create') || is('alter');
      this.#isBegin = is('begin');
    } else if (this.#words === 2 && this.#isBegin) {
      // BEGIN alone begins a transaction; with NOT ATOMIC behind it, a block.
      this.#isRoutine = is('not');
      if (this.#isRoutine) this.#depth = 1;
    } else if (this.#isRoutine) {
      this.#block(is);
    } else {
      this.#isRoutine = this.#isCreate && routineWords.some(is);
    }
  }

  #block(is: (word: string) => boolean): void {
    if (this.#isAfterEnd) {
      this.#isAfterEnd = false;
      if (blockWords.some(is)) return;
      this.#depth -= 1;
      if (is('case')) return;
    }
    if (is('end')) this.#isAfterEnd = this.#depth > 0;
    else if (is('begin') || is('case')) this.#depth += 1;
  }
}

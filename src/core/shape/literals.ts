/**
 * Where literals end. Every function takes the index of the first character and returns the index after the last;
 * for a literal that never ends, the complement (`~`) of `end`, which is negative.
 */
import { bitsOf, isDigit, isHexDigit, isWordPart } from './characters.js';

const quote = 0x27;
const backslash = 0x5c;

/** Result of a scan that met no closing quote: the bitwise complement of the end reached. */
const unterminated = (end: number): number => ~end;

/** After the closing `mark`; a doubled mark stands for itself, a backslash hides the next character where asked. */
export function scanQuoted(
  text: string,
  start: number,
  end: number,
  mark: number,
  hasEscapes: boolean,
): number {
  let i = start + 1;
  if (mark === quote && !hasEscapes) {
    for (;;) {
      const close = text.indexOf("'", i);
      if (close < 0 || close >= end) return unterminated(end);
      if (close + 1 >= end || text.charCodeAt(close + 1) !== quote) return close + 1;
      i = close + 2;
    }
  }
  while (i < end) {
    const code = text.charCodeAt(i);
    if (code === backslash && hasEscapes) {
      i += 2;
    } else if (code === mark) {
      if (i + 1 >= end || text.charCodeAt(i + 1) !== mark) return i + 1;
      i += 2;
    } else {
      i++;
    }
  }
  return unterminated(end);
}

/** After the first of the marks `closings`, which is what a pair of typographic quotes holds. */
export function scanTypographic(text: string, start: number, end: number, closings: string): number {
  for (let i = start + 1; i < end; i++) {
    if (closings.includes(text.charAt(i))) return i + 1;
  }
  return unterminated(end);
}

/** After the closing tag of `$tag$ … $tag$`; 0 when no dollar quote starts here. */
export function scanDollarQuoted(text: string, start: number, end: number): number {
  let i = start + 1;
  while (i < end) {
    const code = text.charCodeAt(i);
    if (code === 0x24) break;
    if (!isWordPart(bitsOf(code)) || (i === start + 1 && isDigit(code))) return 0;
    i++;
  }
  if (i >= end) return 0;
  const tag = text.slice(start, i + 1);
  const close = text.indexOf(tag, i + 1);
  return close < 0 || close + tag.length > end ? unterminated(end) : close + tag.length;
}

/**
 * After a number in any form (`1`, `1.`, `.5`, `1e-7`, `0x1F`, `1_000`), with what clings to it: a name cannot start
 * there, so it can only be a mistyped value.
 */
export function scanNumber(text: string, start: number, end: number): number {
  let i = start;
  let hasDot = false;
  while (i < end) {
    const code = text.charCodeAt(i);
    if (code === 0x2e) {
      // `1..10` is a range of two numbers
      if (hasDot || (i + 1 < end && text.charCodeAt(i + 1) === 0x2e)) break;
      hasDot = true;
    } else if (code === 0x2b || code === 0x2d) {
      if (!isExponentSign(text, start, i, end)) break;
    } else if (!isWordPart(bitsOf(code))) {
      break;
    }
    i++;
  }
  return i;
}

/**
 * After a name that begins with a digit, in the dialects that have such: `1st`, `2e`, and behind a dot (`isPart`) `t.1`. 0 for
 * a number, and for what nobody calls a column: `1_000`, `0X1F`.
 */
export function scanNumericName(text: string, start: number, end: number, isPart: boolean): number {
  let i = start;
  while (i < end && isDigit(text.charCodeAt(i))) i++;
  const next = i < end ? text.charCodeAt(i) : 0;
  if (isPart) return wordEnd(text, i, end);
  if (!isWordPart(bitsOf(next)) || isExponent(text, i, end)) return 0;
  if (i === start + 1 && text.charCodeAt(start) === 0x30 && isRadix(text, i, end)) return 0;
  while (i < end && (isDigit(text.charCodeAt(i)) || text.charCodeAt(i) === 0x5f)) i++;
  const after = wordEnd(text, i, end);
  return after > i ? after : 0;
}

function wordEnd(text: string, start: number, end: number): number {
  let i = start;
  while (i < end && isWordPart(bitsOf(text.charCodeAt(i)))) i++;
  return i;
}

/** `e5`, `e+5` or `e-5`, whatever follows. */
function isExponent(text: string, start: number, end: number): boolean {
  if ((text.charCodeAt(start) | 0x20) !== 0x65) return false;
  const sign = text.charCodeAt(start + 1);
  const at = sign === 0x2b || sign === 0x2d ? start + 2 : start + 1;
  return at < end && isDigit(text.charCodeAt(at));
}

/** `x1F` or `b01` to the end of the word. */
function isRadix(text: string, start: number, end: number): boolean {
  const radix = text.charCodeAt(start) | 0x20;
  if (radix !== 0x78 && radix !== 0x62) return false;
  const after = wordEnd(text, start + 1, end);
  for (let i = start + 1; i < after; i++) {
    const code = text.charCodeAt(i);
    if (radix === 0x78 ? !isHexDigit(code) : code !== 0x30 && code !== 0x31) return false;
  }
  return after > start + 1;
}

function isExponentSign(text: string, start: number, i: number, end: number): boolean {
  if ((text.charCodeAt(i - 1) | 0x20) !== 0x65 || i + 1 >= end || !isDigit(text.charCodeAt(i + 1)))
    return false;
  // 0x1e-1 is a subtraction
  return i - 1 > start && !(text.charCodeAt(start) === 0x30 && (text.charCodeAt(start + 1) | 0x20) === 0x78);
}

const uuidLength = 36;
const isUuidHyphen = (offset: number): boolean =>
  offset === 8 || offset === 13 || offset === 18 || offset === 23;

/** After an unquoted UUID, which some clients forget to quote; 0 when there is none at `start`. */
export function scanBareUuid(text: string, start: number, end: number): number {
  if (start + uuidLength > end) return 0;
  for (let offset = 0; offset < uuidLength; offset++) {
    const code = text.charCodeAt(start + offset);
    if (isUuidHyphen(offset) ? code !== 0x2d : !isHexDigit(code)) return 0;
  }
  const after = start + uuidLength;
  return after < end && isWordPart(bitsOf(text.charCodeAt(after))) ? 0 : after;
}

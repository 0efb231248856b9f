/**
 * Where comments end, which of them are code, and the one thing read from the others: a trace that sqlcommenter left.
 * Executable comments: https://dev.mysql.com/doc/refman/9.7/en/comments.html, https://mariadb.com/docs/server/reference/sql-structure/sql-language-structure/comment-syntax.
 */
import { isDigit } from './characters.js';
import type { ExecutableComments } from './shape.js';

const star = 0x2a;
const slash = 0x2f;
const exclamation = 0x21;

/** Index of the line's end, from any index in it. */
export function scanLine(text: string, start: number, end: number, hasCarriageReturns: boolean): number {
  let i = start;
  while (i < end) {
    const code = text.charCodeAt(i);
    if (code === 0x0a || (code === 0x0d && hasCarriageReturns)) break;
    i++;
  }
  return i;
}

/** After the closing of the block comment that starts at `start`; `end` when it is never closed. */
export function scanBlock(text: string, start: number, end: number, isNested: boolean): number {
  let depth = 1;
  let i = start + 2;
  while (i + 1 < end) {
    const code = text.charCodeAt(i);
    if (code === star && text.charCodeAt(i + 1) === slash) {
      depth--;
      i += 2;
      if (depth === 0) return i;
    } else if (isNested && code === slash && text.charCodeAt(i + 1) === star) {
      depth++;
      i += 2;
    } else {
      i++;
    }
  }
  return end;
}

/**
 * The index of the code in the comment that starts at `start`; the complement (`~`) of the comment's end where its version
 * keeps every server from running it; 0 for a plain comment.
 */
export function scanExecutable(
  text: string,
  start: number,
  end: number,
  dialect: ExecutableComments,
): number {
  let i = start + 2;
  const hasLetter = dialect.letter !== null && i < end && text.charCodeAt(i) === dialect.letter;
  if (hasLetter) i++;
  if (i >= end || text.charCodeAt(i) !== exclamation) return 0;
  i++;
  const digits = versionDigits(text, i, end, dialect.hasSpacedVersion);
  if (digits === 0 || dialect.runs(Number(text.slice(i, i + digits)), hasLetter)) return i + digits;
  return ~scanSkipped(text, i + digits, end);
}

/** A version has five digits or six. */
function versionDigits(text: string, start: number, end: number, hasSpacedVersion: boolean): number {
  let i = start;
  while (i < end && i < start + 6 && isDigit(text.charCodeAt(i))) i++;
  if (i - start < 5) return 0;
  const isSpaced = i >= end || text.charCodeAt(i) <= 0x20;
  return i - start === 6 && hasSpacedVersion && !isSpaced ? 5 : i - start;
}

/** Code that is skipped holds whole comments. */
function scanSkipped(text: string, start: number, end: number): number {
  let i = start;
  while (i + 1 < end) {
    const code = text.charCodeAt(i);
    const next = text.charCodeAt(i + 1);
    if (code === star && next === slash) return i + 2;
    if (code === slash && next === star) i = scanBlock(text, i, end, false);
    else i++;
  }
  return end;
}

/** W3C traceparent, version 00 to ff: https://www.w3.org/TR/trace-context/#traceparent-header. */
const traceparent = /\btraceparent=['"]([0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2})['"]/;
const shortestTrace = 'traceparent=""'.length + 55;

/** The traceparent in a comment, or null. */
export function readTrace(text: string, start: number, end: number): string | null {
  if (end - start < shortestTrace) return null;
  return traceparent.exec(text.slice(start, end))?.[1] ?? null;
}

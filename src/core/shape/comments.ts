/** Where comments end, and the one thing read from them: a trace that sqlcommenter left. */
const star = 0x2a;
const slash = 0x2f;

/** Index of the line's end, from any index in it. */
export function scanLine(text: string, start: number, end: number): number {
  let i = start;
  while (i < end) {
    const code = text.charCodeAt(i);
    if (code === 0x0a || code === 0x0d) break;
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

/** W3C traceparent, version 00 to ff: https://www.w3.org/TR/trace-context/#traceparent-header. */
const traceparent = /\btraceparent=['"]([0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2})['"]/;
const shortestTrace = 'traceparent=""'.length + 55;

/** The traceparent in a comment, or null. */
export function readTrace(text: string, start: number, end: number): string | null {
  if (end - start < shortestTrace) return null;
  return traceparent.exec(text.slice(start, end))?.[1] ?? null;
}

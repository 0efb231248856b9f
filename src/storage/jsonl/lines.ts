/**
 * Walks the lines of a file without holding more of it than one chunk and one line.
 *
 * Invariant: every byte of the range belongs to exactly one line, one over-long line, or the tail; offsets are those
 * of the file, so that whoever must keep a line it cannot read copies it by its place.
 */
import type { FileHandle } from 'node:fs/promises';

const newline = 0x0a;

export interface LineWalk {
  /** One line without its newline: `buffer[start, end)`, valid during the call only; `offset` is where it starts in the file. */
  line(buffer: Buffer, start: number, end: number, offset: number): void;
  /** A line longer than the bound: its bytes, newline included, are at [from, to) of the file. */
  tooLong(from: number, to: number): void;
  /** After each chunk: the time to write or to give way. */
  chunk?(): Promise<void> | undefined;
}

export interface WalkOptions {
  readonly from?: number;
  readonly to: number;
  readonly chunkBytes: number;
  readonly maxLineBytes: number;
}

/** Returns the offset behind the last newline of the range: what follows up to `to` is a torn tail. */
export async function walkLines(handle: FileHandle, options: WalkOptions, walk: LineWalk): Promise<number> {
  const { to, chunkBytes, maxLineBytes } = options;
  const buffer = Buffer.allocUnsafe(chunkBytes + maxLineBytes);
  let position = options.from ?? 0;
  /** Bytes of an unfinished line at the start of the buffer, and where that line starts in the file. */
  let kept = 0;
  let lineStart = position;
  let isTooLong = false;

  while (position < to) {
    const want = Math.min(chunkBytes, to - position);
    const { bytesRead } = await handle.read(buffer, kept, want, position);
    if (bytesRead === 0) break;
    position += bytesRead;
    const filled = kept + bytesRead;
    const view = buffer.subarray(0, filled);
    let start = 0;
    let searchFrom = kept;
    while (true) {
      const end = view.indexOf(newline, searchFrom);
      if (end === -1) break;
      const next = position - (filled - end) + 1;
      if (isTooLong || end - start > maxLineBytes) walk.tooLong(lineStart, next);
      else walk.line(buffer, start, end, lineStart);
      isTooLong = false;
      start = end + 1;
      searchFrom = start;
      lineStart = next;
    }
    kept = filled - start;
    if (isTooLong || kept > maxLineBytes) {
      isTooLong = true;
      kept = 0;
    } else if (start > 0) {
      buffer.copyWithin(0, start, filled);
    }
    const pause = walk.chunk?.();
    if (pause !== undefined) await pause;
  }
  return lineStart;
}

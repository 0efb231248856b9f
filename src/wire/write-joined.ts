/** What a scanner hands out of one chunk, in one write, so that a client reads it in one piece as it came. */
import type { ByteOutput } from '../core/adapter.js';

/** Hands out `pieces`, where something was put in or held back, and then `chunk[from, to)`. */
export function writeJoined(
  out: ByteOutput,
  pieces: Buffer[] | null,
  chunk: Buffer,
  from: number,
  to: number,
): void {
  if (pieces !== null) {
    if (from < to) pieces.push(chunk.subarray(from, to));
    out.write(pieces.length === 1 ? (pieces[0] as Buffer) : Buffer.concat(pieces));
  } else if (from < to) {
    out.write(to - from === chunk.length ? chunk : chunk.subarray(from, to));
  }
}

/**
 * Splits one direction of a PostgreSQL v3 stream into frames (docs "Frontend/Backend Protocol", 55.7: one type byte, an
 * Int32 length that counts itself, the body), wherever the network cut it.
 *
 * Invariant: every byte given to `scan` reaches `out` exactly once and in order, at once, except the bytes of a frame
 * whose type is held back; those wait for the frame's last byte and may come out replaced. Nothing here allocates for a
 * frame that lies whole in its chunk. A declared length is never allocated: only what is wanted of a body is kept.
 */
import type { ByteOutput } from '../../src/core/adapter.js';
import { limits } from '../../src/core/limits.js';
import { writeJoined } from '../../src/wire/write-joined.js';

const headerBytes = 5;

/** Receives the frames of one direction. */
export interface FrameVisitor {
  /**
   * One complete frame of a wanted type. The body is `bytes[start, end)`, a view valid only during the call; the frame's
   * header lies directly before `start`. `isWhole` is false where the body was longer than wanted and is cut. For a
   * held type the result replaces the frame; null leaves it as it is.
   */
  frame(type: number, bytes: Buffer, start: number, end: number, isWhole: boolean): Buffer | null;
  /** A length no frame can have: nothing after it can be told apart. The scanner has stopped. */
  malformed(): void;
}

/** Which types are looked at and how many body bytes of each are wanted when the network cuts the frame. */
export type WantedBytes = Int32Array;

/** A table that wants nothing; fill with `wanted[type] = bytes`. */
export function noWantedBytes(): WantedBytes {
  return new Int32Array(256).fill(-1);
}

export class FrameScanner {
  readonly #wanted: WantedBytes;
  readonly #held = new Uint8Array(256);
  readonly #visitor: FrameVisitor;
  readonly #header = Buffer.alloc(headerBytes);
  /** Header bytes read of the frame that the last chunk cut; 0 when the last chunk ended between frames. */
  #headerRead = 0;
  #bodyLeft = 0;
  #isHolding = false;
  /** The cut frame's header and the wanted part of its body. */
  #kept: Buffer | null = null;
  #keptBytes = 0;
  #isWhole = true;
  #isStopped = false;

  constructor(wanted: WantedBytes, visitor: FrameVisitor) {
    this.#wanted = wanted;
    this.#visitor = visitor;
  }

  /** Frames of this type wait for their last byte (or stop waiting). Takes effect with the next frame. */
  hold(type: number, isHeld: boolean): void {
    this.#held[type] = isHeld ? 1 : 0;
  }

  /** From now on bytes pass unread. What is held comes out with the next `scan` or `flush`. */
  stop(): void {
    this.#isStopped = true;
  }

  scan(chunk: Buffer, out: ByteOutput | null): void {
    if (this.#isStopped) {
      this.flush(out);
      out?.write(chunk);
      return;
    }
    const size = chunk.length;
    let position = 0;
    if (this.#headerRead > 0) {
      position = this.#advance(chunk, 0, out);
      if (position === size) return;
    }
    let from = position;
    // What a replacement cut the chunk into: it goes out as one, so that a client reads it in one piece as it came.
    let pieces: Buffer[] | null = null;
    while (position + headerBytes <= size && !this.#isStopped) {
      const length = int32At(chunk, position + 1);
      if (length < 4) {
        this.#reportMalformed();
        break;
      }
      const end = position + 1 + length;
      if (end > size) break;
      const type = chunk[position] as number;
      if ((this.#wanted[type] as number) >= 0) {
        const replacement = this.#visitor.frame(type, chunk, position + headerBytes, end, true);
        if (replacement !== null && out !== null) {
          pieces ??= [];
          pieces.push(chunk.subarray(from, position), replacement);
          from = end;
        }
      }
      position = end;
    }
    if (position < size && !this.#isStopped) {
      const isHeldBack = out !== null && this.#held[chunk[position] as number] === 1;
      if (isHeldBack) writeJoined(out, pieces, chunk, from, position);
      this.#isHolding = isHeldBack;
      this.#advance(chunk, position, isHeldBack ? out : null);
      if (isHeldBack) return;
    }
    if (out !== null) writeJoined(out, pieces, chunk, from, size);
  }

  /** Hands out a frame that is held back and will not be completed. */
  flush(out: ByteOutput | null): void {
    if (!this.#isHolding) return;
    this.#isHolding = false;
    const bytes =
      this.#kept === null
        ? Buffer.from(this.#header.subarray(0, this.#headerRead))
        : this.#kept.subarray(0, this.#keptBytes);
    this.#kept = null;
    this.#headerRead = 0;
    if (bytes.length > 0) out?.write(bytes);
  }

  /** Reads header and body bytes of the cut frame from `chunk[start…]`; emits it when complete. Returns where it ends. */
  #advance(chunk: Buffer, start: number, out: ByteOutput | null): number {
    let from = start;
    let at = start;
    const wasHolding = this.#isHolding;
    if (this.#headerRead < headerBytes) {
      const take = Math.min(headerBytes - this.#headerRead, chunk.length - at);
      chunk.copy(this.#header, this.#headerRead, at, at + take);
      this.#headerRead += take;
      at += take;
      if (this.#headerRead === headerBytes && !this.#openBody()) {
        this.#reportMalformed();
        this.#isHolding = false;
      }
      if (wasHolding && !this.#isHolding) {
        out?.write(Buffer.from(this.#header));
        from = at;
      }
      if (this.#isStopped) at = chunk.length;
    }
    if (this.#headerRead === headerBytes && !this.#isStopped) {
      const take = Math.min(this.#bodyLeft, chunk.length - at);
      this.#keep(chunk, at, take);
      this.#bodyLeft -= take;
      at += take;
    }
    if (!this.#isHolding && out !== null && at > from) {
      out.write(at - from === chunk.length ? chunk : chunk.subarray(from, at));
    }
    if (this.#headerRead === headerBytes && this.#bodyLeft === 0 && !this.#isStopped) this.#complete(out);
    return at;
  }

  /** Decides from the complete header what is kept of the body. False: the header is malformed. */
  #openBody(): boolean {
    const type = this.#header[0] as number;
    const length = int32At(this.#header, 1);
    if (length < 4) return false;
    this.#bodyLeft = length - 4;
    const wanted = this.#wanted[type] as number;
    if (this.#isHolding && this.#bodyLeft > limits.maxErrorFrameBytes) this.#isHolding = false;
    const keep =
      wanted < 0 && !this.#isHolding
        ? -1
        : this.#isHolding
          ? this.#bodyLeft
          : Math.min(this.#bodyLeft, wanted);
    this.#isWhole = keep === this.#bodyLeft;
    this.#keptBytes = 0;
    this.#kept = keep < 0 ? null : Buffer.allocUnsafe(headerBytes + keep);
    this.#keep(this.#header, 0, headerBytes);
    return true;
  }

  #keep(bytes: Buffer, start: number, count: number): void {
    if (this.#kept === null || count === 0) return;
    const take = Math.min(count, this.#kept.length - this.#keptBytes);
    bytes.copy(this.#kept, this.#keptBytes, start, start + take);
    this.#keptBytes += take;
  }

  #complete(out: ByteOutput | null): void {
    const kept = this.#kept;
    const isHolding = this.#isHolding;
    this.#kept = null;
    this.#headerRead = 0;
    this.#isHolding = false;
    if (kept === null) return;
    const type = kept[0] as number;
    let replacement: Buffer | null = null;
    if ((this.#wanted[type] as number) >= 0) {
      replacement = this.#visitor.frame(type, kept, headerBytes, kept.length, this.#isWhole);
    }
    if (isHolding) out?.write(replacement ?? kept);
  }

  #reportMalformed(): void {
    this.#isStopped = true;
    this.#visitor.malformed();
  }
}

/** A signed big-endian 32-bit integer, without the bounds checks of Buffer.readInt32BE: the caller made them. */
export function int32At(bytes: Buffer, position: number): number {
  return (
    ((bytes[position] as number) << 24) |
    ((bytes[position + 1] as number) << 16) |
    ((bytes[position + 2] as number) << 8) |
    (bytes[position + 3] as number)
  );
}

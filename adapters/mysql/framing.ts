/**
 * Splits one direction of a MySQL stream into packets (source documentation, "Protocol Basics", "MySQL Packets": three
 * bytes of length, little-endian, a sequence number, the payload; a payload of 0xFFFFFF bytes goes on in the next packet,
 * which may be empty), wherever the network cut it.
 *
 * Invariant: every byte given to `scan` reaches `out` exactly once and in order, at once, except an ERR packet, which
 * waits for its last byte and may come out replaced, and the four bytes of a header whose packet may turn out to be one.
 * Nothing here allocates for a packet that lies whole in its chunk. A declared length is never allocated: only what is
 * wanted of a packet is kept. The first byte of a continuation is never looked at.
 */
import type { ByteOutput } from '../../src/core/adapter.js';
import { limits } from '../../src/core/limits.js';
import { writeJoined } from '../../src/wire/write-joined.js';

const headerBytes = 4;
/** The longest payload of one packet; one of this length is continued. */
export const maxPayloadBytes = 0xff_ff_ff;
/** First byte of an ERR packet. */
export const errorHeader = 0xff;

/** Receives the packets of one direction. */
export interface PacketVisitor {
  /**
   * The first packet of a payload, if its first byte is a wanted one or if it is empty. Called as soon as the wanted part
   * is there. What was wanted is `bytes[start, end)`, a view valid only during the call; the header lies directly before
   * `start`; `length` is the packet's whole payload. `isInStep` is false for an ERR packet with a sequence number that
   * does not follow. Of a scanner that holds errors, the result replaces an ERR packet; null leaves it as it is.
   */
  packet(
    bytes: Buffer,
    start: number,
    end: number,
    length: number,
    sequence: number,
    isInStep: boolean,
  ): Buffer | null;
  /** A further packet of a payload that did not fit into the one before. */
  continued(sequence: number): void;
  /** A sequence number that does not follow the one before, of anything but an ERR packet. */
  outOfStep(): void;
}

/** By first byte: how many bytes of the payload are wanted, -1 where it is of no interest. */
export type WantedBytes = Int32Array;

/** A table that wants so much of everything; fill with `wanted[byte] = bytes`. */
export function wantedBytes(ofEach: number): WantedBytes {
  return new Int32Array(256).fill(ofEach);
}

export class PacketScanner {
  readonly #visitor: PacketVisitor;
  /** Of the server's direction: ERR packets wait, and sequence numbers are checked. */
  readonly #isServer: boolean;
  #wanted: WantedBytes;
  /** Sequence number that the next packet must have; -1: any. */
  #expected = -1;
  /** The next packet goes on with the payload of the last. */
  #isContinuation = false;
  #isStopped = false;

  // The packet that the last chunk cut: header and first byte, then what is wanted of it.
  readonly #head = Buffer.alloc(headerBytes + 1);
  #headRead = 0;
  /** The head is complete, and it is decided what becomes of the packet. */
  #isOpen = false;
  #payloadLeft = 0;
  #kept: Buffer | null = null;
  #keptBytes = 0;
  #isInStep = true;
  #isHolding = false;

  // During `scan`: what goes out before `chunk[from…]`, so that a chunk is one write.
  #pieces: Buffer[] | null = null;
  #from = 0;

  constructor(side: 'client' | 'server', wanted: WantedBytes, visitor: PacketVisitor) {
    this.#isServer = side === 'server';
    this.#wanted = wanted;
    this.#visitor = visitor;
  }

  /** From the next packet on. */
  want(wanted: WantedBytes): void {
    this.#wanted = wanted;
  }

  /** The next packet may have any sequence number. */
  restart(): void {
    this.#expected = -1;
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
    this.#from = 0;
    let position = this.#headRead > 0 ? this.#resume(chunk) : 0;
    let expected = this.#expected;
    let wanted = this.#wanted;
    let isContinuation = this.#isContinuation;
    while (position + headerBytes < size && !this.#isStopped) {
      const length = lengthAt(chunk, position);
      const end = position + headerBytes + length;
      if (end > size) break;
      const sequence = chunk[position + 3] as number;
      const isPassed = (wanted[chunk[position + headerBytes] as number] as number) < 0;
      if (
        isPassed &&
        sequence === expected &&
        !isContinuation &&
        length !== 0 &&
        length !== maxPayloadBytes
      ) {
        expected = (sequence + 1) & 0xff;
      } else {
        this.#expected = expected;
        const replacement = this.#visit(chunk, position, length, sequence);
        if (replacement !== null) this.#replace(chunk, position, end, replacement);
        expected = this.#expected;
        wanted = this.#wanted;
        isContinuation = this.#isContinuation;
      }
      position = end;
    }
    this.#expected = expected;
    const isCut = position < size && !this.#isStopped;
    const to = isCut && this.#begin(chunk, position) ? position : size;
    const pieces = this.#pieces;
    this.#pieces = null;
    if (out !== null) writeJoined(out, pieces, chunk, this.#from, to);
  }

  /** Hands out what is held back and will not be completed. */
  flush(out: ByteOutput | null): void {
    if (!this.#isServer || this.#headRead === 0 || (this.#isOpen && !this.#isHolding)) return;
    const held = this.#kept === null ? this.#head.subarray(0, this.#headRead) : this.#kept;
    const size = this.#kept === null ? this.#headRead : this.#keptBytes;
    this.#isHolding = false;
    this.#close();
    out?.write(Buffer.from(held.subarray(0, size)));
  }

  /** Visits the packet that is still arriving with what has come of it. */
  visitEarly(): void {
    if (this.#isOpen && this.#kept !== null && !this.#isHolding) this.#visitKept();
  }

  /** A packet that lies whole in its chunk. Returns what replaces it. */
  #visit(chunk: Buffer, position: number, length: number, sequence: number): Buffer | null {
    if (this.#isContinuation) {
      this.#continue(length, sequence);
      return null;
    }
    const start = position + headerBytes;
    const first = length === 0 ? -1 : (chunk[start] as number);
    const wanted = first < 0 ? 0 : (this.#wanted[first] as number);
    if (!this.#steps(sequence, first, wanted)) return null;
    const isInStep = this.#isInStep;
    if (isInStep) this.#isContinuation = length === maxPayloadBytes;
    if (wanted < 0) return null;
    return this.#visitor.packet(chunk, start, start + Math.min(length, wanted), length, sequence, isInStep);
  }

  #replace(chunk: Buffer, position: number, end: number, replacement: Buffer): void {
    this.#pieces ??= [];
    this.#pieces.push(chunk.subarray(this.#from, position), replacement);
    this.#from = end;
  }

  /** False: out of step, and the scanner has stopped. An ERR packet is let through, and moves nothing. */
  #steps(sequence: number, first: number, wanted: number): boolean {
    this.#isInStep = !this.#isServer || this.#expected < 0 || sequence === this.#expected;
    if (this.#isInStep) {
      if (this.#isServer) this.#expected = (sequence + 1) & 0xff;
      return true;
    }
    if (first === errorHeader && wanted >= 0) return true;
    this.#isStopped = true;
    this.#visitor.outOfStep();
    return false;
  }

  #continue(length: number, sequence: number): void {
    if (!this.#steps(sequence, -1, -1)) return;
    this.#isContinuation = length === maxPayloadBytes;
    this.#visitor.continued(sequence);
  }

  /** Begins a packet that this chunk cuts. True: its bytes are held back. */
  #begin(chunk: Buffer, position: number): boolean {
    const at = this.#readHead(chunk, position);
    if (!this.#isHeadComplete()) return this.#isServer;
    this.#open();
    this.#take(chunk, at);
    return this.#isHolding;
  }

  /** Goes on with the packet that the last chunk cut. Returns where it ends in this one. */
  #resume(chunk: Buffer): number {
    let at = 0;
    if (!this.#isOpen) {
      const before = this.#headRead;
      at = this.#readHead(chunk, 0);
      if (!this.#isHeadComplete()) {
        this.#from = at;
        return at;
      }
      this.#open();
      if (this.#isServer && !this.#isHolding) this.#pieces = [Buffer.from(this.#head.subarray(0, before))];
    }
    const wasHolding = this.#isHolding;
    if (!this.#isStopped) at = this.#take(chunk, at);
    if (wasHolding) this.#from = at;
    return at;
  }

  #readHead(chunk: Buffer, start: number): number {
    let at = start;
    while (at < chunk.length && !this.#isHeadComplete()) {
      this.#head[this.#headRead] = chunk[at] as number;
      this.#headRead += 1;
      at += 1;
    }
    return at;
  }

  /** The first byte of the payload belongs to it, where there is one that means something. */
  #isHeadComplete(): boolean {
    if (this.#headRead !== headerBytes) return this.#headRead > headerBytes;
    return this.#isContinuation || lengthAt(this.#head, 0) === 0;
  }

  /** Decides from the complete head what becomes of the packet. */
  #open(): void {
    this.#isOpen = true;
    this.#kept = null;
    this.#isHolding = false;
    const length = lengthAt(this.#head, 0);
    const sequence = this.#head[3] as number;
    this.#payloadLeft = length - (this.#headRead - headerBytes);
    if (this.#isContinuation) {
      this.#continue(length, sequence);
      return;
    }
    const first = length === 0 ? -1 : (this.#head[headerBytes] as number);
    const wanted = first < 0 ? 0 : (this.#wanted[first] as number);
    if (!this.#steps(sequence, first, wanted)) return;
    if (this.#isInStep) this.#isContinuation = length === maxPayloadBytes;
    if (wanted < 0) return;
    this.#isHolding = this.#isServer && first === errorHeader && length <= limits.maxErrorFrameBytes;
    const keep = this.#isHolding ? length : Math.min(length, wanted);
    this.#kept = Buffer.allocUnsafe(headerBytes + keep);
    this.#keptBytes = Math.min(this.#headRead, this.#kept.length);
    this.#head.copy(this.#kept, 0, 0, this.#keptBytes);
  }

  /** Takes payload bytes of the cut packet from `chunk[start…]`; visits it once what is wanted is there. */
  #take(chunk: Buffer, start: number): number {
    const end = start + Math.min(this.#payloadLeft, chunk.length - start);
    this.#payloadLeft -= end - start;
    const kept = this.#kept;
    if (kept !== null) {
      this.#keptBytes += chunk.copy(kept, this.#keptBytes, start, end);
      if (this.#keptBytes === kept.length) {
        const wasHolding = this.#isHolding;
        const replacement = this.#visitKept();
        if (wasHolding) {
          this.#isHolding = false;
          this.#pieces ??= [];
          this.#pieces.push(replacement ?? kept);
        }
      }
    }
    if (this.#payloadLeft === 0) this.#close();
    return end;
  }

  #visitKept(): Buffer | null {
    const kept = this.#kept as Buffer;
    this.#kept = null;
    const length = lengthAt(kept, 0);
    const sequence = kept[3] as number;
    return this.#visitor.packet(kept, headerBytes, this.#keptBytes, length, sequence, this.#isInStep);
  }

  #close(): void {
    this.#headRead = 0;
    this.#isOpen = false;
    this.#kept = null;
  }
}

function lengthAt(bytes: Buffer, at: number): number {
  return (bytes[at] as number) | ((bytes[at + 1] as number) << 8) | ((bytes[at + 2] as number) << 16);
}

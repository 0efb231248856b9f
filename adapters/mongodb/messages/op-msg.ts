/**
 * OP_MSG (Wire Protocol, "OP_MSG"): flag bits, sections in any order, a checksum if the flags say so. Just one section is
 * of kind 0, the body; those of kind 1 are sequences of documents under a name.
 */
import { headerBytes, messageLengthOf } from '../framing.js';

export const msgFlag = { checksumPresent: 1, moreToCome: 2, exhaustAllowed: 1 << 16 } as const;

/** A receiver has to know every flag among the low sixteen bits that is set. */
const unknownRequiredFlags = 0xffff & ~(msgFlag.checksumPresent | msgFlag.moreToCome);
export const checksumBytes = 4;
const minDocumentBytes = 5;

/** The documents of a section of kind 1, one behind the other in `bytes[start, end)`. */
export interface DocumentSequence {
  readonly identifier: string;
  readonly bytes: Buffer;
  readonly start: number;
  readonly end: number;
}

/** Reads one message after the other, and allocates for none. What it says is of the last `read` that was true. */
export class OpMsg {
  bytes: Buffer = Buffer.alloc(0);
  flags = 0;
  /** The body document, as [start, end): of a truncated message maybe its beginning alone. */
  bodyStart = 0;
  bodyEnd = 0;
  sequenceCount = 0;
  /** Only the beginning of the message was given: sections may be missing, and the last one may be cut. */
  isTruncated = false;
  /** Of each sequence: start and end of its name, start and end of its documents. */
  readonly #sequences: number[] = [];

  /**
   * `bytes[start, end)` is the message with its header. False where it is malformed, or where no body begins within
   * what was given of it.
   */
  read(bytes: Buffer, start: number, end: number): boolean {
    this.bytes = bytes;
    this.flags = 0;
    this.bodyStart = 0;
    this.bodyEnd = 0;
    this.sequenceCount = 0;
    if (end - start < headerBytes + 4 || end > bytes.length) return false;
    const length = messageLengthOf(bytes, start);
    this.isTruncated = length > end - start;
    if (length < end - start) return false;
    this.flags = bytes.readInt32LE(start + headerBytes);
    if ((this.flags & unknownRequiredFlags) !== 0) return false;
    const sectionsEnd = start + length - (this.hasChecksum ? checksumBytes : 0);
    return this.#readSections(start + headerBytes + 4, Math.min(end, sectionsEnd), sectionsEnd);
  }

  get hasChecksum(): boolean {
    return (this.flags & msgFlag.checksumPresent) !== 0;
  }

  /** Of a request: there will be no reply. Of a reply: another one follows by itself. */
  get isMoreToCome(): boolean {
    return (this.flags & msgFlag.moreToCome) !== 0;
  }

  get isExhaustAllowed(): boolean {
    return (this.flags & msgFlag.exhaustAllowed) !== 0;
  }

  /** The sequences in the order in which they stand; makes objects, for when a failure wants them. */
  sequences(): DocumentSequence[] {
    const { bytes } = this;
    const made: DocumentSequence[] = [];
    for (let at = 0; at < this.sequenceCount * 4; at += 4) {
      const [nameStart, nameEnd, start, end] = this.#sequences.slice(at, at + 4) as [
        number,
        number,
        number,
        number,
      ];
      made.push({ identifier: bytes.toString('utf8', nameStart, nameEnd), bytes, start, end });
    }
    return made;
  }

  /** Sections reach up to `sectionsEnd`, of which the bytes before `end` are there. */
  #readSections(first: number, end: number, sectionsEnd: number): boolean {
    const { bytes } = this;
    let at = first;
    while (at < end) {
      const kind = bytes[at];
      at += 1;
      if (at + 4 > end) return this.isTruncated && at + 4 <= sectionsEnd && this.bodyEnd !== 0;
      const size = bytes.readInt32LE(at);
      if (size < minDocumentBytes || size > sectionsEnd - at) return false;
      if (kind === 0) {
        if (this.bodyEnd !== 0) return false;
        this.bodyStart = at;
        this.bodyEnd = Math.min(at + size, end);
      } else if (kind !== 1 || !this.#addSequence(at, size, end)) return false;
      at += size;
    }
    return this.bodyEnd !== 0;
  }

  #addSequence(at: number, size: number, end: number): boolean {
    const { bytes } = this;
    const nameStart = at + 4;
    const sequenceEnd = Math.min(at + size, end);
    const zeroAt = bytes.indexOf(0, nameStart);
    if (zeroAt < 0 || zeroAt >= sequenceEnd) return sequenceEnd < at + size;
    const index = this.sequenceCount * 4;
    this.#sequences[index] = nameStart;
    this.#sequences[index + 1] = zeroAt;
    this.#sequences[index + 2] = zeroAt + 1;
    this.#sequences[index + 3] = sequenceEnd;
    this.sequenceCount += 1;
    return true;
  }
}

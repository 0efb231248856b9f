/**
 * OP_MSG (Wire Protocol, "OP_MSG"): flag bits, sections in any order, a checksum if the flags say so. Just one section is
 * of kind 0, the body; those of kind 1 are sequences of documents under a name.
 */

export const msgFlag = { checksumPresent: 1, moreToCome: 2, exhaustAllowed: 1 << 16 } as const;

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
  /** The body document, as [start, end). */
  bodyStart = 0;
  bodyEnd = 0;
  sequenceCount = 0;
  /** Only the beginning of the message was given: sequences may be missing, and the last one may be cut. */
  isTruncated = false;

  /**
   * `bytes[start, end)` is the message with its header. False where it is malformed, or where its body lies beyond what
   * was given of it.
   */
  read(bytes: Buffer, start: number, end: number): boolean {
    void bytes;
    void start;
    void end;
    throw new Error('to come');
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
    throw new Error('to come');
  }
}

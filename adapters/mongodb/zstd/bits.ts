/**
 * Bits of a Zstandard bitstream that is read backwards (RFC 8878, section 4.1): from the highest set bit of its last byte
 * down to the lowest bit of its first one.
 *
 * Invariant: no byte before the stream's first is looked at; bits below it are zero, and `left` is then negative.
 */
export class BackwardBits {
  #bytes: Buffer = Buffer.alloc(0);
  #start = 0;
  /** Bits that are still to be read. */
  left = 0;

  /** False for a stream that is empty, or whose last byte has no bit set. */
  open(bytes: Buffer, start: number, end: number): boolean {
    const last = start < end ? (bytes[end - 1] as number) : 0;
    if (last === 0) return false;
    this.#bytes = bytes;
    this.#start = start;
    this.left = (end - start) * 8 - (Math.clz32(last) - 24) - 1;
    return true;
  }

  /** The next `count` bits, at most 24, which stay to be read. */
  peek(count: number): number {
    const low = this.left - count;
    if (low < 0) return this.#below(-low);
    const bytes = this.#bytes;
    const at = this.#start + (low >>> 3);
    // what lies behind the stream is shifted out or masked away
    const word =
      (bytes[at] as number) |
      ((bytes[at + 1] as number) << 8) |
      ((bytes[at + 2] as number) << 16) |
      ((bytes[at + 3] as number) << 24);
    return (word >>> (low & 7)) & ((1 << count) - 1);
  }

  /** The next `count` bits, at most 24. */
  read(count: number): number {
    if (count === 0) return 0;
    const bits = this.peek(count);
    this.left -= count;
    return bits;
  }

  /** All that is left, above `missing` bits that lie before the stream. */
  #below(missing: number): number {
    const { left } = this;
    if (left <= 0) return 0;
    let word = 0;
    for (let index = 0; index * 8 < left; index += 1) {
      word |= (this.#bytes[this.#start + index] as number) << (index * 8);
    }
    return (word & ((1 << left) - 1)) << missing;
  }
}

/** Bytes of one message that comes in pieces. Grows with what has come, never with what was declared. */

const firstBytes = 4 * 1024;

export class GatheredBytes {
  #bytes: Buffer | null = null;
  #size = 0;
  #wanted = 0;

  /** Begins anew, to gather `wanted` bytes. */
  begin(wanted: number): void {
    this.#bytes = null;
    this.#size = 0;
    this.#wanted = wanted;
  }

  get isComplete(): boolean {
    return this.#size === this.#wanted;
  }

  /** Takes from `chunk[from, to)` what is still wanted. */
  add(chunk: Buffer, from: number, to: number): void {
    const end = Math.min(to, from + this.#wanted - this.#size);
    if (end <= from) return;
    const bytes = this.#withRoomFor(this.#size + end - from);
    this.#size += chunk.copy(bytes, this.#size, from, end);
  }

  /** What was gathered, as a buffer of its own. */
  take(): Buffer {
    const bytes = this.#bytes ?? Buffer.alloc(0);
    const size = this.#size;
    this.begin(0);
    return size === bytes.length ? bytes : bytes.subarray(0, size);
  }

  #withRoomFor(needed: number): Buffer {
    const old = this.#bytes;
    if (old !== null && old.length >= needed) return old;
    const size = Math.min(this.#wanted, Math.max(needed, old === null ? firstBytes : old.length * 2));
    const bytes = Buffer.allocUnsafe(size);
    old?.copy(bytes, 0, 0, this.#size);
    this.#bytes = bytes;
    return bytes;
  }
}

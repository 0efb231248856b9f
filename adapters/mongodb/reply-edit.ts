/**
 * Puts bytes into a reply, or other bytes in the place of some, in one pass: an OP_MSG or OP_REPLY, not compressed.
 *
 * Invariant: every byte outside of the changes stays as it is, but for the lengths of what encloses them, the message's
 * own and the checksum. A message whose checksum is wrong is not opened: it would come out with one that is right.
 */
import { limits } from '../../src/core/limits.js';
import { crc32c } from './checksum.js';
import { messageLengthOf, opCode, opCodeOf } from './framing.js';
import { checksumBytes, OpMsg } from './messages/op-msg.js';
import { decodeOpReply } from './messages/op-reply.js';

interface Change {
  readonly from: number;
  readonly to: number;
  readonly bytes: Buffer;
}

export class ReplyEdit {
  readonly bytes: Buffer;
  readonly #start: number;
  readonly #end: number;
  readonly #hasChecksum: boolean;
  /** The body document, as [bodyStart, bodyEnd). */
  readonly bodyStart: number;
  readonly bodyEnd: number;
  readonly #changes: Change[] = [];
  /** By where a length stands: by how much it grows. */
  readonly #growth = new Map<number, number>();

  private constructor(
    bytes: Buffer,
    span: { readonly start: number; readonly end: number },
    body: { readonly start: number; readonly end: number },
    hasChecksum: boolean,
  ) {
    this.bytes = bytes;
    this.#start = span.start;
    this.#end = span.end;
    this.bodyStart = body.start;
    this.bodyEnd = body.end;
    this.#hasChecksum = hasChecksum;
  }

  /** `bytes[start, end)`: the message with its header. Null where it has no body that can be edited. */
  static open(bytes: Buffer, start: number, end: number): ReplyEdit | null {
    const span = { start, end };
    if (end - start < 16 || end > bytes.length || messageLengthOf(bytes, start) !== end - start) return null;
    switch (opCodeOf(bytes, start)) {
      case opCode.msg: {
        const message = new OpMsg();
        if (!message.read(bytes, start, end)) return null;
        const { hasChecksum, bodyStart, bodyEnd } = message;
        const sumAt = end - checksumBytes;
        if (hasChecksum && bytes.readUInt32LE(sumAt) !== crc32c(bytes, start, sumAt)) return null;
        return new ReplyEdit(bytes, span, { start: bodyStart, end: bodyEnd }, hasChecksum);
      }
      case opCode.reply: {
        const reply = decodeOpReply(bytes, start, end);
        return reply === null || reply.documentCount === 0 ? null : new ReplyEdit(bytes, span, reply, false);
      }
      default:
        return null;
    }
  }

  get isChanged(): boolean {
    return this.#changes.length > 0;
  }

  /** True where the body, and with it the message, may grow by so many bytes more. */
  hasRoomFor(size: number): boolean {
    const grown = size + this.#growthAt(this.bodyStart);
    const bodyBytes = this.bodyEnd - this.bodyStart + grown;
    const messageBytes = this.#end - this.#start + grown;
    return bodyBytes <= limits.maxDocumentBytes && messageBytes <= limits.maxMessageBytes;
  }

  /**
   * Puts `replacement` in the place of `bytes[from, to)`, which lies in the body. `lengthsAt` names where the lengths of
   * what encloses it stand, but for the body's and the message's. Changes do not overlap, and may come in any order.
   */
  replace(from: number, to: number, replacement: Buffer, lengthsAt: readonly number[]): void {
    const growth = replacement.length - (to - from);
    this.#changes.push({ from, to, bytes: replacement });
    this.#grow(this.#start, growth);
    this.#grow(this.bodyStart, growth);
    for (const at of lengthsAt) this.#grow(at, growth);
  }

  /** The message with all changes. */
  finish(): Buffer {
    const { bytes } = this;
    const changed = Buffer.allocUnsafe(this.#end - this.#start + this.#growthAt(this.#start));
    const changes = this.#changes.toSorted((left, right) => left.from - right.from);
    const lengths = [...this.#growth].toSorted(([left], [right]) => left - right);
    let nextLength = 0;
    let written = 0;
    let at = this.#start;
    for (const change of [...changes, { from: this.#end, to: this.#end, bytes: null }]) {
      const movedBy = written - at;
      written += bytes.copy(changed, written, at, change.from);
      for (; nextLength < lengths.length; nextLength += 1) {
        const [lengthAt, growth] = lengths[nextLength] as [number, number];
        if (lengthAt >= change.from) break;
        changed.writeInt32LE(bytes.readInt32LE(lengthAt) + growth, lengthAt + movedBy);
      }
      if (change.bytes !== null) written += change.bytes.copy(changed, written);
      at = change.to;
    }
    if (this.#hasChecksum) {
      const sumAt = changed.length - checksumBytes;
      changed.writeUInt32LE(crc32c(changed, 0, sumAt), sumAt);
    }
    return changed;
  }

  #grow(lengthAt: number, growth: number): void {
    this.#growth.set(lengthAt, this.#growthAt(lengthAt) + growth);
  }

  #growthAt(lengthAt: number): number {
    return this.#growth.get(lengthAt) ?? 0;
  }
}

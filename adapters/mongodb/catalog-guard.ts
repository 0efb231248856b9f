/**
 * Stands between the catalog connection's bytes and the driver: lets replies pass that are one document from end to end,
 * as they come (MongoDB Wire Protocol, "Standard Message Header", "OP_MSG", "OP_REPLY").
 *
 * Invariant: after the first message that is refused nothing more passes, and of a refused one never its last byte. The
 * driver takes a server's word for every length: eight zero bytes make it loop until memory runs out, a document of a
 * negative length for ever, a large number makes it gather that much, and a compressed reply, which it never asked for,
 * unfolds to whatever it holds.
 */
import { Transform, type TransformCallback } from 'node:stream';
import { limits } from '../../src/core/limits.js';

const opReply = 1;
const opMsg = 2013;
const headerBytes = 16;
/** Up to and with the length of the document: after flags and kind of section, or after flags, cursor and counts. */
const msgPrefixBytes = headerBytes + 4 + 1 + 4;
const replyPrefixBytes = headerBytes + 20 + 4;
const lengthBytes = 4;
/** Bits of an OP_MSG that a reader must know: checksum, more to come. Nobody asked for either. */
const requiredFlags = 0xffff;

export class CatalogGuard extends Transform {
  readonly #prefix = Buffer.alloc(replyPrefixBytes);
  #prefixLength = 0;
  /** Bytes of the current message that are still to come after its prefix. */
  #bodyLeft = 0;

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    if (this.#isReadable(chunk)) done(null, chunk);
    else done(new Error('The server sent a message that cannot be read.'));
  }

  #isReadable(chunk: Buffer): boolean {
    let at = 0;
    while (at < chunk.length) {
      if (this.#bodyLeft > 0) {
        const skipped = Math.min(this.#bodyLeft, chunk.length - at);
        this.#bodyLeft -= skipped;
        at += skipped;
        continue;
      }
      const wanted = this.#wanted();
      const copied = chunk.copy(this.#prefix, this.#prefixLength, at, at + wanted - this.#prefixLength);
      this.#prefixLength += copied;
      at += copied;
      if (this.#prefixLength < wanted) return true;
      if (wanted === headerBytes ? !this.#isHeaderGood() : !this.#isPrefixGood(wanted)) return false;
    }
    return true;
  }

  /** How much of the message is to be looked at next: its header, then as much as its opcode has before the document. */
  #wanted(): number {
    if (this.#prefixLength < headerBytes) return headerBytes;
    return this.#prefix.readInt32LE(12) === opMsg ? msgPrefixBytes : replyPrefixBytes;
  }

  #isHeaderGood(): boolean {
    const length = this.#prefix.readInt32LE(0);
    const opcode = this.#prefix.readInt32LE(12);
    const least = opcode === opMsg ? msgPrefixBytes : opcode === opReply ? replyPrefixBytes : Infinity;
    return length > least && length <= limits.maxCatalogMessageBytes;
  }

  #isPrefixGood(prefixBytes: number): boolean {
    const length = this.#prefix.readInt32LE(0);
    const documentAt = prefixBytes - lengthBytes;
    this.#bodyLeft = length - prefixBytes;
    this.#prefixLength = 0;
    const isAlone =
      prefixBytes === msgPrefixBytes
        ? (this.#prefix.readUInt32LE(16) & requiredFlags) === 0 && this.#prefix[20] === 0
        : this.#prefix.readInt32LE(32) === 1;
    return isAlone && this.#prefix.readInt32LE(documentAt) === length - documentAt;
  }
}

/**
 * Stands between the catalog connection's bytes and the driver: lets replies pass whose length can be one, as they come
 * (MongoDB Wire Protocol, "Standard Message Header").
 *
 * Invariant: after the first header that is refused nothing more passes. The driver takes a server's word for every
 * length: eight zero bytes make it loop until memory runs out, a large number makes it gather that much, and a
 * compressed reply, which it never asked for, unfolds to whatever it holds.
 */
import { Transform, type TransformCallback } from 'node:stream';
import { limits } from '../../src/core/limits.js';

const headerBytes = 16;
const opReply = 1;
const opMsg = 2013;

export class CatalogGuard extends Transform {
  readonly #header = Buffer.alloc(headerBytes);
  #headerLength = 0;
  /** Bytes of the current message that are still to come. */
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
      const copied = chunk.copy(this.#header, this.#headerLength, at);
      this.#headerLength += copied;
      at += copied;
      if (this.#headerLength < headerBytes) return true;
      this.#headerLength = 0;
      if (!this.#accepts()) return false;
    }
    return true;
  }

  #accepts(): boolean {
    const length = this.#header.readInt32LE(0);
    const opcode = this.#header.readInt32LE(12);
    this.#bodyLeft = length - headerBytes;
    return (
      length > headerBytes &&
      length <= limits.maxCatalogMessageBytes &&
      (opcode === opMsg || opcode === opReply)
    );
  }
}

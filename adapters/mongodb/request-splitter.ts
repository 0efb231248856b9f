/**
 * Splits what a client sends into messages, wherever the network cut it. The bytes are on their way already: nothing is
 * handed out, and of a message that comes in pieces no more than `limits.maxKeptRequestBytes` is kept.
 *
 * Invariant: a message that lies whole in its chunk is visited where it lies, and costs no allocation. A declared length
 * is never allocated: what is kept grows with what has come.
 */
import { limits } from '../../src/core/limits.js';
import { headerBytes, isMessageLength, messageLengthOf } from './framing.js';
import { GatheredBytes } from './gathered-bytes.js';

export interface RequestVisitor {
  /**
   * `bytes[start, end)` is the message with its header, `length` its declared length: `end - start < length` where only
   * its beginning was kept. Called once for each message, as soon as that much is there. `bytes` is never written to
   * again and may be kept (a network chunk, or a buffer of its own); `keepMessage` keeps no more than needed.
   */
  request(bytes: Buffer, start: number, end: number, length: number): void;
  /** A length that no message has. The splitter has stopped. */
  malformed(): void;
}

export class RequestSplitter {
  readonly #visitor: RequestVisitor;
  #isStopped = false;

  // The message that the last chunk cut.
  readonly #header = Buffer.alloc(headerBytes);
  #headerRead = 0;
  #left = 0;
  #isVisited = false;
  readonly #gathered = new GatheredBytes();

  constructor(visitor: RequestVisitor) {
    this.#visitor = visitor;
  }

  /** From now on bytes are not looked at. May be called by the visitor. */
  stop(): void {
    this.#isStopped = true;
    this.#gathered.begin(0);
  }

  scan(chunk: Buffer): void {
    const size = chunk.length;
    let at = this.#headerRead > 0 && !this.#isStopped ? this.#resume(chunk, 0) : 0;
    while (at + headerBytes <= size && !this.#isStopped) {
      const length = messageLengthOf(chunk, at);
      if (!isMessageLength(length)) this.#fail();
      else if (length > size - at) break;
      else {
        this.#visitor.request(chunk, at, at + Math.min(length, limits.maxKeptRequestBytes), length);
        at += length;
      }
    }
    if (at < size && !this.#isStopped) this.#resume(chunk, at);
  }

  /** Goes on with a message that came in pieces, or begins one. Returns where in `chunk` it ends. */
  #resume(chunk: Buffer, start: number): number {
    let at = start;
    if (this.#headerRead < headerBytes) {
      const read = chunk.copy(this.#header, this.#headerRead, at, at + headerBytes - this.#headerRead);
      this.#headerRead += read;
      at += read;
      if (this.#headerRead < headerBytes || !this.#begin()) return at;
    }
    const end = at + Math.min(this.#left, chunk.length - at);
    this.#left -= end - at;
    if (!this.#isVisited) this.#keep(chunk, at, end);
    if (this.#left === 0) this.#headerRead = 0;
    return end;
  }

  #begin(): boolean {
    const length = messageLengthOf(this.#header, 0);
    if (!isMessageLength(length)) {
      this.#fail();
      return false;
    }
    this.#left = length - headerBytes;
    this.#isVisited = false;
    this.#gathered.begin(Math.min(length, limits.maxKeptRequestBytes));
    this.#gathered.add(this.#header, 0, headerBytes);
    return true;
  }

  #keep(chunk: Buffer, from: number, to: number): void {
    this.#gathered.add(chunk, from, to);
    if (!this.#gathered.isComplete) return;
    this.#isVisited = true;
    const kept = this.#gathered.take();
    this.#visitor.request(kept, 0, kept.length, messageLengthOf(this.#header, 0));
  }

  #fail(): void {
    this.stop();
    this.#visitor.malformed();
  }
}

/** The message as a buffer to be kept until it is answered: a view, or a copy where the view would hold on to much more. */
export function keepMessage(bytes: Buffer, start: number, end: number): Buffer {
  const size = end - start;
  if (start === 0 && size === bytes.length) return bytes;
  const view = bytes.subarray(start, end);
  return bytes.buffer.byteLength <= 2 * size ? view : Buffer.from(view);
}

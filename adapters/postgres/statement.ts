/** The text of a statement the client sent: bytes kept as they came, decoded when someone asks. */
import type { StatementText } from '../../src/core/verdict.js';
import type { TextDecoding } from './text-decoding.js';

/** Chunks up to this size are kept alive rather than copied from. */
const maxPinnedChunkBytes = 4 * 1024;

export class Statement implements StatementText {
  readonly #bytes: Buffer;
  readonly #start: number;
  readonly #end: number;
  readonly #decoding: TextDecoding;
  #text: string | null = null;
  readonly isTruncated: boolean;
  /** Name it is prepared under; empty for the unnamed statement and for simple queries. */
  readonly name: string;

  private constructor(
    bytes: Buffer,
    start: number,
    end: number,
    isTruncated: boolean,
    name: string,
    decoding: TextDecoding,
  ) {
    this.#bytes = bytes;
    this.#start = start;
    this.#end = end;
    this.isTruncated = isTruncated;
    this.name = name;
    this.#decoding = decoding;
  }

  /** Refers to `bytes`, which stay alive until the verdict. */
  static ofQuery(
    bytes: Buffer,
    start: number,
    end: number,
    isTruncated: boolean,
    decoding: TextDecoding,
  ): Statement {
    return new Statement(bytes, start, end, isTruncated, '', decoding);
  }

  /** May live as long as the session: copies unless the chunk is small. */
  static prepared(
    bytes: Buffer,
    start: number,
    end: number,
    isTruncated: boolean,
    name: string,
    decoding: TextDecoding,
  ): Statement {
    if (name === '' && bytes.length <= maxPinnedChunkBytes) {
      return new Statement(bytes, start, end, isTruncated, name, decoding);
    }
    const copy = Buffer.from(bytes.subarray(start, end));
    return new Statement(copy, 0, copy.length, isTruncated, name, decoding);
  }

  /** A statement known by its text alone. */
  static synthetic(text: string, decoding: TextDecoding): Statement {
    const bytes = Buffer.from(text);
    return new Statement(bytes, 0, bytes.length, false, '', decoding);
  }

  get byteLength(): number {
    return this.#end - this.#start;
  }

  text(): string {
    this.#text ??= this.#decoding.decode(this.#bytes, this.#start, this.#end);
    return this.#text;
  }
}

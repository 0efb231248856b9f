/** The text of a statement the client sent, and the name it is prepared under. */
import { KeptText } from '../../src/wire/kept-text.js';
import type { TextDecoding } from './text-decoding.js';

/** Chunks up to this size are kept alive rather than copied from. */
const maxPinnedChunkBytes = 4 * 1024;

export class Statement extends KeptText {
  /** Empty for the unnamed statement and for simple queries. */
  readonly name: string;

  private constructor(
    bytes: Buffer,
    start: number,
    end: number,
    isTruncated: boolean,
    name: string,
    decoding: TextDecoding,
  ) {
    super(bytes, start, end, isTruncated, decoding);
    this.name = name;
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
}

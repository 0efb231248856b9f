/**
 * Walks the elements of one BSON document where it lies: keys and types are read, values only by who asks for one.
 *
 * Invariant: no position it gives out lies outside the document it was opened on, whatever the bytes; a length that
 * does not fit stops it and sets `isMalformed`. Nothing is allocated for an element, and a cursor may be opened again.
 */
import { bsonType, fixedSizes } from './types.js';

export class BsonCursor {
  bytes: Buffer = Buffer.alloc(0);
  /** The document with its length, as [start, end). */
  start = 0;
  end = 0;
  /** The current element: its type, its key without the zero byte, its value. Valid after `next` said true. */
  type = 0;
  keyStart = 0;
  keyEnd = 0;
  valueStart = 0;
  valueEnd = 0;
  isMalformed = false;
  /** Only the beginning of the document is there: its elements are those that are whole, and the containers that are not. */
  isCut = false;
  #next = 0;

  /**
   * Opens the document at `start`; false, and malformed, unless it ends at or before `limit` with its zero byte, or is
   * said to be cut there (`mayBeCut`) and begins before it.
   */
  open(bytes: Buffer, start: number, limit: number, mayBeCut = false): boolean {
    this.bytes = bytes;
    this.start = start;
    this.isMalformed = true;
    this.isCut = false;
    this.end = start;
    this.#next = start;
    if (limit > bytes.length || limit - start < 5) return false;
    const length = bytes.readInt32LE(start);
    if (mayBeCut && length > limit - start) {
      // as if a zero byte stood behind what is there
      this.end = limit + 1;
      this.#next = start + 4;
      this.isMalformed = false;
      this.isCut = true;
      return true;
    }
    if (length < 5 || length > limit - start || bytes[start + length - 1] !== 0) return false;
    this.end = start + length;
    this.#next = start + 4;
    this.isMalformed = false;
    return true;
  }

  /** Opens the document or array that is the current value of `outer`. */
  enter(outer: BsonCursor): boolean {
    return this.open(outer.bytes, outer.valueStart, outer.valueEnd, outer.isCut);
  }

  /** Moves to the next element; false at the end, and where the bytes make no sense. */
  next(): boolean {
    const { bytes, end } = this;
    const at = this.#next;
    if (this.isMalformed || at >= end - 1) {
      if (at !== end - 1) this.isMalformed = true;
      return false;
    }
    const type = bytes[at] as number;
    let keyEnd = at + 1;
    while (keyEnd < end && bytes[keyEnd] !== 0) keyEnd += 1;
    const valueStart = keyEnd + 1;
    const size = this.#sizeOf(type, valueStart);
    // the last byte of the document is its own
    if (size < 0 || size > end - 1 - valueStart) {
      this.isMalformed = true;
      return false;
    }
    this.type = type;
    this.keyStart = at + 1;
    this.keyEnd = keyEnd;
    this.valueStart = valueStart;
    this.valueEnd = valueStart + size;
    this.#next = this.valueEnd;
    return true;
  }

  /** True where the current key has just these bytes; `name` is ASCII. */
  isKey(name: string): boolean {
    const { bytes, keyStart } = this;
    if (this.keyEnd - keyStart !== name.length) return false;
    for (let index = 0; index < name.length; index += 1) {
      if (bytes[keyStart + index] !== name.charCodeAt(index)) return false;
    }
    return true;
  }

  /** The current key, decoded. */
  key(): string {
    return this.bytes.toString('utf8', this.keyStart, this.keyEnd);
  }

  /** The current value where it is text (string, symbol, code), decoded; else null. */
  text(): string | null {
    switch (this.type) {
      case bsonType.string:
      case bsonType.symbol:
      case bsonType.code:
        return this.bytes.toString('utf8', this.valueStart + 4, this.valueEnd - 1);
      default:
        return null;
    }
  }

  /** The current value where it is a number or a boolean (true is 1), as servers read `ok` and codes; else NaN. */
  number(): number {
    const { bytes, valueStart } = this;
    switch (this.type) {
      case bsonType.double:
        return bytes.readDoubleLE(valueStart);
      case bsonType.int32:
        return bytes.readInt32LE(valueStart);
      case bsonType.int64:
        return Number(bytes.readBigInt64LE(valueStart));
      case bsonType.boolean:
        return bytes[valueStart] === 0 ? 0 : 1;
      default:
        return Number.NaN;
    }
  }

  get isContainer(): boolean {
    return this.type === bsonType.document || this.type === bsonType.array;
  }

  /** Bytes of the value at `at`, or -1 where they cannot be told or do not fit. */
  #sizeOf(type: number, at: number): number {
    const { bytes, end } = this;
    const fixed = fixedSizes[type] as number;
    if (fixed >= 0) return fixed;
    if (fixed === -2) return -1;
    const room = end - 1 - at;
    if (type === bsonType.regex) return this.#sizeOfRegex(at);
    if (room < 4) return -1;
    const length = bytes.readInt32LE(at);
    switch (type) {
      case bsonType.document:
      case bsonType.array:
        if (this.isCut && length > room) return room;
        return length < 5 || length > room || bytes[at + length - 1] !== 0 ? -1 : length;
      case bsonType.codeWithScope:
        return length < 14 || length > room ? -1 : length;
      case bsonType.binary:
        return length < 0 || length > room - 5 ? -1 : length + 5;
      case bsonType.dbPointer:
        return length < 1 || length > room - 16 ? -1 : length + 16;
      default:
        // text: its length counts the zero byte at its end
        return length < 1 || length > room - 4 || bytes[at + 4 + length - 1] !== 0 ? -1 : length + 4;
    }
  }

  /** Two texts, each up to its zero byte. */
  #sizeOfRegex(at: number): number {
    const { bytes, end } = this;
    let zeros = 0;
    for (let index = at; index < end - 1; index += 1) {
      if (bytes[index] !== 0) continue;
      zeros += 1;
      if (zeros === 2) return index + 1 - at;
    }
    return -1;
  }
}

/** Levels over BSON where it lies. Each keeps the one below it, so that a walk allocates once for each depth ever reached. */
import { limits } from '../../../src/core/limits.js';
import { BsonCursor } from '../bson/cursor.js';
import { bsonType } from '../bson/types.js';
import type { DocumentSequence } from '../messages/op-msg.js';
import type { Level } from './level.js';

const nothing = Buffer.alloc(0);

class BsonLevel implements Level {
  readonly cursor = new BsonCursor();
  readonly #keys: KeyCache;
  readonly #depth: number;
  #inner: BsonLevel | null = null;

  constructor(keys: KeyCache, depth: number) {
    this.#keys = keys;
    this.#depth = depth;
  }

  get type(): number {
    return this.cursor.type;
  }

  next(): boolean {
    return this.cursor.next();
  }

  key(): string {
    const { bytes, keyStart, keyEnd } = this.cursor;
    return this.#keys.read(bytes, keyStart, keyEnd);
  }

  text(): string | null {
    return this.cursor.type === bsonType.string ? this.cursor.text() : null;
  }

  number(): number {
    return this.cursor.number();
  }

  options(): string {
    const { bytes, type, valueStart, valueEnd } = this.cursor;
    if (type !== bsonType.regex) return '';
    return bytes.toString('latin1', bytes.indexOf(0, valueStart) + 1, valueEnd - 1);
  }

  enter(): Level | null {
    if (!this.cursor.isContainer || this.#depth >= limits.maxCommandDepth) return null;
    this.#inner ??= new BsonLevel(this.#keys, this.#depth + 1);
    return this.#inner.cursor.enter(this.cursor) ? this.#inner : null;
  }

  /** Lets go of the bytes, here and below. */
  release(): void {
    this.cursor.bytes = nothing;
    this.#inner?.release();
  }
}

/** The documents of one sequence, as an array of them. */
class SequenceLevel implements Level {
  readonly type = bsonType.document;
  readonly #document: BsonLevel;
  #sequence: DocumentSequence = { identifier: '', bytes: nothing, start: 0, end: 0 };
  #mayBeCut = false;
  #at = 0;
  #next = 0;

  constructor(keys: KeyCache) {
    // as deep as in an array of the body
    this.#document = new BsonLevel(keys, 2);
  }

  open(sequence: DocumentSequence, mayBeCut: boolean): void {
    this.#sequence = sequence;
    this.#mayBeCut = mayBeCut;
    this.#next = sequence.start;
  }

  next(): boolean {
    const { bytes, end } = this.#sequence;
    this.#at = this.#next;
    if (end - this.#at < 5 || end > bytes.length) return false;
    const length = bytes.readInt32LE(this.#at);
    if (length < 5 || (length > end - this.#at && !this.#mayBeCut)) return false;
    this.#next = this.#at + Math.min(length, end - this.#at);
    return true;
  }

  key(): string {
    return '';
  }

  text(): null {
    return null;
  }

  number(): number {
    return Number.NaN;
  }

  options(): string {
    return '';
  }

  enter(): Level | null {
    const { bytes } = this.#sequence;
    return this.#document.cursor.open(bytes, this.#at, this.#next, this.#mayBeCut) ? this.#document : null;
  }

  release(): void {
    this.open({ identifier: '', bytes: nothing, start: 0, end: 0 }, false);
    this.#document.release();
  }
}

/** A command: the elements of its body, then each sequence as one more. */
export class CommandLevel implements Level {
  readonly #keys = new KeyCache();
  readonly #body = new BsonLevel(this.#keys, 0);
  readonly #sequence = new SequenceLevel(this.#keys);
  #sequences: readonly DocumentSequence[] = [];
  #isTruncated = false;
  /** Which sequence is current; -1 while it is the body. */
  #at = -1;

  open(
    body: Buffer,
    start: number,
    end: number,
    sequences: readonly DocumentSequence[],
    isTruncated: boolean,
  ): void {
    this.#sequences = sequences;
    this.#isTruncated = isTruncated;
    this.#at = -1;
    if (start < 0 || end < start) this.#body.cursor.open(nothing, 0, 0);
    else this.#body.cursor.open(body, start, end, isTruncated);
  }

  get type(): number {
    return this.#at < 0 ? this.#body.type : bsonType.array;
  }

  next(): boolean {
    if (this.#at < 0 && this.#body.next()) return true;
    this.#at += 1;
    return this.#at < this.#sequences.length;
  }

  key(): string {
    return this.#at < 0 ? this.#body.key() : (this.#sequences[this.#at]?.identifier ?? '');
  }

  text(): string | null {
    return this.#at < 0 ? this.#body.text() : null;
  }

  number(): number {
    return this.#at < 0 ? this.#body.number() : Number.NaN;
  }

  options(): string {
    return this.#at < 0 ? this.#body.options() : '';
  }

  enter(): Level | null {
    if (this.#at < 0) return this.#body.enter();
    const sequence = this.#sequences[this.#at];
    if (sequence === undefined) return null;
    this.#sequence.open(sequence, this.#isTruncated);
    return this.#sequence;
  }

  release(): void {
    this.#sequences = [];
    this.#body.release();
    this.#sequence.release();
  }
}

const slots = 1024;
const maxCachedKeyBytes = 48;

/** Keys come again and again: decoding one costs more than finding it. */
class KeyCache {
  readonly #known: (string | undefined)[] = new Array(slots).fill(undefined);

  read(bytes: Buffer, start: number, end: number): string {
    const length = end - start;
    if (length > maxCachedKeyBytes) return bytes.toString('utf8', start, end);
    let hash = length;
    for (let at = start; at < end; at += 1) hash = (Math.imul(hash, 31) + (bytes[at] as number)) | 0;
    const slot = hash & (slots - 1);
    const known = this.#known[slot];
    if (known !== undefined && known.length === length && isSame(known, bytes, start)) return known;
    const key = bytes.toString('utf8', start, end);
    this.#known[slot] = key;
    return key;
  }
}

/** True for ASCII only: of other text no byte is its character. */
function isSame(text: string, bytes: Buffer, start: number): boolean {
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    if (unit !== bytes[start + index] || unit > 0x7f) return false;
  }
  return true;
}

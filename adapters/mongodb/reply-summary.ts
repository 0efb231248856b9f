/**
 * Follows the body of a reply that passes in pieces, and makes a small BSON document of its top-level elements and of
 * those of `cursor`: of a batch of 16 MB there remain the cursor's id, `ok`, and what the server appends to each reply.
 *
 * Invariant: of a value no more is looked at than it takes to know its size; values are copied only if they are short.
 */
import { limits } from '../../src/core/limits.js';
import { bsonType, fixedSizes } from './bson/types.js';
import { headerBytes, opCode } from './framing.js';
import { msgFlag } from './messages/op-msg.js';

/** A longer value is left out, or empty if it is a container. */
const maxValueBytes = 2 * 1024;
const maxHeadBytes = 256;
const emptyDocument = Buffer.from([5, 0, 0, 0, 0]);
/** Between the header of an OP_REPLY and its first document. */
const replyHeadBytes = 20;

type Expected = 'prefix' | 'section' | 'sequence size' | 'document size' | 'element' | 'nothing';

export class ReplySummary {
  #expected: Expected = 'nothing';
  #isFailed = false;
  #isMsg = false;
  #flags = 0;
  /** Where in the message the next byte stands, and where the message and the documents around end. */
  #at = 0;
  #messageEnd = 0;
  #bodyEnd = 0;
  #cursorEnd = 0;

  // What is being read: a piece that is looked at, then bytes to pass or to copy.
  readonly #head = Buffer.alloc(maxHeadBytes);
  #headSize = 0;
  /** Where in the head the zero byte of an element's key stands; 0 until it has come. */
  #keyEnd = 0;
  #toSkip = 0;
  #toCopy = 0;

  #made: Buffer | null = null;
  #size = 0;
  #bodyAt = -1;
  #cursorAt = -1;

  /** For a message of `length` bytes; what is fed begins behind its header. */
  begin(code: number, length: number): void {
    this.#isMsg = code === opCode.msg;
    this.#isFailed = !this.#isMsg && code !== opCode.reply;
    this.#expected = 'prefix';
    this.#flags = 0;
    this.#at = headerBytes;
    this.#messageEnd = length;
    this.#clearHead();
    this.#toSkip = 0;
    this.#toCopy = 0;
    this.#size = 0;
    this.#bodyAt = -1;
    this.#cursorAt = -1;
  }

  get flags(): number {
    return this.#flags;
  }

  feed(bytes: Buffer, start: number, end: number): void {
    let at = start;
    while (at < end && !this.#isFailed) {
      if (this.#toSkip > 0 || this.#toCopy > 0) at = this.#pass(bytes, at, end);
      else if (this.#expected === 'nothing') return;
      else {
        this.#head[this.#headSize] = bytes[at] as number;
        this.#headSize += 1;
        this.#at += 1;
        at += 1;
        this.#look();
      }
    }
  }

  /** The document, valid until `begin`; null where there was no body, or none that could be followed. */
  finish(): Buffer | null {
    const made = this.#made;
    if (this.#isFailed || this.#expected !== 'nothing' || made === null || this.#bodyAt < 0) return null;
    return made.subarray(0, this.#size);
  }

  #pass(bytes: Buffer, start: number, end: number): number {
    const size = Math.min(this.#toSkip > 0 ? this.#toSkip : this.#toCopy, end - start);
    this.#at += size;
    if (this.#toSkip > 0) this.#toSkip -= size;
    else {
      this.#size += bytes.copy(this.#made as Buffer, this.#size, start, start + size);
      this.#toCopy -= size;
    }
    return start + size;
  }

  /** Acts once the head holds enough to be understood. */
  #look(): void {
    const size = this.#headSize;
    switch (this.#expected) {
      case 'prefix':
        if (size === (this.#isMsg ? 4 : replyHeadBytes)) this.#openMessage();
        break;
      case 'section':
        this.#openSection();
        break;
      case 'sequence size':
        if (size === 4) this.#skipSequence();
        break;
      case 'document size':
        if (size === 4) this.#openBody();
        break;
      default:
        this.#lookAtElement();
    }
  }

  #openMessage(): void {
    this.#flags = this.#head.readInt32LE(0);
    if (this.#isMsg && (this.#flags & msgFlag.checksumPresent) !== 0) this.#messageEnd -= 4;
    this.#expect(this.#isMsg ? 'section' : 'document size');
  }

  #openSection(): void {
    const kind = this.#head[0];
    if (kind === 1) this.#expect('sequence size');
    else if (kind === 0 && this.#bodyAt < 0) this.#expect('document size');
    else this.#isFailed = true;
  }

  #skipSequence(): void {
    const size = this.#head.readInt32LE(0);
    if (size < 5 || size - 4 > this.#messageEnd - this.#at) {
      this.#isFailed = true;
      return;
    }
    this.#toSkip = size - 4;
    const isLast = this.#at + this.#toSkip === this.#messageEnd;
    this.#expect(isLast ? 'nothing' : 'section');
  }

  #openBody(): void {
    const length = this.#head.readInt32LE(0);
    this.#bodyEnd = this.#at - 4 + length;
    if (length < 5 || this.#bodyEnd > this.#messageEnd) {
      this.#isFailed = true;
      return;
    }
    this.#made ??= Buffer.allocUnsafe(limits.maxReplySummaryBytes);
    this.#bodyAt = this.#size;
    this.#size += 4;
    this.#expect('element');
  }

  #lookAtElement(): void {
    const head = this.#head;
    const size = this.#headSize;
    const type = head[0] as number;
    if (type === 0) {
      this.#closeDocument();
      return;
    }
    if (this.#keyEnd === 0) {
      if (size === maxHeadBytes) this.#isFailed = true;
      if (head[size - 1] !== 0) return;
      this.#keyEnd = size - 1;
    }
    const keyEnd = this.#keyEnd;
    const fixed = fixedSizes[type] as number;
    if (fixed >= 0) {
      this.#take(type, keyEnd, fixed);
      return;
    }
    if (size < keyEnd + 5) {
      // a regular expression does not say its size, and no server puts one here
      if (fixed === -2 || type === bsonType.regex || size === maxHeadBytes) this.#isFailed = true;
      return;
    }
    const length = head.readInt32LE(keyEnd + 1);
    this.#take(type, keyEnd, length < 0 ? -1 : length - 4 + sizeBesideLength(type));
  }

  /** An element whose value has `rest` bytes that are still to come. */
  #take(type: number, keyEnd: number, rest: number): void {
    const isContainer = type === bsonType.document || type === bsonType.array;
    const end = this.#cursorAt < 0 ? this.#bodyEnd : this.#cursorEnd;
    if (rest < (isContainer ? 1 : 0) || rest > end - 1 - this.#at) {
      this.#isFailed = true;
      return;
    }
    const { length } = this.#made as Buffer;
    const hasRoom = this.#size + this.#headSize + emptyDocument.length + 2 <= length;
    if (hasRoom && type === bsonType.document && this.#cursorAt < 0 && this.#isCursor(keyEnd)) {
      this.#cursorEnd = this.#at + rest;
      this.#put(this.#head, this.#headSize);
      this.#cursorAt = this.#size - 4;
    } else if (rest <= maxValueBytes && this.#size + this.#headSize + rest + 2 <= length) {
      this.#put(this.#head, this.#headSize);
      this.#toCopy = rest;
    } else {
      if (isContainer && hasRoom) {
        this.#put(this.#head, keyEnd + 1);
        this.#put(emptyDocument, emptyDocument.length);
      }
      this.#toSkip = rest;
    }
    this.#clearHead();
  }

  #isCursor(keyEnd: number): boolean {
    return keyEnd === 7 && this.#head.toString('latin1', 1, 7) === 'cursor';
  }

  /** Room for the zero bytes was left by `#take`. */
  #closeDocument(): void {
    const isInCursor = this.#cursorAt >= 0;
    if (this.#at !== (isInCursor ? this.#cursorEnd : this.#bodyEnd)) {
      this.#isFailed = true;
      return;
    }
    const made = this.#made as Buffer;
    made[this.#size] = 0;
    this.#size += 1;
    const start = isInCursor ? this.#cursorAt : this.#bodyAt;
    made.writeInt32LE(this.#size - start, start);
    this.#cursorAt = -1;
    this.#clearHead();
    if (isInCursor) return;
    this.#expect(this.#isMsg && this.#at < this.#messageEnd ? 'section' : 'nothing');
  }

  #put(bytes: Buffer, size: number): void {
    this.#size += bytes.copy(this.#made as Buffer, this.#size, 0, size);
  }

  #clearHead(): void {
    this.#headSize = 0;
    this.#keyEnd = 0;
  }

  #expect(what: Expected): void {
    this.#expected = what;
    this.#clearHead();
  }
}

/** Bytes of a value beyond those that its length counts, the four of the length included where it does not count them. */
function sizeBesideLength(type: number): number {
  switch (type) {
    case bsonType.document:
    case bsonType.array:
    case bsonType.codeWithScope:
      return 0;
    case bsonType.binary:
      return 5;
    case bsonType.dbPointer:
      return 16;
    default:
      return 4;
  }
}

/**
 * Splits what the server sends into messages, wherever the network cut it.
 *
 * Invariant: every byte given to `scan` reaches `out` exactly once and in order, one write a chunk. A message that lies
 * whole in its chunk is looked at where it lies, and costs no copy. One that the chunk cuts waits for its last byte if it
 * may have to be changed: no longer than `limits.maxHeldReplyBytes`, and its body does not begin with `cursor` (no failed
 * command's does) or the visitor asks for it. All else passes as it comes, and of its body a summary is kept.
 */
import type { ByteOutput } from '../../src/core/adapter.js';
import { limits } from '../../src/core/limits.js';
import { writeJoined } from '../../src/wire/write-joined.js';
import {
  headerBytes,
  isMessageLength,
  messageLengthOf,
  opCode,
  opCodeOf,
  requestIdOf,
  responseToOf,
} from './framing.js';
import { GatheredBytes } from './gathered-bytes.js';
import { ReplySummary } from './reply-summary.js';

/** A message that was not held, told of once its last byte has passed. The object is used again: copy what must last. */
export interface PassedReply {
  readonly length: number;
  readonly requestId: number;
  readonly responseTo: number;
  readonly opCode: number;
  /** Flag bits of an OP_MSG, response flags of an OP_REPLY; 0 for others. */
  readonly flags: number;
  /**
   * A BSON document made of the body's top-level elements, and of those of `cursor`, for `BsonCursor`: long containers in
   * it are empty, other long values left out. Null where the body could not be followed: compressed, malformed, or an
   * unknown opcode.
   */
  readonly summary: Buffer | null;
}

export interface ReplyVisitor {
  /**
   * Asked of a message that the chunk cuts and whose body begins with `cursor`, or that cannot be known (compressed):
   * true if it is to be held all the same, because its failures lie in the cursor's batch (bulkWrite), or it is a hello.
   */
  wantsWhole(responseTo: number, opCode: number): boolean;
  /**
   * A whole message as `bytes[start, end)`, a network chunk or a buffer of its own: never written to again. The result
   * goes out in its place; null: it goes out as it is.
   */
  reply(bytes: Buffer, start: number, end: number): Buffer | null;
  passed(reply: PassedReply): void;
  /** A length that no message has. The splitter has stopped, and passes on all there is. */
  malformed(): void;
}

/** What is read of a cut message before it is decided what becomes of it: up to the end of its body's first key. */
const firstKey = Buffer.from('cursor\0');
/** Before the body's first key: its length and the type of the element; and before those flags and kind, or an OP_REPLY's head. */
const msgBodyAt = headerBytes + 5;
const replyBodyAt = headerBytes + 20;
const keyInBody = 5;
const maxHeadBytes = replyBodyAt + keyInBody + firstKey.length;

export class ReplySplitter {
  readonly #visitor: ReplyVisitor;
  #isStopped = false;

  // The message that the last chunk cut.
  readonly #head = Buffer.alloc(maxHeadBytes);
  #headRead = 0;
  /** The head is complete, and it is decided what becomes of the message. */
  #isDecided = false;
  #isHeld = false;
  #left = 0;
  readonly #gathered = new GatheredBytes();
  readonly #summary = new ReplySummary();
  readonly #passed = {
    length: 0,
    requestId: 0,
    responseTo: 0,
    opCode: 0,
    flags: 0,
    summary: null as Buffer | null,
  };

  // During `scan`: what goes out before `chunk[from…]`, so that a chunk is one write.
  #pieces: Buffer[] | null = null;
  #from = 0;

  constructor(visitor: ReplyVisitor) {
    this.#visitor = visitor;
  }

  /** From now on bytes pass unread. What is held comes out with the next `scan` or `flush`. May be called by the visitor. */
  stop(): void {
    this.#isStopped = true;
  }

  scan(chunk: Buffer, out: ByteOutput): void {
    if (this.#isStopped) {
      this.flush(out);
      out.write(chunk);
      return;
    }
    const size = chunk.length;
    this.#from = 0;
    let at = this.#headRead > 0 ? this.#resume(chunk, 0) : 0;
    while (at + headerBytes <= size && !this.#isStopped) {
      const length = messageLengthOf(chunk, at);
      if (!isMessageLength(length)) this.#fail();
      else if (length > size - at) break;
      else {
        const replacement = this.#visitor.reply(chunk, at, at + length);
        if (replacement !== null) this.#replace(chunk, at, at + length, replacement);
        at += length;
      }
    }
    if (at < size && !this.#isStopped) this.#resume(chunk, at);
    const pieces = this.#pieces;
    this.#pieces = null;
    writeJoined(out, pieces, chunk, this.#from, size);
  }

  /** Hands out what is held and will not be completed. */
  flush(out: ByteOutput): void {
    if (this.#headRead === 0 || (this.#isDecided && !this.#isHeld)) return;
    const held = this.#isHeld ? this.#gathered.take() : this.#headCopy(this.#headRead);
    this.#close();
    out.write(held);
  }

  #replace(chunk: Buffer, start: number, end: number, replacement: Buffer): void {
    this.#pieces ??= [];
    if (this.#from < start) this.#pieces.push(chunk.subarray(this.#from, start));
    this.#pieces.push(replacement);
    this.#from = end;
  }

  /** Goes on with a message that the chunk cuts, or begins one. Returns where in `chunk` it ends. */
  #resume(chunk: Buffer, start: number): number {
    let at = start;
    if (!this.#isDecided) {
      const before = this.#headRead;
      at = this.#readHead(chunk, start);
      if (!this.#isStopped && this.#headRead < this.#headSize()) {
        this.#holdBack(chunk, start, at);
        return at;
      }
      if (!this.#isStopped) this.#decide();
      if (this.#isStopped || !this.#isHeld) this.#letGo(before);
      if (this.#isStopped) {
        this.#close();
        return at;
      }
    }
    const end = at + Math.min(this.#left, chunk.length - at);
    this.#left -= end - at;
    if (this.#isHeld) this.#hold(chunk, start, at, end);
    else this.#pass(chunk, at, end);
    return end;
  }

  /** Reads as much of the head as says what the message is. Stops at a length that no message has. */
  #readHead(chunk: Buffer, start: number): number {
    let at = start;
    while (at < chunk.length && this.#headRead < this.#headSize()) {
      const wanted = this.#headSize() - this.#headRead;
      const read = chunk.copy(this.#head, this.#headRead, at, at + wanted);
      this.#headRead += read;
      at += read;
      if (this.#headRead === headerBytes && !isMessageLength(messageLengthOf(this.#head, 0))) {
        this.#fail();
        return at;
      }
    }
    return at;
  }

  /** How many bytes it takes to decide, as far as is known yet. */
  #headSize(): number {
    if (this.#headRead < headerBytes) return headerBytes;
    const bodyAt = bodyAtOf(opCodeOf(this.#head, 0));
    if (bodyAt === 0) return headerBytes;
    return Math.min(messageLengthOf(this.#head, 0), bodyAt + keyInBody + firstKey.length);
  }

  #decide(): void {
    const head = this.#head;
    const length = messageLengthOf(head, 0);
    this.#left = length - this.#headRead;
    this.#isDecided = true;
    this.#isHeld = length <= limits.maxHeldReplyBytes && this.#isWanted();
    if (this.#isHeld) {
      this.#gathered.begin(length);
      this.#gathered.add(head, 0, this.#headRead);
    } else {
      this.#summary.begin(opCodeOf(head, 0), length);
      this.#summary.feed(head, headerBytes, this.#headRead);
    }
  }

  /** True where the message may have to be changed. */
  #isWanted(): boolean {
    const head = this.#head;
    const code = opCodeOf(head, 0);
    const bodyAt = bodyAtOf(code);
    if (bodyAt === 0)
      return code === opCode.compressed && this.#visitor.wantsWhole(responseToOf(head, 0), code);
    const keyAt = bodyAt + keyInBody;
    const isBodyFirst = code !== opCode.msg || head[bodyAt - 1] === 0;
    const isCursor =
      this.#headRead === keyAt + firstKey.length && head.subarray(keyAt, this.#headRead).equals(firstKey);
    return !isBodyFirst || !isCursor || this.#visitor.wantsWhole(responseToOf(head, 0), code);
  }

  #pass(chunk: Buffer, from: number, to: number): void {
    this.#summary.feed(chunk, from, to);
    if (this.#left > 0) return;
    const passed = this.#passed;
    const head = this.#head;
    passed.length = messageLengthOf(head, 0);
    passed.requestId = requestIdOf(head, 0);
    passed.responseTo = responseToOf(head, 0);
    passed.opCode = opCodeOf(head, 0);
    passed.flags = this.#summary.flags;
    passed.summary = this.#summary.finish();
    this.#close();
    this.#visitor.passed(passed);
  }

  #hold(chunk: Buffer, start: number, from: number, to: number): void {
    this.#gathered.add(chunk, from, to);
    this.#holdBack(chunk, start, to);
    if (!this.#gathered.isComplete) return;
    const message = this.#gathered.take();
    this.#close();
    this.#pieces ??= [];
    this.#pieces.push(this.#visitor.reply(message, 0, message.length) ?? message);
  }

  /** Keeps `chunk[start, to)` back, and puts what stands before it in line. */
  #holdBack(chunk: Buffer, start: number, to: number): void {
    if (this.#from < start) {
      this.#pieces ??= [];
      this.#pieces.push(chunk.subarray(this.#from, start));
    }
    this.#from = to;
  }

  /** The head turned out not to be held: what earlier chunks brought of it goes first. */
  #letGo(before: number): void {
    if (before === 0) return;
    this.#pieces ??= [];
    this.#pieces.push(this.#headCopy(before));
  }

  #headCopy(size: number): Buffer {
    return Buffer.from(this.#head.subarray(0, size));
  }

  #close(): void {
    this.#headRead = 0;
    this.#isDecided = false;
    this.#isHeld = false;
  }

  #fail(): void {
    this.#isStopped = true;
    this.#visitor.malformed();
  }
}

/** Where the body of a message with this opcode stands if it comes first; 0 where there is none to be seen. */
function bodyAtOf(code: number): number {
  if (code === opCode.msg) return msgBodyAt;
  return code === opCode.reply ? replyBodyAt : 0;
}

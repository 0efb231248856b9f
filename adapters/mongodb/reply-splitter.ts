/**
 * Splits what the server sends into messages, wherever the network cut it.
 *
 * Invariant: every byte given to `scan` reaches `out` exactly once and in order, one write a chunk. A message that lies
 * whole in its chunk is looked at where it lies, and costs no copy. One that the chunk cuts waits for its last byte if it
 * may have to be changed: no longer than `limits.maxHeldReplyBytes`, and its body does not begin with `cursor` (no failed
 * command's does) or the visitor asks for it. All else passes as it comes, and of its body a summary is kept.
 */
import type { ByteOutput } from '../../src/core/adapter.js';

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

export class ReplySplitter {
  constructor(visitor: ReplyVisitor) {
    void visitor;
  }

  /** From now on bytes pass unread. What is held comes out with the next `scan` or `flush`. May be called by the visitor. */
  stop(): void {
    throw new Error('to come');
  }

  scan(chunk: Buffer, out: ByteOutput): void {
    void chunk;
    void out;
    throw new Error('to come');
  }

  /** Hands out what is held and will not be completed. */
  flush(out: ByteOutput): void {
    void out;
    throw new Error('to come');
  }
}

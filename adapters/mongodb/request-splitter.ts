/**
 * Splits what a client sends into messages, wherever the network cut it. The bytes are on their way already: nothing is
 * handed out, and of a message that comes in pieces no more than `limits.maxKeptRequestBytes` is kept.
 *
 * Invariant: a message that lies whole in its chunk is visited where it lies, and costs no allocation. A declared length
 * is never allocated: what is kept grows with what has come.
 */

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
  constructor(visitor: RequestVisitor) {
    void visitor;
  }

  /** From now on bytes are not looked at. May be called by the visitor. */
  stop(): void {
    throw new Error('to come');
  }

  scan(chunk: Buffer): void {
    void chunk;
    throw new Error('to come');
  }
}

/** The message as a buffer to be kept until it is answered: a view, or a copy where the view would hold on to much more. */
export function keepMessage(bytes: Buffer, start: number, end: number): Buffer {
  void bytes;
  void start;
  void end;
  throw new Error('to come');
}

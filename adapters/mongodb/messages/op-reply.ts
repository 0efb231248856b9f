/** OP_REPLY (Wire Protocol, "OP_REPLY"): responseFlags, cursorID, startingFrom, numberReturned, that many documents. */

export const replyFlag = { cursorNotFound: 1, queryFailure: 2 } as const;

export interface OpReply {
  readonly flags: number;
  readonly documentCount: number;
  /** The first document, which is the body of a command's reply; both 0 where there is none. */
  readonly start: number;
  readonly end: number;
}

/** `bytes[start, end)` is the message with its header. Null where it is malformed. */
export function decodeOpReply(bytes: Buffer, start: number, end: number): OpReply | null {
  void bytes;
  void start;
  void end;
  throw new Error('to come');
}

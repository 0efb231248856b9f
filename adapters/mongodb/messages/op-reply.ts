/** OP_REPLY (Wire Protocol, "OP_REPLY"): responseFlags, cursorID, startingFrom, numberReturned, that many documents. */
import { headerBytes } from '../framing.js';

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
  const documentAt = start + headerBytes + 20;
  if (documentAt > end || end > bytes.length) return null;
  const flags = bytes.readInt32LE(start + headerBytes);
  const documentCount = bytes.readInt32LE(documentAt - 4);
  if (documentCount < 0) return null;
  if (documentCount === 0) return documentAt === end ? { flags, documentCount, start: 0, end: 0 } : null;
  if (documentAt + 5 > end) return null;
  const size = bytes.readInt32LE(documentAt);
  if (size < 5 || size > end - documentAt) return null;
  return { flags, documentCount, start: documentAt, end: documentAt + size };
}

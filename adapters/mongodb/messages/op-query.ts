/**
 * OP_QUERY (Wire Protocol, "OP_QUERY"; servers since 5.1 take it for `hello` alone): flags, the full collection name as a
 * cstring, numberToSkip, numberToReturn, the query document, and maybe a second document that selects fields.
 */
import { limits } from '../../../src/core/limits.js';
import { headerBytes } from '../framing.js';

export interface OpQuery {
  readonly flags: number;
  /** `admin.$cmd` for a command. */
  readonly fullCollectionName: string;
  /** The query document; a command may be wrapped in its `$query`. */
  readonly start: number;
  readonly end: number;
}

/** `bytes[start, end)` is the message with its header. Null where it is malformed or cut before the document's end. */
export function decodeOpQuery(bytes: Buffer, start: number, end: number): OpQuery | null {
  const nameAt = start + headerBytes + 4;
  if (nameAt >= end || end > bytes.length) return null;
  const name = bytes.subarray(nameAt, Math.min(end, nameAt + limits.maxNameBytes));
  const nameSize = name.indexOf(0);
  const documentAt = nameAt + nameSize + 1 + 8;
  if (nameSize < 0 || documentAt + 5 > end) return null;
  const size = bytes.readInt32LE(documentAt);
  if (size < 5 || size > end - documentAt) return null;
  return {
    flags: bytes.readInt32LE(start + headerBytes),
    fullCollectionName: name.toString('utf8', 0, nameSize),
    start: documentAt,
    end: documentAt + size,
  };
}

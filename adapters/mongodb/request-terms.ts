/**
 * Which logical session, transaction and retryable write a command belongs to (driver specifications "Sessions",
 * "Transactions", "Retryable Writes": `lsid.id`, `txnNumber`, `autocommit`). Read when a failure wants to know.
 */
import { BsonCursor } from './bson/cursor.js';
import { bsonType } from './bson/types.js';

export interface RequestTerms {
  /** Names the transaction it runs in; null outside of one. */
  readonly transaction: string | null;
  /** The same for each try of one retryable write; null where the command is none. */
  readonly retry: string | null;
}

const none: RequestTerms = { transaction: null, retry: null };
const maxSessionIdBytes = 64;

/** `bytes[start, end)` is the body of the command, which may be cut. */
export function readRequestTerms(bytes: Buffer, start: number, end: number): RequestTerms {
  const cursor = new BsonCursor();
  if (!cursor.open(bytes, start, end, true)) return none;
  let session: string | null = null;
  let number: string | null = null;
  let isTransaction = false;
  while (cursor.next()) {
    if (cursor.isKey('lsid')) session = sessionId(cursor);
    else if (cursor.isKey('txnNumber')) number = transactionNumber(cursor);
    else if (cursor.isKey('autocommit')) isTransaction = cursor.number() === 0;
  }
  if (session === null || number === null) return none;
  const key = `${session}:${number}`;
  return isTransaction ? { transaction: key, retry: null } : { transaction: null, retry: key };
}

function sessionId(lsid: BsonCursor): string | null {
  const cursor = new BsonCursor();
  if (!lsid.isContainer || !cursor.enter(lsid)) return null;
  while (cursor.next()) {
    if (!cursor.isKey('id')) continue;
    if (cursor.type !== bsonType.binary || cursor.valueEnd - cursor.valueStart > maxSessionIdBytes)
      return null;
    // length and subtype stand before the bytes
    return cursor.bytes.toString('hex', cursor.valueStart + 5, cursor.valueEnd);
  }
  return null;
}

function transactionNumber(cursor: BsonCursor): string | null {
  if (cursor.type === bsonType.int64) return String(cursor.bytes.readBigInt64LE(cursor.valueStart));
  const value = cursor.number();
  return Number.isSafeInteger(value) ? String(value) : null;
}

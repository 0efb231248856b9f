/**
 * COM_CHANGE_USER: user, authentication data, database, collation. What it holds of a password is stepped over.
 */

export interface ChangeUser {
  readonly user: string;
  readonly database: string;
  /** Null where the packet ends before it. */
  readonly collation: number | null;
}

/** Null when user and database do not end within the payload. */
export function decodeChangeUser(bytes: Buffer, start: number, end: number): ChangeUser | null {
  const userEnd = nulIndex(bytes, start + 1, end);
  if (userEnd < 0 || userEnd + 1 >= end) return null;
  const database = userEnd + 2 + (bytes[userEnd + 1] as number);
  const databaseEnd = nulIndex(bytes, database, end);
  if (databaseEnd < 0) return null;
  const hasCollation = databaseEnd + 3 <= end;
  return {
    user: bytes.toString('utf8', start + 1, userEnd),
    database: bytes.toString('utf8', database, databaseEnd),
    collation: hasCollation ? bytes.readUInt16LE(databaseEnd + 1) : null,
  };
}

function nulIndex(bytes: Buffer, from: number, end: number): number {
  const at = from < end ? bytes.indexOf(0, from) : -1;
  return at < end ? at : -1;
}

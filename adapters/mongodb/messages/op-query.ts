/**
 * OP_QUERY (Wire Protocol, "OP_QUERY"; servers since 5.1 take it for `hello` alone): flags, the full collection name as a
 * cstring, numberToSkip, numberToReturn, the query document, and maybe a second document that selects fields.
 */

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
  void bytes;
  void start;
  void end;
  throw new Error('to come');
}

/** Parse (docs 55.7, 'P'): statement name, query, parameter type OIDs. */
import { cstringEnd } from './cstring.js';

export interface ParseMessage {
  /** Raw bytes as latin1: a key, not for display. */
  readonly name: string;
  /** Bounds of the query's bytes; `queryEnd` is the end of the body where the query was cut. */
  readonly queryStart: number;
  readonly queryEnd: number;
}

/** Null when the name does not end within the body. */
export function decodeParse(bytes: Buffer, start: number, end: number): ParseMessage | null {
  const nameEnd = cstringEnd(bytes, start, end);
  if (nameEnd < 0) return null;
  const queryStart = nameEnd + 1;
  const queryEnd = cstringEnd(bytes, queryStart, end);
  return {
    name: nameEnd === start ? '' : bytes.toString('latin1', start, nameEnd),
    queryStart,
    queryEnd: queryEnd < 0 ? end : queryEnd,
  };
}

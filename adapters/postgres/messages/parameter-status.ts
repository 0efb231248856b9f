/** ParameterStatus (docs 55.7, 'S' from the server): name and new value. */
import { cstringEnd } from './cstring.js';

export interface ParameterStatus {
  readonly name: string;
  readonly value: string;
}

/** Null when the two strings do not end within the body. */
export function decodeParameterStatus(bytes: Buffer, start: number, end: number): ParameterStatus | null {
  const nameEnd = cstringEnd(bytes, start, end);
  if (nameEnd < 0) return null;
  const valueEnd = cstringEnd(bytes, nameEnd + 1, end);
  if (valueEnd < 0) return null;
  return {
    name: bytes.toString('latin1', start, nameEnd),
    value: bytes.toString('utf8', nameEnd + 1, valueEnd),
  };
}

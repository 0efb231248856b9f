/**
 * COM_QUERY: where its text begins. With query attributes in force ("COM_QUERY", CLIENT_QUERY_ATTRIBUTES) named values
 * in binary form come before it and have to be measured one by one.
 */
import { lengthEncodedAt, lengthEncodedBytes, stringEnd } from './length-encoded.js';

/** Bytes of a value in binary form ("Binary Protocol Value"), by field type; others carry their length. */
const fixedBytes: Readonly<Record<number, number>> = {
  1: 1, // TINY
  2: 2, // SHORT
  3: 4, // LONG
  4: 4, // FLOAT
  5: 8, // DOUBLE
  6: 0, // NULL
  8: 8, // LONGLONG
  9: 4, // INT24
  13: 2, // YEAR
};

/** Date, timestamp, datetime and time: one byte says how long they are. */
const temporal: ReadonlySet<number> = new Set([7, 10, 11, 12]);
/** Field types that are length-encoded strings: decimals, character, binary, JSON, geometry and vector types. */
const isString = (type: number): boolean => type === 0 || type === 15 || type === 16 || type >= 242;

/** Index of the text's first byte; -1 when the attributes before it are malformed or do not end before `end`. */
export function queryTextStart(bytes: Buffer, start: number, end: number, hasAttributes: boolean): number {
  if (!hasAttributes) return start + 1;
  let at = start + 1;
  const countBytes = lengthEncodedBytes(bytes, at, end);
  const count = countBytes === 0 ? -1 : lengthEncodedAt(bytes, at);
  at += countBytes;
  const setsBytes = lengthEncodedBytes(bytes, at, end);
  if (count < 0 || setsBytes === 0) return -1;
  at += setsBytes;
  return count === 0 ? at : valuesEnd(bytes, at, end, count);
}

function valuesEnd(bytes: Buffer, nullBitmap: number, end: number, count: number): number {
  let at = nullBitmap + ((count + 7) >> 3);
  // A further byte says whether types and names are sent along; attributes are not bound before, so they have to be.
  if (at >= end || bytes[at] !== 1) return -1;
  at += 1;
  const types = at;
  for (let index = 0; index < count; index += 1) {
    at = at + 2 < end ? stringEnd(bytes, at + 2, end) : -1;
    if (at < 0) return -1;
  }
  let type = types;
  for (let index = 0; index < count; index += 1) {
    const isNull = ((bytes[nullBitmap + (index >> 3)] as number) & (1 << (index & 7))) !== 0;
    if (!isNull) at = valueEnd(bytes, at, end, bytes[type] as number);
    if (at < 0) return -1;
    type = stringEnd(bytes, type + 2, end);
  }
  return at;
}

function valueEnd(bytes: Buffer, at: number, end: number, type: number): number {
  const size = temporal.has(type) ? (at < end ? 1 + (bytes[at] as number) : undefined) : fixedBytes[type];
  if (size !== undefined) return at + size <= end ? at + size : -1;
  return isString(type) ? stringEnd(bytes, at, end) : -1;
}

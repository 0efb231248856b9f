/** Element types of BSON by their byte (bsonspec.org, version 1.1), and the size of what follows an element's name. */
export const bsonType = {
  double: 0x01,
  string: 0x02,
  document: 0x03,
  array: 0x04,
  binary: 0x05,
  undefined: 0x06,
  objectId: 0x07,
  boolean: 0x08,
  date: 0x09,
  null: 0x0a,
  regex: 0x0b,
  dbPointer: 0x0c,
  code: 0x0d,
  symbol: 0x0e,
  codeWithScope: 0x0f,
  int32: 0x10,
  timestamp: 0x11,
  int64: 0x12,
  decimal128: 0x13,
  maxKey: 0x7f,
  minKey: 0xff,
} as const;

/** `int32` for 0x10; null for a byte that is no type. */
export function bsonTypeName(type: number): string | null {
  return names[type] ?? null;
}

const names: (string | undefined)[] = [];
for (const [name, type] of Object.entries(bsonType)) names[type] = name;

/** Bytes of a value of a fixed size; -1 where the value says its own size, -2 where the type is none. */
export const fixedSizes: Int8Array = new Int8Array(256).fill(-2);
const { double, string, document, array, binary, objectId, boolean, date, regex, dbPointer, code } = bsonType;
const { symbol, codeWithScope, int32, timestamp, int64, decimal128, maxKey, minKey } = bsonType;
for (const type of [bsonType.undefined, bsonType.null, maxKey, minKey]) fixedSizes[type] = 0;
for (const type of [double, date, timestamp, int64]) fixedSizes[type] = 8;
for (const type of [string, document, array, binary, regex, dbPointer, code, symbol, codeWithScope])
  fixedSizes[type] = -1;
fixedSizes[boolean] = 1;
fixedSizes[int32] = 4;
fixedSizes[objectId] = 12;
fixedSizes[decimal128] = 16;

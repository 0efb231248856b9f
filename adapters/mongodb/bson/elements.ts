/** Makes the few BSON elements that are put into replies. */
import { bsonType } from './types.js';

/** A string as an element's value: its length, its bytes, a zero byte. */
export function stringValue(text: string): Buffer {
  const size = Buffer.byteLength(text);
  const value = Buffer.alloc(4 + size + 1);
  value.writeInt32LE(size + 1, 0);
  value.write(text, 4);
  return value;
}

export function stringElement(key: string, text: string): Buffer {
  return Buffer.concat([Buffer.from([bsonType.string]), Buffer.from(`${key}\0`), stringValue(text)]);
}

/** An array of strings as an element's value. */
export function stringArrayValue(texts: readonly string[]): Buffer {
  const elements = texts.map((text, index) => stringElement(String(index), text));
  const value = Buffer.concat([Buffer.alloc(4), ...elements, Buffer.alloc(1)]);
  value.writeInt32LE(value.length, 0);
  return value;
}

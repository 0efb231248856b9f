/** Length-encoded integers ("Protocol::LengthEncodedInteger"): one byte, or a byte that says how many follow. */

/** Bytes the integer at `at` takes; 0 where none begins there or it does not end before `end`. */
export function lengthEncodedBytes(bytes: Buffer, at: number, end: number): number {
  if (at >= end) return 0;
  const first = bytes[at] as number;
  const size = first < 0xfb ? 1 : first === 0xfc ? 3 : first === 0xfd ? 4 : first === 0xfe ? 9 : 0;
  return at + size <= end ? size : 0;
}

/** The integer at `at`, which `lengthEncodedBytes` has found; above 2^53 it is not exact. */
export function lengthEncodedAt(bytes: Buffer, at: number): number {
  const first = bytes[at] as number;
  if (first < 0xfb) return first;
  if (first === 0xfc) return bytes.readUInt16LE(at + 1);
  if (first === 0xfd) return bytes.readUIntLE(at + 1, 3);
  return bytes.readUInt32LE(at + 1) + bytes.readUInt32LE(at + 5) * 0x1_0000_0000;
}

/** Where the length-encoded string at `at` ends; -1 where it does not end before `end`. */
export function stringEnd(bytes: Buffer, at: number, end: number): number {
  const size = lengthEncodedBytes(bytes, at, end);
  if (size === 0) return -1;
  const last = at + size + lengthEncodedAt(bytes, at);
  return last <= end ? last : -1;
}

/** Where the content of the length-encoded string at `at` begins; `stringEnd` has found the string. */
export function stringStart(bytes: Buffer, at: number): number {
  const first = bytes[at] as number;
  return at + (first < 0xfb ? 1 : first === 0xfc ? 3 : first === 0xfd ? 4 : 9);
}

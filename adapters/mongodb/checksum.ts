/** CRC-32C (RFC 3720, appendix B.4), the checksum of OP_MSG: over the whole message up to the checksum itself. */

/** The polynomial with its bits in the order in which bytes are shifted. */
const polynomial = 0x82f63b78;
const tableEntries = 256;
const tableCount = 4;

/** Table k, entry b: what the byte b leaves behind after k further bytes. Four bytes are taken in at once. */
const tables = new Int32Array(tableEntries * tableCount);
for (let byte = 0; byte < tableEntries; byte += 1) {
  let rest = byte;
  for (let bit = 0; bit < 8; bit += 1) rest = (rest & 1) === 0 ? rest >>> 1 : (rest >>> 1) ^ polynomial;
  tables[byte] = rest;
}
for (let at = tableEntries; at < tables.length; at += 1) {
  const before = tables[at - tableEntries] as number;
  tables[at] = (before >>> 8) ^ (tables[before & 0xff] as number);
}

/** As an unsigned 32-bit integer. */
export function crc32c(bytes: Buffer, start: number, end: number): number {
  let rest = -1;
  let at = start;
  for (; at + 4 <= end; at += 4) {
    rest ^=
      (bytes[at] as number) |
      ((bytes[at + 1] as number) << 8) |
      ((bytes[at + 2] as number) << 16) |
      ((bytes[at + 3] as number) << 24);
    rest =
      (tables[768 + (rest & 0xff)] as number) ^
      (tables[512 + ((rest >>> 8) & 0xff)] as number) ^
      (tables[256 + ((rest >>> 16) & 0xff)] as number) ^
      (tables[rest >>> 24] as number);
  }
  for (; at < end; at += 1) rest = (rest >>> 8) ^ (tables[(rest ^ (bytes[at] as number)) & 0xff] as number);
  return ~rest >>> 0;
}

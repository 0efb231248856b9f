/** CRC-32C, bit by bit as it is defined: slow, and not the table the adapter uses. */
export function crc32c(bytes: Uint8Array): number {
  let rest = 0xffffffff;
  for (const byte of bytes) {
    rest ^= byte;
    for (let bit = 0; bit < 8; bit += 1) rest = rest & 1 ? (rest >>> 1) ^ 0x82f63b78 : rest >>> 1;
  }
  return (rest ^ 0xffffffff) >>> 0;
}

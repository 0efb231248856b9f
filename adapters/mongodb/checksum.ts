/** CRC-32C (RFC 3720, appendix B.4), the checksum of OP_MSG: over the whole message up to the checksum itself. */

/** As an unsigned 32-bit integer. */
export function crc32c(bytes: Buffer, start: number, end: number): number {
  void bytes;
  void start;
  void end;
  throw new Error('to come');
}

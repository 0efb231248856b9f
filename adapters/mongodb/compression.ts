/**
 * OP_COMPRESSED (OP_COMPRESSED specification: original opcode, size of what was compressed without its header, compressor,
 * the compressed rest of the message), read by decompressing it, synchronously.
 *
 * Invariant: no more is allocated or worked off than the bounds allow, whatever the bytes say. The declared size is a
 * bound, not a promise: a message that does not come to just that size is no message.
 */

/** Why a message could not be read. */
export type DecompressionFault =
  | 'malformed'
  | 'unknown_compressor'
  /** Declares more than a message may hold. */
  | 'too_large'
  /** Comes to another size than it declares. */
  | 'wrong_size';

/**
 * The message as it would have come without compression: header with the same requestID and responseTo, the original
 * opcode, and the length of all of it. No more than `maxBytes` of it are made: of a longer one, or one of which
 * `bytes[start, end)` is only the beginning, the result is shorter than the length in its header says.
 */
export function decompress(
  bytes: Buffer,
  start: number,
  end: number,
  maxBytes: number,
): Buffer | DecompressionFault {
  void bytes;
  void start;
  void end;
  void maxBytes;
  throw new Error('to come');
}

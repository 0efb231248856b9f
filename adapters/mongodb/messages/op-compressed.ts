/** OP_COMPRESSED (OP_COMPRESSED specification): original opcode, size of what was compressed, compressor, and that. */
import { headerBytes } from '../framing.js';

export const compressor = { noop: 0, snappy: 1, zlib: 2, zstd: 3 } as const;

export interface OpCompressed {
  readonly originalOpCode: number;
  /** Of the original message without its header. */
  readonly uncompressedBytes: number;
  readonly compressorId: number;
  /** Where what was compressed begins. */
  readonly start: number;
}

/** `bytes[start, end)` is the message with its header, or its beginning. Null where it is too short to be one. */
export function decodeOpCompressed(bytes: Buffer, start: number, end: number): OpCompressed | null {
  const at = start + headerBytes;
  if (at + 9 > end || end > bytes.length) return null;
  return {
    originalOpCode: bytes.readInt32LE(at),
    uncompressedBytes: bytes.readInt32LE(at + 4),
    compressorId: bytes[at + 8] as number,
    start: at + 9,
  };
}

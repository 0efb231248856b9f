/**
 * OP_COMPRESSED (OP_COMPRESSED specification: original opcode, size of what was compressed without its header, compressor,
 * the compressed rest of the message), read by decompressing it, synchronously.
 *
 * Invariant: no more is allocated or worked off than the bounds allow, whatever the bytes say. The declared size is a
 * bound, not a promise: a message that does not come to just that size is no message.
 */
import { constants, inflateSync } from 'node:zlib';
import { limits } from '../../src/core/limits.js';
import { headerBytes, messageLengthOf, opCode, opCodeOf } from './framing.js';
import { compressor, decodeOpCompressed, type OpCompressed } from './messages/op-compressed.js';
import { decodeSnappy } from './snappy.js';
import { decodeZstd } from './zstd/frame.js';

/** Why a message could not be read. */
export type DecompressionFault =
  | 'malformed'
  | 'unknown_compressor'
  /** Declares more than a message may hold. */
  | 'too_large'
  /** Comes to another size than it declares. */
  | 'wrong_size';

/** What is asked of a decompressor. */
interface Task {
  readonly bytes: Buffer;
  readonly start: number;
  readonly end: number;
  /** What all of it has to come to. */
  readonly size: number;
  /** How much of that is wanted. */
  readonly wanted: number;
  /** The beginning is enough: not all of it is there, or not all of it is wanted. */
  readonly isPart: boolean;
  readonly isCut: boolean;
}

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
  const compressed = end - start < headerBytes ? null : decodeOpCompressed(bytes, start, end);
  if (compressed === null || opCodeOf(bytes, start) !== opCode.compressed) return 'malformed';
  const size = compressed.uncompressedBytes;
  // an OP_COMPRESSED within another would be a way around the bounds
  if (size < 1 || compressed.originalOpCode === opCode.compressed) return 'malformed';
  if (size > limits.maxMessageBytes - headerBytes) return 'too_large';
  const wanted = Math.min(size, maxBytes - headerBytes);
  const isCut = messageLengthOf(bytes, start) > end - start;
  const isPart = isCut || wanted < size;
  const content = contentOf(compressed, {
    ...{ bytes, start: compressed.start, end },
    size,
    wanted,
    isPart,
    isCut,
  });
  if (typeof content === 'string') return content;
  const message = Buffer.allocUnsafe(headerBytes + content.length);
  bytes.copy(message, 0, start, start + headerBytes);
  message.writeInt32LE(headerBytes + size, 0);
  message.writeInt32LE(compressed.originalOpCode, 12);
  content.copy(message, headerBytes);
  return message;
}

function contentOf({ compressorId }: OpCompressed, task: Task): Buffer | DecompressionFault {
  const { bytes, start, end, size, wanted, isPart, isCut } = task;
  switch (compressorId) {
    case compressor.noop:
      if (!isCut && end - start !== size) return 'wrong_size';
      return bytes.subarray(start, Math.min(end, start + wanted));
    case compressor.snappy:
      return decoded(task, (out) => decodeSnappy(bytes, start, end, size, out));
    case compressor.zlib:
      return isPart ? inflateBeginning(task) : inflateWhole(task);
    case compressor.zstd:
      return decoded(task, (out) => decodeZstd(bytes, start, end, size, out, isCut));
    default:
      return 'unknown_compressor';
  }
}

/** With room for one byte too much, so that content of the wrong size shows. */
function decoded(
  { size, wanted, isPart }: Task,
  decode: (out: Buffer) => number,
): Buffer | DecompressionFault {
  const out = Buffer.allocUnsafe(isPart ? wanted : size + 1);
  const made = decode(out);
  if (made < 0) return 'malformed';
  return isPart || made === size ? out.subarray(0, made) : 'wrong_size';
}

function inflateWhole({ bytes, start, end, size }: Task): Buffer | DecompressionFault {
  const content = inflate(bytes.subarray(start, end), size, size + 1, constants.Z_FINISH);
  if (typeof content === 'string') return content;
  return content.length === size ? content : 'wrong_size';
}

const firstPieceBytes = 4 * 1024;
/** How much a piece may come to beyond what is wanted of it before it is let be. */
const maxSurplus = 4;

/**
 * zlib decompresses into as much memory as it takes or fails: it is given pieces that grow until one comes to what is
 * wanted.
 */
function inflateBeginning({ bytes, start, end, wanted }: Task): Buffer | DecompressionFault {
  let best: Buffer | DecompressionFault = 'malformed';
  const bound = Math.max(wanted, firstPieceBytes * 1024) * maxSurplus;
  for (let size = firstPieceBytes; ; size *= maxSurplus) {
    const pieceEnd = Math.min(end, start + size);
    const content = inflate(bytes.subarray(start, pieceEnd), bound, wanted, constants.Z_SYNC_FLUSH);
    if (typeof content === 'string') return best;
    best = content.subarray(0, wanted);
    if (content.length >= wanted || pieceEnd === end) return best;
  }
}

/** As much as `piece` comes to. Faults: malformed; over `maxBytes`. */
function inflate(
  piece: Buffer,
  maxBytes: number,
  expectedBytes: number,
  finishFlush: number,
): Buffer | DecompressionFault {
  try {
    return inflateSync(piece, {
      maxOutputLength: maxBytes,
      chunkSize: Math.max(constants.Z_MIN_CHUNK, Math.min(expectedBytes, 64 * 1024)),
      finishFlush,
    });
  } catch (error) {
    const isTooLong = error instanceof RangeError && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE';
    return isTooLong ? 'wrong_size' : 'malformed';
  }
}

/**
 * Decodes one frame of Zstandard (RFC 8878, section 3.1.1), as compressors of MongoDB messages make them: no dictionary, no
 * frames to be skipped. The content checksum, where there is one, is passed over.
 *
 * Invariant: work is linear in input and output, output never exceeds what the caller has room for, and nothing is
 * allocated by a size that the frame declares beyond that of a block (128 KiB).
 */
import type { HuffmanTable } from './huffman.js';
import { readLiterals } from './literals.js';
import type { SequenceTables } from './sequence-tables.js';
import { type Decoded, maxBlockBytes, runSequences } from './sequences.js';

const magic = 0xfd2fb528;
const headBytes = 5;
const blockHeadBytes = 3;
const checksumBytes = 4;
/**
 * A block brings tables that take some microseconds to make, whatever it comes to: compressors make none that hold less,
 * but for a few.
 */
const minBlockContentBytes = 256;
const maxSmallBlocks = 64;
const blockType = { raw: 0, rle: 1, compressed: 2 } as const;

interface FrameHead {
  readonly contentBytes: number | null;
  readonly hasChecksum: boolean;
  readonly at: number;
}

/**
 * `bytes[start, end)` is the frame, or its beginning (`isCut`); it has to come to `size` bytes where it says how many
 * it holds. Returns how much was put into `out`, -1 where it is malformed: of a frame that is cut, or longer than `out`,
 * the beginning. What stands behind is not looked at once `out` is full.
 */
export function decodeZstd(
  bytes: Buffer,
  start: number,
  end: number,
  size: number,
  out: Buffer,
  isCut: boolean,
): number {
  const head = readHead(bytes, start, end);
  if (head === null || (head.contentBytes ?? size) !== size) return -1;
  const decoded: Decoded = { out, made: 0, offsets: [1, 4, 8] };
  const tables: SequenceTables = { literals: null, offsets: null, matches: null };
  let tree: HuffmanTable | null = null;
  let at = head.at;
  let isLast = false;
  for (let blocks = 0; !isLast; blocks += 1) {
    if (decoded.made === out.length) return decoded.made;
    if (decoded.made < (blocks - maxSmallBlocks) * minBlockContentBytes) return -1;
    if (at + blockHeadBytes > end) return isCut ? decoded.made : -1;
    const block = bytes.readUIntLE(at, blockHeadBytes);
    isLast = (block & 1) === 1;
    const type = (block >>> 1) & 3;
    const blockSize = block >>> 3;
    const stored = type === blockType.rle ? 1 : blockSize;
    at += blockHeadBytes;
    if (blockSize > maxBlockBytes) return -1;
    if (stored > end - at) return isCut ? decoded.made : -1;
    if (type === blockType.compressed) {
      const literals = readLiterals(bytes, at, at + stored, tree, maxBlockBytes);
      if (literals === null) return -1;
      tree = literals.tree;
      if (!runSequences(bytes, literals.sectionEnd, at + stored, literals, tables, decoded)) return -1;
    } else if (!putPlain(bytes, at, type, blockSize, decoded)) return -1;
    at += stored;
  }
  const frameEnd = at + (head.hasChecksum ? checksumBytes : 0);
  return isCut || frameEnd === end ? decoded.made : -1;
}

function readHead(bytes: Buffer, start: number, end: number): FrameHead | null {
  if (end - start < headBytes || bytes.readUInt32LE(start) !== magic) return null;
  const descriptor = bytes[start + 4] as number;
  const isSingle = (descriptor & 0x20) !== 0;
  // a reserved bit, and the size of a dictionary's number
  if ((descriptor & 0x0b) !== 0) return null;
  const sizeAt = start + headBytes + (isSingle ? 0 : 1);
  const sizeBytes = [isSingle ? 1 : 0, 2, 4, 8][descriptor >>> 6] as number;
  const at = sizeAt + sizeBytes;
  if (at > end) return null;
  const hasChecksum = (descriptor & 4) !== 0;
  return { contentBytes: contentBytesAt(bytes, sizeAt, sizeBytes), hasChecksum, at };
}

function contentBytesAt(bytes: Buffer, at: number, size: number): number | null {
  switch (size) {
    case 0:
      return null;
    case 2:
      return bytes.readUInt16LE(at) + 256;
    case 8:
      return Number(bytes.readBigUInt64LE(at));
    default:
      return bytes.readUIntLE(at, size);
  }
}

function putPlain(bytes: Buffer, at: number, type: number, size: number, decoded: Decoded): boolean {
  const { out, made } = decoded;
  const count = Math.min(size, out.length - made);
  decoded.made = made + count;
  if (type === blockType.raw) bytes.copy(out, made, at, at + count);
  else if (type === blockType.rle) out.fill(bytes[at] as number, made, made + count);
  else return false;
  return true;
}

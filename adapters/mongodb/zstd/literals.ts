/** The literals section of a block (RFC 8878, section 3.1.1.3.1). */
import { decodeHuffman, type HuffmanTable, readHuffmanTable } from './huffman.js';

const literalsType = { raw: 0, rle: 1, compressed: 2, treeless: 3 } as const;
const jumpTableBytes = 6;

export interface Literals {
  readonly bytes: Buffer;
  readonly start: number;
  readonly end: number;
  /** Where the sequences section begins. */
  readonly sectionEnd: number;
  /** The tree that a later block may use again. */
  readonly tree: HuffmanTable | null;
}

interface Head {
  readonly type: number;
  readonly regenerated: number;
  readonly compressed: number;
  readonly streams: 1 | 4;
  readonly at: number;
}

/** Reads the section at the beginning of the block `bytes[start, end)`. Null where it is malformed or over `maxBytes`. */
export function readLiterals(
  bytes: Buffer,
  start: number,
  end: number,
  tree: HuffmanTable | null,
  maxBytes: number,
): Literals | null {
  const head = readHead(bytes, start, end);
  if (head === null || head.regenerated > maxBytes) return null;
  const { at, regenerated } = head;
  if (head.type === literalsType.raw) {
    const sectionEnd = at + regenerated;
    return sectionEnd > end ? null : { bytes, start: at, end: sectionEnd, sectionEnd, tree };
  }
  if (head.type === literalsType.rle) {
    if (at >= end) return null;
    const repeated = Buffer.alloc(regenerated, bytes[at]);
    return { bytes: repeated, start: 0, end: regenerated, sectionEnd: at + 1, tree };
  }
  return readCoded(bytes, end, head, tree);
}

function readHead(bytes: Buffer, start: number, end: number): Head | null {
  if (start >= end) return null;
  const first = bytes[start] as number;
  const type = first & 3;
  const format = (first >>> 2) & 3;
  const isCoded = type >= literalsType.compressed;
  const size = isCoded ? (codedHeadBytes[format] as number) : (plainHeadBytes[format] as number);
  if (start + size > end) return null;
  const word = bytes.readUIntLE(start, size);
  const at = start + size;
  if (!isCoded) {
    return { type, regenerated: size === 1 ? word >>> 3 : word >>> 4, compressed: 0, streams: 1, at };
  }
  const width = codedSizeBits[format] as number;
  const regenerated = Math.floor(word / 16) % 2 ** width;
  const compressed = Math.floor(word / 2 ** (4 + width));
  return { type, regenerated, compressed, streams: format === 0 ? 1 : 4, at };
}

const plainHeadBytes = [1, 2, 1, 3];
const codedHeadBytes = [3, 3, 4, 5];
const codedSizeBits = [10, 10, 14, 18];

function readCoded(bytes: Buffer, end: number, head: Head, before: HuffmanTable | null): Literals | null {
  const sectionEnd = head.at + head.compressed;
  if (sectionEnd > end) return null;
  let at = head.at;
  let tree = before;
  if (head.type === literalsType.compressed) {
    const read = readHuffmanTable(bytes, at, sectionEnd);
    if (read === null) return null;
    tree = read.table;
    at = read.end;
  }
  if (tree === null) return null;
  const size = head.regenerated;
  const out = Buffer.allocUnsafe(size);
  const isRight =
    head.streams === 1
      ? decodeHuffman(tree, { bytes, start: at, end: sectionEnd }, out, 0, size)
      : decodeFour(tree, { bytes, start: at, end: sectionEnd }, out);
  return isRight ? { bytes: out, start: 0, end: size, sectionEnd, tree } : null;
}

/** Four streams, each of a quarter of the literals; the sizes of the first three stand before them. */
function decodeFour(
  tree: HuffmanTable,
  section: { readonly bytes: Buffer; readonly start: number; readonly end: number },
  out: Buffer,
): boolean {
  const { bytes, end } = section;
  let at = section.start + jumpTableBytes;
  if (at > end) return false;
  const quarter = (out.length + 3) >>> 2;
  if (quarter * 3 > out.length) return false;
  for (let index = 0; index < 4; index += 1) {
    const isLast = index === 3;
    const streamEnd = isLast ? end : at + bytes.readUInt16LE(section.start + index * 2);
    if (streamEnd > end) return false;
    const to = isLast ? out.length : (index + 1) * quarter;
    if (!decodeHuffman(tree, { bytes, start: at, end: streamEnd }, out, index * quarter, to)) return false;
    at = streamEnd;
  }
  return true;
}

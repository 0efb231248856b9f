/**
 * OP_COMPRESSED: the original opcode, the size of what was compressed, the compressor, then a message's bytes after its
 * header. zlib is Node's; snappy and zstd are written here in their simplest valid form, stored and run-length coded,
 * which every reader must understand and which makes bombs.
 */
import { deflateSync, inflateSync } from 'node:zlib';

export const compressorId = { noop: 0, snappy: 1, zlib: 2, zstd: 3 } as const;

export type Compressor = keyof typeof compressorId;

const headerBytes = 16;
const compressedOpcode = 2012;

/** `message` compressed. `declaredBytes` and `compressor` override what the message says of itself. */
export function compressed(
  message: Buffer,
  compressor: Compressor,
  lies: { readonly declaredBytes?: number; readonly compressorId?: number } = {},
): Buffer {
  const rest = message.subarray(headerBytes);
  const content = compress[compressor](rest);
  return compressedMessage(message, content, {
    declaredBytes: lies.declaredBytes ?? rest.length,
    compressorId: lies.compressorId ?? compressorId[compressor],
  });
}

/** OP_COMPRESSED with any content at all. */
export function compressedMessage(
  message: Buffer,
  content: Buffer,
  says: { readonly declaredBytes: number; readonly compressorId: number },
): Buffer {
  const head = Buffer.alloc(headerBytes + 9);
  message.copy(head, 0, 0, headerBytes);
  head.writeInt32LE(head.length + content.length, 0);
  head.writeInt32LE(compressedOpcode, 12);
  message.copy(head, headerBytes, 12, 16);
  head.writeInt32LE(says.declaredBytes, headerBytes + 4);
  head[headerBytes + 8] = says.compressorId;
  return Buffer.concat([head, content]);
}

/** The message that was compressed. Throws for what this file does not write, and for a wrong size. */
export function decompressed(bytes: Buffer): Buffer {
  const content = bytes.subarray(headerBytes + 9);
  const name = Object.entries(compressorId).find(([, id]) => id === bytes[headerBytes + 8])?.[0];
  if (name === undefined) throw new Error(`Compressor ${bytes[headerBytes + 8]}`);
  const rest = decompress[name as Compressor](content);
  if (rest.length !== bytes.readInt32LE(headerBytes + 4)) throw new Error('The declared size is wrong');
  const header = Buffer.from(bytes.subarray(0, headerBytes));
  header.writeInt32LE(headerBytes + rest.length, 0);
  bytes.copy(header, 12, headerBytes, headerBytes + 4);
  return Buffer.concat([header, rest]);
}

/** A content of `count` equal bytes, in as few bytes as the format takes. */
export function bomb(compressor: 'snappy' | 'zlib' | 'zstd', count: number): Buffer {
  if (compressor === 'zlib') return deflateSync(Buffer.alloc(count));
  if (compressor === 'snappy') return snappyRun(count);
  return zstdFrame(
    count,
    blocksOf(count, (size) => [zstdBlock(1, size), Buffer.from([0])]),
  );
}

const compress: Record<Compressor, (bytes: Buffer) => Buffer> = {
  noop: (bytes) => bytes,
  zlib: (bytes) => deflateSync(bytes),
  snappy: (bytes) => Buffer.concat([varint(bytes.length), ...snappyLiteral(bytes)]),
  zstd: (bytes) => {
    let at = 0;
    const blocks = blocksOf(bytes.length, (size) => {
      at += size;
      return [zstdBlock(0, size), bytes.subarray(at - size, at)];
    });
    return zstdFrame(bytes.length, blocks);
  },
};

const decompress: Record<Compressor, (bytes: Buffer) => Buffer> = {
  noop: (bytes) => bytes,
  zlib: (bytes) => inflateSync(bytes),
  snappy: readSnappy,
  zstd: readZstd,
};

/** Snappy's length in front: seven bits a byte, the lowest first. */
function varint(value: number): Buffer {
  const bytes: number[] = [];
  for (let rest = value; ; rest = Math.floor(rest / 128)) {
    if (rest < 128) return Buffer.from([...bytes, rest]);
    bytes.push((rest % 128) | 128);
  }
}

/** Tag 63: a literal whose length less one follows in four bytes. */
function snappyLiteral(bytes: Buffer): Buffer[] {
  if (bytes.length === 0) return [];
  const tag = Buffer.alloc(5);
  tag[0] = 63 << 2;
  tag.writeUInt32LE(bytes.length - 1, 1);
  return [tag, bytes];
}

/** One byte, and copies of it in steps of at most 64. */
function snappyRun(count: number): Buffer {
  const parts = [varint(count), ...snappyLiteral(Buffer.alloc(Math.min(1, count)))];
  const whole = Buffer.from([(63 << 2) | 2, 1, 0]);
  const copies = Math.floor((count - 1) / 64);
  parts.push(Buffer.alloc(copies * 3, whole));
  const left = count - 1 - copies * 64;
  if (left > 0) parts.push(Buffer.from([((left - 1) << 2) | 2, 1, 0]));
  return Buffer.concat(parts);
}

function readSnappy(bytes: Buffer): Buffer {
  let at = 0;
  let length = 0;
  for (let scale = 1; ; scale *= 128) {
    const byte = bytes[at++] ?? 0;
    length += (byte & 127) * scale;
    if (byte < 128) break;
  }
  const out = Buffer.alloc(length);
  let filled = 0;
  while (at < bytes.length) {
    const tag = bytes[at++] ?? 0;
    const kind = tag & 3;
    if (kind === 0) {
      const extra = Math.max(0, (tag >> 2) - 59);
      const size = 1 + (extra === 0 ? tag >> 2 : bytes.readUIntLE(at, extra));
      at += extra;
      filled += bytes.copy(out, filled, at, at + size);
      at += size;
    } else {
      const offsetBytes = [0, 1, 2, 4][kind] ?? 0;
      const size = kind === 1 ? 4 + ((tag >> 2) & 7) : 1 + (tag >> 2);
      const offset = bytes.readUIntLE(at, offsetBytes) + (kind === 1 ? (tag >> 5) << 8 : 0);
      at += offsetBytes;
      for (let index = 0; index < size; index += 1, filled += 1) out[filled] = out[filled - offset] ?? 0;
    }
  }
  return out;
}

const zstdMagic = Buffer.from([0x28, 0xb5, 0x2f, 0xfd]);
const maxBlockBytes = 128 * 1024;

/** One segment, with its size in four bytes. */
function zstdFrame(size: number, blocks: readonly Buffer[]): Buffer {
  const head = Buffer.alloc(5);
  head[0] = (2 << 6) | (1 << 5);
  head.writeUInt32LE(size, 1);
  return Buffer.concat([zstdMagic, head, ...blocks]);
}

/** Kind 0 is stored, kind 1 one byte repeated. */
function zstdBlock(kind: 0 | 1, size: number): Buffer {
  const head = Buffer.alloc(3);
  head.writeUIntLE((kind << 1) | (size << 3), 0, 3);
  return head;
}

/** Cuts `total` into blocks and marks the last. */
function blocksOf(total: number, block: (size: number) => Buffer[]): Buffer[] {
  const sizes: number[] = [];
  for (let left = total; left > 0 || sizes.length === 0; left -= maxBlockBytes)
    sizes.push(Math.min(left, maxBlockBytes));
  return sizes.flatMap((size, index) => {
    const [head, ...content] = block(size);
    if (head !== undefined && index === sizes.length - 1) head[0] = (head[0] ?? 0) | 1;
    return head === undefined ? [] : [head, ...content];
  });
}

function readZstd(bytes: Buffer): Buffer {
  if (!bytes.subarray(0, 4).equals(zstdMagic) || bytes[4] !== 0xa0)
    throw new Error('Not a zstd frame of ours');
  const out: Buffer[] = [];
  for (let at = 9, isLast = false; !isLast; ) {
    const head = bytes.readUIntLE(at, 3);
    isLast = (head & 1) === 1;
    const kind = (head >> 1) & 3;
    const size = head >> 3;
    at += 3;
    if (kind > 1) throw new Error('A compressed block of zstd');
    out.push(kind === 0 ? bytes.subarray(at, at + size) : Buffer.alloc(size, bytes[at]));
    at += kind === 0 ? size : 1;
  }
  return Buffer.concat(out);
}

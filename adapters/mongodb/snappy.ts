/**
 * Decodes the Snappy format (google/snappy, format_description.txt): the length of the result as a varint, then literals
 * and copies of what has been decoded already. Linear in its input and output, and allocates nothing.
 */

/** `bytes[start, end)` is the whole, or its beginning; it has to say `size` as its length. Returns how much of it was put into `out`, -1 where it is malformed. */
export function decodeSnappy(bytes: Buffer, start: number, end: number, size: number, out: Buffer): number {
  let at = start;
  let declared = 0;
  for (let shift = 0; ; shift += 7) {
    if (at >= end || shift > 28) return -1;
    const byte = bytes[at] as number;
    at += 1;
    declared += (byte & 0x7f) * 2 ** shift;
    if (byte < 0x80) break;
  }
  return declared === size ? decodeElements(bytes, at, end, out) : -1;
}

function decodeElements(bytes: Buffer, start: number, end: number, out: Buffer): number {
  let at = start;
  let made = 0;
  while (at < end && made < out.length) {
    const tag = bytes[at] as number;
    at += 1;
    const kind = tag & 3;
    const extraBytes = extraBytesOf(tag, kind);
    if (extraBytes > end - at) return made;
    const extra = extraBytes === 0 ? 0 : bytes.readUIntLE(at, extraBytes);
    at += extraBytes;
    if (kind === 0) {
      const wanted = (extraBytes === 0 ? tag >>> 2 : extra) + 1;
      const size = Math.min(wanted, end - at, out.length - made);
      made += copyLiteral(bytes, at, size, out, made);
      if (size < wanted) return made;
      at += size;
    } else {
      const length = kind === 1 ? ((tag >>> 2) & 7) + 4 : (tag >>> 2) + 1;
      const offset = kind === 1 ? ((tag & 0xe0) << 3) | extra : extra;
      if (offset === 0 || offset > made) return -1;
      made += copyBack(out, made, offset, Math.min(length, out.length - made));
    }
  }
  // More input than the declared length has room for is not looked at: who asks compares sizes.
  return made;
}

/** Bytes of the length of a long literal, or of the offset of a copy. */
function extraBytesOf(tag: number, kind: number): number {
  if (kind === 0) return tag < 0xf0 ? 0 : (tag >>> 2) - 59;
  return kind === 3 ? 4 : kind;
}

function copyLiteral(bytes: Buffer, from: number, size: number, out: Buffer, to: number): number {
  if (size > 32) return bytes.copy(out, to, from, from + size);
  for (let index = 0; index < size; index += 1) out[to + index] = bytes[from + index] as number;
  return size;
}

/** Byte by byte: a copy may reach into what it makes. */
function copyBack(out: Buffer, to: number, offset: number, size: number): number {
  for (let at = to; at < to + size; at += 1) out[at] = out[at - offset] as number;
  return size;
}

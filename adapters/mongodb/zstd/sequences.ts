/**
 * The sequences section of a block (RFC 8878, sections 3.1.1.3.2 and 3.1.1.4): literals, then a copy of what was made
 * before, again and again.
 *
 * Invariant: a block makes at most `maxBlockBytes`, which bounds the work whatever the sequences say.
 */
import { BackwardBits } from './bits.js';
import type { FseTable } from './fse.js';
import type { Literals } from './literals.js';
import {
  literalBase,
  literalBits,
  matchBase,
  matchBits,
  readSequenceTables,
  type SequenceTables,
} from './sequence-tables.js';

export const maxBlockBytes = 128 * 1024;

/** How many sequences there are, and where their tables begin; null where the section is cut. */
function readCount(bytes: Buffer, start: number, end: number): { count: number; at: number } | null {
  const first = start < end ? (bytes[start] as number) : 256;
  const size = first < 128 ? 1 : first < 255 ? 2 : 3;
  if (start + size > end) return null;
  const at = start + size;
  if (size === 1) return { count: first, at };
  if (size === 2) return { count: ((first - 128) << 8) + (bytes[start + 1] as number), at };
  return { count: bytes.readUInt16LE(start + 1) + 0x7f00, at };
}

/** Where blocks are put one behind the other, and the offsets that were used last. */
export interface Decoded {
  readonly out: Buffer;
  made: number;
  readonly offsets: [number, number, number];
}

/**
 * Runs the section `bytes[start, end)` over `literals`, and appends what remains of them. False where it is malformed;
 * it stops where `out` is full.
 */
export function runSequences(
  bytes: Buffer,
  start: number,
  end: number,
  literals: Literals,
  tables: SequenceTables,
  decoded: Decoded,
): boolean {
  const counted = readCount(bytes, start, end);
  if (counted === null) return false;
  const blockEnd = decoded.made + maxBlockBytes;
  let literalAt = literals.start;
  if (counted.count > 0) {
    const at = readSequenceTables(bytes, counted.at, end, tables);
    const stream = new BackwardBits();
    if (at < 0 || !stream.open(bytes, at, end)) return false;
    literalAt = runAll(counted.count, stream, literals, tables, decoded, blockEnd);
    if (literalAt < 0) return false;
  } else if (counted.at !== end) return false;
  const rest = literals.end - literalAt;
  if (decoded.made + rest > blockEnd) return false;
  copyRun(literals.bytes, literalAt, rest, decoded);
  return true;
}

/** Returns where the literals that are left begin, -1 where it is malformed. */
function runAll(
  count: number,
  stream: BackwardBits,
  literals: Literals,
  tables: SequenceTables,
  decoded: Decoded,
  blockEnd: number,
): number {
  const literalTable = tables.literals as FseTable;
  const offsetTable = tables.offsets as FseTable;
  const matchTable = tables.matches as FseTable;
  let literalState = stream.read(literalTable.accuracyBits);
  let offsetState = stream.read(offsetTable.accuracyBits);
  let matchState = stream.read(matchTable.accuracyBits);
  let literalAt = literals.start;
  for (let left = count; left > 0; left -= 1) {
    const offsetBits = offsetTable.symbols[offsetState] as number;
    const matchCode = matchTable.symbols[matchState] as number;
    const literalCode = literalTable.symbols[literalState] as number;
    const offsetValue = 2 ** offsetBits + readLong(stream, offsetBits);
    const match = (matchBase[matchCode] as number) + stream.read(matchBits[matchCode] as number);
    const run = (literalBase[literalCode] as number) + stream.read(literalBits[literalCode] as number);
    if (left > 1) {
      literalState = nextState(literalTable, literalState, stream);
      matchState = nextState(matchTable, matchState, stream);
      offsetState = nextState(offsetTable, offsetState, stream);
    }
    if (stream.left < 0 || run > literals.end - literalAt) return -1;
    if (decoded.made + run + match > blockEnd) return -1;
    copyRun(literals.bytes, literalAt, run, decoded);
    literalAt += run;
    if (decoded.made === decoded.out.length) return literalAt;
    if (!copyMatch(decoded, takeOffset(decoded.offsets, offsetValue, run), match)) return -1;
  }
  return stream.left === 0 ? literalAt : -1;
}

function readLong(stream: BackwardBits, count: number): number {
  if (count <= 24) return stream.read(count);
  const high = stream.read(count - 16);
  return high * 65_536 + stream.read(16);
}

function nextState(table: FseTable, state: number, stream: BackwardBits): number {
  return (table.base[state] as number) + stream.read(table.bits[state] as number);
}

/** The offset that a value stands for: one of the last three, moved to the front, or a new one. */
function takeOffset(offsets: [number, number, number], value: number, run: number): number {
  const [first, second, third] = offsets;
  const which = value > 3 ? 4 : run === 0 ? value + 1 : value;
  switch (which) {
    case 1:
      return first;
    case 2:
      offsets[0] = second;
      offsets[1] = first;
      return second;
    default: {
      const taken = value > 3 ? value - 3 : which === 3 ? third : first - 1;
      offsets[0] = taken;
      offsets[1] = first;
      offsets[2] = second;
      return taken;
    }
  }
}

function copyRun(bytes: Buffer, from: number, size: number, decoded: Decoded): void {
  const { out, made } = decoded;
  const count = Math.min(size, out.length - made);
  if (count > 32) bytes.copy(out, made, from, from + count);
  else for (let index = 0; index < count; index += 1) out[made + index] = bytes[from + index] as number;
  decoded.made = made + count;
}

/** Byte by byte: a match may reach into what it makes. */
function copyMatch(decoded: Decoded, offset: number, size: number): boolean {
  const { out, made } = decoded;
  if (offset <= 0 || offset > made) return false;
  const end = Math.min(made + size, out.length);
  for (let at = made; at < end; at += 1) out[at] = out[at - offset] as number;
  decoded.made = end;
  return true;
}

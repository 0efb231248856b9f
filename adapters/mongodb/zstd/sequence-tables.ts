/** The tables of the sequences section (RFC 8878, sections 3.1.1.3.2.1 and 3.1.1.3.2.2): codes, their extra bits, their states. */
import { type FseTable, readFseTable, singleSymbolTable, tableOf } from './fse.js';

/** What later blocks of a frame may use again. */
export interface SequenceTables {
  literals: FseTable | null;
  offsets: FseTable | null;
  matches: FseTable | null;
}

type Kind = keyof SequenceTables;

/** In the order in which the tables stand. */
const kinds: readonly Kind[] = ['literals', 'offsets', 'matches'];
const bounds = {
  literals: { maxSymbol: 35, accuracyBits: 9 },
  offsets: { maxSymbol: 31, accuracyBits: 8 },
  matches: { maxSymbol: 52, accuracyBits: 9 },
} as const;

export const literalBits: readonly number[] = [
  ...new Array<number>(16).fill(0),
  1,
  1,
  1,
  1,
  2,
  2,
  3,
  3,
  4,
  6,
  7,
  8,
  9,
  10,
  11,
  12,
  13,
  14,
  15,
  16,
];
export const matchBits: readonly number[] = [
  ...new Array<number>(32).fill(0),
  ...[1, 1, 1, 1, 2, 2, 3, 3, 4, 4, 5, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16],
];
export const literalBase: readonly number[] = baseOf(literalBits, 0);
export const matchBase: readonly number[] = baseOf(matchBits, 3);

function baseOf(bits: readonly number[], first: number): number[] {
  let next = first;
  return bits.map((count) => {
    const base = next;
    next += 1 << count;
    return base;
  });
}

const ones = (count: number): number[] => new Array<number>(count).fill(1);
const rares = (count: number): number[] => new Array<number>(count).fill(-1);
const twos = (count: number): number[] => new Array<number>(count).fill(2);
/** Tables of blocks that bring none. */
const predefined = {
  literals: tableOf([4, 3, ...twos(11), ...ones(3), ...twos(9), 3, 2, ...ones(5), ...rares(4)], 6),
  offsets: tableOf([...ones(6), ...twos(3), ...ones(15), ...rares(5)], 5),
  matches: tableOf([1, 4, 3, ...twos(6), ...ones(37), ...rares(7)], 6),
} as const;

/** Reads the modes at `start`, and the tables they announce. Returns where its bitstream begins, -1 where it is malformed. */
export function readSequenceTables(
  bytes: Buffer,
  start: number,
  end: number,
  tables: SequenceTables,
): number {
  if (start >= end) return -1;
  const modes = bytes[start] as number;
  if ((modes & 3) !== 0) return -1;
  let at = start + 1;
  for (const [index, kind] of kinds.entries()) {
    const mode = (modes >>> (6 - index * 2)) & 3;
    if (mode === 0) tables[kind] = predefined[kind];
    else if (mode === 1) {
      const symbol = at < end ? (bytes[at] as number) : 256;
      if (symbol > bounds[kind].maxSymbol) return -1;
      tables[kind] = singleSymbolTable(symbol);
      at += 1;
    } else if (mode === 2) {
      const read = readFseTable(bytes, at, end, bounds[kind]);
      if (read === null) return -1;
      tables[kind] = read.table;
      at = read.end;
    } else if (tables[kind] === null) return -1;
  }
  return at;
}

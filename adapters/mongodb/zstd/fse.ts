/** Decoding tables of finite state entropy (RFC 8878, section 4.1.1), from a description or from one symbol. */

const maxAccuracyBits = 9;
const minAccuracyBits = 5;

/** By state: the symbol, how many bits lead to the next state, and the state to add them to. */
export interface FseTable {
  readonly accuracyBits: number;
  readonly symbols: Uint8Array;
  readonly bits: Uint8Array;
  readonly base: Uint16Array;
}

/** Every state is the same symbol's, and takes no bits. */
export function singleSymbolTable(symbol: number): FseTable {
  return {
    accuracyBits: 0,
    symbols: Uint8Array.of(symbol),
    bits: new Uint8Array(1),
    base: new Uint16Array(1),
  };
}

/** `counts[symbol]` of the states are a symbol's; -1 stands for less than one. Null where they do not fill the table. */
export function tableOf(counts: readonly number[], accuracyBits: number): FseTable | null {
  const size = 1 << accuracyBits;
  const symbols = new Uint8Array(size);
  const next = new Uint16Array(counts.length);
  let high = size - 1;
  for (const [symbol, count] of counts.entries()) {
    next[symbol] = Math.abs(count);
    if (count !== -1) continue;
    symbols[high] = symbol;
    high -= 1;
  }
  const step = (size >>> 1) + (size >>> 3) + 3;
  let at = 0;
  for (const [symbol, count] of counts.entries()) {
    for (let index = 0; index < count; index += 1) {
      symbols[at] = symbol;
      do at = (at + step) & (size - 1);
      while (at > high);
    }
  }
  if (at !== 0) return null;
  const bits = new Uint8Array(size);
  const base = new Uint16Array(size);
  for (let state = 0; state < size; state += 1) {
    const symbol = symbols[state] as number;
    const rank = next[symbol] as number;
    next[symbol] = rank + 1;
    const count = accuracyBits - (31 - Math.clz32(rank));
    bits[state] = count;
    base[state] = (rank << count) - size;
  }
  return { accuracyBits, symbols, bits, base };
}

export interface ReadTable {
  readonly table: FseTable;
  /** Where what follows the description begins. */
  readonly end: number;
}

/** Reads the description at `bytes[start, end)`. Null where it is malformed, or goes beyond what its symbols may be. */
export function readFseTable(
  bytes: Buffer,
  start: number,
  end: number,
  bounds: { readonly maxSymbol: number; readonly accuracyBits: number },
): ReadTable | null {
  const limit = (end - start) * 8;
  const bitsAt = (at: number, count: number): number => forwardBits(bytes, start, end, at, count);
  const accuracyBits = bitsAt(0, 4) + minAccuracyBits;
  if (accuracyBits > Math.min(bounds.accuracyBits, maxAccuracyBits)) return null;
  const counts: number[] = [];
  let left = 1 << accuracyBits;
  let at = 4;
  while (left > 0) {
    if (at > limit || counts.length > bounds.maxSymbol) return null;
    const width = 32 - Math.clz32(left + 1);
    const short = (1 << (width - 1)) - 1;
    const spare = (1 << width) - 2 - left;
    let value = bitsAt(at, width);
    if ((value & short) < spare) {
      value &= short;
      at += width - 1;
    } else {
      if (value > short) value -= spare;
      at += width;
    }
    counts.push(value - 1);
    left -= Math.abs(value - 1);
    if (value !== 1) continue;
    for (let zeros = 3; zeros === 3; at += 2) {
      zeros = at > limit ? 0 : bitsAt(at, 2);
      for (let index = 0; index < zeros; index += 1) counts.push(0);
    }
  }
  if (left !== 0 || at > limit || counts.length > bounds.maxSymbol + 1) return null;
  const table = tableOf(counts, accuracyBits);
  return table === null ? null : { table, end: start + ((at + 7) >>> 3) };
}

/** Up to 16 bits from bit `at` of `bytes[start, end)` on, upwards; those behind the end are zero. */
function forwardBits(bytes: Buffer, start: number, end: number, at: number, count: number): number {
  let word = 0;
  const first = start + (at >>> 3);
  for (let index = 0; index < 3 && first + index < end; index += 1) {
    word |= (bytes[first + index] as number) << (index * 8);
  }
  return (word >>> (at & 7)) & ((1 << count) - 1);
}

/** Huffman-coded literals (RFC 8878, section 4.2): the description of a tree, and streams coded by it. */
import { BackwardBits } from './bits.js';
import { readFseTable } from './fse.js';

const maxCodeBits = 11;
const maxWeightBits = 6;
const maxSymbols = 256;
const peekedBits = 24;

/** By the next `codeBits` bits: the symbol, and how many of the bits are its own. */
export interface HuffmanTable {
  readonly codeBits: number;
  readonly symbols: Uint8Array;
  readonly bits: Uint8Array;
}

export interface ReadHuffman {
  readonly table: HuffmanTable;
  readonly end: number;
}

/** Reads the description at `bytes[start, end)`. Null where it is malformed. */
export function readHuffmanTable(bytes: Buffer, start: number, end: number): ReadHuffman | null {
  if (start >= end) return null;
  const head = bytes[start] as number;
  const isPlain = head >= 128;
  const weightsEnd = start + 1 + (isPlain ? (head - 127 + 1) >>> 1 : head);
  if (weightsEnd > end) return null;
  const weights = isPlain
    ? plainWeights(bytes, start + 1, head - 127)
    : codedWeights(bytes, start + 1, weightsEnd);
  const table = weights === null ? null : tableOfWeights(weights);
  return table === null ? null : { table, end: weightsEnd };
}

function plainWeights(bytes: Buffer, start: number, count: number): number[] {
  const weights: number[] = [];
  for (let index = 0; index < count; index += 1) {
    const pair = bytes[start + (index >>> 1)] as number;
    weights.push((index & 1) === 0 ? pair >>> 4 : pair & 15);
  }
  return weights;
}

/** Two states take turns until a bit is wanted that is not there; the state whose turn it would be has the last word. */
function codedWeights(bytes: Buffer, start: number, end: number): number[] | null {
  const read = readFseTable(bytes, start, end, { maxSymbol: maxCodeBits + 1, accuracyBits: maxWeightBits });
  const stream = new BackwardBits();
  if (read === null || !stream.open(bytes, read.end, end)) return null;
  const { accuracyBits, symbols, bits, base } = read.table;
  const weights: number[] = [];
  let state = stream.read(accuracyBits);
  let other = stream.read(accuracyBits);
  if (stream.left < 0) return null;
  while (weights.length < maxSymbols) {
    weights.push(symbols[state] as number);
    const count = bits[state] as number;
    if (count > stream.left) {
      weights.push(symbols[other] as number);
      return weights;
    }
    const next = (base[state] as number) + stream.read(count);
    state = other;
    other = next;
  }
  return null;
}

/** The last symbol's weight is not said: it is what is missing to a power of two. */
function tableOfWeights(weights: number[]): HuffmanTable | null {
  let sum = 0;
  for (const weight of weights) {
    if (weight > maxCodeBits) return null;
    if (weight > 0) sum += 1 << (weight - 1);
  }
  const codeBits = 32 - Math.clz32(sum);
  if (sum === 0 || codeBits > maxCodeBits || weights.length >= maxSymbols) return null;
  const size = 1 << codeBits;
  const missing = size - sum;
  if ((missing & (missing - 1)) !== 0) return null;
  const all = [...weights, 32 - Math.clz32(missing)];
  const symbols = new Uint8Array(size);
  const bits = new Uint8Array(size);
  let at = 0;
  for (let weight = 1; weight <= codeBits; weight += 1) {
    for (const [symbol, its] of all.entries()) {
      if (its !== weight) continue;
      const end = at + (1 << (weight - 1));
      symbols.fill(symbol, at, end);
      bits.fill(codeBits + 1 - weight, at, end);
      at = end;
    }
  }
  return { codeBits, symbols, bits };
}

/** Decodes the one stream `bytes[start, end)` into all of `out[from, to)`. False where it does not come to just that. */
export function decodeHuffman(
  table: HuffmanTable,
  stream: { readonly bytes: Buffer; readonly start: number; readonly end: number },
  out: Buffer,
  from: number,
  to: number,
): boolean {
  const input = new BackwardBits();
  if (!input.open(stream.bytes, stream.start, stream.end)) return false;
  const { codeBits, symbols, bits } = table;
  const mask = (1 << codeBits) - 1;
  let at = from;
  // two codes of 11 bits are in 24
  for (; at + 1 < to; at += 2) {
    const word = input.peek(peekedBits);
    const first = (word >>> (peekedBits - codeBits)) & mask;
    const firstBits = bits[first] as number;
    const second = (word >>> (peekedBits - codeBits - firstBits)) & mask;
    out[at] = symbols[first] as number;
    out[at + 1] = symbols[second] as number;
    input.left -= firstBits + (bits[second] as number);
  }
  if (at < to) {
    const code = input.peek(codeBits);
    out[at] = symbols[code] as number;
    input.left -= bits[code] as number;
  }
  return input.left === 0;
}

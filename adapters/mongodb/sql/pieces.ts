/**
 * A statement on its way to the parser: pieces of text, with the place in the original each stands for. Names and values
 * are numbered, so that the parser sees neither.
 */
import type { Constant } from './constants.js';

/** A dotted path as one name. `isWhole`: written in one pair of quotes, so that no part of it is a table. */
export interface PreparedName {
  readonly parts: readonly string[];
  readonly isWhole: boolean;
}

export interface Prepared {
  /** What the parser gets. */
  readonly sql: string;
  readonly names: readonly PreparedName[];
  readonly constants: readonly Constant[];
  /** UTF-16 index in the original of what stands at an index of `sql`. */
  indexAt(offset: number): number;
}

export interface Piece {
  text: string;
  readonly start: number;
  /** True where an operand ends with it: a sign behind it is no part of a number. */
  readonly endsOperand: boolean;
}

/** Equal things get one number, so that equal expressions read the same. */
export class Numbered<T> {
  readonly all: T[] = [];
  private readonly known = new Map<string, number>();

  add(key: string, make: () => T): number {
    const known = this.known.get(key);
    if (known !== undefined) return known;
    this.known.set(key, this.all.length);
    this.all.push(make());
    return this.all.length - 1;
  }
}

export function joined(pieces: readonly Piece[]): { sql: string; indexAt(offset: number): number } {
  const offsets: number[] = [];
  let length = 0;
  for (const piece of pieces) {
    offsets.push(length);
    length += piece.text.length + 1;
  }
  return {
    sql: pieces.map((piece) => piece.text).join(' '),
    indexAt(offset) {
      let low = 0;
      let high = offsets.length - 1;
      while (low < high) {
        const middle = (low + high + 1) >> 1;
        if ((offsets[middle] ?? 0) <= offset) low = middle;
        else high = middle - 1;
      }
      return pieces[low]?.start ?? 0;
    },
  };
}

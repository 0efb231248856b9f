/**
 * How alike two shapes are: Jaccard index over the sets of their adjacent token pairs, which keeps word order in view
 * where a bag of words does not. The unigram variant is the baseline that eval/recall reports against.
 */
import { limits } from '../limits.js';

export type Measure = 'bigram' | 'unigram';

const fnvOffset = 0x811c9dc5 | 0;
const fnvPrime = 0x01000193;
const space = 0x20;

/**
 * Tokens of a shape; they are separated by single spaces. Braces and square brackets only nest and do not count: documents
 * are full of them, and in a short one nothing else would be left to compare.
 */
export function tokenCount(shape: string): number {
  let count = 0;
  for (let index = 1; index <= shape.length; index++) {
    const isEnd = index === shape.length || shape.charCodeAt(index) === space;
    if (isEnd && !isNesting(shape, index)) count++;
  }
  return count;
}

/**
 * Compares one shape with many. Candidates of an error are cold, so nothing is kept of them; they are hashed into a
 * buffer and looked up in the asked shape's set. Written with plain loops over arrays: this is most of a recall's time.
 */
export class ShapeComparer {
  readonly #asked = new GramSet();
  readonly #others = new GramSet();
  readonly #grams = new Int32Array(limits.maxSimilarityTokens);
  #measure: Measure = 'bigram';

  /** Sets the shape to compare with; nothing is alike to one of more than `limits.maxSimilarityTokens` tokens. */
  ask(shape: string, measure: Measure): void {
    this.#measure = measure;
    this.#asked.clear();
    const count = hashGrams(shape, measure, this.#grams);
    for (let index = 0; index < count; index++) this.#asked.add(this.#grams[index] ?? 0);
  }

  /** Similarity to the asked shape, 0 to 1; exact from `least` on, anything below it is given as 0. */
  score(shape: string, least: number): number {
    const asked = this.#asked;
    const others = this.#others;
    const grams = this.#grams;
    const count = hashGrams(shape, this.#measure, grams);
    const mostOthers = least > 0 ? asked.size / least - asked.size : Number.POSITIVE_INFINITY;
    others.clear();
    asked.unmark();
    let inBoth = 0;
    for (let index = 0; index < count; index++) {
      const gram = grams[index] ?? 0;
      const slot = asked.find(gram);
      if (slot >= 0) {
        if (asked.mark(slot)) inBoth++;
      } else if (others.add(gram) && others.size > mostOthers) {
        return 0;
      }
    }
    const inEither = asked.size + others.size;
    if (inEither === 0) return 0;
    const score = inBoth / inEither;
    return score >= least ? score : 0;
  }
}

/** Similarity of two shapes, for callers that compare two only. */
export function similarity(a: string, b: string, measure: Measure): number {
  const comparer = new ShapeComparer();
  comparer.ask(a, measure);
  return comparer.score(b, 0);
}

/** Writes the hash of each gram in order; the number of them, or 0 where there are more than `grams` holds. */
function hashGrams(shape: string, measure: Measure, grams: Int32Array): number {
  const { length } = shape;
  if (length === 0) return 0;
  const isUnigram = measure === 'unigram';
  let count = 0;
  let hash = fnvOffset;
  let previous = 0;
  let hasPrevious = isUnigram;
  for (let index = 0; index <= length; index++) {
    const code = index === length ? space : shape.charCodeAt(index);
    if (code !== space) {
      hash = Math.imul(hash ^ code, fnvPrime);
      continue;
    }
    if (hasPrevious) {
      if (count === grams.length) return 0;
      grams[count++] = isUnigram ? hash : Math.imul(previous, 31) ^ (hash >>> 7) ^ hash;
    }
    hasPrevious = true;
    previous = hash;
    hash = fnvOffset;
  }
  return count;
}

/** Whether the token that ends at `end` is one of `{ } [ ]`. */
function isNesting(shape: string, end: number): boolean {
  switch (shape.charCodeAt(end - 1)) {
    case 0x5b:
    case 0x5d:
    case 0x7b:
    case 0x7d:
      return end === 1 || shape.charCodeAt(end - 2) === space;
    default:
      return false;
  }
}

const slots = 4 * 1024;

/** A set of hashes that is emptied in no time: a slot counts only when it bears the current stamp. */
class GramSet {
  readonly #hashes = new Int32Array(slots);
  readonly #stamps = new Int32Array(slots);
  readonly #marks = new Int32Array(slots);
  #stamp = 0;
  #mark = 0;
  size = 0;

  clear(): void {
    this.#stamp++;
    this.size = 0;
  }

  /** True if the hash was not in the set yet. At most half the slots are ever used: there is always a free one. */
  add(hash: number): boolean {
    const stamps = this.#stamps;
    let slot = firstSlot(hash);
    while (stamps[slot] === this.#stamp) {
      if (this.#hashes[slot] === hash) return false;
      slot = (slot + 1) & (slots - 1);
    }
    stamps[slot] = this.#stamp;
    this.#hashes[slot] = hash;
    this.size++;
    return true;
  }

  /** The slot of a hash, or -1. */
  find(hash: number): number {
    const stamps = this.#stamps;
    let slot = firstSlot(hash);
    while (stamps[slot] === this.#stamp) {
      if (this.#hashes[slot] === hash) return slot;
      slot = (slot + 1) & (slots - 1);
    }
    return -1;
  }

  unmark(): void {
    this.#mark++;
  }

  /** True the first time a slot is marked. */
  mark(slot: number): boolean {
    if (this.#marks[slot] === this.#mark) return false;
    this.#marks[slot] = this.#mark;
    return true;
  }
}

function firstSlot(hash: number): number {
  return (hash ^ (hash >>> 15)) & (slots - 1);
}

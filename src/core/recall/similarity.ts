/**
 * How alike two shapes are: Jaccard index over the sets of their adjacent token pairs, which keeps word order in view
 * where a bag of words does not. The unigram variant is the baseline that eval/recall reports against.
 */
import { limits } from '../limits.js';

export type Measure = 'bigram' | 'unigram';

const fnvOffset = 0x811c9dc5 | 0;
const fnvPrime = 0x01000193;
const space = 0x20;

/** Tokens of a shape; they are separated by single spaces. */
export function tokenCount(shape: string): number {
  if (shape.length === 0) return 0;
  let count = 1;
  for (let index = 0; index < shape.length; index++) if (shape.charCodeAt(index) === space) count++;
  return count;
}

/**
 * Compares one shape with many. Candidates of an error are cold, so nothing is kept of them: their grams are looked up
 * one by one in the asked shape's set, and most are given up before their end.
 */
export class ShapeComparer {
  readonly #asked = new GramSet();
  readonly #others = new GramSet();
  #measure: Measure = 'bigram';

  /** Sets the shape to compare with; one of at most `limits.maxSimilarityTokens` tokens. */
  ask(shape: string, measure: Measure): void {
    this.#measure = measure;
    this.#asked.clear();
    eachGram(shape, measure, (gram) => this.#asked.add(gram));
  }

  /** Similarity to the asked shape, 0 to 1; exact from `least` on, anything below it is given as 0. */
  score(shape: string, least: number): number {
    const asked = this.#asked;
    const others = this.#others;
    others.clear();
    asked.unmark();
    const mostOthers = Math.min(
      others.capacity,
      least > 0 ? asked.size / least - asked.size : others.capacity,
    );
    let inBoth = 0;
    const isWhole = eachGram(shape, this.#measure, (gram) => {
      const mark = asked.mark(gram);
      if (mark === 'marked') inBoth++;
      else if (mark === 'absent') others.add(gram);
      return others.size <= mostOthers;
    });
    const inEither = asked.size + others.size;
    if (!isWhole || inEither === 0) return 0;
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

/** Calls back with the hash of each gram in order, until told to stop; true when it came to the end. */
function eachGram(shape: string, measure: Measure, take: (gram: number) => boolean): boolean {
  const isUnigram = measure === 'unigram';
  let hash = fnvOffset;
  let previous = 0;
  let hasPrevious = isUnigram;
  for (let index = 0; index < shape.length; index++) {
    const code = shape.charCodeAt(index);
    if (code !== space) {
      hash = Math.imul(hash ^ code, fnvPrime);
      continue;
    }
    if (hasPrevious && !take(isUnigram ? hash : pair(previous, hash))) return false;
    hasPrevious = true;
    previous = hash;
    hash = fnvOffset;
  }
  if (hasPrevious && shape.length > 0) return take(isUnigram ? hash : pair(previous, hash));
  return true;
}

function pair(previous: number, hash: number): number {
  return Math.imul(previous, 31) ^ (hash >>> 7) ^ hash;
}

/** A set of hashes that is emptied in no time: a slot counts only when it bears the current stamp. */
class GramSet {
  static readonly #slots = 4 * 1024;
  readonly #hashes = new Int32Array(GramSet.#slots);
  readonly #stamps = new Int32Array(GramSet.#slots);
  readonly #marks = new Int32Array(GramSet.#slots);
  #stamp = 0;
  #mark = 0;
  size = 0;

  /** A table fuller than this would be slow, and full one day. */
  get capacity(): number {
    return limits.maxSimilarityTokens;
  }

  clear(): void {
    this.#stamp++;
    this.size = 0;
  }

  /** Adds a hash; false when there is no room for another. */
  add(hash: number): boolean {
    const slot = this.#slotOf(hash);
    if (this.#stamps[slot] === this.#stamp) return true;
    if (this.size > this.capacity) return false;
    this.#stamps[slot] = this.#stamp;
    this.#hashes[slot] = hash;
    this.size++;
    return true;
  }

  unmark(): void {
    this.#mark++;
  }

  /** Marks a hash of the set: `marked` the first time, `again` after that. */
  mark(hash: number): 'marked' | 'again' | 'absent' {
    const slot = this.#slotOf(hash);
    if (this.#stamps[slot] !== this.#stamp) return 'absent';
    if (this.#marks[slot] === this.#mark) return 'again';
    this.#marks[slot] = this.#mark;
    return 'marked';
  }

  /** The slot that holds the hash, or the free one where it belongs. */
  #slotOf(hash: number): number {
    let slot = (hash ^ (hash >>> 15)) & (GramSet.#slots - 1);
    while (this.#stamps[slot] === this.#stamp && this.#hashes[slot] !== hash)
      slot = (slot + 1) & (GramSet.#slots - 1);
    return slot;
  }
}

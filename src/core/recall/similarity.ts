/**
 * How alike two shapes are: Jaccard index over the sets of their adjacent token pairs, which keeps word order in view
 * where a bag of words does not. The unigram variant is the baseline that eval/recall reports against.
 */
import { LRUCache } from 'lru-cache';
import { limits } from '../limits.js';

export type Measure = 'bigram' | 'unigram';

/** Sorted, distinct hashes of a shape's grams. */
export type Grams = Int32Array;

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

/** Grams of a shape, computed anew. */
export function gramsOf(shape: string, measure: Measure): Grams {
  const tokens = tokenCount(shape);
  const size = measure === 'bigram' ? Math.max(0, tokens - 1) : tokens;
  const grams = new Int32Array(size);
  let filled = 0;
  let hash = fnvOffset;
  let previous = 0;
  for (let index = 0, token = 0; index <= shape.length; index++) {
    const code = index === shape.length ? space : shape.charCodeAt(index);
    if (code !== space) {
      hash = Math.imul(hash ^ code, fnvPrime);
      continue;
    }
    if (measure === 'unigram') {
      if (filled < size) grams[filled++] = hash;
    } else if (token > 0) {
      grams[filled++] = Math.imul(previous, 31) ^ (hash >>> 7) ^ hash;
    }
    previous = hash;
    hash = fnvOffset;
    token++;
  }
  return distinct(sorted(grams));
}

/** Jaccard index of two gram sets, 0 to 1; two empty sets are not alike. */
export function jaccard(a: Grams, b: Grams): number {
  let inBoth = 0;
  let i = 0;
  let j = 0;
  while (i < a.length && j < b.length) {
    const left = a[i] ?? 0;
    const right = b[j] ?? 0;
    if (left === right) {
      inBoth++;
      i++;
      j++;
    } else if (left < right) {
      i++;
    } else {
      j++;
    }
  }
  const inEither = a.length + b.length - inBoth;
  return inEither === 0 ? 0 : inBoth / inEither;
}

/** The most two sets of these sizes can score: cheap to know before comparing them. */
export function bestPossible(a: Grams, b: Grams): number {
  const larger = Math.max(a.length, b.length);
  return larger === 0 ? 0 : Math.min(a.length, b.length) / larger;
}

/** Similarity of two shapes, for callers that compare two only. */
export function similarity(a: string, b: string, measure: Measure): number {
  return jaccard(gramsOf(a, measure), gramsOf(b, measure));
}

/** Grams of the shapes compared lately: an error often meets the same candidates again. */
export class GramCache {
  readonly #byMeasure = {
    bigram: new LRUCache<string, Grams>({ max: limits.maxCachedGrams }),
    unigram: new LRUCache<string, Grams>({ max: limits.maxCachedGrams }),
  };

  grams(shape: string, measure: Measure): Grams {
    const cache = this.#byMeasure[measure];
    let grams = cache.get(shape);
    if (grams === undefined) {
      grams = gramsOf(shape, measure);
      cache.set(shape, grams);
    }
    return grams;
  }
}

// The native sort of typed arrays costs more than it saves below some hundred elements.
function sorted(values: Int32Array): Int32Array {
  if (values.length > 96) return values.sort();
  for (let index = 1; index < values.length; index++) {
    const value = values[index] ?? 0;
    let at = index - 1;
    while (at >= 0 && (values[at] ?? 0) > value) {
      values[at + 1] = values[at] ?? 0;
      at--;
    }
    values[at + 1] = value;
  }
  return values;
}

function distinct(ordered: Int32Array): Int32Array {
  let kept = 0;
  for (let index = 0; index < ordered.length; index++) {
    const value = ordered[index] ?? 0;
    if (index === 0 || value !== ordered[kept - 1]) ordered[kept++] = value;
  }
  return kept === ordered.length ? ordered : ordered.slice(0, kept);
}

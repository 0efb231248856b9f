import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ShapeComparer, similarity, tokenCount } from '../../../../src/core/recall/similarity.js';

const shape = fc.array(fc.constantFrom('select', 'a', 'b', 'c', 'from', 't', '?', ',', '(', ')'), {
  maxLength: 150,
});

/** The definition, written the slow way. */
function reference(a: readonly string[], b: readonly string[], size: 1 | 2): number {
  const grams = (tokens: readonly string[]) =>
    new Set(
      tokens
        .slice(0, Math.max(0, tokens.length - size + 1))
        .map((_, i) => tokens.slice(i, i + size).join(' ')),
    );
  const [left, right] = [grams(a), grams(b)];
  const union = new Set([...left, ...right]).size;
  return union === 0 ? 0 : [...left].filter((gram) => right.has(gram)).length / union;
}

describe('similarity', () => {
  it('is the Jaccard index of token pairs, or of tokens', () => {
    fc.assert(
      fc.property(shape, shape, (a, b) => {
        expect(similarity(a.join(' '), b.join(' '), 'bigram')).toBeCloseTo(reference(a, b, 2), 10);
        expect(similarity(a.join(' '), b.join(' '), 'unigram')).toBeCloseTo(reference(a, b, 1), 10);
      }),
    );
  });

  it('is 1 for a shape and itself, whatever its length', () => {
    const long = Array.from({ length: 500 }, (_, index) => `c${index}`).join(' ');
    expect(similarity(long, long, 'bigram')).toBe(1);
    expect(similarity('a b', 'a b', 'unigram')).toBe(1);
  });

  it('sees the order of words only in pairs', () => {
    expect(similarity('a b c d', 'd c b a', 'unigram')).toBe(1);
    expect(similarity('a b c d', 'd c b a', 'bigram')).toBe(0);
  });

  it('is the same for many candidates in turn, and exact from the least that matters', () => {
    fc.assert(
      fc.property(
        shape,
        fc.array(shape),
        fc.double({ min: 0.05, max: 1, noNaN: true }),
        (asked, others, least) => {
          const comparer = new ShapeComparer();
          comparer.ask(asked.join(' '), 'bigram');
          for (const other of others) {
            const exact = reference(asked, other, 2);
            const score = comparer.score(other.join(' '), least);
            expect(score).toBeCloseTo(exact >= least ? exact : 0, 10);
          }
        },
      ),
    );
  });

  it('gives up on a shape with more tokens than it compares', () => {
    const long = Array.from({ length: 10_000 }, (_, index) => `c${index}`).join(' ');
    const comparer = new ShapeComparer();
    comparer.ask('a b c', 'bigram');
    expect(comparer.score(long, 0)).toBe(0);
  });

  it('counts tokens', () => {
    expect([tokenCount(''), tokenCount('a'), tokenCount('a b c')]).toEqual([0, 1, 3]);
    expect([tokenCount('{ a [ { b c ] } }'), tokenCount('{'), tokenCount('a{ [b] }c')]).toEqual([3, 0, 3]);
  });

  it('finds nothing alike in shapes too short to have a pair', () => {
    expect(similarity('commit', 'commit', 'bigram')).toBe(0);
    expect(similarity('', '', 'unigram')).toBe(0);
  });
});

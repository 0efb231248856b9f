import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OwedRequests } from '../../../../adapters/mongodb/owed-requests.js';
import { limits } from '../../../../src/core/limits.js';

describe('OwedRequests', () => {
  it('finds what a plain list would find, in whatever order replies come', () => {
    const id = fc.integer({ min: 0, max: 12 });
    const step = fc.oneof(
      fc.record({ add: id }),
      fc.record({ answer: id }),
      fc.record({ chain: id, to: id }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const owed = new OwedRequests();
        const model: { id: number; bytes: Buffer }[] = [];
        for (const one of steps) {
          if ('add' in one) {
            const bytes = Buffer.alloc(model.length + 1, one.add);
            owed.keep(owed.add(one.add), bytes);
            model.push({ id: one.add, bytes });
            continue;
          }
          const wanted = 'answer' in one ? one.answer : one.chain;
          const expected = model.find((request) => request.id === wanted);
          const found = owed.find(wanted);
          expect(found?.bytes).toBe(expected?.bytes);
          if (found === null || expected === undefined) continue;
          if ('chain' in one) {
            found.id = one.to;
            expected.id = one.to;
          } else {
            owed.remove(found);
            model.splice(model.indexOf(expected), 1);
          }
        }
        expect(owed.size).toBe(model.length);
      }),
    );
  });

  it('lets go of what an answered request held on to', () => {
    const owed = new OwedRequests();
    const request = owed.add(1);
    owed.keep(request, Buffer.alloc(100));
    request.isTruncated = true;
    request.isExhaustAllowed = true;
    request.scope = { upstream: 'u', database: 'd' };
    owed.remove(request);
    expect(owed.add(2)).toMatchObject({
      isKept: false,
      isTruncated: false,
      isExhaustAllowed: false,
      scope: null,
    });
  });

  it('uses an entry again while no more are in flight than were before', () => {
    const owed = new OwedRequests();
    const seen = new Set();
    for (let id = 0; id < 1_000; id += 1) {
      const request = owed.add(id);
      seen.add(request);
      owed.remove(request);
    }
    expect(seen.size).toBeLessThanOrEqual(4);
  });

  it('is full at the bound on requests, and at the one on their bytes', () => {
    const many = new OwedRequests();
    for (let id = 0; id < limits.maxRequestsInFlight; id += 1) {
      expect(many.isFull).toBe(false);
      many.add(id);
    }
    expect(many.isFull).toBe(true);
    many.remove(many.find(0) as NonNullable<ReturnType<typeof many.find>>);
    expect(many.isFull).toBe(false);

    const long = new OwedRequests();
    const bytes = Buffer.alloc(limits.maxExpectedReplyBytes);
    const request = long.add(1);
    long.keep(request, bytes);
    expect(long.isFull).toBe(true);
    long.remove(request);
    expect(long.isFull).toBe(false);
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OwedReplies } from '../../../src/wire/owed-replies.js';

const weightOf = (subject: string | null): number => 10 + (subject?.length ?? 0);

describe('owed replies', () => {
  it('is a queue, at any size it grew to, and weighs what is in it', () => {
    const step = fc.oneof(
      {
        weight: 3,
        arbitrary: fc.record({ kind: fc.integer({ min: 1, max: 65_535 }), subject: fc.string() }),
      },
      { weight: 2, arbitrary: fc.constant('pop' as const) },
      { weight: 1, arbitrary: fc.constant('pop all' as const) },
      { weight: 1, arbitrary: fc.constant('push many' as const) },
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const queue = new OwedReplies<number, string>(weightOf);
        const model: { kind: number; subject: string | null }[] = [];
        const push = (kind: number, subject: string | null): void => {
          queue.push(kind, subject);
          model.push({ kind, subject });
        };
        const pop = (): void => {
          if (model.length === 0) return;
          queue.pop();
          model.shift();
        };
        for (const one of steps) {
          if (one === 'pop') pop();
          else if (one === 'pop all') while (model.length > 0) pop();
          else if (one === 'push many') for (let i = 1; i <= 5_000; i += 1) push(i, null);
          else push(one.kind, one.subject);
          expect(queue.size).toBe(model.length);
          expect(queue.headKind()).toBe(model[0]?.kind ?? 0);
          expect(queue.headSubject()).toBe(model[0]?.subject ?? null);
          expect(queue.bytes).toBe(model.reduce((sum, { subject }) => sum + weightOf(subject), 0));
          const last = model.length - 1;
          if (last >= 0) expect(queue.kindAt(last)).toBe(model[last]?.kind);
        }
      }),
      { numRuns: 60 },
    );
  });

  it('changes a kind in place', () => {
    const queue = new OwedReplies<number, string>(weightOf);
    for (let kind = 1; kind <= 20; kind += 1) queue.push(kind, null);
    for (let popped = 0; popped < 10; popped += 1) queue.pop();
    for (let kind = 21; kind <= 30; kind += 1) queue.push(kind, null);
    queue.setKindAt(15, 99);
    expect([queue.kindAt(0), queue.kindAt(15), queue.kindAt(19)]).toEqual([11, 99, 30]);
  });
});

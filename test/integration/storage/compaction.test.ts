import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { MemoryEvent } from '../../../src/core/memory/record.js';
import { at, failure, feedback, idOf, observed, restored, retracted } from '../../contract/store-events.js';
import { until } from '../../support/until.js';
import { linesOf, type MemoryFolder, makeMemoryFolder } from './memory-folder.js';

let memory: MemoryFolder;
beforeEach(async () => {
  memory = await makeMemoryFolder();
});
afterEach(() => memory.remove());

const anyEvent = fc
  .tuple(fc.integer({ min: 1, max: 3 }), fc.integer({ min: 10, max: 60 }), fc.integer({ min: 0, max: 7 }))
  .map(([n, second, kind]): MemoryEvent => {
    switch (kind) {
      case 0:
        return failure(n, { at: at(second) });
      case 1:
        return retracted(n, second);
      case 2:
        return restored(n, second);
      case 3:
        return feedback(n, second, 'contradicted');
      case 4:
        return feedback(n, second, 'ignored');
      case 5:
        return observed(n, second, 0, 2);
      default:
        return observed(n, second, kind, 1);
    }
  });

describe('compaction', () => {
  it('makes one observation and one feedback of each kind out of many', async () => {
    const store = await memory.open();
    const many = Array.from({ length: 50 }, (_, k) => [
      observed(1, 10 + k, 2, 1),
      observed(2, 10 + k),
      feedback(1, 10 + k, 'ignored'),
    ]).flat();
    await store.add([failure(1), failure(2), ...many]);
    const before = await store.all();
    const report = await store.compact();
    expect(report.bytesAfter).toBeLessThan(report.bytesBefore / 4);
    expect(await memory.read()).toBe(
      linesOf([
        failure(1),
        failure(2),
        observed(1, 59, 100, 50),
        { v: 1, event: 'feedback', id: idOf(1), at: at(59), kind: 'ignored', count: 50 },
        observed(2, 59, 50),
      ]),
    );
    expect(await store.all()).toEqual(before);
  });

  it('changes no record, whatever the order of events', async () => {
    const store = await memory.open();
    await fc.assert(
      fc.asyncProperty(fc.array(anyEvent, { maxLength: 40 }), async (events) => {
        await store.clear();
        await store.add([failure(1), failure(2), failure(3), ...events]);
        const before = await store.all();
        await store.compact();
        expect(await store.all()).toEqual(before);
        await store.compact();
        expect(await store.all()).toEqual(before);
      }),
      { numRuns: 60 },
    );
  });

  it('lets appends go on and keeps them', async () => {
    const store = await memory.open();
    const events = Array.from({ length: 3_000 }, (_, k) => [
      failure(k),
      observed(k, k),
      observed(k, k),
    ]).flat();
    await store.add(events);
    const compacting = store.compact();
    for (let n = 3_000; n < 3_050; n++) await store.add([failure(n)]);
    await compacting;
    await store.add([failure(3_050)]);
    const records = await store.all();
    expect(records).toHaveLength(3_051);
    expect(records[7]).toMatchObject({ id: idOf(7), failures: 3 });
  });

  it('does not bring back what is cleared meanwhile, nor lose what is imported', async () => {
    const store = await memory.open();
    await store.add(Array.from({ length: 2_000 }, (_, k) => [failure(k), observed(k, k)]).flat());
    const compacting = store.compact();
    await store.clear();
    await store.addAtomically(async (write) => write([failure(9_999)]));
    await compacting;
    expect((await store.all()).map(({ id }) => id)).toEqual([idOf(9_999)]);
  });

  it('starts by itself once observations are many', async () => {
    const store = await memory.open({ compactMinBytes: 4_000 });
    await store.add([failure(1)]);
    for (let k = 0; k < 100; k++) await store.add([observed(1, 10 + k)]);
    await until(() => memory.reports.some(({ kind }) => kind === 'compacted'), 60_000, 'compaction');
    expect((await store.all())[0]).toMatchObject({ failures: 101, lastAt: at(109) });
    expect((await memory.read()).length).toBeLessThan(5_000);
  });

  it('does not start again for what it has merged already', async () => {
    const store = await memory.open();
    await store.add([
      failure(1),
      observed(1, 2),
      observed(1, 3),
      feedback(1, 4, 'ignored'),
      feedback(1, 5, 'ignored'),
    ]);
    expect((await store.replay(() => undefined)).mergeableBytes).toBeGreaterThan(0);
    await store.compact();
    expect((await store.replay(() => undefined)).mergeableBytes).toBe(0);
  });

  it('is given up by close, which leaves the log as it was', async () => {
    const store = await memory.open();
    await store.add(Array.from({ length: 2_000 }, (_, k) => [failure(k), observed(k, k)]).flat());
    const before = await memory.read();
    const compacting = store.compact();
    await store.close();
    await expect(compacting).rejects.toMatchObject({ code: 'MEMORY_WRITE_FAILED' });
    expect(await memory.read()).toBe(before);
  });
});

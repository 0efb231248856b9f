/**
 * What every store promises, whatever it keeps its events in. A store's own test file calls this with a way to make an
 * empty one and to open the same one again.
 */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Store } from '../../src/core/memory/record.js';
import { at, failure, feedback, idOf, observed, restored, retracted, review } from './store-events.js';

export interface StoreFixture {
  /** Opens the store; every call after a `close` sees what was there before. `now` is what it takes for the present. */
  open(now?: () => number): Promise<Store>;
  /** Removes what the store left behind. */
  remove(): Promise<void>;
}

export function describeStoreContract(name: string, makeFixture: () => Promise<StoreFixture>): void {
  describe(`store contract: ${name}`, () => {
    let fixture: StoreFixture;
    let store: Store;

    beforeEach(async () => {
      fixture = await makeFixture();
      store = await fixture.open();
    });

    afterEach(async () => {
      await store.close();
      await fixture.remove();
    });

    const reopen = async (now?: () => number): Promise<void> => {
      await store.close();
      store = await fixture.open(now);
    };

    it('is empty at first', async () => {
      expect(await store.all()).toEqual([]);
      expect(await store.live()).toEqual([]);
    });

    it('gives back what was added, in order of first appearance, also after reopening', async () => {
      await store.add([failure(2), failure(1)]);
      await store.add([failure(3)]);
      const before = await store.all();
      expect(before.map((record) => record.id)).toEqual([idOf(2), idOf(1), idOf(3)]);
      await reopen();
      expect(await store.all()).toEqual(before);
    });

    it('keeps every fact of a failure', async () => {
      const event = failure(1, {
        shape: 'select "Größe", \u0007 from "日本"',
        isTruncated: true,
        object: null,
        evidence: { session: 's', user: 'u', trace: '00-aa-bb-01' },
      });
      await store.add([event]);
      await reopen();
      const [record] = await store.all();
      const { v: _version, event: _kind, at: _at, ...facts } = event;
      expect(record).toMatchObject(facts);
    });

    it('takes a known failure for one more observation of the same record', async () => {
      await store.add([failure(1)]);
      await store.add([failure(1, { at: at(100) })]);
      await reopen();
      const records = await store.all();
      expect(records).toHaveLength(1);
      expect(records[0]).toMatchObject({ failures: 2, firstAt: at(1), lastAt: at(100) });
    });

    it('counts observations, successes and feedback', async () => {
      await store.add([failure(1), observed(1, 5, 3), observed(1, 6, 0, 4), feedback(1, 7, 'ignored')]);
      await store.add([observed(1, 8, 1, 1), feedback(1, 9, 'confirmed'), feedback(1, 10, 'confirmed')]);
      await reopen();
      expect((await store.all())[0]).toMatchObject({
        failures: 5,
        successes: 5,
        lastAt: at(8),
        ignored: 1,
        confirmed: 2,
      });
    });

    it('keeps the resolution', async () => {
      const resolution = { shape: 'insert into t values ( ? ) on conflict do nothing', tables: ['public.t'] };
      await store.add([failure(1), { v: 1, event: 'resolved', id: idOf(1), at: at(2), resolution }]);
      await reopen();
      expect((await store.all())[0]?.resolution).toEqual(resolution);
    });

    it('leaves retracted, superseded, deleted and reviewed-away records in all() and out of live()', async () => {
      await store.add([1, 2, 3, 4, 5].map((n) => failure(n)));
      await store.add([
        retracted(1, 10),
        { v: 1, event: 'superseded', id: idOf(2), at: at(10), by: idOf(5) },
        { v: 1, event: 'deleted', id: idOf(3), at: at(10), reason: 'migration', author: 'test' },
        { v: 1, event: 'reviewed', id: idOf(4), at: at(10), verdict: 'under_review', author: 'test' },
      ]);
      await reopen();
      expect((await store.all()).map((record) => record.status)).toEqual([
        'retracted',
        'superseded',
        'deleted',
        'under_review',
        'live',
      ]);
      expect((await store.live()).map((record) => record.id)).toEqual([idOf(5)]);
    });

    it('brings a record back that was restored', async () => {
      await store.add([failure(1), retracted(1, 2), restored(1, 3)]);
      expect((await store.live()).map((record) => record.id)).toEqual([idOf(1)]);
    });

    it('lets a reviewed record expire', async () => {
      await store.add([failure(1), review(1, 2, at(100))]);
      await reopen(() => Date.parse(at(99)));
      expect(await store.live()).toHaveLength(1);
      await reopen(() => Date.parse(at(100)));
      expect(await store.live()).toEqual([]);
      expect(await store.all()).toHaveLength(1);
    });

    it('asks the caller which records are current', async () => {
      await store.add([failure(1), failure(2)]);
      const live = await store.live((record) => record.id === idOf(2));
      expect(live.map((record) => record.id)).toEqual([idOf(2)]);
    });

    it('passes over corrections that match nothing', async () => {
      await store.add([retracted(9, 1), observed(8, 1), failure(1)]);
      await reopen();
      expect((await store.all()).map((record) => record.id)).toEqual([idOf(1)]);
    });

    it('adds nothing for an empty list', async () => {
      await store.add([]);
      expect(await store.all()).toEqual([]);
    });

    it('keeps the order of calls that were not waited for', async () => {
      const calls = Array.from({ length: 50 }, (_, n) => store.add([failure(n)]));
      const during = store.all();
      await Promise.all(calls);
      expect((await during).length).toBe(50);
      expect((await store.all()).map((record) => record.id)).toEqual(calls.map((_, n) => idOf(n)));
    });

    it('forgets everything, for good, and goes on', async () => {
      await store.add([failure(1), failure(2)]);
      await store.clear();
      expect(await store.all()).toEqual([]);
      await store.add([failure(3)]);
      await reopen();
      expect((await store.all()).map((record) => record.id)).toEqual([idOf(3)]);
    });

    it('refuses to add after close, and may be closed twice', async () => {
      await store.close();
      await store.close();
      await expect(store.add([failure(1)])).rejects.toMatchObject({ code: 'MEMORY_WRITE_FAILED' });
      await reopen();
      expect(await store.all()).toEqual([]);
    });
  });
}

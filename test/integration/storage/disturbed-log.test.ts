// Other programs reach for memory.jsonl while a store is open.
import { appendFile, mkdir, readdir, rename, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { failure, idOf, observed } from '../../contract/store-events.js';
import { until } from '../../support/until.js';
import { linesOf, type MemoryFolder, makeMemoryFolder } from './memory-folder.js';

let memory: MemoryFolder;
beforeEach(async () => {
  memory = await makeMemoryFolder();
});
afterEach(() => memory.remove());

const kinds = (): string[] => memory.reports.map(({ kind }) => kind);

describe('a log that is removed while in use', () => {
  it('is written again with all it held before the next event, told and counted once', async () => {
    const store = await memory.open({ fsyncIntervalMs: 60_000 });
    await store.add([failure(1), failure(2)]);
    await rm(memory.log);
    await store.add([failure(3)]);
    await store.add([failure(4)]);
    expect(await memory.read()).toBe(linesOf([1, 2, 3, 4].map((n) => failure(n))));
    expect((await stat(memory.log)).mode & 0o777).toBe(0o600);
    expect(kinds()).toEqual(['log_restored']);
    expect(memory.counted['store_log_disturbed/missing']).toBe(1);
    await store.close();
    expect(await readdir(memory.path)).toEqual(['memory.jsonl']);
  });

  it('is noticed within the interval also when nothing is added, each time', async () => {
    const store = await memory.open({ fsyncIntervalMs: 20 });
    await store.add([failure(1)]);
    for (let round = 1; round <= 3; round++) {
      await rm(memory.log);
      await until(() => kinds().length === round, 10_000, 'the log to be restored');
      expect(await memory.read()).toBe(linesOf([failure(1)]));
    }
    expect(memory.counted['store_log_disturbed/missing']).toBe(3);
  });

  it('is written again at the latest by closing', async () => {
    const store = await memory.open({ fsyncIntervalMs: 60_000 });
    await store.add([failure(1)]);
    await rename(memory.log, join(memory.path, 'kept.jsonl'));
    await store.close();
    expect(await memory.read()).toBe(linesOf([failure(1)]));
  });

  it('can be compacted, cleared and read afterwards', async () => {
    const store = await memory.open({ fsyncIntervalMs: 60_000 });
    await store.add([failure(1), observed(1, 2), observed(1, 3)]);
    await rm(memory.log);
    await store.compact();
    expect(await memory.read()).toBe(linesOf([failure(1), observed(1, 3, 2)]));
    await rm(memory.log);
    expect((await store.all()).map(({ id }) => id)).toEqual([idOf(1)]);
    await rm(memory.log);
    await store.clear();
    await store.add([failure(5)]);
    expect(await memory.read()).toBe(linesOf([failure(5)]));
  });

  it('with its lock: nothing more is written', async () => {
    const store = await memory.open({ fsyncIntervalMs: 60_000 });
    await store.add([failure(1)]);
    for (const name of await readdir(memory.path)) await rm(join(memory.path, name));
    await expect(store.add([failure(2)])).rejects.toMatchObject({ code: 'MEMORY_LOCKED' });
    expect(kinds()).toEqual(['lock_lost']);
    await store.close();
    expect(await readdir(memory.path)).toEqual([]);
  });

  it('with something that is no file in its place: refused, told once, taken up when that is gone', async () => {
    const store = await memory.open({ fsyncIntervalMs: 60_000 });
    await store.add([failure(1)]);
    await rm(memory.log);
    await mkdir(memory.log);
    for (let attempt = 0; attempt < 2; attempt++) {
      await expect(store.add([failure(2)])).rejects.toMatchObject({ code: 'MEMORY_WRITE_FAILED' });
    }
    expect(kinds()).toEqual(['log_missing']);
    await rm(memory.log, { recursive: true });
    await store.add([failure(2)]);
    expect(await memory.read()).toBe(linesOf([failure(1), failure(2)]));
  });
});

describe('a log that is replaced while in use', () => {
  it('the file in its place is appended to, whole or cut short', async () => {
    const store = await memory.open({ fsyncIntervalMs: 60_000 });
    await store.add([failure(1)]);
    const other = join(memory.path, 'other');
    await writeFile(other, linesOf([failure(7)]).trimEnd());
    await rename(other, memory.log);
    await store.add([failure(2)]);
    expect((await store.all()).map(({ id }) => id)).toEqual([idOf(7), idOf(2)]);
    await store.add([failure(3)]);
    expect((await store.all()).map(({ id }) => id)).toEqual([7, 2, 3].map(idOf));
    expect(kinds()).toEqual(['log_replaced']);
    expect(memory.counted['store_log_disturbed/replaced']).toBe(1);
  });
});

describe('a log that is written by another program', () => {
  it('emptied: what comes later is kept', async () => {
    const store = await memory.open({ fsyncIntervalMs: 60_000 });
    await store.add([failure(1)]);
    await truncate(memory.log);
    await store.add([failure(2)]);
    expect(await memory.read()).toBe(linesOf([failure(2)]));
    expect(kinds()).toEqual(['log_resized']);
  });

  it('cut within a line: the next event is on a line of its own', async () => {
    const store = await memory.open({ fsyncIntervalMs: 60_000 });
    await store.add([failure(1), failure(2)]);
    await truncate(memory.log, linesOf([failure(1)]).length + 20);
    await store.add([failure(3)]);
    expect((await store.all()).map(({ id }) => id)).toEqual([idOf(1), idOf(3)]);
  });

  it('appended to: those lines survive compaction', async () => {
    const store = await memory.open({ fsyncIntervalMs: 60_000 });
    await store.add([failure(1), observed(1, 2), observed(1, 3)]);
    await appendFile(memory.log, linesOf([failure(9)]));
    await store.compact();
    expect((await store.all()).map(({ id }) => id)).toEqual([idOf(1), idOf(9)]);
  });
});

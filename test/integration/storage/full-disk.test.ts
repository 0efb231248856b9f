import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, rmdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { noCounters } from '../../../src/core/counters.js';
import { EventQueue, type QueueChange } from '../../../src/storage/event-queue.js';
import { openJsonlStore } from '../../../src/storage/jsonl/store.js';
import { failure, idOf } from '../../contract/store-events.js';
import { until } from '../../support/until.js';

/** A file system of 256 KiB, where this user may mount one. */
async function mountSmallDisk(): Promise<string | null> {
  const path = await mkdtemp(join(tmpdir(), 'twiceshy-disk-'));
  const { status } = spawnSync('/bin/mount', ['-t', 'tmpfs', '-o', 'size=256k', 'tmpfs', path]);
  if (status === 0) return path;
  await rmdir(path);
  return null;
}

const disk = await mountSmallDisk();
if (disk === null) process.stderr.write('Skipping the full disk: this user cannot mount a small one.\n');

describe.skipIf(disk === null)('a full disk', () => {
  let folder = '';
  const filler = (): string => join(disk ?? '', 'filler');
  beforeAll(() => {
    folder = join(disk ?? '', 'memory');
  });
  afterAll(async () => {
    spawnSync('/bin/umount', [disk ?? '']);
    await rm(disk ?? '', { recursive: true, force: true });
  });

  it('costs no line that was written, is told once, and is over when there is room again', async () => {
    const changes: QueueChange[] = [];
    const store = await openJsonlStore(folder);
    const queue = new EventQueue({
      store,
      counters: noCounters,
      onError: (change) => changes.push(change),
      retryMinMs: 10,
      retryMaxMs: 50,
    });
    await writeFile(filler(), Buffer.alloc(180 * 1024));
    let emitted = 0;
    while (changes.length === 0 && emitted < 1_000) {
      queue.emit(failure(emitted++));
      await queue.flush();
    }
    expect(changes).toMatchObject([{ state: 'failing', error: { code: 'MEMORY_WRITE_FAILED' } }]);
    expect(changes[0]?.error?.message).toContain('ENOSPC');
    const written = emitted - queue.depth;
    expect((await store.all()).length).toBe(written);

    await rm(filler());
    await until(() => queue.depth === 0, 10_000, 'the queue to empty');
    expect(changes.at(-1)).toMatchObject({ state: 'recovered' });
    expect((await store.all()).map(({ id }) => id)).toEqual(
      Array.from({ length: emitted }, (_, n) => idOf(n)),
    );
    await queue.close();
    await store.close();
  });

  it('leaves the memory as it was when an import does not fit', async () => {
    const store = await openJsonlStore(folder);
    const before = await store.all();
    const events = Array.from({ length: 400 }, (_, n) => failure(10_000 + n));
    await expect(store.addAtomically(async (write) => write(events))).rejects.toThrow('ENOSPC');
    expect(await store.all()).toEqual(before);
    await store.close();
  });
});

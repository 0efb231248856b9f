import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { limits } from '../../../src/core/limits.js';
import type { MemoryEvent } from '../../../src/core/memory/record.js';
import { readJsonl } from '../../../src/storage/jsonl/read.js';
import { failure, idOf, observed } from '../../contract/store-events.js';
import { until } from '../../support/until.js';
import { linesOf, type MemoryFolder, makeMemoryFolder } from './memory-folder.js';

let memory: MemoryFolder;
beforeEach(async () => {
  memory = await makeMemoryFolder();
});
afterEach(() => memory.remove());

async function readAll(): Promise<{ ids: string[]; report: Awaited<ReturnType<typeof readJsonl>> }> {
  const ids: string[] = [];
  const report = await readJsonl(memory.path, (event) => ids.push(event.id));
  return { ids, report };
}

describe('the memory folder', () => {
  it('is private to its owner', async () => {
    await (await memory.open()).add([failure(1)]);
    expect((await stat(memory.path)).mode & 0o777).toBe(0o700);
    expect((await stat(memory.log)).mode & 0o777).toBe(0o600);
    expect((await stat(join(memory.path, 'memory.lock'))).mode & 0o777).toBe(0o600);
  });

  it('holds the log alone once closed', async () => {
    const store = await memory.open();
    await store.add([failure(1), observed(1, 2), observed(1, 3)]);
    await store.compact();
    await store.clear();
    await store.close();
    expect(await readdir(memory.path)).toEqual(['memory.jsonl']);
  });

  it('is one JSON object a line, as events say it', async () => {
    const events: MemoryEvent[] = [failure(1, { detail: 'two\nlines \u2028 and "quotes"' }), observed(1, 2)];
    await (await memory.open()).add(events);
    const lines = (await memory.read()).split('\n');
    expect(lines.pop()).toBe('');
    expect(lines.map((line) => JSON.parse(line))).toEqual(events);
  });

  it('cannot be made below a file: an error that says so', async () => {
    await memory.write('');
    const { openJsonlStore } = await import('../../../src/storage/jsonl/store.js');
    await expect(openJsonlStore(join(memory.log, 'inside'))).rejects.toMatchObject({
      code: 'MEMORY_WRITE_FAILED',
      message: expect.stringContaining('ENOTDIR'),
    });
  });
});

describe('the end of the log', () => {
  it.each([
    ['half a line', '{"v":1,"event":"fail'],
    ['bytes that are no text', Buffer.from([0xff, 0xfe, 0x00, 0x01])],
    ['zeros, as a power cut leaves them', Buffer.alloc(5_000)],
    ['more than a line may hold', Buffer.alloc(limits.maxRecordLineBytes + 10, 'x')],
  ])('is made whole: %s', async (_name, torn) => {
    const whole = linesOf([failure(1), failure(2)]);
    await memory.write(Buffer.concat([Buffer.from(whole), Buffer.from(torn)]));
    const before = await readAll();
    expect(before.ids).toEqual([idOf(1), idOf(2)]);
    expect(before.report.tornBytes).toBe(torn.length);

    const store = await memory.open();
    expect(memory.reports.map(({ kind }) => kind)).toEqual(['healed']);
    expect(memory.counted['store_lines_healed/torn']).toBe(1);
    await store.add([failure(3)]);
    expect(await memory.read()).toBe(whole + linesOf([failure(3)]));
    const side = await readFile(join(memory.path, 'memory.torn'));
    expect(side.equals(Buffer.concat([Buffer.from(torn), Buffer.from('\n')]))).toBe(true);
  });

  it('keeps a whole event whose newline is missing', async () => {
    await memory.write(linesOf([failure(1), failure(2)]).trimEnd());
    expect((await readAll()).ids).toEqual([idOf(1), idOf(2)]);
    const store = await memory.open();
    await store.add([failure(3)]);
    expect(await memory.read()).toBe(linesOf([failure(1), failure(2), failure(3)]));
  });

  it('is the same wherever an append was cut', async () => {
    const first = linesOf([failure(1)]);
    const last = linesOf([failure(2, { detail: 'Größe 日本' })]);
    const bytes = Buffer.from(first + last);
    for (let cut = Buffer.byteLength(first); cut < bytes.length; cut += 7) {
      await memory.write(bytes.subarray(0, cut));
      const store = await memory.open();
      await store.add([failure(3)]);
      expect((await store.all()).map(({ id }) => id)).toEqual([idOf(1), idOf(3)]);
      await store.close();
    }
  });
});

describe('lines that cannot be read', () => {
  const damaged = 'no json\n{"v":1,"event":"failure"}\n[]\n';
  const newer =
    '{"v":2,"event":"failure","id":"x"}\n{"v":1,"event":"merged","id":"0000000000000001","at":"2026-01-01T00:00:00Z"}\n';
  const long = `${'y'.repeat(limits.maxRecordLineBytes + 1)}\n`;

  it('are passed over, counted, and left where they are', async () => {
    const content = `\ufeff${linesOf([failure(1)])}${damaged}\r\n\n${newer}${long}${linesOf([failure(2)])}`;
    await memory.write(content);
    const store = await memory.open();
    expect((await store.all()).map(({ id }) => id)).toEqual([idOf(1), idOf(2)]);
    expect(memory.counted).toMatchObject({
      'store_lines_healed/damaged': 3,
      'store_lines_healed/unknown': 2,
      'store_lines_healed/too_long': 1,
    });
    expect(memory.reports.map(({ kind }) => kind)).toEqual(['lines_passed_over']);
    expect(await memory.read()).toBe(content);
  });

  it('survive compaction byte for byte', async () => {
    const content = `${damaged}${newer}${long}${linesOf([failure(1)])}`;
    await memory.write(content + linesOf([observed(1, 2), observed(1, 3)]));
    await (await memory.open()).compact();
    expect(await memory.read()).toBe(content + linesOf([observed(1, 3, 2)]));
  });
});

describe('adding', () => {
  it('refuses an event that no line can hold and stores the rest', async () => {
    const store = await memory.open();
    await store.add([failure(1), failure(2, { shape: 'x'.repeat(limits.maxRecordLineBytes) }), failure(3)]);
    expect((await store.all()).map(({ id }) => id)).toEqual([idOf(1), idOf(3)]);
    expect(memory.counted).toMatchObject({
      'store_events_dropped/not_storable': 1,
      'store_events_written/': 2,
    });
  });

  it('is seen by a reader that has no lock', async () => {
    const store = await memory.open();
    await store.add([failure(1)]);
    expect((await readAll()).ids).toEqual([idOf(1)]);
  });

  it('all or none: a source that fails leaves the memory as it was', async () => {
    const store = await memory.open();
    await store.add([failure(1)]);
    const before = await memory.read();
    const attempt = store.addAtomically(async (write) => {
      await write([failure(2)]);
      throw new Error('the source broke');
    });
    await expect(attempt).rejects.toMatchObject({ code: 'MEMORY_WRITE_FAILED' });
    expect(await memory.read()).toBe(before);
    await store.addAtomically(async (write) => write([failure(2), failure(3)]));
    await store.add([failure(4)]);
    expect((await store.all()).map(({ id }) => id)).toEqual([1, 2, 3, 4].map(idOf));
  });

  it('clears away what a crash left of a rewrite', async () => {
    await memory.write(linesOf([failure(1)]));
    for (const name of ['memory.rewrite', 'memory.merged']) await writeFile(join(memory.path, name), 'half');
    await (await memory.open()).close();
    expect(await readdir(memory.path)).toEqual(['memory.jsonl']);
  });
});

describe('reading without a memory', () => {
  it('says that there is none', async () => {
    await expect(readJsonl(join(memory.path, 'nowhere'), () => undefined)).rejects.toMatchObject({
      code: 'MEMORY_UNREADABLE',
      message: expect.stringContaining('There is no memory in'),
    });
  });
});

describe('a folder removed while in use', () => {
  it('is noticed, reported, and nothing more is taken', async () => {
    const store = await memory.open({ lock: { heartbeatMs: 20 } });
    await store.add([failure(1)]);
    const { rm } = await import('node:fs/promises');
    await rm(memory.path, { recursive: true });
    await until(
      () => memory.reports.some(({ kind }) => kind === 'lock_lost'),
      10_000,
      'the loss to be noticed',
    );
    await expect(store.add([failure(2)])).rejects.toMatchObject({ code: 'MEMORY_LOCKED' });
  });
});

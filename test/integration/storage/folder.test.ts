import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { StoreReport } from '../../../src/storage/jsonl/options.js';
import { readJsonl } from '../../../src/storage/jsonl/read.js';
import { openJsonlStore } from '../../../src/storage/jsonl/store.js';

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'twiceshy-folder-'));
});
afterEach(() => rm(root, { recursive: true }));

const inRoot = (...names: string[]): string => join(root, ...names);
const modeOf = async (path: string): Promise<number> => (await stat(path)).mode & 0o777;

async function openAndClose(folder: string): Promise<string[]> {
  const reports: StoreReport[] = [];
  await (await openJsonlStore(folder, { onReport: (report) => reports.push(report) })).close();
  return reports.map(({ kind }) => kind);
}

describe('making the folder of a memory', () => {
  it('makes what is missing above it, private', async () => {
    await openAndClose(inRoot('a', 'b', 'memory'));
    for (const names of [['a'], ['a', 'b'], ['a', 'b', 'memory']])
      expect(await modeOf(inRoot(...names))).toBe(0o700);
  });

  it('follows a link to a folder', async () => {
    await mkdir(inRoot('real'), { mode: 0o700 });
    await symlink(inRoot('real'), inRoot('link'));
    await openAndClose(inRoot('link'));
    expect((await stat(inRoot('real', 'memory.jsonl'))).isFile()).toBe(true);
  });

  it.each([
    ['a file', () => inRoot('file'), /file is not a folder\. Name a folder/],
    ['below a file', () => inRoot('file', 'memory'), /ENOTDIR.*not a folder/],
    ['a dangling link', () => inRoot('dangling'), /dangling is a link to something that does not exist/],
    ['below a dangling link', () => inRoot('dangling', 'memory'), /dangling is a link to something/],
    ['a circle of links', () => inRoot('circle'), /ELOOP/],
    ['a name too long', () => inRoot('x'.repeat(300)), /ENAMETOOLONG/],
  ])('says what is in the way: %s', async (_name, folder, message) => {
    await writeFile(inRoot('file'), '');
    await symlink(inRoot('nowhere'), inRoot('dangling'));
    await symlink(inRoot('circle'), inRoot('circle'));
    await expect(openJsonlStore(folder())).rejects.toMatchObject({
      code: 'MEMORY_WRITE_FAILED',
      message: expect.stringMatching(message),
    });
  });

  it.each(['folder', 'pipe'])('says that memory.jsonl is not a file: a %s', async (kind) => {
    if (kind === 'folder') await mkdir(inRoot('memory.jsonl'));
    else spawnSync('/usr/bin/mkfifo', [inRoot('memory.jsonl')]);
    await expect(readJsonl(root, () => undefined)).rejects.toMatchObject({ code: 'MEMORY_UNREADABLE' });
    await expect(openJsonlStore(root)).rejects.toMatchObject({
      code: 'MEMORY_WRITE_FAILED',
      message: expect.stringContaining('memory.jsonl is not a file'),
    });
  });
});

describe('a folder that was there before', () => {
  it('is made private when it is ours and holds a memory alone', async () => {
    await mkdir(inRoot('memory'));
    await chmod(inRoot('memory'), 0o777);
    expect(await openAndClose(inRoot('memory'))).toEqual(['folder_made_private']);
    expect(await modeOf(inRoot('memory'))).toBe(0o700);
    expect(await openAndClose(inRoot('memory'))).toEqual([]);
  });

  it.each([
    ['that holds other things', 0o755],
    ['that everybody puts things into', 0o1777],
  ])('%s is left as it is, and told of', async (_name, mode) => {
    await mkdir(inRoot('shared'));
    if (mode === 0o755) await writeFile(inRoot('shared', 'package.json'), '{}');
    await chmod(inRoot('shared'), mode);
    expect(await openAndClose(inRoot('shared'))).toEqual(['folder_open']);
    expect(await modeOf(inRoot('shared'))).toBe(mode & 0o777);
  });
});

describe.skipIf(process.platform !== 'linux')('a folder that takes no entries', () => {
  it('is an error that says so', async () => {
    await expect(openJsonlStore('/proc/nope/memory')).rejects.toMatchObject({
      code: 'MEMORY_WRITE_FAILED',
      message: expect.stringMatching(/\/proc\/nope\/memory cannot be opened for writing \(E[A-Z]+\)/),
    });
  });

  it('ends the proxy with exit code 1', { timeout: 60_000 }, async () => {
    const main = fileURLToPath(new URL('../../../src/cli/main.ts', import.meta.url));
    const url = 'postgres://127.0.0.1:1/none';
    const args = ['--import', 'tsx', main, 'proxy', '--postgres', url, '--listen', '127.0.0.1:0'];
    const child = spawn(process.execPath, [...args, '--memory', '/proc/nope'], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const deadline = setTimeout(() => child.kill('SIGKILL'), 40_000);
    let stderr = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
    });
    const [code] = await once(child, 'close');
    clearTimeout(deadline);
    expect(code).toBe(1);
    expect(stderr).toContain('/proc/nope cannot be opened for writing (ENOENT)');
  });
});

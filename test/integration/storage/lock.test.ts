import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { acquireLock, type FolderLock } from '../../../src/storage/jsonl/lock.js';
import { describeSelf } from '../../../src/storage/jsonl/lock-holder.js';
import { until } from '../../support/until.js';
import { type StoreChild, startStoreChild } from './child-process.js';

let folder: string;
const held: FolderLock[] = [];
const children: StoreChild[] = [];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'twiceshy-lock-'));
});
afterEach(async () => {
  for (const lock of held.splice(0)) await lock.release();
  for (const child of children.splice(0)) await child.kill();
  await rm(folder, { recursive: true });
});

const lockPath = (): string => join(folder, 'memory.lock');

async function take(): Promise<FolderLock> {
  const lock = await acquireLock(folder);
  held.push(lock);
  return lock;
}

/** A lock of a process that has ended. */
async function leaveDeadLock(fields: object = {}): Promise<void> {
  const { pid } = spawnSync('true');
  await writeFile(lockPath(), JSON.stringify({ ...describeSelf(), pid, startedAt: '1', ...fields }));
}

async function age(ms: number): Promise<void> {
  const then = new Date(Date.now() - ms);
  await utimes(lockPath(), then, then);
}

describe('the lock of a memory', () => {
  it('refuses a second holder, naming the first and what to do', async () => {
    await take();
    await expect(take()).rejects.toMatchObject({
      code: 'MEMORY_LOCKED',
      exitCode: 1,
      message: expect.stringMatching(
        new RegExp(`in use by process ${process.pid} since .*Stop that process`),
      ),
    });
  });

  it('is free again after release, with nothing left behind', async () => {
    await (await take()).release();
    expect(await readdir(folder)).toEqual([]);
    await take();
    expect(await readdir(folder)).toEqual(['memory.lock']);
  });

  it('is taken over from a process that has ended', async () => {
    await leaveDeadLock();
    await take();
    expect(JSON.parse(await readFile(lockPath(), 'utf8'))).toMatchObject({ pid: process.pid });
    expect(await readdir(folder)).toEqual(['memory.lock']);
  });

  it('is taken over when the pid now belongs to another process', async () => {
    await leaveDeadLock({ pid: process.pid, startedAt: '12345' });
    await take();
  });

  it('is taken over from a zombie', async () => {
    // sh starts a child, becomes sleep, and never reaps it.
    const { spawn } = await import('node:child_process');
    const parent = spawn('sh', ['-c', 'sleep 0.2 & echo $!; exec sleep 60'], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    try {
      let output = '';
      parent.stdout.setEncoding('utf8').on('data', (text: string) => {
        output += text;
      });
      const pid = Number((await until(() => /^\d+\n/.exec(output), 10_000, 'the pid'))[0]);
      await until(
        async () => /\) Z /.test(await readFile(`/proc/${pid}/stat`, 'latin1')),
        10_000,
        'the process to become a zombie',
      );
      await leaveDeadLock({ pid, startedAt: null });
      await take();
    } finally {
      parent.kill('SIGKILL');
    }
  });

  it('outlives a crash in the middle of a take-over', async () => {
    await leaveDeadLock({ token: 'aaaaaaaaaaaa' });
    const claim = { ...describeSelf(), pid: spawnSync('true').pid, startedAt: '1', token: 'bbbbbbbbbbbb' };
    await writeFile(`${lockPath()}.over.aaaaaaaaaaaa`, JSON.stringify(claim));
    await take();
    expect(await readdir(folder)).toEqual(['memory.lock']);
  });

  it('belongs to whoever is taking it over', async () => {
    await leaveDeadLock({ token: 'aaaaaaaaaaaa' });
    await writeFile(`${lockPath()}.over.aaaaaaaaaaaa`, JSON.stringify(describeSelf()));
    await expect(take()).rejects.toMatchObject({ code: 'MEMORY_LOCKED' });
  });

  it.each([
    ['another host', { host: 'elsewhere' }],
    ['another container', { world: 'other boot pid:[1]' }],
  ])('of %s is judged by its heartbeat', async (_name, fields) => {
    await leaveDeadLock(fields);
    await age(5_000);
    await expect(take()).rejects.toMatchObject({
      code: 'MEMORY_LOCKED',
      message: expect.stringMatching(
        `on host ${'host' in fields ? fields.host : hostname()}.* last seen \\d s ago`,
      ),
    });
    await age(60_000);
    await take();
  });

  it.each(['', 'garbage\n', '{"token":1}'])('that names nobody is taken over once old: %j', async (text) => {
    await writeFile(lockPath(), text);
    await age(60_000);
    await take();
    expect(await readdir(folder)).toEqual(['memory.lock']);
  });

  it('that names nobody and is new is waited for, as long as a live holder needs to give it up', async () => {
    await writeFile(lockPath(), 'garbage');
    const start = performance.now();
    held.push(await acquireLock(folder, { heartbeatMs: 200 }));
    expect(performance.now() - start).toBeGreaterThan(1_000);
    expect(JSON.parse(await readFile(lockPath(), 'utf8'))).toMatchObject({ pid: process.pid });
  });

  it('that was being written is respected once it can be read', async () => {
    await writeFile(lockPath(), '');
    const attempt = expect(take()).rejects.toMatchObject({
      code: 'MEMORY_LOCKED',
      message: expect.stringContaining(`process ${process.pid}`),
    });
    await writeFile(lockPath(), JSON.stringify(describeSelf()));
    await attempt;
  });

  it('that is a folder is an error that says so', async () => {
    await mkdir(lockPath());
    await expect(take()).rejects.toMatchObject({
      code: 'MEMORY_LOCKED',
      message: expect.stringContaining('memory.lock is not a file'),
    });
  });

  it('shows a heartbeat', async () => {
    held.push(await acquireLock(folder, { heartbeatMs: 10 }));
    await age(60_000);
    const { stat } = await import('node:fs/promises');
    await until(async () => Date.now() - (await stat(lockPath())).mtimeMs < 30_000, 10_000, 'a heartbeat');
  });

  it('tells its holder when it is lost', async () => {
    const lock = await acquireLock(folder, { heartbeatMs: 10 });
    held.push(lock);
    let isLost = false;
    lock.watch(() => {
      isLost = true;
    });
    await writeFile(lockPath(), JSON.stringify({ ...describeSelf(), pid: 1 }));
    await until(() => isLost, 10_000, 'the loss to be noticed');
    await lock.release();
    expect(await readdir(folder), 'the lock of another is left alone').toEqual(['memory.lock']);
  });

  it('has one winner among many that find it stale at the same time', async () => {
    for (let round = 0; round < 60; round++) {
      if (round % 2 === 0) await leaveDeadLock();
      else await rm(lockPath(), { force: true });
      const outcomes = await Promise.allSettled(Array.from({ length: 8 }, () => acquireLock(folder)));
      const winners = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
      for (const outcome of outcomes) {
        if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ code: 'MEMORY_LOCKED' });
      }
      expect(winners).toHaveLength(1);
      await winners[0]?.release();
    }
  });

  it('has one winner among processes, again and again', async () => {
    const processes = 4;
    for (let round = 0; round < 2; round++) {
      const racing = await Promise.all(Array.from({ length: processes }, () => startStoreChild(folder)));
      children.push(...racing);
      for (const child of racing) child.tell('open');
      const answers = await until(
        () => {
          const lines = racing.flatMap((child) => child.lines.filter((line) => line !== 'ready'));
          return lines.length === processes ? lines : null;
        },
        30_000,
        'every process to answer',
      );
      const winner = racing.find((child) => child.lines.includes('opened'));
      expect(answers.filter((line) => line === 'opened')).toHaveLength(1);
      for (const line of answers.filter((each) => each !== 'opened')) {
        expect(line).toContain(`refused MEMORY_LOCKED`);
        expect(line).toContain(`process ${winner?.pid}`);
      }
      // Killed, the winner leaves the lock for the next round to take over.
      for (const child of racing) await child.kill();
    }
  });
});

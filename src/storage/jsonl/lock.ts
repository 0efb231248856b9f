/**
 * One writer for a memory folder, by the file `memory.lock`.
 *
 * Invariant: at most one live process is the last link of the chain `memory.lock` → `memory.lock.over.<its token>` → …
 * A lock is made in one step with its content (hard link of a finished file), so nobody reads half of one. A dead
 * holder is succeeded by whoever makes the file `memory.lock.over.<dead token>` — a name that exists once, whatever
 * the number of processes that found the holder dead — and then puts its own lock in place by rename. Whoever comes late sees
 * another token in `memory.lock` and starts again. No moment exists in which a lock is away while it is being taken over.
 */
import { link, open, readdir, readFile, rename, rm, stat, unlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { TwiceshyError } from '../../core/errors.js';
import { limits } from '../../core/limits.js';
import { describeSelf, isProcessAlive, isSameWorld, type LockHolder, parseHolder } from './lock-holder.js';

const lockName = 'memory.lock';
const maxAttempts = 50;
const leftoverMs = 60_000;
const lookAgainMs = 100;
/** Added to a heartbeat: by then a live holder has seen that the lock is not its own any more. */
const noticeMs = 1_000;

export interface FolderLock {
  /** Calls `onLost` once if another process took the lock although this one lives (clock or file system trouble). */
  watch(onLost: () => void): void;
  /** Looks now. Rejects when the folder cannot be read. */
  isHeld(): Promise<boolean>;
  release(): Promise<void>;
}

export interface LockOptions {
  readonly heartbeatMs?: number;
  readonly staleMs?: number;
}

interface FoundLock {
  readonly holder: LockHolder | null;
  readonly token: string;
  readonly ageMs: number;
}

/** Takes the lock of `folder` or throws MEMORY_LOCKED naming the process that has it. */
export async function acquireLock(folder: string, options: LockOptions = {}): Promise<FolderLock> {
  const staleMs = options.staleMs ?? limits.lockStaleMs;
  const path = join(folder, lockName);
  const self = describeSelf();
  const ownPath = `${path}.new.${self.token}`;
  await writeFile(ownPath, `${JSON.stringify(self)}\n`, { mode: 0o600, flag: 'wx' });
  try {
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      if (await createWithContent(ownPath, path)) return await hold(folder, path, self, options);
      const chain = await readChain(path);
      const last = chain.at(-1);
      if (last === undefined) continue; // released meanwhile
      if (last.holder === null) {
        if (!(await staysUnreadable(path, last, options))) continue;
      } else if (!isStale(last.holder, last.ageMs, staleMs)) {
        throw lockedError(folder, last.holder, last.ageMs, staleMs);
      }
      if (await succeed(path, ownPath, chain, last)) return await hold(folder, path, self, options);
    }
    throw new TwiceshyError(
      'MEMORY_LOCKED',
      `The memory in ${folder} could not be locked: its lock keeps changing hands. Let one process use it.`,
    );
  } finally {
    await rm(ownPath, { force: true });
  }
}

async function succeed(
  path: string,
  ownPath: string,
  chain: readonly FoundLock[],
  dead: FoundLock,
): Promise<boolean> {
  const claim = overPath(path, dead.token);
  if (!(await createWithContent(ownPath, claim))) return false;
  const first = await readLock(path);
  if (first?.token !== chain[0]?.token) {
    // Someone else had finished the take-over before our claim existed: theirs stands.
    await rm(claim, { force: true });
    return false;
  }
  await rename(ownPath, path);
  for (const found of chain) await rm(overPath(path, found.token), { force: true });
  return true;
}

async function hold(
  folder: string,
  path: string,
  self: LockHolder,
  options: LockOptions,
): Promise<FolderLock> {
  await sweep(folder);
  let onLost: (() => void) | null = null;
  let isBusy = false;
  const beat = async (): Promise<void> => {
    if (isBusy) return;
    isBusy = true;
    try {
      const found = await readLock(path);
      if (found?.token === self.token) {
        const now = new Date();
        await utimes(path, now, now);
      } else {
        clearInterval(timer);
        onLost?.();
      }
    } catch {
      // A folder that cannot be read for a moment is no loss of the lock; the next beat looks again.
    } finally {
      isBusy = false;
    }
  };
  const timer = setInterval(() => void beat(), options.heartbeatMs ?? limits.lockHeartbeatMs);
  timer.unref();
  return {
    watch(listener) {
      onLost = listener;
    },
    isHeld: async () => (await readLock(path))?.token === self.token,
    async release() {
      clearInterval(timer);
      const found = await readLock(path);
      if (found?.token === self.token) await rm(path, { force: true });
    },
  };
}

/** Removes what processes left that died in the middle of locking; none of it is part of a chain any more. */
async function sweep(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (!name.startsWith(`${lockName}.`)) continue;
    const path = join(folder, name);
    const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Number.POSITIVE_INFINITY }));
    if (Date.now() - mtimeMs > leftoverMs) await rm(path, { force: true });
  }
}

/** Makes `path` a copy of the finished file `from`, only if nothing is there. */
async function createWithContent(from: string, path: string): Promise<boolean> {
  try {
    await link(from, path);
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') return false;
    if (code !== 'EPERM' && code !== 'ENOTSUP' && code !== 'EOPNOTSUPP' && code !== 'ENOSYS') throw error;
  }
  // A file system without hard links: a reader may see the empty file for a moment, and waits.
  try {
    const content = await readFile(from, 'utf8');
    const handle = await open(path, 'wx', 0o600);
    try {
      await handle.writeFile(content);
    } finally {
      await handle.close();
    }
    // Somebody may have lost patience with the empty file.
    return (await readFile(path, 'utf8').catch(() => '')) === content;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    await unlink(path).catch(() => undefined);
    throw error;
  }
}

async function readChain(path: string): Promise<FoundLock[]> {
  const chain: FoundLock[] = [];
  for (let at = path; chain.length < maxAttempts; ) {
    const found = await readLock(at);
    if (found === null) break;
    chain.push(found);
    at = overPath(path, found.token);
  }
  return chain;
}

async function readLock(path: string): Promise<FoundLock | null> {
  try {
    const found = await stat(path);
    if (!found.isFile()) {
      throw new TwiceshyError(
        'MEMORY_LOCKED',
        `${path} is not a file. Remove it if no process uses the folder.`,
      );
    }
    const text = await readFile(path, 'utf8');
    const { mtimeMs, ino } = await stat(path);
    const holder = parseHolder(text);
    return { holder, token: holder?.token ?? `unreadable-${ino}`, ageMs: Date.now() - mtimeMs };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/**
 * A lock that names no holder is being written, or damaged. Waits until it is readable, away or another (false), or as
 * old as only the damaged become: whoever held it before it was damaged has given up by then.
 */
async function staysUnreadable(path: string, found: FoundLock, options: LockOptions): Promise<boolean> {
  const patienceMs = (options.heartbeatMs ?? limits.lockHeartbeatMs) + noticeMs;
  // By our own clock, too: the file's may be another.
  const waitUntil = performance.now() + patienceMs;
  for (let ageMs = found.ageMs; ageMs <= patienceMs && performance.now() < waitUntil; ) {
    await pause(lookAgainMs);
    const last = (await readChain(path)).at(-1);
    if (last?.token !== found.token) return false;
    ageMs = last.ageMs;
  }
  return true;
}

function isStale(holder: LockHolder, ageMs: number, staleMs: number): boolean {
  return isSameWorld(holder) ? !isProcessAlive(holder) : ageMs > staleMs;
}

function overPath(path: string, token: string): string {
  return `${path}.over.${token}`;
}

function lockedError(folder: string, holder: LockHolder, ageMs: number, staleMs: number): TwiceshyError {
  const since = holder.since === '' ? '' : ` since ${holder.since}`;
  if (isSameWorld(holder)) {
    return new TwiceshyError(
      'MEMORY_LOCKED',
      `The memory in ${folder} is in use by process ${holder.pid}${since}. Stop that process first, or use another folder.`,
    );
  }
  const seconds = Math.max(0, Math.round(ageMs / 1000));
  return new TwiceshyError(
    'MEMORY_LOCKED',
    `The memory in ${folder} is in use by process ${holder.pid} on host ${holder.host}${since}, last seen ${seconds} s ago. ` +
      `Stop that process first, use another folder, or, if it is gone, try again in ${Math.ceil(staleMs / 1000)} s.`,
  );
}

/**
 * A lock between processes that start and stop the same cached server, and the leases that say who still uses it.
 * Both name a process id, so that what a killed run left behind is noticed and removed.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

const lockWaitMs = 180_000;
const lockPollMs = 100;

/** Runs `work` while no other process holds the lock of `folder`; rejects when it cannot be had in `waitMs`. */
export async function withLock<T>(folder: string, work: () => Promise<T>, waitMs = lockWaitMs): Promise<T> {
  mkdirSync(folder, { recursive: true });
  const file = join(folder, 'lock');
  const deadline = Date.now() + waitMs;
  while (!tryTake(file)) {
    if (Date.now() > deadline)
      throw new Error(`Another process has held ${file} for too long; remove it if none runs`);
    await delay(lockPollMs);
  }
  try {
    return await work();
  } finally {
    rmSync(file, { force: true });
  }
}

/** Registers this use of the server; `lasting` leases outlive the process and end by `endLease` only. */
export function takeLease(folder: string, lease: string, lasting: boolean): void {
  mkdirSync(join(folder, 'leases'), { recursive: true });
  writeFileSync(join(folder, 'leases', lease), lasting ? '' : String(process.pid));
}

export function endLease(folder: string, lease: string): void {
  rmSync(join(folder, 'leases', lease), { force: true });
}

/** How many uses are left; leases of processes that died are removed on the way. */
export function countLeases(folder: string): number {
  const leases = join(folder, 'leases');
  mkdirSync(leases, { recursive: true });
  let alive = 0;
  for (const lease of readdirSync(leases)) {
    const owner = readFileSync(join(leases, lease), 'utf8');
    if (owner === '' || isAlive(Number(owner))) alive += 1;
    else rmSync(join(leases, lease), { force: true });
  }
  return alive;
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function tryTake(file: string): boolean {
  try {
    writeFileSync(file, String(process.pid), { flag: 'wx' });
    return true;
  } catch {
    const owner = readOwner(file);
    if (owner !== null && !isAlive(owner)) rmSync(file, { force: true });
    return false;
  }
}

/** Null while the holder has created the file but not yet written its id, or has just removed it. */
function readOwner(file: string): number | null {
  try {
    const text = readFileSync(file, 'utf8');
    return text === '' ? null : Number(text);
  } catch {
    return null;
  }
}

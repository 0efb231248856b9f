/**
 * Who holds a memory: what identifies a process beyond its number, and whether that process still lives.
 *
 * A pid alone lies: it is used again after a crash, and in another container it means another process. So a holder is
 * also its start time (a reused pid has another) and the pid namespace and boot in which the number can be looked up.
 */
import { randomBytes } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

export interface LockHolder {
  /** Unique for this one act of locking: two locks of one process differ. */
  readonly token: string;
  readonly pid: number;
  /** Clock ticks since boot (/proc/<pid>/stat, field 22); null where there is no /proc. */
  readonly startedAt: string | null;
  readonly host: string;
  /** Boot and pid namespace; a pid says nothing outside of them. */
  readonly world: string;
  readonly since: string;
}

/** This process as a holder. */
export function describeSelf(): LockHolder {
  return {
    token: randomBytes(12).toString('hex'),
    pid: process.pid,
    startedAt: lookUp(process.pid)?.startedAt ?? null,
    host: hostname(),
    world: currentWorld(),
    since: new Date().toISOString(),
  };
}

/** Reads a lock's text; null when it is not one (being written, or damaged). */
export function parseHolder(text: string): LockHolder | null {
  try {
    const value = JSON.parse(text) as Partial<LockHolder> | null;
    if (value === null || typeof value !== 'object') return null;
    const { token, pid, startedAt, host, world, since } = value;
    if (typeof token !== 'string' || !/^[0-9a-f]{8,64}$/.test(token)) return null;
    if (typeof pid !== 'number' || !Number.isSafeInteger(pid) || pid <= 0) return null;
    if (typeof host !== 'string' || typeof world !== 'string') return null;
    return {
      token,
      pid,
      startedAt: typeof startedAt === 'string' ? startedAt : null,
      host,
      world,
      since: typeof since === 'string' ? since : '',
    };
  } catch {
    return null;
  }
}

/** True when the holder's pid can be looked up from here: same boot, same pid namespace. */
export function isSameWorld(holder: LockHolder): boolean {
  return holder.host === hostname() && holder.world === currentWorld();
}

/** For a holder of this world: does that very process still run? A zombie does not. */
export function isProcessAlive(holder: LockHolder): boolean {
  if (!isPidInUse(holder.pid)) return false;
  const found = lookUp(holder.pid);
  // No /proc, hidden from this user, or ended just now.
  if (found === null) return isPidInUse(holder.pid);
  if (found.isZombie) return false;
  return holder.startedAt === null || holder.startedAt === found.startedAt;
}

function isPidInUse(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it runs, as someone else.
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

/** What /proc says of a process; null where it says nothing. */
function lookUp(pid: number): { isZombie: boolean; startedAt: string } | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The name in parentheses may hold blanks and parentheses itself: fields count from its end.
    const [state = '', ...fields] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const startedAt = fields[18];
    return startedAt === undefined ? null : { isZombie: /^[ZXx]$/.test(state), startedAt };
  } catch {
    return null;
  }
}

function currentWorld(): string {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim();
    return `${boot} ${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    return process.platform;
  }
}

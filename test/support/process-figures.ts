/** What the kernel says of a process: sockets, processor time, memory. Linux only, like the servers these tests run on. */
import { readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';

/** Open sockets of the process, listening ones included. */
export function socketCount(pid: number): number {
  let count = 0;
  for (const fd of readdirSync(`/proc/${pid}/fd`)) {
    try {
      if (readlinkSync(`/proc/${pid}/fd/${fd}`).startsWith('socket:')) count += 1;
    } catch {
      // Closed while we looked.
    }
  }
  return count;
}

/** Processor time the process has used so far, its kernel's included, in milliseconds. */
export function processorTimeMs(pid: number): number {
  // The name in parentheses may hold spaces; of the numbers behind it utime and stime are the 12th and 13th.
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
  const ticksPerSecond = 100;
  return ((Number(fields[11]) + Number(fields[12])) * 1000) / ticksPerSecond;
}

/** Resident memory now and its highest value since `resetPeakMemory`, in bytes. */
export function residentMemory(pid: number): { readonly now: number; readonly peak: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return { now: kilobytes(status, 'VmRSS') * 1024, peak: kilobytes(status, 'VmHWM') * 1024 };
}

export function resetPeakMemory(pid: number): void {
  writeFileSync(`/proc/${pid}/clear_refs`, '5');
}

export interface Load {
  /** By how much the resident memory's peak passed what it was before. */
  readonly growthBytes: number;
  /** Answers the bystander got meanwhile. */
  readonly answers: number;
}

/** Runs `work` while another session keeps asking through the same process, and measures what that did to it. */
export async function loadDuring(
  pid: number,
  bystanderAsks: () => Promise<unknown>,
  work: () => Promise<void>,
): Promise<Load> {
  resetPeakMemory(pid);
  const before = residentMemory(pid).now;
  let isDone = false;
  let answers = 0;
  const asking = (async () => {
    while (!isDone) {
      await bystanderAsks();
      answers += 1;
    }
  })();
  try {
    await work();
  } finally {
    isDone = true;
    await asking;
  }
  return { growthBytes: residentMemory(pid).peak - before, answers };
}

function kilobytes(status: string, field: string): number {
  const match = new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(status);
  if (match?.[1] === undefined) throw new Error(`No ${field} in /proc status`);
  return Number(match[1]);
}

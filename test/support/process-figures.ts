/** What the kernel says of a process: sockets, memory. Linux only, like the servers these tests run on. */
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

/** Resident memory now and its highest value since `resetPeakMemory`, in bytes. */
export function residentMemory(pid: number): { readonly now: number; readonly peak: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return { now: kilobytes(status, 'VmRSS') * 1024, peak: kilobytes(status, 'VmHWM') * 1024 };
}

export function resetPeakMemory(pid: number): void {
  writeFileSync(`/proc/${pid}/clear_refs`, '5');
}

function kilobytes(status: string, field: string): number {
  const match = new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(status);
  if (match?.[1] === undefined) throw new Error(`No ${field} in /proc status`);
  return Number(match[1]);
}

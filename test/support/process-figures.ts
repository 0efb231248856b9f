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

/** Processor time used so far, user and system, in milliseconds. */
export function processorTimeMs(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The command name in brackets may hold spaces; fields 14 and 15 are counted from its end.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

function kilobytes(status: string, field: string): number {
  const match = new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(status);
  if (match?.[1] === undefined) throw new Error(`No ${field} in /proc status`);
  return Number(match[1]);
}

/** Processor time of a process with all its threads, to the nanosecond: the scheduler's own account (Linux). */
import { readdirSync, readFileSync } from 'node:fs';

export function processorTimeUs(pid: number): number {
  let ns = 0;
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    try {
      ns += Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]);
    } catch {
      // The thread has ended since.
    }
  }
  return ns / 1000;
}

/**
 * One server program that outlives the process which starts it, so that later runs can use it: spawned detached, and
 * found again by its id and by a text that no other command line holds (its data folder).
 */
import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type { RunAs } from './run-command.js';

const startTimeoutMs = 60_000;
const stopTimeoutMs = 60_000;
const pollMs = 50;

export interface ServerProgram {
  readonly name: string;
  readonly command: readonly string[];
  readonly runAs: RunAs | null;
  /** File for what it prints; emptied first. */
  readonly log: string;
  readonly env?: NodeJS.ProcessEnv;
}

/** Resolves to the process id once it is ready; when it ends before or takes too long, rejects with what it said. */
export async function startServerProcess(
  program: ServerProgram,
  isReady: () => Promise<boolean>,
): Promise<number> {
  const [file = '', ...args] = program.command;
  const log = openSync(program.log, 'w');
  const env = { PATH: process.env['PATH'], LC_ALL: 'C', HOME: '/tmp', ...program.env };
  const child = spawn(file, args, {
    ...program.runAs,
    cwd: '/',
    env,
    detached: true,
    stdio: ['ignore', log, log],
  });
  closeSync(log);
  child.unref();
  let ended: string | null = null;
  child.once('error', (error) => {
    ended = error.message;
  });
  child.once('exit', (code, signal) => {
    ended = `it ended with ${code ?? signal}`;
  });
  const deadline = Date.now() + startTimeoutMs;
  while (!(await isReady())) {
    if (ended === null && Date.now() < deadline) {
      await delay(pollMs);
      continue;
    }
    child.kill('SIGKILL');
    const said = readFileSync(program.log, 'utf8').trim().slice(-1000);
    throw new Error(`${program.name} did not start: ${ended ?? 'no answer in time'}: ${said}`);
  }
  return Number(child.pid);
}

/** Asks it to end and resolves when it is gone, by force if need be. */
export async function stopServerProcess(
  pid: number,
  marker: string,
  signal: NodeJS.Signals = 'SIGTERM',
): Promise<void> {
  if (!isServerProcess(pid, marker)) return;
  process.kill(pid, signal);
  const deadline = Date.now() + stopTimeoutMs;
  while (isServerProcess(pid, marker)) {
    if (Date.now() > deadline) process.kill(pid, 'SIGKILL');
    await delay(pollMs);
  }
}

/** Whether the process is the server with `marker` in its command line, and not an unreaped or a later one of its id. */
export function isServerProcess(pid: number, marker: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(marker);
  } catch {
    return false;
  }
}

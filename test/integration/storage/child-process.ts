/** Starts `store-child.ts` and talks to it. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { until } from '../../support/until.js';

const script = fileURLToPath(new URL('./store-child.ts', import.meta.url));

export interface StoreChild {
  readonly pid: number;
  /** Lines it has written so far. */
  readonly lines: string[];
  tell(line: string): void;
  /** Resolves with the first line that starts with `prefix`. */
  line(prefix: string): Promise<string>;
  /** Kills it as a crash does; resolves once it is gone and all it wrote has been read. */
  kill(): Promise<void>;
}

export async function startStoreChild(folder: string, fsync = 'interval'): Promise<StoreChild> {
  const child = spawn(process.execPath, ['--import', 'tsx', script, folder, fsync], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = readLines(child);
  const line = (prefix: string): Promise<string> =>
    until(() => lines.find((each) => each.startsWith(prefix)), 30_000, `a line "${prefix}…"`);
  await line('ready');
  return {
    pid: child.pid ?? -1,
    lines,
    line,
    tell: (text) => void child.stdin?.write(`${text}\n`),
    async kill() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const closed = once(child, 'close');
      child.kill('SIGKILL');
      await closed;
    },
  };
}

function readLines(child: ChildProcess): string[] {
  const lines: string[] = [];
  let rest = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    const parts = (rest + text).split('\n');
    rest = parts.pop() ?? '';
    lines.push(...parts);
  });
  return lines;
}

/**
 * Runs a command to its end and returns what it printed, as root's stand-in user where the program refuses root.
 */
import { execFile, execFileSync } from 'node:child_process';

/** Identity for programs that refuse to run as root; null keeps the current user. */
export interface RunAs {
  readonly uid: number;
  readonly gid: number;
}

/** The first unprivileged account of `candidates` that exists, or null when this process is not root already. */
export function unprivilegedUser(candidates: readonly string[] = ['postgres', 'nobody']): RunAs | null {
  if (process.getuid?.() !== 0) return null;
  for (const name of candidates) {
    try {
      return { uid: idOf(name, '-u'), gid: idOf(name, '-g') };
    } catch {
      // No such account: try the next.
    }
  }
  throw new Error(`Running as root needs one of these accounts to start a server: ${candidates.join(', ')}`);
}

/** Resolves to stdout; rejects with the command, its exit code and the end of stderr. `runAs` and `timeoutMs` as named. */
export function runCommand(
  file: string,
  args: readonly string[],
  options: { runAs?: RunAs | null; timeoutMs?: number; env?: NodeJS.ProcessEnv } = {},
): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = execFile(
      file,
      args,
      {
        ...options.runAs,
        cwd: '/',
        env: { PATH: process.env['PATH'], LC_ALL: 'C', HOME: '/tmp', ...options.env },
        timeout: options.timeoutMs ?? 120_000,
        maxBuffer: 64 * 1024 * 1024,
      },
      (error, stdout, stderr) => {
        if (error === null) return resolve(stdout);
        const said = (stderr || stdout).trim().slice(-1000);
        reject(
          new Error(`${file} ${args.join(' ')} failed (${String(error.code ?? error.signal)}): ${said}`, {
            cause: error,
          }),
        );
      },
    );
    child.stdin?.end();
  });
}

function idOf(name: string, flag: '-u' | '-g'): number {
  return Number(execFileSync('id', [flag, name], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }));
}

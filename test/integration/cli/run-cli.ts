/** Runs the real command line: once to its end, or as a proxy that goes on. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { type AddressInfo, createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { until } from '../../support/until.js';

const repository = fileURLToPath(new URL('../../..', import.meta.url));

export interface CliResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CliOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string;
}

export function runCli(args: readonly string[], options: CliOptions = {}): Promise<CliResult> {
  const { child, exited } = spawnCli(args, options);
  child.stdin.on('error', () => undefined).end(options.stdin ?? '');
  return exited;
}

export interface CliProxy {
  readonly pid: number;
  /** `url` with the first listener's address in place of the server's. */
  through(url: string): string;
  stderr(): string;
  signal(name: NodeJS.Signals): void;
  /** Sends SIGTERM and waits for the end. */
  stop(): Promise<CliResult>;
}

/** `twiceshy proxy` with any arguments, once it printed `ready`. */
export async function startCliProxy(args: readonly string[], options: CliOptions = {}): Promise<CliProxy> {
  const { child, output, exited } = spawnCli(['proxy', ...args], options);
  await until(
    () => /^ready$/m.test(output.stdout) || child.exitCode !== null,
    60_000,
    'the proxy to be ready',
  );
  const match = /^listening \S+ (\S+):(\d+)$/m.exec(output.stdout);
  if (match?.[1] === undefined) throw new Error(`The proxy did not start: ${output.stderr}`);
  const [, host, port] = match;
  return {
    pid: Number(child.pid),
    stderr: () => output.stderr,
    signal: (name) => void child.kill(name),
    through(url) {
      const changed = new URL(url);
      changed.hostname = host;
      changed.port = port ?? '';
      return changed.href;
    },
    stop() {
      child.kill('SIGTERM');
      return exited;
    },
  };
}

/** A port that nothing listened on a moment ago. */
export function freePort(): Promise<number> {
  const probe = createServer();
  return new Promise((resolve, reject) => {
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as AddressInfo;
      probe.close(() => resolve(port));
    });
  });
}

interface Spawned {
  readonly child: ChildProcessWithoutNullStreams;
  readonly output: { stdout: string; stderr: string };
  readonly exited: Promise<CliResult>;
}

function spawnCli(args: readonly string[], options: CliOptions): Spawned {
  const child = spawn(
    process.execPath,
    ['--import', import.meta.resolve('tsx'), `${repository}/src/cli/main.ts`, ...args],
    { cwd: options.cwd ?? repository, env: { ...process.env, ...options.env } },
  );
  const output = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output.stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output.stderr += text;
  });
  const exited = new Promise<CliResult>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, ...output }));
  });
  return { child, output, exited };
}

/**
 * Runs the real command line of the proxy as a child process, for tests that look at it from outside.
 *
 * The process runs the sources through tsx in one process, so its pid is the proxy's own.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { until, within } from './until.js';

const repository = fileURLToPath(new URL('../..', import.meta.url));
const startTimeoutMs = 60_000;
const stopTimeoutMs = 45_000;

export interface ProxyOptions {
  /** Upstream with the poller's credentials; its scheme says which database it is. */
  readonly upstreamUrl: string;
  readonly listen?: string;
  /** Memory folder; a temporary one, removed at the end, when left out. */
  readonly memory?: string;
  readonly audience?: 'agent' | 'application';
  readonly tls?: { readonly cert: string; readonly key: string };
  /** More arguments for `twiceshy proxy`. */
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

export interface ProxyExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stderr: string;
}

export interface RunningProxy {
  readonly pid: number;
  /** Of the first listener. */
  readonly host: string;
  readonly port: number;
  readonly memory: string;
  /** `url` with this proxy's address in place of the server's; of several listeners the one named, else the first. */
  through(url: string, listener?: string): string;
  /** What the process has written to stderr so far. */
  stderr(): string;
  signal(name: NodeJS.Signals): void;
  /** Resolves when the process is gone, whatever ended it. */
  readonly exited: Promise<ProxyExit>;
  /** Sends SIGTERM (SIGKILL when that takes too long, and then rejects) and removes temporary folders. */
  stop(): Promise<ProxyExit>;
}

/** Resolves once the proxy printed `ready`. Rejects with its stderr when it ends before, or does not get there. */
export async function startProxy(options: ProxyOptions): Promise<RunningProxy> {
  const temporary = options.memory === undefined ? mkdtempSync(join(tmpdir(), 'twiceshy-proxy-')) : null;
  const memory = options.memory ?? join(String(temporary), 'memory');
  return launch(commandLine(options, memory), memory, temporary, options.env);
}

/** The same from a configuration file, which names `memory` as its folder. */
export function startConfiguredProxy(file: string, memory: string): Promise<RunningProxy> {
  return launch(['proxy', '-c', file], memory, null);
}

async function launch(
  args: readonly string[],
  memory: string,
  temporary: string | null,
  env: ProxyOptions['env'] = {},
): Promise<RunningProxy> {
  const child = spawn(process.execPath, ['--import', 'tsx', 'src/cli/main.ts', ...args], {
    cwd: repository,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = collect(child);
  const exited = exitOf(child, output, temporary);
  try {
    const addresses = await listening(output, exited);
    return running(child, output, exited, addresses, memory);
  } catch (error) {
    child.kill('SIGKILL');
    await exited;
    throw error;
  }
}

function commandLine(options: ProxyOptions, memory: string): string[] {
  const line = [
    'proxy',
    upstreamFlag(options.upstreamUrl),
    options.upstreamUrl,
    '--listen',
    options.listen ?? '127.0.0.1:0',
    '--memory',
    memory,
  ];
  if (options.audience !== undefined) line.push('--audience', options.audience);
  if (options.tls !== undefined) line.push('--tls-cert', options.tls.cert, '--tls-key', options.tls.key);
  return [...line, ...(options.args ?? [])];
}

function upstreamFlag(url: string): string {
  const flags: Record<string, string> = { 'mysql:': '--mysql', 'mongodb:': '--mongodb' };
  return flags[new URL(url).protocol] ?? '--postgres';
}

interface Output {
  stdout: string;
  stderr: string;
}

function collect(child: ChildProcess): Output {
  const output = { stdout: '', stderr: '' };
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    output.stdout += text;
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    output.stderr += text;
  });
  return output;
}

function exitOf(child: ChildProcess, output: Output, temporary: string | null): Promise<ProxyExit> {
  return new Promise((resolve) => {
    child.once('close', (code, signal) => {
      if (temporary !== null) rmSync(temporary, { recursive: true, force: true });
      resolve({ code, signal, stderr: output.stderr });
    });
  });
}

interface Address {
  readonly host: string;
  readonly port: number;
}

/** By listener, in the order they were printed. */
async function listening(output: Output, exited: Promise<ProxyExit>): Promise<ReadonlyMap<string, Address>> {
  const ready = until(() => /^ready$/m.test(output.stdout), startTimeoutMs, 'the proxy to print "ready"');
  const ended = exited.then((exit): never => {
    throw new Error(
      `The proxy ended with ${String(exit.code ?? exit.signal)} before it was ready: ${exit.stderr}`,
    );
  });
  ended.catch(() => {});
  await Promise.race([ready, ended]);
  const lines = output.stdout.matchAll(/^listening (\S+) (\S+):(\d+)$/gm);
  const addresses = [...lines].map(
    ([, name = '', host = '', port]) => [name, { host, port: Number(port) }] as const,
  );
  if (addresses.length === 0) throw new Error(`No "listening" line before "ready": ${output.stdout}`);
  return new Map(addresses);
}

function running(
  child: ChildProcess,
  output: Output,
  exited: Promise<ProxyExit>,
  addresses: ReadonlyMap<string, Address>,
  memory: string,
): RunningProxy {
  const addressOf = (listener = [...addresses.keys()][0] ?? ''): Address => {
    const address = addresses.get(listener);
    if (address === undefined) throw new Error(`No listener ${listener}`);
    return address;
  };
  return {
    pid: Number(child.pid),
    ...addressOf(),
    memory,
    exited,
    stderr: () => output.stderr,
    signal: (name) => void child.kill(name),
    through(url, listener) {
      const { host, port } = addressOf(listener);
      const changed = new URL(url);
      changed.hostname = host;
      changed.port = String(port);
      return changed.href;
    },
    async stop() {
      child.kill('SIGTERM');
      try {
        return await within(exited, stopTimeoutMs, 'the proxy to end after SIGTERM');
      } catch (error) {
        child.kill('SIGKILL');
        await exited;
        throw error;
      }
    },
  };
}

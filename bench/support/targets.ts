/** What a client can be pointed at in one run: the server itself, a bare pipe, twiceshy, and PgBouncer where installed. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startProxy } from '../../test/support/start-proxy.js';
import { until } from '../../test/support/until.js';
import type { BenchDatabase } from './database.js';

export interface Target {
  readonly name: string;
  readonly url: string;
  /** Process whose processor time counts; null for the server itself. */
  readonly pid: number | null;
  stop(): Promise<void>;
}

function directTarget(url: string): Target {
  return { name: 'direct', url, pid: null, stop: async () => undefined };
}

export async function pipeTarget(url: string): Promise<Target> {
  const { hostname, port } = new URL(url);
  const script = fileURLToPath(new URL('pipe-server.ts', import.meta.url));
  const child = spawn(process.execPath, ['--import', 'tsx', script, hostname, port], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  await until(() => /port \d+/.test(output), 30_000, 'the pipe to listen');
  return target('bare Node pipe', withPort(url, Number(output.split(' ')[1])), child);
}

/** With a live record of the database in its memory: from then on successes are looked at too, as in real use. */
export async function twiceshyTarget(database: BenchDatabase, url: string): Promise<Target> {
  const proxy = await startProxy({ upstreamUrl: url });
  await database.fail(proxy.through(url));
  return {
    name: 'twiceshy',
    url: proxy.through(url),
    pid: proxy.pid,
    stop: async () => void (await proxy.stop()),
  };
}

/** Null where PgBouncer is not installed. Session pooling: one server connection a client, as here. */
async function pgbouncerTarget(url: string): Promise<Target | null> {
  const binary = '/usr/sbin/pgbouncer';
  try {
    execFileSync(binary, ['--version']);
  } catch {
    return null;
  }
  const { hostname, port, username, password } = new URL(url);
  const folder = mkdtempSync(join(tmpdir(), 'twiceshy-pgbouncer-'));
  const listenPort = await freePort();
  writeFileSync(join(folder, 'users'), `"${username}" "${password}"\n`);
  writeFileSync(
    join(folder, 'ini'),
    [
      '[databases]',
      `* = host=${hostname} port=${port} user=${username} password=${password}`,
      '[pgbouncer]',
      `listen_addr = 127.0.0.1`,
      `listen_port = ${listenPort}`,
      'unix_socket_dir =',
      'auth_type = scram-sha-256',
      `auth_file = ${join(folder, 'users')}`,
      'pool_mode = session',
      'default_pool_size = 100',
      'max_client_conn = 200',
      'server_tls_sslmode = disable',
      `logfile = ${join(folder, 'log')}`,
    ].join('\n'),
  );
  execFileSync('chmod', ['-R', 'a+rwX', folder]);
  // PgBouncer refuses to run as root.
  const child = spawn(
    binary,
    process.getuid?.() === 0 ? ['-u', 'nobody', join(folder, 'ini')] : [join(folder, 'ini')],
    {
      stdio: 'ignore',
    },
  );
  await until(() => canConnect(listenPort), 10_000, 'PgBouncer to listen');
  const running = target('PgBouncer (session pooling)', withPort(url, listenPort), child);
  return {
    ...running,
    stop: async () => {
      await running.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** All of them, the bare pipe second; stop each when done. */
export async function openTargets(database: BenchDatabase, url: string): Promise<Target[]> {
  const targets = [directTarget(url), await pipeTarget(url), await twiceshyTarget(database, url)];
  const pgbouncer = url.startsWith('postgres') ? await pgbouncerTarget(url) : null;
  if (pgbouncer !== null) targets.push(pgbouncer);
  return targets;
}

function target(name: string, url: string, child: ChildProcess): Target {
  const exited = new Promise<void>((resolve) => void child.once('exit', () => resolve()));
  return {
    name,
    url,
    pid: Number(child.pid),
    stop: async () => {
      child.kill('SIGKILL');
      await exited;
    },
  };
}

function withPort(url: string, port: number): string {
  const changed = new URL(url);
  changed.hostname = '127.0.0.1';
  changed.port = String(port);
  return changed.href;
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = net.createServer().listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(address !== null && typeof address === 'object' ? address.port : 0));
    });
  });
}

function canConnect(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = net.connect(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}

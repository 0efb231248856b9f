/**
 * One cached PostgreSQL cluster: made once, started on a free loopback port, stopped when its last lease ends.
 *
 * Invariant: the data folder exists only when initdb and the roles succeeded, and only for the settings below;
 * a change of them makes a new cluster.
 */
import { createHash } from 'node:crypto';
import {
  appendFileSync,
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { cacheFolder } from './cache-folder.js';
import { freePort } from './free-port.js';
import { countLeases, endLease, isAlive, takeLease, withLock } from './lock.js';
import { roles, superuser, tlsOnlyRole } from './roles.js';
import { type RunAs, runCommand, unprivilegedUser } from './run-command.js';

export interface ClusterOptions {
  readonly name: string;
  readonly bin: string;
}

const settings = [
  "listen_addresses = '127.0.0.1'",
  "unix_socket_directories = ''",
  'ssl = on',
  'max_connections = 650',
  'wal_level = logical',
  'max_prepared_transactions = 8',
  'fsync = off',
  'synchronous_commit = off',
  'full_page_writes = off',
  'deadlock_timeout = 200ms',
  "timezone = 'UTC'",
  "log_timezone = 'UTC'",
];

const access = [
  'local all all reject',
  `hostnossl all ${tlsOnlyRole.name} 127.0.0.1/32 reject`,
  ...roles
    .filter((role) => role.method !== 'scram-sha-256')
    .map((role) => `host all ${role.name} 127.0.0.1/32 ${role.method}`),
  'host all all 127.0.0.1/32 scram-sha-256',
  'host replication all 127.0.0.1/32 scram-sha-256',
];

/** Starts the cluster unless it runs, and registers `lease` as its user. Resolves to the superuser's URL. */
export async function acquireCluster(
  options: ClusterOptions,
  lease: string,
  lasting = false,
): Promise<string> {
  const folder = clusterFolder(options);
  return withLock(folder, async () => {
    const runAs = unprivilegedUser();
    const data = join(folder, 'data');
    if (!existsSync(data)) await initialise(options, folder, runAs);
    const isFirst = countLeases(folder) === 0;
    let port = runningPort(data);
    if (port === null) port = await start(options, data, runAs);
    takeLease(folder, lease, lasting);
    const url = urlFor(port);
    if (isFirst) await dropLeftovers(url);
    return url;
  });
}

/** Ends `lease`; the last one stops the server. */
export async function releaseCluster(options: ClusterOptions, lease: string): Promise<void> {
  const folder = clusterFolder(options);
  await withLock(folder, async () => {
    endLease(folder, lease);
    const data = join(folder, 'data');
    if (countLeases(folder) > 0 || runningPort(data) === null) return;
    await runCommand(join(options.bin, 'pg_ctl'), ['-D', data, '-m', 'fast', '-w', 'stop'], {
      runAs: unprivilegedUser(),
    });
  });
}

/** The URL of a running cluster, or null. */
export function runningCluster(options: ClusterOptions): string | null {
  const port = runningPort(join(clusterFolder(options), 'data'));
  return port === null ? null : urlFor(port);
}

function clusterFolder(options: ClusterOptions): string {
  const stamp = createHash('sha256')
    .update(JSON.stringify([options.bin, settings, access, roles]))
    .digest('hex');
  return join(cacheFolder(), `${options.name}-${stamp.slice(0, 8)}`);
}

function urlFor(port: number): string {
  return `postgres://${superuser.name}:${superuser.password}@127.0.0.1:${port}/postgres`;
}

async function initialise(options: ClusterOptions, folder: string, runAs: RunAs | null): Promise<void> {
  const partial = join(folder, 'data.partial');
  rmSync(partial, { recursive: true, force: true });
  mkdirSync(partial, { mode: 0o700 });
  const passwordFile = join(folder, 'password');
  writeFileSync(passwordFile, superuser.password, { mode: 0o600 });
  if (runAs !== null) {
    chownSync(partial, runAs.uid, runAs.gid);
    chownSync(passwordFile, runAs.uid, runAs.gid);
  }
  await runCommand(
    join(options.bin, 'initdb'),
    [
      '-D',
      partial,
      '-U',
      superuser.name,
      `--pwfile=${passwordFile}`,
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      '--locale=C.UTF-8',
      '--no-sync',
    ],
    { runAs },
  );
  rmSync(passwordFile);
  await makeCertificate(partial, runAs);
  appendFileSync(join(partial, 'postgresql.conf'), `\n${settings.join('\n')}\n`);
  writeFileSync(join(partial, 'pg_hba.conf'), `${access.join('\n')}\n`);
  await createRoles(options, partial, runAs);
  renameSync(partial, join(folder, 'data'));
}

async function createRoles(options: ClusterOptions, data: string, runAs: RunAs | null): Promise<void> {
  const url = urlFor(await start(options, data, runAs));
  const client = new pg.Client(url);
  await client.connect();
  try {
    for (const role of [...roles, tlsOnlyRole]) {
      await client.query(`set password_encryption = '${role.method === 'md5' ? 'md5' : 'scram-sha-256'}'`);
      await client.query(`create role ${role.name} login password '${role.password}'`);
    }
  } finally {
    await client.end();
    await runCommand(join(options.bin, 'pg_ctl'), ['-D', data, '-m', 'fast', '-w', 'stop'], { runAs });
  }
}

async function makeCertificate(data: string, runAs: RunAs | null): Promise<void> {
  const key = join(data, 'server.key');
  const request = [
    'req',
    '-x509',
    '-newkey',
    'rsa:2048',
    '-nodes',
    '-days',
    '3650',
    '-subj',
    '/CN=localhost',
  ];
  const names = ['-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1'];
  await runCommand('openssl', [...request, ...names, '-keyout', key, '-out', join(data, 'server.crt')], {
    runAs,
  });
  chmodSync(key, 0o600);
}

async function start(options: ClusterOptions, data: string, runAs: RunAs | null): Promise<number> {
  for (let attempt = 1; ; attempt += 1) {
    const port = await freePort();
    const args = ['-D', data, '-l', join(data, 'server.log'), '-w', '-t', '60', '-o', `-p ${port}`, 'start'];
    try {
      await runCommand(join(options.bin, 'pg_ctl'), args, { runAs });
      return port;
    } catch (error) {
      // Someone may have taken the port between our look and the server's.
      if (attempt === 3) throw error;
    }
  }
}

/** The port in postmaster.pid, if that process lives. */
function runningPort(data: string): number | null {
  const file = join(data, 'postmaster.pid');
  if (!existsSync(file)) return null;
  const lines = readFileSync(file, 'utf8').split('\n');
  const pid = Number(lines[0]);
  const isReady = lines[7]?.trim() === 'ready';
  return isReady && isAlive(pid) ? Number(lines[3]) : null;
}

/** Databases of runs that were killed before they could drop them. */
async function dropLeftovers(url: string): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  const left = await client.query<{ name: string }>(
    "select datname as name from pg_database where datname like 'twiceshy\\_%'",
  );
  for (const { name } of left.rows) await client.query(`drop database "${name}" with (force)`);
  await client.end();
}

/**
 * Starts the processes of a FerretDB: PostgreSQL with the DocumentDB extension, FerretDB in front of it, and a second
 * one in front of the same data that says it is a member of a replica set.
 */
import { chownSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { MongoClient } from 'mongodb';
import pg from 'pg';
import type { FerretdbPrograms } from './documentdb-programs.js';
import { mongoAdmin } from './mongodb-accounts.js';
import type { RunAs } from './run-command.js';
import { startServerProcess } from './server-process.js';

const answerTimeoutMs = 1000;

export interface FerretdbPorts {
  readonly postgresPort: number;
  readonly port: number;
  readonly tlsPort: number;
  readonly replicaSetPort: number;
}

export const replicaSet = 'rs0';

/** Lines of postgresql.conf. */
export const postgresSettings = [
  "listen_addresses = '127.0.0.1'",
  "unix_socket_directories = ''",
  'max_connections = 300',
  'fsync = off',
  'synchronous_commit = off',
  'full_page_writes = off',
  "timezone = 'UTC'",
  "log_timezone = 'UTC'",
  "shared_preload_libraries = 'pg_cron,pg_documentdb_core,pg_documentdb'",
  "cron.database_name = 'postgres'",
  "cron.host = '127.0.0.1'",
  'cron.log_run = off',
  "documentdb.enableschemavalidation = 'on'",
];

/** Resolves to the process id once PostgreSQL answers. The log goes to `folder`, the data is its folder `data`. */
export function startDocumentdb(
  { postgresPort }: FerretdbPorts,
  programs: FerretdbPrograms,
  folder: string,
  data: string,
  runAs: RunAs | null,
): Promise<number> {
  const command = [...programs.postgres, '-D', join(folder, data), '-p', String(postgresPort)];
  const log = join(folder, 'postgres.log');
  return startServerProcess({ name: 'PostgreSQL with DocumentDB', command, runAs, log }, () =>
    succeeds(() => onPostgres(postgresPort, 'select 1')),
  );
}

/** What a new data folder needs before FerretDB can use it. */
export async function createExtension({ postgresPort }: FerretdbPorts): Promise<void> {
  await onPostgres(
    postgresPort,
    `set client_min_messages = error;
     create extension if not exists documentdb cascade;
     alter role ${mongoAdmin.name} password '${mongoAdmin.password}'`,
  );
}

/** Resolves to the process id once FerretDB answers a client that has logged in. `folder` holds its certificate too. */
export function startFerretdb(
  ports: FerretdbPorts,
  programs: FerretdbPrograms,
  folder: string,
  runAs: RunAs | null,
): Promise<number> {
  const tls = join(folder, 'tls');
  return startOne('standalone', ports.port, ports, programs, folder, runAs, [
    `--listen-tls=127.0.0.1:${ports.tlsPort}`,
    `--listen-tls-cert-file=${join(tls, 'server.crt')}`,
    `--listen-tls-key-file=${join(tls, 'server.key')}`,
  ]);
}

/** The same for the member of a replica set, which names its own address to drivers. */
export function startReplicaSet(
  ports: FerretdbPorts,
  programs: FerretdbPrograms,
  folder: string,
  runAs: RunAs | null,
): Promise<number> {
  return startOne('replica-set', ports.replicaSetPort, ports, programs, folder, runAs, [
    `--dev-repl-set-name=${replicaSet}`,
  ]);
}

function startOne(
  role: string,
  port: number,
  { postgresPort }: FerretdbPorts,
  programs: FerretdbPrograms,
  folder: string,
  runAs: RunAs | null,
  more: readonly string[],
): Promise<number> {
  const state = join(folder, `state-${role}`);
  mkdirSync(state, { recursive: true });
  if (runAs !== null) chownSync(state, runAs.uid, runAs.gid);
  const options = [
    `--postgresql-url=${postgresUrl(postgresPort)}`,
    `--listen-addr=127.0.0.1:${port}`,
    '--debug-addr=',
    `--state-dir=${state}`,
    '--telemetry=disable',
    '--log-level=WARN',
  ];
  const command = [programs.ferretdb, ...options, ...more];
  const log = join(folder, `ferretdb-${role}.log`);
  return startServerProcess({ name: programs.name, command, runAs, log }, () => succeeds(() => ping(port)));
}

export function mongoUrl(port: number): string {
  return `mongodb://${mongoAdmin.name}:${mongoAdmin.password}@127.0.0.1:${port}/`;
}

function postgresUrl(port: number): string {
  return `postgres://${mongoAdmin.name}@127.0.0.1:${port}/postgres`;
}

async function onPostgres(port: number, text: string): Promise<void> {
  const client = new pg.Client({
    connectionString: postgresUrl(port),
    connectionTimeoutMillis: answerTimeoutMs,
  });
  try {
    await client.connect();
    await client.query(text);
  } finally {
    await client.end().catch(() => undefined);
  }
}

async function ping(port: number): Promise<void> {
  const client = new MongoClient(mongoUrl(port), { serverSelectionTimeoutMS: answerTimeoutMs });
  try {
    await client.db('admin').command({ ping: 1 });
  } finally {
    await client.close();
  }
}

async function succeeds(attempt: () => Promise<void>): Promise<boolean> {
  try {
    await attempt();
    return true;
  } catch {
    return false;
  }
}

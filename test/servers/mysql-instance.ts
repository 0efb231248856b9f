/**
 * One cached MySQL or MariaDB server: made once, started on a free loopback port, stopped when its last lease ends.
 *
 * Invariant: the data folder exists only when it was initialised and has its accounts, and only for the settings
 * below; a change of them makes a new one.
 */
import { createHash } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { connect as openSocket } from 'node:net';
import { join } from 'node:path';
import { createConnection } from 'mysql2/promise';
import { cacheFolder } from './cache-folder.js';
import { freePort } from './free-port.js';
import { countLeases, endLease, takeLease, withLock } from './lock.js';
import { accountStatements, mysqlAccounts, mysqlAdmin } from './mysql-accounts.js';
import type { MysqlFlavour, MysqlProgram } from './mysql-programs.js';
import { type RunAs, unprivilegedUser } from './run-command.js';
import { makeServerCertificate } from './server-certificate.js';
import { isServerProcess, startServerProcess, stopServerProcess } from './server-process.js';

/** A running server: the administrator's URL, and the file of the authority that signed its certificate. */
export interface RunningMysql {
  readonly url: string;
  readonly ca: string;
}

const settings = [
  '--bind-address=127.0.0.1',
  '--local-infile=1',
  '--max-allowed-packet=1G',
  '--max-connections=400',
  '--max-connect-errors=1000000',
  '--character-set-server=utf8mb4',
  '--default-time-zone=+00:00',
  '--secure-file-priv=',
  '--event-scheduler=OFF',
  '--log-bin=binlog',
  '--server-id=1',
  '--sync-binlog=0',
  '--log-bin-trust-function-creators=1',
  '--table-open-cache=400',
  '--table-definition-cache=400',
  '--innodb-buffer-pool-size=64M',
  '--innodb-flush-log-at-trx-commit=0',
  '--innodb-flush-method=nosync',
];

const settingsOf: Readonly<Record<MysqlFlavour, readonly string[]>> = {
  mysql: [...settings, '--socket=', '--mysqlx=OFF', '--auto-generate-certs=OFF'],
  mariadb: [...settings, '--socket=server.sock', '--binlog-format=ROW'],
};

/** Starts the server unless it runs, and registers `lease` as its user. */
export async function acquireMysql(
  program: MysqlProgram,
  lease: string,
  lasting = false,
): Promise<RunningMysql> {
  const folder = instanceFolder(program);
  return withLock(folder, async () => {
    const runAs = unprivilegedUser(['mysql', 'nobody']);
    if (!existsSync(join(folder, 'data'))) await initialise(program, folder, runAs);
    const isFirst = countLeases(folder) === 0;
    const port = runningPort(folder) ?? (await start(program, folder, 'data', runAs));
    takeLease(folder, lease, lasting);
    const running = describe(folder, port);
    if (isFirst) await dropLeftovers(running.url);
    return running;
  });
}

/** Ends `lease`; the last one stops the server. */
export async function releaseMysql(program: MysqlProgram, lease: string): Promise<void> {
  const folder = instanceFolder(program);
  await withLock(folder, async () => {
    endLease(folder, lease);
    if (countLeases(folder) === 0) await stop(folder, 'data');
  });
}

/** The running server, or null. */
export function runningMysql(program: MysqlProgram): RunningMysql | null {
  const folder = instanceFolder(program);
  const port = runningPort(folder);
  return port === null ? null : describe(folder, port);
}

function instanceFolder({ name, flavour, server }: MysqlProgram): string {
  const plugins = new Set(mysqlAccounts(flavour).flatMap(({ plugin }) => plugin ?? []));
  const made = [server, settingsOf[flavour], accountStatements(flavour, plugins)];
  const stamp = createHash('sha256').update(JSON.stringify(made)).digest('hex');
  return join(cacheFolder(), `${name}-${stamp.slice(0, 8)}`);
}

function describe(folder: string, port: number): RunningMysql {
  return { url: urlFor(port), ca: join(folder, 'tls', 'ca.crt') };
}

function urlFor(port: number): string {
  return `mysql://${mysqlAdmin.name}:${mysqlAdmin.password}@127.0.0.1:${port}/`;
}

async function initialise(program: MysqlProgram, folder: string, runAs: RunAs | null): Promise<void> {
  const partial = join(folder, 'partial');
  // Of a run that was killed in the middle of this.
  await stop(folder, 'partial');
  for (const left of [partial, join(folder, 'tls')]) rmSync(left, { recursive: true, force: true });
  mkdirSync(partial, { mode: 0o700 });
  if (runAs !== null) chownSync(partial, runAs.uid, runAs.gid);
  await makeTls(folder, runAs);
  await program.initialise(partial, runAs);
  const port = await start(program, folder, 'partial', runAs);
  try {
    await createAccounts(program.flavour, port);
  } finally {
    await stop(folder, 'partial');
  }
  renameSync(partial, join(folder, 'data'));
}

async function makeTls(folder: string, runAs: RunAs | null): Promise<void> {
  const { key } = await makeServerCertificate(join(folder, 'tls'));
  if (runAs !== null) chownSync(key, runAs.uid, runAs.gid);
  chmodSync(key, 0o600);
}

async function createAccounts(flavour: MysqlFlavour, port: number): Promise<void> {
  const root = await createConnection({ host: '127.0.0.1', port, user: 'root' });
  try {
    if (flavour === 'mariadb') await root.query("install soname 'auth_ed25519'");
    const [rows] = await root.query(
      "select plugin_name as name from information_schema.plugins where plugin_status = 'ACTIVE'",
    );
    const plugins = new Set((rows as { name: string }[]).map(({ name }) => name));
    for (const statement of accountStatements(flavour, plugins)) await root.query(statement);
  } finally {
    await root.end();
  }
}

async function start(
  program: MysqlProgram,
  folder: string,
  data: string,
  runAs: RunAs | null,
): Promise<number> {
  for (let attempt = 1; ; attempt += 1) {
    const port = await freePort();
    try {
      await startOn(port, program, folder, data, runAs);
      return port;
    } catch (error) {
      // Someone may have taken the port between our look and the server's.
      if (attempt === 3) throw error;
    }
  }
}

async function startOn(
  port: number,
  program: MysqlProgram,
  folder: string,
  data: string,
  runAs: RunAs | null,
): Promise<void> {
  const tls = join(folder, 'tls');
  const [file = '', ...first] = program.server;
  const args = [
    ...first,
    ...settingsOf[program.flavour],
    `--datadir=${join(folder, data)}`,
    `--pid-file=${pidFile(folder, data)}`,
    `--port=${port}`,
    `--ssl-ca=${join(tls, 'ca.crt')}`,
    `--ssl-cert=${join(tls, 'server.crt')}`,
    `--ssl-key=${join(tls, 'server.key')}`,
  ];
  const { name } = program;
  const log = join(folder, 'server.log');
  await startServerProcess({ name, command: [file, ...args], runAs, log }, () => accepts(port));
  writeFileSync(join(folder, 'port'), String(port));
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = openSocket({ host: '127.0.0.1', port });
    socket.once('error', () => resolve(false));
    // The greeting, not the connection: a server that is about to refuse everyone accepts too.
    socket.once('data', () => {
      resolve(true);
      socket.destroy();
    });
    socket.once('end', () => resolve(false));
  });
}

async function stop(folder: string, data: string): Promise<void> {
  const pid = runningPid(folder, data);
  if (pid !== null) await stopServerProcess(pid, markerOf(join(folder, data)));
}

function runningPort(folder: string): number | null {
  const file = join(folder, 'port');
  if (runningPid(folder, 'data') === null || !existsSync(file)) return null;
  return Number(readFileSync(file, 'utf8'));
}

function runningPid(folder: string, data: string): number | null {
  const file = pidFile(folder, data);
  if (!existsSync(file)) return null;
  const pid = Number(readFileSync(file, 'utf8'));
  return isServerProcess(pid, markerOf(join(folder, data))) ? pid : null;
}

function markerOf(data: string): string {
  return `--datadir=${data}\0`;
}

function pidFile(folder: string, data: string): string {
  return join(folder, data, 'server.pid');
}

/** Databases and accounts of runs that were killed before they could drop them. */
async function dropLeftovers(url: string): Promise<void> {
  const connection = await createConnection(url);
  const left = "like 'twiceshy\\_%'";
  const [databases] = await connection.query(
    `select schema_name as name from information_schema.schemata where schema_name ${left}`,
  );
  for (const { name } of databases as { name: string }[]) await connection.query(`drop database \`${name}\``);
  const [users] = await connection.query(`select user as name from mysql.user where user ${left}`);
  for (const { name } of users as { name: string }[]) await connection.query(`drop user ${name}@'%'`);
  await connection.end();
}

/**
 * One cached FerretDB over PostgreSQL with DocumentDB: made once, started on free loopback ports, all of it stopped when
 * the last lease ends.
 *
 * Invariant: the data folder exists only when it has the extension and its accounts, and only for the settings it was
 * made with; a change of them makes a new one.
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
import { cacheFolder } from './cache-folder.js';
import type { FerretdbPrograms } from './documentdb-programs.js';
import {
  createExtension,
  type FerretdbPorts,
  mongoUrl,
  postgresSettings,
  replicaSet,
  startDocumentdb,
  startFerretdb,
  startReplicaSet,
} from './ferretdb-processes.js';
import { freePorts } from './free-port.js';
import { countLeases, endLease, takeLease, withLock } from './lock.js';
import { mongoAccounts, mongoAdmin } from './mongodb-accounts.js';
import { dropLeftoverDatabases, onMongo } from './mongodb-database.js';
import { type RunAs, runCommand, unprivilegedUser } from './run-command.js';
import { makeServerCertificate } from './server-certificate.js';
import { isServerProcess, stopServerProcess } from './server-process.js';

const startAttempts = 3;

/** A running server: the administrator's URLs, and the file of the authority that signed its certificate. */
export interface RunningFerretdb {
  readonly url: string;
  /** The same over TLS. */
  readonly tlsUrl: string;
  readonly ca: string;
  /** Of a second one on the same data, which says it is a member of a replica set. */
  readonly replicaSetUrl: string;
}

/** What is written down of processes that were started; they may have ended since. */
interface State extends FerretdbPorts {
  readonly postgresPid: number;
  readonly ferretdbPids: readonly number[];
}

/** Starts it unless it runs, and registers `lease` as its user. */
export async function acquireFerretdb(
  programs: FerretdbPrograms,
  lease: string,
  lasting = false,
): Promise<RunningFerretdb> {
  const folder = instanceFolder(programs);
  return withLock(folder, async () => {
    const runAs = unprivilegedUser();
    if (!existsSync(join(folder, 'data'))) await initialise(programs, folder, runAs);
    const isFirst = countLeases(folder) === 0;
    const running = describe(folder, runningState(folder) ?? (await start(programs, folder, 'data', runAs)));
    takeLease(folder, lease, lasting);
    if (isFirst) await dropLeftoverDatabases(running.url);
    return running;
  });
}

/** Ends `lease`; the last one stops it. */
export async function releaseFerretdb(programs: FerretdbPrograms, lease: string): Promise<void> {
  const folder = instanceFolder(programs);
  await withLock(folder, async () => {
    endLease(folder, lease);
    if (countLeases(folder) === 0) await stop(folder);
  });
}

/** The running server, or null. */
export function runningFerretdb(programs: FerretdbPrograms): RunningFerretdb | null {
  const folder = instanceFolder(programs);
  const state = runningState(folder);
  return state === null ? null : describe(folder, state);
}

function instanceFolder(programs: FerretdbPrograms): string {
  const made = [programs, postgresSettings, mongoAdmin, mongoAccounts];
  const stamp = createHash('sha256').update(JSON.stringify(made)).digest('hex');
  return join(cacheFolder(), `${programs.name}-${stamp.slice(0, 8)}`);
}

function describe(folder: string, ports: FerretdbPorts): RunningFerretdb {
  const { port, tlsPort, replicaSetPort } = ports;
  const ca = join(folder, 'tls', 'ca.crt');
  return {
    url: mongoUrl(port),
    tlsUrl: `${mongoUrl(tlsPort)}?tls=true&tlsCAFile=${encodeURIComponent(ca)}`,
    ca,
    replicaSetUrl: `${mongoUrl(replicaSetPort)}?replicaSet=${replicaSet}`,
  };
}

async function initialise(programs: FerretdbPrograms, folder: string, runAs: RunAs | null): Promise<void> {
  const partial = join(folder, 'partial');
  const tls = join(folder, 'tls');
  // Of a run that was killed in the middle of this.
  await stop(folder);
  for (const left of [partial, tls]) rmSync(left, { recursive: true, force: true });
  mkdirSync(partial, { mode: 0o700 });
  if (runAs !== null) chownSync(partial, runAs.uid, runAs.gid);
  const { key } = await makeServerCertificate(tls);
  if (runAs !== null) chownSync(key, runAs.uid, runAs.gid);
  chmodSync(key, 0o600);
  const [file = '', ...first] = programs.initdb;
  const options = ['-U', mongoAdmin.name, '--auth=trust', '--encoding=UTF8', '--locale=C.UTF-8', '--no-sync'];
  await runCommand(file, [...first, '-D', partial, ...options], { runAs });
  appendFileSync(join(partial, 'postgresql.conf'), `\n${postgresSettings.join('\n')}\n`);
  try {
    const { port } = await start(programs, folder, 'partial', runAs, createExtension);
    await createAccounts(mongoUrl(port));
  } finally {
    await stop(folder);
  }
  renameSync(partial, join(folder, 'data'));
}

/** The administrator is the PostgreSQL superuser of this name; MongoDB's commands make the others. */
async function createAccounts(url: string): Promise<void> {
  await onMongo(url, async (client) => {
    for (const { name, password, roles } of mongoAccounts) {
      const granted = roles.map((role) => ({ role, db: 'admin' }));
      await client.db('admin').command({ createUser: name, pwd: password, roles: granted });
    }
  });
}

/** `prepare` runs when PostgreSQL answers and FerretDB does not run yet. */
async function start(
  programs: FerretdbPrograms,
  folder: string,
  data: string,
  runAs: RunAs | null,
  prepare?: (ports: FerretdbPorts) => Promise<void>,
): Promise<State> {
  for (let attempt = 1; ; attempt += 1) {
    // One of the processes may have survived the others.
    await stop(folder);
    const [postgresPort = 0, port = 0, tlsPort = 0, replicaSetPort = 0] = await freePorts(4);
    const ports = { postgresPort, port, tlsPort, replicaSetPort };
    try {
      const postgresPid = await startDocumentdb(ports, programs, folder, data, runAs);
      writeState(folder, { ...ports, postgresPid, ferretdbPids: [] });
      await prepare?.(ports);
      const first = await startFerretdb(ports, programs, folder, runAs);
      writeState(folder, { ...ports, postgresPid, ferretdbPids: [first] });
      const second = await startReplicaSet(ports, programs, folder, runAs);
      return writeState(folder, { ...ports, postgresPid, ferretdbPids: [first, second] });
    } catch (error) {
      await stop(folder);
      // Someone may have taken a port between our look and the server's.
      if (attempt === startAttempts) throw error;
    }
  }
}

async function stop(folder: string): Promise<void> {
  const state = readState(folder);
  if (state === null) return;
  for (const pid of state.ferretdbPids) await stopServerProcess(pid, folder);
  // Fast: open sessions are ended, not waited for.
  await stopServerProcess(state.postgresPid, folder, 'SIGINT');
}

function runningState(folder: string): State | null {
  const state = readState(folder);
  if (state === null || !existsSync(join(folder, 'data'))) return null;
  const pids = [state.postgresPid, ...state.ferretdbPids];
  return pids.length === 3 && pids.every((pid) => isServerProcess(pid, folder)) ? state : null;
}

function readState(folder: string): State | null {
  const file = stateFile(folder);
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as State) : null;
}

function writeState(folder: string, state: State): State {
  writeFileSync(stateFile(folder), JSON.stringify(state));
  return state;
}

function stateFile(folder: string): string {
  return join(folder, 'processes.json');
}

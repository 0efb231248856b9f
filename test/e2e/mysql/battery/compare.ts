/**
 * Runs one client's battery twice, direct and through a proxy, each on a fresh database of its own.
 *
 * The memory is empty at the start of the proxied run and the database exists before the proxy starts, so that the
 * catalog is read when the first statement fails.
 */
import { createConnection } from 'mysql2/promise';
import { createMysqlDatabase } from '../../../servers/mysql-database.js';
import type { MysqlFlavour } from '../../../servers/mysql-programs.js';
import type { AvailableMysql } from '../../../support/mysql-servers.js';
import { type ProxyExit, type ProxyOptions, startProxy } from '../../../support/start-proxy.js';
import { type Entry, Transcript } from '../../battery/transcript.js';
import { batterySchema, lockStatements } from './schema.js';

/** `url` names the database; whoever needs another account or database changes that part. */
export type Battery = (url: string, log: Transcript, flavour: MysqlFlavour) => Promise<void>;

/** For a test of one client's battery on a machine that does other things meanwhile. */
export const batteryTimeoutMs = 400_000;

export interface ProxiedRun {
  readonly entries: readonly Entry[];
  readonly exit: ProxyExit;
}

export type ProxiedOptions = Omit<ProxyOptions, 'upstreamUrl'> & {
  /** Query of the URL the proxy gets for its upstream. */
  readonly upstreamParameters?: string;
};

export async function runDirect(server: AvailableMysql, battery: Battery): Promise<readonly Entry[]> {
  return withDatabase(server.url, (url) => transcriptOf(battery, url, server.flavour));
}

export async function runProxied(
  server: AvailableMysql,
  battery: Battery,
  options: ProxiedOptions = {},
): Promise<ProxiedRun> {
  const { upstreamParameters, ...others } = options;
  return withDatabase(server.url, async (url) => {
    const upstreamUrl = upstreamParameters === undefined ? url : `${url}?${upstreamParameters}`;
    const proxy = await startProxy({ upstreamUrl, ...others });
    let entries: readonly Entry[] = [];
    try {
      entries = await transcriptOf(battery, proxy.through(url), server.flavour);
    } finally {
      const exit = await proxy.stop();
      if (process.env['TWICESHY_TEST_VERBOSE'] !== undefined) process.stderr.write(exit.stderr);
    }
    return { entries, exit: await proxy.exited };
  });
}

async function transcriptOf(battery: Battery, url: string, flavour: MysqlFlavour): Promise<readonly Entry[]> {
  const log = new Transcript();
  await battery(url, log, flavour);
  return log.entries;
}

/** While `work` runs, a session of ours holds the lock that statements of the battery meet. */
async function withDatabase<T>(serverUrl: string, work: (url: string) => Promise<T>): Promise<T> {
  const database = await createMysqlDatabase(serverUrl, batterySchema);
  try {
    const locker = await createConnection(database.url);
    try {
      for (const statement of lockStatements) await locker.query(statement);
      return await work(database.url);
    } finally {
      locker.destroy();
    }
  } finally {
    await database.drop();
  }
}

/**
 * Runs one client's battery twice, direct and through a proxy, each on a fresh database of its own.
 *
 * The memory is empty at the start of the proxied run and the database exists before the proxy starts, so that the
 * catalog is read when the first statement fails.
 */
import pg from 'pg';
import { createDatabase } from '../../servers/database.js';
import { type ProxyExit, type ProxyOptions, startProxy } from '../../support/start-proxy.js';
import { batterySchema, lockStatement } from './schema.js';
import { type Entry, Transcript } from './transcript.js';

export type Battery = (url: string, log: Transcript) => Promise<void>;

export interface ProxiedRun {
  readonly entries: readonly Entry[];
  readonly exit: ProxyExit;
}

export type ProxiedOptions = Omit<ProxyOptions, 'upstreamUrl'> & {
  /** Query of the URL the proxy gets for its upstream. */
  readonly upstreamParameters?: string;
};

export async function runDirect(serverUrl: string, battery: Battery): Promise<readonly Entry[]> {
  return withDatabase(serverUrl, (url) => transcriptOf(battery, url));
}

export async function runProxied(
  serverUrl: string,
  battery: Battery,
  options: ProxiedOptions = {},
): Promise<ProxiedRun> {
  const { upstreamParameters, ...others } = options;
  return withDatabase(serverUrl, async (url) => {
    const upstreamUrl = upstreamParameters === undefined ? url : `${url}?${upstreamParameters}`;
    const proxy = await startProxy({ upstreamUrl, ...others });
    let entries: readonly Entry[] = [];
    try {
      entries = await transcriptOf(battery, proxy.through(url));
    } finally {
      const exit = await proxy.stop();
      if (process.env['TWICESHY_TEST_VERBOSE'] !== undefined) process.stderr.write(exit.stderr);
    }
    return { entries, exit: await proxy.exited };
  });
}

async function transcriptOf(battery: Battery, url: string): Promise<readonly Entry[]> {
  const log = new Transcript();
  await battery(url, log);
  return log.entries;
}

/** While `work` runs, a session of ours holds the lock that the 55P03 statements of the battery meet. */
async function withDatabase<T>(serverUrl: string, work: (url: string) => Promise<T>): Promise<T> {
  const database = await createDatabase(serverUrl, batterySchema);
  const locker = new pg.Client(database.url);
  try {
    await locker.connect();
    await locker.query(lockStatement);
    return await work(database.url);
  } finally {
    await locker.end();
    await database.drop();
  }
}

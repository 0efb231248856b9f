/**
 * Runs a client's battery twice, direct and through a proxy, each on a fresh database of its own.
 *
 * The memory is empty at the start of the proxied run and the database exists before the proxy starts, so that the
 * catalog is read when the first command fails.
 */
import { createMongoDatabase } from '../../../servers/mongodb-database.js';
import type { AvailableMongo } from '../../../support/mongodb-servers.js';
import { type ProxyExit, type ProxyOptions, startProxy } from '../../../support/start-proxy.js';
import { type Entry, Transcript } from '../../battery/transcript.js';
import { seed } from './schema.js';

export const batteryTimeoutMs = 300_000;

export type Battery = (url: string, log: Transcript, server: AvailableMongo) => Promise<void>;

export interface ProxiedMongoRun {
  readonly entries: readonly Entry[];
  readonly exit: ProxyExit;
}

export function runDirect(server: AvailableMongo, battery: Battery): Promise<readonly Entry[]> {
  return onDatabase(server, (url) => transcriptOf(battery, url, server));
}

export function runProxied(
  server: AvailableMongo,
  battery: Battery,
  options: Omit<ProxyOptions, 'upstreamUrl'> = {},
): Promise<ProxiedMongoRun> {
  return onDatabase(server, async (url) => {
    const proxy = await startProxy({ upstreamUrl: url, ...options });
    let entries: readonly Entry[] = [];
    try {
      entries = await transcriptOf(battery, proxy.through(url), server);
    } finally {
      const exit = await proxy.stop();
      if (process.env['TWICESHY_TEST_VERBOSE'] !== undefined) process.stderr.write(exit.stderr);
    }
    return { entries, exit: await proxy.exited };
  });
}

async function transcriptOf(
  battery: Battery,
  url: string,
  server: AvailableMongo,
): Promise<readonly Entry[]> {
  const log = new Transcript();
  await battery(url, log, server);
  return log.entries;
}

async function onDatabase<T>(server: AvailableMongo, work: (url: string) => Promise<T>): Promise<T> {
  const database = await createMongoDatabase(server.url, seed);
  try {
    return await work(database.url);
  } finally {
    await database.drop();
  }
}

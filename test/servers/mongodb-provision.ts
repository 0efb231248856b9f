/** Gives a run its servers that speak MongoDB's protocol: FerretDB always, and the one an environment variable names. */
import { ferretdbPrograms } from './documentdb-programs.js';
import {
  acquireFerretdb,
  type RunningFerretdb,
  releaseFerretdb,
  runningFerretdb,
} from './ferretdb-instance.js';
import { askMongo, type MongoCapabilities } from './mongodb-capabilities.js';

/** A server a test can use, or the reason why it cannot be had. Plain data: it crosses to the test processes. */
export type MongoServer =
  | {
      readonly name: string;
      readonly isFerret: boolean;
      readonly url: string;
      /** The same over TLS, with the file of its authority; null where the URL was given. */
      readonly tls: { readonly url: string; readonly ca: string } | null;
      /** FerretDB's second process, which is in a replica set; null where the URL was given. */
      readonly replicaSetUrl: string | null;
      readonly capabilities: MongoCapabilities;
    }
  | { readonly name: string; readonly missing: string };

const urlVariable = 'TWICESHY_TEST_MONGODB_URL';

/** Never rejects for a server that cannot be had: it is in the list with its reason. */
export function acquireMongoServers(lease: string, lasting = false): Promise<MongoServer[]> {
  return Promise.all([acquireLocal(lease, lasting), ...givenServer()]);
}

export async function releaseMongoServers(lease: string): Promise<void> {
  const programs = await ferretdbPrograms(false);
  if ('ferretdb' in programs) await releaseFerretdb(programs, lease);
}

/** Local servers that run now, whoever started them. */
export async function runningMongoServers(): Promise<MongoServer[]> {
  const programs = await ferretdbPrograms(false);
  if ('missing' in programs) return [programs];
  const running = runningFerretdb(programs);
  if (running === null) return [{ name: programs.name, missing: 'not running' }];
  return [await described(programs.name, running)];
}

async function acquireLocal(lease: string, lasting: boolean): Promise<MongoServer> {
  const programs = await ferretdbPrograms(true);
  if ('missing' in programs) return programs;
  try {
    return await described(programs.name, await acquireFerretdb(programs, lease, lasting));
  } catch (error) {
    return { name: programs.name, missing: `${programs.name} could not be started: ${reasonOf(error)}` };
  }
}

async function described(
  name: string,
  { url, tlsUrl, ca, replicaSetUrl }: RunningFerretdb,
): Promise<MongoServer> {
  const tls = { url: tlsUrl, ca };
  const capabilities = await askMongo(url);
  return { name, isFerret: capabilities.isFerret, url, tls, replicaSetUrl, capabilities };
}

function givenServer(): Promise<MongoServer>[] {
  const url = process.env[urlVariable];
  return url === undefined || url === '' ? [] : [askGiven(url)];
}

async function askGiven(url: string): Promise<MongoServer> {
  try {
    const capabilities = await askMongo(url);
    const { isFerret, version } = capabilities;
    const [major, minor] = version.split('.');
    const name = isFerret ? `a FerretDB of ${urlVariable}` : `mongodb-${major}.${minor}`;
    return { name, isFerret, url, tls: null, replicaSetUrl: null, capabilities };
  } catch (error) {
    return { name: 'mongodb', missing: `The server of ${urlVariable} did not answer: ${reasonOf(error)}` };
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/**
 * Gives a run its database servers, in this order: the URL in an environment variable, then local provisioning.
 *
 * Who acquires must release: a lease keeps a shared server running until the last user is gone.
 */
import { debianPostgres, embeddedPostgres, type PostgresBinaries } from './postgres-binaries.js';
import { acquireCluster, releaseCluster, runningCluster } from './postgres-cluster.js';

/** A server a test can use, or the reason why it cannot be had. Plain data: it crosses to the test processes. */
export type PostgresServer =
  | { readonly name: string; readonly url: string }
  | { readonly name: string; readonly missing: string };

const postgresUrlVariable = 'TWICESHY_TEST_POSTGRES_URL';

/** Never rejects for a server that cannot be had: it is in the list with its reason. */
export async function acquirePostgresServers(lease: string, lasting = false): Promise<PostgresServer[]> {
  const given = process.env[postgresUrlVariable];
  if (given !== undefined && given !== '')
    return [{ name: `the server of ${postgresUrlVariable}`, url: given }];
  return Promise.all(localBinaries().map((binaries) => acquire(binaries, lease, lasting)));
}

export async function releasePostgresServers(lease: string): Promise<void> {
  for (const binaries of localBinaries()) if ('bin' in binaries) await releaseCluster(binaries, lease);
}

/** Local servers that run now, whoever started them. */
export function runningPostgresServers(): PostgresServer[] {
  return localBinaries().map((binaries) => {
    if ('missing' in binaries) return { name: binaries.name, missing: binaries.missing };
    const url = runningCluster(binaries);
    return url === null ? { name: binaries.name, missing: 'not running' } : { name: binaries.name, url };
  });
}

function localBinaries(): PostgresBinaries[] {
  return [debianPostgres(15), embeddedPostgres()];
}

async function acquire(binaries: PostgresBinaries, lease: string, lasting: boolean): Promise<PostgresServer> {
  const { name } = binaries;
  if ('missing' in binaries) return { name, missing: binaries.missing };
  try {
    return { name, url: await acquireCluster(binaries, lease, lasting) };
  } catch (error) {
    return {
      name,
      missing: `${name} could not be started: ${error instanceof Error ? error.message : String(error)}`,
    };
  }
}

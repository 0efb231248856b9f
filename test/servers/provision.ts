/**
 * Gives a run its database servers, in this order: the URL in an environment variable, then local provisioning.
 *
 * Who acquires must release: a lease keeps a shared server running until the last user is gone.
 */
import {
  acquireMongoServers,
  type MongoServer,
  releaseMongoServers,
  runningMongoServers,
} from './mongodb-provision.js';
import { acquireMysql, releaseMysql, runningMysql } from './mysql-instance.js';
import { debianMariadb, type FoundMysqlProgram, type MysqlFlavour, sidMysql } from './mysql-programs.js';
import { debianPostgres, embeddedPostgres, type PostgresBinaries } from './postgres-binaries.js';
import { acquireCluster, releaseCluster, runningCluster } from './postgres-cluster.js';

/** A server a test can use, or the reason why it cannot be had. Plain data: it crosses to the test processes. */
export type PostgresServer =
  | { readonly name: string; readonly url: string }
  | { readonly name: string; readonly missing: string };

export type MysqlServer =
  | {
      readonly name: string;
      readonly flavour: MysqlFlavour;
      readonly url: string;
      /** PEM file of the authority behind the server's certificate; null where the URL was given. */
      readonly ca: string | null;
    }
  | { readonly name: string; readonly flavour: MysqlFlavour; readonly missing: string };

export interface TestServers {
  readonly postgres: PostgresServer[];
  readonly mysql: MysqlServer[];
  readonly mongodb: MongoServer[];
}

const postgresUrlVariable = 'TWICESHY_TEST_POSTGRES_URL';
const mysqlUrlVariables = {
  mysql: 'TWICESHY_TEST_MYSQL_URL',
  mariadb: 'TWICESHY_TEST_MARIADB_URL',
} as const;
const flavours = ['mysql', 'mariadb'] as const;

/** Never rejects for a server that cannot be had: it is in the list with its reason. */
export async function acquireServers(lease: string, lasting = false): Promise<TestServers> {
  const [postgres, mysql, mongodb] = await Promise.all([
    acquirePostgresServers(lease, lasting),
    acquireMysqlServers(lease, lasting),
    acquireMongoServers(lease, lasting),
  ]);
  return { postgres, mysql, mongodb };
}

export async function releaseServers(lease: string): Promise<void> {
  await Promise.all([releasePostgresServers(lease), releaseMysqlServers(lease), releaseMongoServers(lease)]);
}

/** Local servers that run now, whoever started them. */
export async function runningServers(): Promise<TestServers> {
  return {
    postgres: runningPostgresServers(),
    mysql: await runningMysqlServers(),
    mongodb: await runningMongoServers(),
  };
}

export async function acquirePostgresServers(lease: string, lasting = false): Promise<PostgresServer[]> {
  const given = givenUrl(postgresUrlVariable);
  if (given !== null) return [{ name: `the server of ${postgresUrlVariable}`, url: given }];
  return Promise.all(localPostgres().map((binaries) => acquirePostgres(binaries, lease, lasting)));
}

export async function releasePostgresServers(lease: string): Promise<void> {
  for (const binaries of localPostgres()) if ('bin' in binaries) await releaseCluster(binaries, lease);
}

/** MySQL and MariaDB, in this order. */
export function acquireMysqlServers(lease: string, lasting = false): Promise<MysqlServer[]> {
  return Promise.all(
    flavours.map(async (flavour) => {
      const variable = mysqlUrlVariables[flavour];
      const url = givenUrl(variable);
      if (url !== null) return { name: `the server of ${variable}`, flavour, url, ca: null };
      return acquireLocalMysql(flavour, lease, lasting);
    }),
  );
}

/** A local server with settings of its own, also where a URL is given for the usual one; `releaseMysqlWith` ends it. */
export function acquireMysqlWith(
  settings: readonly string[],
  flavour: MysqlFlavour,
  lease: string,
): Promise<MysqlServer> {
  return acquireLocalMysql(flavour, lease, false, settings);
}

export async function releaseMysqlWith(
  settings: readonly string[],
  flavour: MysqlFlavour,
  lease: string,
): Promise<void> {
  const program = await localMysql(flavour, false, settings);
  if ('server' in program) await releaseMysql(program, lease);
}

export async function releaseMysqlServers(lease: string): Promise<void> {
  for (const flavour of flavours) {
    const program = await localMysql(flavour, false);
    if ('server' in program) await releaseMysql(program, lease);
  }
}

function runningPostgresServers(): PostgresServer[] {
  return localPostgres().map((binaries) => {
    if ('missing' in binaries) return { name: binaries.name, missing: binaries.missing };
    const url = runningCluster(binaries);
    return url === null ? { name: binaries.name, missing: 'not running' } : { name: binaries.name, url };
  });
}

function runningMysqlServers(): Promise<MysqlServer[]> {
  return Promise.all(
    flavours.map(async (flavour) => {
      const program = await localMysql(flavour, false);
      if ('missing' in program) return { flavour, ...program };
      const running = runningMysql(program);
      const { name } = program;
      return running === null ? { name, flavour, missing: 'not running' } : { name, flavour, ...running };
    }),
  );
}

function givenUrl(variable: string): string | null {
  const given = process.env[variable];
  return given === undefined || given === '' ? null : given;
}

function localPostgres(): PostgresBinaries[] {
  return [debianPostgres(15), embeddedPostgres()];
}

function localMysql(
  flavour: MysqlFlavour,
  isMaking: boolean,
  settings: readonly string[] = [],
): Promise<FoundMysqlProgram> {
  return flavour === 'mysql' ? sidMysql(isMaking, settings) : debianMariadb(settings);
}

async function acquirePostgres(
  binaries: PostgresBinaries,
  lease: string,
  lasting: boolean,
): Promise<PostgresServer> {
  const { name } = binaries;
  if ('missing' in binaries) return { name, missing: binaries.missing };
  try {
    return { name, url: await acquireCluster(binaries, lease, lasting) };
  } catch (error) {
    return { name, missing: notStarted(name, error) };
  }
}

async function acquireLocalMysql(
  flavour: MysqlFlavour,
  lease: string,
  lasting: boolean,
  settings: readonly string[] = [],
): Promise<MysqlServer> {
  const program = await localMysql(flavour, true, settings);
  if ('missing' in program) return { flavour, ...program };
  const { name } = program;
  try {
    return { name, flavour, ...(await acquireMysql(program, lease, lasting)) };
  } catch (error) {
    return { name, flavour, missing: notStarted(name, error) };
  }
}

function notStarted(name: string, error: unknown): string {
  return `${name} could not be started: ${error instanceof Error ? error.message : String(error)}`;
}

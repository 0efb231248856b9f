/** Starts the database servers once for a run and hands their URLs to the test files. */
import type { TestProject } from 'vitest/node';
import type { MongoServer } from '../servers/mongodb-provision.js';
import {
  acquireServers,
  type MysqlServer,
  type PostgresServer,
  releaseServers,
} from '../servers/provision.js';

declare module 'vitest' {
  export interface ProvidedContext {
    postgresServers: PostgresServer[];
    mysqlServers: MysqlServer[];
    mongoServers: MongoServer[];
  }
}

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const lease = `vitest-${process.pid}`;
  const { postgres, mysql, mongodb } = await acquireServers(lease);
  const missing = [...postgres, ...mysql, ...mongodb].flatMap((server) =>
    'missing' in server ? [server.missing] : [],
  );
  if (missing.length > 0 && isContinuousIntegration()) {
    await releaseServers(lease);
    throw new Error(`CI needs every server: ${missing.join('; ')}`);
  }
  for (const sentence of missing) process.stderr.write(`Skipping tests: ${sentence}\n`);
  project.provide('postgresServers', postgres);
  project.provide('mysqlServers', mysql);
  project.provide('mongoServers', mongodb);
  return () => releaseServers(lease);
}

function isContinuousIntegration(): boolean {
  const value = process.env['CI'];
  return value !== undefined && value !== '' && value !== 'false' && value !== '0';
}

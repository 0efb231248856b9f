/** A fresh database, or a fresh account, for one test file on MySQL or MariaDB. */
import { randomBytes } from 'node:crypto';
import { createConnection } from 'mysql2/promise';
import type { TestDatabase } from './database.js';

/** Creates a database on the server of `serverUrl` and runs `setup` in it (one text, any number of statements). */
export async function createMysqlDatabase(serverUrl: string, setup = ''): Promise<TestDatabase> {
  const name = `twiceshy_${randomBytes(6).toString('hex')}`;
  await runMysql(serverUrl, `create database ${name}`);
  const database = {
    url: withDatabase(serverUrl, name),
    name,
    drop: () => dropDatabase(serverUrl, name),
  };
  if (setup === '') return database;
  try {
    await runMysql(database.url, setup);
  } catch (error) {
    await database.drop();
    throw error;
  }
  return database;
}

/** Ends the sessions that are in the database before it goes, so that none of them holds a lock on it. */
async function dropDatabase(serverUrl: string, name: string): Promise<void> {
  const connection = await createConnection(serverUrl);
  try {
    const [sessions] = await connection.query('select id from information_schema.processlist where db = ?', [
      name,
    ]);
    for (const { id } of sessions as { id: number }[])
      await connection.query(`kill ${id}`).catch(() => undefined);
    await connection.query(`drop database if exists ${name}`);
  } finally {
    await connection.end();
  }
}

/** Runs a text on a connection of its own, and resolves to the rows of its first result set. */
export async function runMysql(url: string, text: string): Promise<readonly Record<string, unknown>[]> {
  const connection = await createConnection({ uri: url, multipleStatements: true });
  try {
    const [result] = await connection.query(text);
    return Array.isArray(result) ? (result as Record<string, unknown>[]) : [];
  } finally {
    await connection.end();
  }
}

export interface FreshAccount {
  readonly name: string;
  readonly password: string;
  /** The database's URL under this account. */
  readonly url: string;
  drop(): Promise<void>;
}

/**
 * MySQL only: an account of caching_sha2_password that has never logged in, so that its first login is a full one.
 * It may do everything in the database of `databaseUrl`.
 */
export async function createColdAccount(databaseUrl: string): Promise<FreshAccount> {
  const name = `twiceshy_${randomBytes(6).toString('hex')}`;
  const password = randomBytes(6).toString('hex');
  const database = decodeURIComponent(new URL(databaseUrl).pathname.slice(1));
  await runMysql(
    databaseUrl,
    `create user ${name}@'%' identified with caching_sha2_password by '${password}';
     grant all on \`${database}\`.* to ${name}@'%'`,
  );
  return {
    name,
    password,
    url: asAccount(databaseUrl, { name, password }),
    drop: async () => void (await runMysql(databaseUrl, `drop user if exists ${name}@'%'`)),
  };
}

/** MySQL only: makes the next login of every account of caching_sha2_password a full one. */
export async function coolAccounts(serverUrl: string): Promise<void> {
  await runMysql(serverUrl, 'flush privileges');
}

/** The same database under another account. */
export function asAccount(url: string, account: { name: string; password: string }): string {
  const changed = new URL(url);
  changed.username = account.name;
  changed.password = account.password;
  return changed.href;
}

function withDatabase(url: string, name: string): string {
  const changed = new URL(url);
  changed.pathname = `/${name}`;
  return changed.href;
}

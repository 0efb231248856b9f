/** A fresh database for one test file, so that no file sees another's tables and names repeat between runs. */
import { randomBytes } from 'node:crypto';
import pg from 'pg';

export interface TestDatabase {
  readonly url: string;
  readonly name: string;
  /** Ends every session on it and removes it. Safe to call twice. */
  drop(): Promise<void>;
}

/** Creates a database on the server of `serverUrl` and runs `setup` in it (one text, any number of statements). */
export async function createDatabase(serverUrl: string, setup = ''): Promise<TestDatabase> {
  const name = `twiceshy_${randomBytes(6).toString('hex')}`;
  // template0 takes no connections, so nobody can be in the way of the copy.
  await runOn(serverUrl, `create database ${name} template template0`);
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  const database = {
    url: url.href,
    name,
    drop: () => runOn(serverUrl, `drop database if exists ${name} with (force)`),
  };
  if (setup === '') return database;
  try {
    await runOn(database.url, setup);
  } catch (error) {
    await database.drop();
    throw error;
  }
  return database;
}

/** Runs a text on a connection of its own. */
export async function runOn(url: string, text: string): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    await client.query(text);
  } finally {
    await client.end();
  }
}

/** The same database under another account. */
export function asRole(url: string, role: { name: string; password: string }): string {
  const changed = new URL(url);
  changed.username = role.name;
  changed.password = role.password;
  return changed.href;
}

/** A fresh database for one test file on a server that speaks MongoDB's protocol. */
import { randomBytes } from 'node:crypto';
import { type Db, MongoClient } from 'mongodb';
import type { TestDatabase } from './database.js';

const prefix = 'twiceshy_';

/** Names a database that does not exist yet (the server makes it by the first write) and runs `setup` in it. */
export async function createMongoDatabase(
  serverUrl: string,
  setup?: (database: Db) => Promise<void>,
): Promise<TestDatabase> {
  const name = `${prefix}${randomBytes(6).toString('hex')}`;
  const database = {
    url: withMongoDatabase(serverUrl, name),
    name,
    drop: () => onMongo(serverUrl, async (client) => void (await client.db(name).dropDatabase())),
  };
  if (setup === undefined) return database;
  try {
    await onMongo(serverUrl, (client) => setup(client.db(name)));
  } catch (error) {
    await database.drop();
    throw error;
  }
  return database;
}

/** Runs `work` with a client of its own, which is closed afterwards. */
export async function onMongo<T>(url: string, work: (client: MongoClient) => Promise<T>): Promise<T> {
  const client = new MongoClient(url);
  try {
    return await work(client);
  } finally {
    await client.close();
  }
}

/** The same server under another account, which is one of database admin. */
export function asMongoAccount(url: string, account: { name: string; password: string }): string {
  const changed = new URL(url);
  changed.username = account.name;
  changed.password = account.password;
  return changed.href;
}

/** Databases of runs that were killed before they could drop them. */
export async function dropLeftoverDatabases(url: string): Promise<void> {
  await onMongo(url, async (client) => {
    const { databases } = await client.db('admin').admin().listDatabases({ nameOnly: true });
    for (const { name } of databases) if (name.startsWith(prefix)) await client.db(name).dropDatabase();
  });
}

/** Accounts are those of database admin, whatever the database. */
function withMongoDatabase(url: string, name: string): string {
  const changed = new URL(url);
  changed.pathname = `/${name}`;
  if (changed.username !== '' && !changed.searchParams.has('authSource'))
    changed.searchParams.set('authSource', 'admin');
  return changed.href;
}

/** What the catalog tests on servers of MongoDB's protocol share: addresses, a database of its own, sums of a collection. */
import { type Db, MongoClient } from 'mongodb';
import { openCatalog } from '../../../adapters/mongodb/catalog.js';
import { parseUrl } from '../../../adapters/mongodb/upstream-url.js';
import type { CatalogReader, UpstreamAddress, UpstreamTls } from '../../../src/core/adapter.js';
import type { SchemaModel } from '../../../src/core/schema/model.js';
import { buildSchema } from '../../../src/core/schema/schema.js';
import type { TestDatabase } from '../../servers/database.js';
import { createMongoDatabase } from '../../servers/mongodb-database.js';
import type { AvailableMongo } from '../../support/mongodb-servers.js';

export const plain: UpstreamTls = { mode: 'disable' };

export function addressOf(url: string): UpstreamAddress {
  return parseUrl(url).address;
}

/** A database of its own, a client in it, and a reader. */
export class CatalogBench {
  database!: TestDatabase;
  client!: MongoClient;
  reader!: CatalogReader;

  async open(server: AvailableMongo): Promise<void> {
    this.database = await createMongoDatabase(server.url);
    this.client = new MongoClient(this.database.url);
    this.reader = await openCatalog(addressOf(server.url), plain, this.database.name);
  }

  async close(): Promise<void> {
    await this.reader?.close();
    await this.client?.close();
    await this.database?.drop();
  }

  get db(): Db {
    return this.client.db();
  }

  /** By a command of its own: the driver's helper asks for more. */
  async create(name: string, options: object = {}): Promise<void> {
    await this.db.command({ create: name, ...options });
  }

  async model(): Promise<SchemaModel> {
    return buildSchema(await this.reader.read(), 1);
  }

  /** Sums of a command on this collection, read now. */
  async sums(collection: string): Promise<{ readonly tables: string; readonly constraints: string }> {
    const { tablesFingerprint, constraintsFingerprint } = (await this.model()).resolve(
      [{ schema: null, name: collection }],
      null,
      'app',
    );
    return { tables: tablesFingerprint, constraints: constraintsFingerprint };
  }
}

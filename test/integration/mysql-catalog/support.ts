/** What the catalog tests on MySQL and MariaDB share: addresses, TLS, and sums of a statement's tables. */
import { readFileSync } from 'node:fs';
import { type Connection, createConnection } from 'mysql2/promise';
import { openCatalog } from '../../../adapters/mysql/catalog.js';
import type { CatalogReader, UpstreamAddress, UpstreamTls } from '../../../src/core/adapter.js';
import type { SchemaModel } from '../../../src/core/schema/model.js';
import { buildSchema, type SchemaInput, type TableInput } from '../../../src/core/schema/schema.js';
import type { TestDatabase } from '../../servers/database.js';
import { createMysqlDatabase } from '../../servers/mysql-database.js';
import type { AvailableMysql } from '../../support/mysql-servers.js';

export const plain: UpstreamTls = { mode: 'disable' };

export function addressOf(text: string, account?: { name: string; password: string }): UpstreamAddress {
  const url = new URL(text);
  return {
    host: url.hostname,
    port: Number(url.port),
    user: account?.name ?? decodeURIComponent(url.username),
    password: account?.password ?? decodeURIComponent(url.password),
    database: url.pathname.slice(1),
  };
}

/** Text of the authority behind the server's certificate; fails where the server was given by a URL alone. */
export function authorityOf(server: AvailableMysql): string {
  if (server.ca === null) throw new Error('The authority of this server is not known');
  return readFileSync(server.ca, 'utf8');
}

/** A database of its own, a session in it that takes several statements in one text, and a reader. */
export class CatalogBench {
  database!: TestDatabase;
  session!: Connection;
  reader!: CatalogReader;

  async open(server: AvailableMysql, text = ''): Promise<void> {
    this.database = await createMysqlDatabase(server.url, text);
    this.session = await createConnection({ uri: this.database.url, multipleStatements: true });
    this.reader = await openCatalog(addressOf(server.url), plain);
  }

  async close(): Promise<void> {
    await this.reader?.close();
    await this.session?.end();
    await this.database?.drop();
  }

  async model(): Promise<SchemaModel> {
    return buildSchema(await this.reader.read(), 1);
  }

  /** Sums of a statement on these tables, read now. */
  async sums(...tables: string[]): Promise<{ readonly tables: string; readonly constraints: string }> {
    const names = tables.map((name) => ({ schema: null, name }));
    const model = await this.model();
    const resolved = model.resolve(names, [this.database.name], 'app');
    return { tables: resolved.tablesFingerprint, constraints: resolved.constraintsFingerprint };
  }

  table(input: SchemaInput, name: string): TableInput {
    const found = input.tables.find((one) => one.schema === this.database.name && one.name === name);
    if (found === undefined) throw new Error(`${name} was not read`);
    return found;
  }
}

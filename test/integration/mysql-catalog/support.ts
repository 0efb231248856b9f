/** What the catalog tests on MySQL and MariaDB share: addresses, TLS, and sums of a statement's tables. */
import { readFileSync } from 'node:fs';
import type { UpstreamAddress, UpstreamTls } from '../../../src/core/adapter.js';
import type { SchemaModel } from '../../../src/core/schema/model.js';
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

/** Sums of a statement on these tables of `database`. */
export function sumsOf(
  model: SchemaModel,
  database: string,
  ...tables: string[]
): { readonly tables: string; readonly constraints: string } {
  const names = tables.map((name) => ({ schema: null, name }));
  const { tablesFingerprint, constraintsFingerprint } = model.resolve(names, [database], 'app');
  return { tables: tablesFingerprint, constraints: constraintsFingerprint };
}

/**
 * Reads what a PostgreSQL database declares, 12 to 18, with the rights of any role (docs/fingerprints.md).
 *
 * A read is one REPEATABLE READ transaction, so that a migration is seen whole or not at all. How a change is noticed
 * without reading everything is catalog-probe.ts.
 */
import type { CatalogReader, UpstreamAddress, UpstreamTls } from '../../src/core/adapter.js';
import { TwiceshyError } from '../../src/core/errors.js';
import { limits } from '../../src/core/limits.js';
import type { SystemNames } from '../../src/core/schema/model.js';
import type { SchemaInput } from '../../src/core/schema/schema.js';
import { type CatalogConnection, connectCatalog } from './catalog-connection.js';
import { CatalogProbe } from './catalog-probe.js';
import {
  beginRead,
  type ColumnRow,
  type ConstraintRow,
  countTables,
  endRead,
  type PartitionRow,
  type SearchPathRow,
  selectColumns,
  selectConstraints,
  selectPartitions,
  selectSearchPaths,
} from './catalog-queries.js';
import { searchPathsFrom, tablesFrom } from './catalog-rows.js';

/** pg_catalog is searched before any path, so that an unqualified pg_ name can only be the server's own. */
const system: SystemNames = {
  schemas: ['pg_catalog', 'information_schema', 'pg_toast'],
  unqualified: { prefix: 'pg_', home: 'pg_catalog' },
};

/** Connects as the upstream's own user; rejects with the server's error. */
export async function openCatalog(
  address: UpstreamAddress,
  tls: UpstreamTls,
  database: string,
): Promise<CatalogReader> {
  const connection = await connectCatalog(address, tls, database);
  const probe = new CatalogProbe(connection, () => performance.now());
  return {
    probe: (isThorough = false) => probe.value(isThorough),
    read: () => readCatalog(connection),
    engine: 'postgresql',
    close: () => connection.close(),
  };
}

/** After a rejection the connection is in no state to go on with: close the reader. */
async function readCatalog(connection: CatalogConnection): Promise<SchemaInput> {
  const begun = await connection.query<[string, string, string]>(beginRead);
  const [counted] = await connection.query<[number]>(countTables);
  const tableCount = counted?.[0]?.[0] ?? 0;
  if (tableCount > limits.maxCatalogTables) {
    throw new TwiceshyError(
      'CATALOG_FAILED',
      `The database declares ${tableCount} tables; more than ${limits.maxCatalogTables} are not read`,
    );
  }
  const [columns = []] = await connection.query<ColumnRow>(selectColumns);
  const [constraints = []] = await connection.query<ConstraintRow>(selectConstraints);
  const [partitions = []] = await connection.query<PartitionRow>(selectPartitions);
  const [searchPaths = []] = await connection.query<SearchPathRow>(selectSearchPaths);
  await connection.query(endRead);
  const configured = begun.flat()[0];
  return {
    ...(await tablesFrom(columns, constraints)),
    ...searchPathsFrom(configured, searchPaths),
    aliases: partitions.map(([schema, name, ofSchema, ofName]) => ({ schema, name, ofSchema, ofName })),
    system,
  };
}

/**
 * Reads what a MongoDB database declares, as far as the account's rights go (docs/fingerprints.md): its collections and
 * views, their validators and unique indexes. How a change is noticed is catalog-probe.ts.
 *
 * A read is a command for the collections and one for each one's indexes; it sees no single moment. It need not: it
 * hands out what the probe before it listed, so whatever changes meanwhile moves the next one.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Db } from 'mongodb';
import type { CatalogReader, UpstreamAddress, UpstreamTls } from '../../src/core/adapter.js';
import { limits } from '../../src/core/limits.js';
import type { SchemaInput, TableInput } from '../../src/core/schema/schema.js';
import { noIndexes, tableOf } from './catalog-documents.js';
import { CatalogListing } from './catalog-listing.js';
import { CatalogProbe, type Listed } from './catalog-probe.js';

/** Rejects with the server's or the driver's own error, which names no password. */
export async function openCatalog(
  address: UpstreamAddress,
  tls: UpstreamTls,
  database: string,
): Promise<CatalogReader> {
  // Loaded when needed: it takes a tenth of a second, and a proxy for other databases never needs it.
  const { connectCatalog } = await import('./catalog-connection.js');
  const connection = await connectCatalog(address, tls);
  const isAnonymous = address.user === '' && address.options?.['authMechanism'] !== 'MONGODB-X509';
  const listing = new CatalogListing(connection.db(database), isAnonymous);
  return readerOf(listing, () => connection.close());
}

/** Over a client that is the caller's to close. */
export function catalogOfDb(db: Db): CatalogReader {
  return readerOf(new CatalogListing(db, false), () => Promise.resolve());
}

function readerOf(listing: CatalogListing, close: () => Promise<void>): CatalogReader {
  const probe = new CatalogProbe(listing, () => performance.now());
  return {
    engine: 'mongodb',
    get blindSpot() {
      return listing.blindSpot;
    },
    probe: (isThorough = false) => probe.value(isThorough),
    read: async () => schemaOf(listing.database, await probe.listed()),
    close,
  };
}

async function schemaOf(database: string, { collections, indexes }: Listed): Promise<SchemaInput> {
  const tables: TableInput[] = [];
  const otherNames = new Set<string>();
  for (const collection of collections) {
    const own = indexes.get(collection.name) ?? noIndexes;
    for (const name of collection.names) otherNames.add(name);
    for (const name of own.names) otherNames.add(name);
    if (tables.push(tableOf(database, collection, own)) % limits.catalogTablesPerSlice === 0)
      await nextTurn();
  }
  return {
    tables,
    otherNames: [...otherNames].sort(),
    defaultSearchPath: [database],
    system: { schemas: [], unqualified: { prefix: 'system.', home: database } },
  };
}

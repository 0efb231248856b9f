/**
 * Reads what a MySQL or MariaDB server declares in all its databases, as far as the account's rights go
 * (docs/fingerprints.md).
 *
 * A read is several statements over information_schema and sees no single moment; it need not: the probe is taken
 * before it, so whatever changes in between moves the next one. How a change is noticed is catalog-probe.ts.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { CatalogReader, UpstreamAddress, UpstreamTls } from '../../src/core/adapter.js';
import { TwiceshyError } from '../../src/core/errors.js';
import { limits } from '../../src/core/limits.js';
import type { SystemNames } from '../../src/core/schema/model.js';
import type { SchemaInput, TableInput } from '../../src/core/schema/schema.js';
import { type CatalogConnection, type CatalogRow, connectCatalog } from './catalog-connection.js';
import { probeSchema } from './catalog-probe.js';
import {
  countTables,
  type MysqlEngine,
  selectCheckClauses,
  selectChecks,
  selectColumns,
  selectEvents,
  selectForeignKeys,
  selectOtherNames,
  selectReferentialActions,
  selectServer,
  selectTables,
  selectTriggers,
  selectUniqueKeys,
  sessionSettings,
  showGrants,
  systemSchemas,
} from './catalog-queries.js';
import { blindSpotOf } from './catalog-rights.js';
import { CatalogTables } from './catalog-rows.js';

const system: SystemNames = {
  schemas: [...systemSchemas, 'INFORMATION_SCHEMA', 'PERFORMANCE_SCHEMA'],
  unqualified: null,
};

/** One reader covers every database of the server. Rejects with the server's error. */
export async function openCatalog(address: UpstreamAddress, tls: UpstreamTls): Promise<CatalogReader> {
  const connection = await connectCatalog(address, tls);
  try {
    const [version] = await firstRow(connection, selectServer);
    const engine: MysqlEngine = /mariadb/i.test(version ?? '') ? 'mariadb' : 'mysql';
    if (engine === 'mysql') refuseOld(version ?? '');
    for (const setting of sessionSettings(engine)) await connection.query(setting, () => undefined);
    const [account] = await firstRow(connection, 'select current_user()');
    const grants: string[] = [];
    await connection.query(showGrants, ([line]) => grants.push(line ?? ''));
    return {
      engine,
      isProbeEarly: true,
      blindSpot: blindSpotOf(account ?? address.user, grants),
      probe: () => probeSchema(connection, engine),
      read: () => readCatalog(connection, engine),
      close: () => connection.close(),
    };
  } catch (cause) {
    await connection.close();
    throw cause;
  }
}

/** MySQL's catalog says what checks there are, and whether they are enforced, from 8.0.16 on. */
function refuseOld(version: string): void {
  const [, major = 0, minor = 0, patch = 0] = (/^(\d+)\.(\d+)\.(\d+)/.exec(version) ?? []).map(Number);
  if (major > 8 || (major === 8 && (minor > 0 || patch >= 16))) return;
  throw new TwiceshyError(
    'CATALOG_FAILED',
    `The server is MySQL ${major}.${minor}.${patch}; the catalog is read from 8.0.16 on, and sessions are relayed without notes.`,
  );
}

async function firstRow(connection: CatalogConnection, text: string): Promise<CatalogRow> {
  let first: CatalogRow = [];
  await connection.query(text, (row) => {
    if (first.length === 0) first = row;
  });
  return first;
}

/** After a rejection the connection is in no state to go on with: close the reader. */
async function readCatalog(connection: CatalogConnection, engine: MysqlEngine): Promise<SchemaInput> {
  const [, nameCase, sqlMode] = await firstRow(connection, selectServer);
  const [counted] = await firstRow(connection, countTables);
  refuseOver(Number(counted));
  const tables = new CatalogTables(nameCase === '2');
  await connection.query(selectTables, (row) => {
    tables.addTable(row);
    refuseOver(tables.size);
  });
  await connection.query(selectColumns(engine), (row) => tables.addColumn(row));
  await connection.query(selectUniqueKeys(engine), (row) => tables.addUniqueKeyPart(row));
  await connection.query(selectForeignKeys, (row) => tables.addForeignKeyPart(row));
  await connection.query(selectReferentialActions, (row) => tables.addReferentialAction(row));
  if (engine === 'mysql') await connection.query(selectCheckClauses, (row) => tables.addCheckClause(row));
  await connection.query(selectChecks(engine), (row) => tables.addCheck(row));
  const otherNames = new Set<string>();
  await connection.query(selectTriggers, (row) => {
    tables.addTrigger(row);
    otherNames.add(row[2] ?? '');
  });
  const addName = ([name]: CatalogRow): void => void otherNames.add(name ?? '');
  await connection.query(selectOtherNames, addName);
  await readEvents(connection, addName);
  return {
    tables: await inSlices(tables.tables()),
    otherNames: [...otherNames].sort(),
    defaultSearchPath: [],
    system,
    lexical: lexicalOf(nameCase ?? '', sqlMode ?? ''),
  };
}

function refuseOver(tableCount: number): void {
  if (tableCount <= limits.maxCatalogTables) return;
  throw new TwiceshyError(
    'CATALOG_FAILED',
    `The server declares ${tableCount} tables; more than ${limits.maxCatalogTables} are not read`,
  );
}

/** ER_EVENTS_DB_ERROR: the server's tables of events are damaged or of another version. The rest can be read. */
const eventsDamaged = 1577;

async function readEvents(connection: CatalogConnection, addName: (row: CatalogRow) => void): Promise<void> {
  try {
    await connection.query(selectEvents, addName);
  } catch (cause) {
    if (!(cause instanceof Error && 'errno' in cause && cause.errno === eventsDamaged)) throw cause;
  }
}

async function inSlices(tables: Iterable<TableInput>): Promise<TableInput[]> {
  const made: TableInput[] = [];
  for (const table of tables) {
    if (made.push(table) % limits.catalogTablesPerSlice === 0) await nextTurn();
  }
  return made;
}

/** How sessions of the server read statements until they set something else. */
function lexicalOf(nameCase: string, sqlMode: string): NonNullable<SchemaInput['lexical']> {
  const modes = new Set(sqlMode.split(','));
  return {
    isNameCaseIgnored: nameCase !== '0',
    isAnsiQuotes: modes.has('ANSI_QUOTES'),
    isBackslashLiteral: modes.has('NO_BACKSLASH_ESCAPES'),
  };
}

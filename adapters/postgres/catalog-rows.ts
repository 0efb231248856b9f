/**
 * From catalog rows (catalog-queries.ts) to the input of the schema model; order of the rows is kept. Large reads are
 * taken in slices, so that sessions on the same thread are served meanwhile.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { limits } from '../../src/core/limits.js';
import type { ConstraintKind, TableKind } from '../../src/core/schema/model.js';
import type { ColumnInput, ConstraintInput, SchemaInput } from '../../src/core/schema/schema.js';
import type { ColumnRow, ConstraintRow, SearchPathRow } from './catalog-queries.js';
import { parseSearchPath } from './search-path.js';

const tableKinds: Readonly<Record<string, TableKind>> = {
  r: 'table',
  p: 'partitioned',
  v: 'view',
  m: 'materialized_view',
  f: 'foreign',
};

const constraintKinds: Readonly<Record<string, ConstraintKind>> = {
  p: 'primary_key',
  u: 'unique',
  f: 'foreign_key',
  c: 'check',
  d: 'check',
  x: 'exclusion',
  n: 'not_null',
  i: 'unique_index',
  T: 'trigger',
};

interface TableRows {
  readonly schema: string;
  readonly name: string;
  readonly kind: TableKind;
  readonly columns: ColumnInput[];
  readonly constraints: ConstraintInput[];
  /** By attnum, which has holes where columns were dropped. */
  readonly columnNames: Map<number, string>;
}

/** Rows of one table stand together in `columns`, in the order of attnum. */
export async function tablesFrom(
  columns: readonly ColumnRow[],
  constraints: readonly ConstraintRow[],
): Promise<Pick<SchemaInput, 'tables' | 'otherNames'>> {
  const byOid = new Map<number, TableRows>();
  for await (const slice of slicesOf(columns)) for (const row of slice) addColumn(byOid, row);
  const otherNames = new Set<string>();
  for await (const slice of slicesOf(constraints)) {
    for (const row of slice) {
      addConstraint(byOid, row);
      const otherName = row[7];
      if (otherName !== null) otherNames.add(otherName);
    }
  }
  return { tables: [...byOid.values()], otherNames: [...otherNames].sort() };
}

async function* slicesOf<Row>(rows: readonly Row[]): AsyncGenerator<readonly Row[]> {
  for (let start = 0; start < rows.length; start += limits.catalogRowsPerSlice) {
    if (start > 0) await nextTurn();
    yield rows.slice(start, start + limits.catalogRowsPerSlice);
  }
}

function addColumn(byOid: Map<number, TableRows>, row: ColumnRow): void {
  const [oid, schema, table, kind, attnum, name, type, isNotNull, typeDetail] = row;
  let rows = byOid.get(oid);
  if (rows === undefined) {
    const tableKind = tableKinds[kind] ?? 'table';
    rows = { schema, name: table, kind: tableKind, columns: [], constraints: [], columnNames: new Map() };
    byOid.set(oid, rows);
  }
  if (attnum === null || name === null) return;
  const column = { name, type: type ?? '', isNotNull: isNotNull ?? false };
  rows.columns.push(typeDetail === null ? column : { ...column, typeDetail });
  rows.columnNames.set(attnum, name);
}

function addConstraint(byOid: ReadonlyMap<number, TableRows>, row: ConstraintRow): void {
  const [oid, letter, name, numbers, printed, tree, references] = row;
  const rows = byOid.get(oid);
  const kind = constraintKinds[letter];
  if (rows === undefined || kind === undefined) return;
  const definition = tree === null ? printed : `${printed} ${namedTree(tree, rows.columnNames)}`;
  const constraint = { kind, name, columns: namesOf(numbers, rows.columnNames), definition };
  rows.constraints.push(references === null ? constraint : { ...constraint, references });
}

/** Names for a list of column numbers in any of the server's notations: `{1,2}`, `1 2`. */
function namesOf(numbers: string, columnNames: ReadonlyMap<number, string>): string[] {
  const names: string[] = [];
  for (const number of numbers.match(/\d+/g) ?? []) {
    const name = columnNames.get(Number(number));
    if (name !== undefined) names.push(name);
  }
  return names;
}

/**
 * An expression as the server stores it, without what differs between two that say the same: where in the statement
 * its words stood (up to 16), and the numbers of columns, which a dropped column leaves holes in.
 */
function namedTree(tree: string, columnNames: ReadonlyMap<number, string>): string {
  return tree
    .replaceAll(/ :(?:location|list_start|list_end) -?\d+/g, '')
    .replaceAll(/ :(varattno|varattnosyn) (\d+)/g, (_, field: string, number: string) => {
      return ` :${field} ${columnNames.get(Number(number)) ?? number}`;
    });
}

/** Where a setting of `pg_settings` comes from when it holds for every session of the server. */
const serverWideSources = ['default', 'configuration file', 'command line', 'environment variable'];

/**
 * The database's default path and those of roles with another one. The server applies, weakest first: its
 * configuration, ALTER ROLE ALL, ALTER DATABASE, ALTER ROLE, ALTER ROLE IN DATABASE.
 */
export function searchPathsFrom(
  configured: readonly [setting: string, source: string, bootValue: string] | undefined,
  rows: readonly SearchPathRow[],
): Pick<SchemaInput, 'defaultSearchPath' | 'roleSearchPaths'> {
  const [setting = '', source = '', bootValue = ''] = configured ?? [];
  // Where the account's own role or database has a path, the server's shows nowhere: assume it was left alone.
  let forAll = serverWideSources.includes(source) ? setting : bootValue;
  const roleSearchPaths = new Map<string, readonly string[]>();
  // Those for the database alone come later and overrule.
  for (const isForDatabase of [false, true]) {
    for (const [role, isOfDatabase, value] of rows) {
      if (isOfDatabase !== isForDatabase) continue;
      if (role === '') forAll = value;
      else roleSearchPaths.set(role, parseSearchPath(value) ?? []);
    }
  }
  return { defaultSearchPath: parseSearchPath(forAll) ?? [], roleSearchPaths };
}

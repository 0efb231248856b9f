/**
 * What a template gets to see of a record: the record itself and those names around it that a note may show. Pure;
 * every name it hands out has passed `showableName`, or comes from the catalog and is plain.
 */
import type { NamedObject } from '../failure/failure-class.js';
import { limits } from '../limits.js';
import type { MemoryRecord } from '../memory/record.js';
import type { SchemaModel, TableModel } from '../schema/model.js';
import { closestNames } from './names.js';
import { constraintColumns, isShownName, showableName } from './safe-name.js';
import type { ErrorFacts, TemplateInput } from './templates.js';
import { isNameOf, lastPart, writtenTable } from './written-table.js';

/** What the present failure adds to the record; everything may be missing, as before a statement has run. */
export interface Occasion {
  readonly how?: 'exact' | 'similar';
  readonly error?: ErrorFacts;
  readonly shape?: string;
  /** Where the session looks for unqualified names; null for the default of `user`. */
  readonly searchPath?: readonly string[] | null;
  readonly user?: string;
}

/** The input for `record`'s template; `tables` are the statement's tables that exist, `schema` null where unknown. */
export function templateInput(
  record: MemoryRecord,
  tables: readonly TableModel[],
  schema: SchemaModel | null,
  isInTransaction: boolean,
  occasion: Occasion = {},
): TemplateInput {
  const { object } = record;
  const { how = 'exact', error = null, shape = record.shape } = occasion;
  const targetName = writtenTable(shape);
  const errorTable = tableOfError(error, tables, schema, occasion);
  const constrained = error?.table === undefined ? tables : errorTable === null ? [] : [errorTable];
  return {
    record,
    tables,
    schema,
    recalledHow: how,
    error,
    shape,
    targetName,
    target: targetName === null ? null : onlyOne(tables.filter((table) => isNameOf(targetName, table))),
    errorTable,
    objectName: object === null ? null : shownObject(object, schema),
    constraintColumns: object?.kind === 'constraint' ? constraintColumns(constrained, object.name) : [],
    ...suggest(record, tables, schema, occasion),
    isInTransaction,
  };
}

/** Some servers leave the schema out: then it is one of the statement's own tables, or one that the session finds. */
function tableOfError(
  error: ErrorFacts | null,
  tables: readonly TableModel[],
  schema: SchemaModel | null,
  { searchPath, user }: Occasion,
): TableModel | null {
  const name = error?.table;
  if (schema === null || name === undefined) return null;
  if (error?.schema !== undefined) return schema.table(error.schema, name) ?? null;
  const ofStatement = tables.filter((table) => table.name === name);
  if (ofStatement.length > 0) return onlyOne(ofStatement);
  return onlyOne(schema.resolve([{ schema: null, name }], searchPath ?? null, user ?? '').tables);
}

/** Where a name fits two tables, nothing is said of either. */
function onlyOne(tables: readonly TableModel[]): TableModel | null {
  const [table = null, ...more] = tables;
  return more.length === 0 ? table : null;
}

/** Tokens and names at an error's position are the client's own text and never shown. */
function shownObject(object: NamedObject, schema: SchemaModel | null): string | null {
  if (object.kind === 'token' || object.kind === 'name') return null;
  if (object.kind !== 'routine') return showableName(object.name, schema);
  const { name, line } = splitRoutine(object.name);
  const shown = showableName(name, schema);
  return shown === null || line === null ? shown : `${shown}:${line}`;
}

/** Takes `check_overdraft:5`, the name of an object of kind routine, apart; `line` is null where it has none. */
export function splitRoutine(objectName: string): { readonly name: string; readonly line: string | null } {
  const match = /^(.*):(\d{1,6})$/s.exec(objectName);
  return match === null
    ? { name: objectName, line: null }
    : { name: match[1] ?? objectName, line: match[2] ?? null };
}

type Suggestions = Pick<TemplateInput, 'suggestions' | 'suggestionKind'>;

const none: Suggestions = { suggestions: [], suggestionKind: null };

/**
 * Existing names close to the one that was not found. A name of the statement that no table answers to is a missing
 * table; any other name is looked for among the columns of the statement's tables.
 */
function suggest(
  record: MemoryRecord,
  tables: readonly TableModel[],
  schema: SchemaModel | null,
  occasion: Occasion,
): Suggestions {
  if (record.class !== 'undefined_object' || schema === null) return none;
  const { object } = record;
  const wanted = object === null || object.kind === 'token' ? null : object.name.replaceAll('"', '');
  const isSame = ignoresCase(record.engine) ? isSameFolded : isSameName;
  const missing = record.tables.filter((name) => !tables.some((table) => isNameOf(name, table)));
  const missingTable = missing.find((name) => wanted === null || isSame(lastPart(name), lastPart(wanted)));
  const count = limits.maxSuggestedNames;
  if (missingTable !== undefined) {
    const within = schemasToLookIn(missingTable, schema, occasion);
    const found = schema.similarTables(lastPart(missingTable), count, within).filter(isShownPath);
    const names = [...new Set(found.map((name) => asSessionWrites(name, schema, occasion)))];
    return names.length === 0 ? none : { suggestions: names.slice(0, count), suggestionKind: 'table' };
  }
  if (wanted === null) return none;
  const columns = tables.flatMap((table) => table.columns.map((column) => column.name)).filter(isShownName);
  // A column that is there was asked of the wrong table, or in the wrong place.
  if (columns.some((column) => isSame(column, lastPart(wanted)))) return none;
  const names = closestNames(lastPart(wanted), columns, count);
  return names.length === 0 ? none : { suggestions: names, suggestionKind: 'column' };
}

/** Columns differ by more than their case, whatever the tables do. */
function ignoresCase(engine: MemoryRecord['engine']): boolean {
  return engine === 'mysql' || engine === 'mariadb';
}

const isSameName = (a: string, b: string) => a === b;
const isSameFolded = (a: string, b: string) => a.toLowerCase() === b.toLowerCase();

/**
 * A catalog of a whole server has databases that the session may know nothing of: there only the one is looked in that
 * the server looked in, for it says `no such table` of a database only to who may read it. Undefined: everywhere.
 */
function schemasToLookIn(
  missing: string,
  schema: SchemaModel,
  { error, searchPath }: Occasion,
): readonly string[] | undefined {
  if (schema.defaultSearchPath.length > 0) return undefined;
  if (error?.schema !== undefined) return [error.schema];
  const dot = missing.lastIndexOf('.');
  return dot < 0 ? (searchPath ?? []) : [missing.slice(0, dot)];
}

function isShownPath(name: string): boolean {
  return name.split('.').every(isShownName);
}

/** A name without a schema is one of the default path: elsewhere only its qualified form finds the table. */
function asSessionWrites(name: string, schema: SchemaModel, { searchPath, user }: Occasion): string {
  const find = (bare: string) =>
    schema.resolve([{ schema: null, name: bare }], searchPath ?? null, user ?? '').tables[0];
  const dot = name.lastIndexOf('.');
  if (dot >= 0) {
    const bare = name.slice(dot + 1);
    return find(bare)?.schema === name.slice(0, dot) ? bare : name;
  }
  if (user === undefined) return name;
  const home = schema.defaultSearchPath.find((entry) => schema.table(entry, name) !== undefined);
  return find(name) !== undefined || home === undefined || !isShownName(home) ? name : `${home}.${name}`;
}

/**
 * What a template gets to see of a record: the record itself and those names around it that a note may show. Pure;
 * every name it hands out has passed `showableName`, or comes from the catalog and is plain.
 */
import type { NamedObject } from '../failure/failure-class.js';
import { limits } from '../limits.js';
import type { MemoryRecord } from '../memory/record.js';
import type { SchemaModel, TableModel } from '../schema/model.js';
import { closestNames } from './names.js';
import { constraintColumns, isPlainName, showableName } from './safe-name.js';
import type { TemplateInput } from './templates.js';

/** The input for `record`'s template; `tables` are the statement's tables that exist, `schema` null where unknown. */
export function templateInput(
  record: MemoryRecord,
  tables: readonly TableModel[],
  schema: SchemaModel | null,
  isInTransaction: boolean,
): TemplateInput {
  const { object } = record;
  return {
    record,
    tables,
    schema,
    objectName: object === null ? null : shownObject(object, schema),
    constraintColumns: object?.kind === 'constraint' ? constraintColumns(tables, object.name) : [],
    ...suggest(record, tables, schema),
    isInTransaction,
  };
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
): Suggestions {
  if (record.class !== 'undefined_object' || schema === null) return none;
  const wanted = record.object === null ? null : record.object.name.replaceAll('"', '');
  const missing = record.tables.filter((name) => !tables.some((table) => isNameOf(name, table)));
  const missingTable = missing.find((name) => wanted === null || lastPart(name) === lastPart(wanted));
  const count = limits.maxSuggestedNames;
  if (missingTable !== undefined) {
    const names = schema.similarTables(lastPart(missingTable), count).filter(isPlainPath);
    return names.length === 0 ? none : { suggestions: names.slice(0, count), suggestionKind: 'table' };
  }
  if (wanted === null) return none;
  const columns = tables.flatMap((table) => table.columns.map((column) => column.name)).filter(isPlainName);
  const names = closestNames(lastPart(wanted), columns, count);
  return names.length === 0 ? none : { suggestions: names, suggestionKind: 'column' };
}

function isNameOf(name: string, table: TableModel): boolean {
  return name === table.name || name === `${table.schema}.${table.name}`;
}

function lastPart(name: string): string {
  return name.slice(name.lastIndexOf('.') + 1);
}

function isPlainPath(name: string): boolean {
  return name.split('.').every(isPlainName);
}

/**
 * Which names a note may show. A name is shown only when it is a plain identifier and the catalog declares it:
 * whatever else stands in an error or a statement is data of a client.
 */
import type { ConstraintModel, SchemaModel, TableModel } from '../schema/model.js';

const plainName = /^[A-Za-z_][A-Za-z0-9_$]{0,62}$/;

/** True for an identifier that needs no quotes but for its case: ASCII, at most 63 bytes. */
export function isPlainName(name: string): boolean {
  return plainName.test(name);
}

/** `name`, dotted or not, if each of its parts is plain and known to the catalog; else null. */
export function showableName(name: string, schema: SchemaModel | null): string | null {
  if (schema === null) return null;
  const parts = name.split('.');
  return parts.length <= 3 && parts.every((part) => isPlainName(part) && schema.knows(part)) ? name : null;
}

/** The constraint of that name on one of `tables`, with its table; null where there is none. */
export function findConstraint(
  tables: readonly TableModel[],
  name: string,
): { readonly table: TableModel; readonly constraint: ConstraintModel } | null {
  for (const table of tables) {
    const constraint = table.constraints.find((candidate) => candidate.name === name);
    if (constraint !== undefined) return { table, constraint };
  }
  return null;
}

/** Columns behind the constraint of that name, in key order; empty unless all of them are plain. */
export function constraintColumns(tables: readonly TableModel[], name: string): readonly string[] {
  const columns = findConstraint(tables, name)?.constraint.columns ?? [];
  return columns.every(isPlainName) ? columns : [];
}

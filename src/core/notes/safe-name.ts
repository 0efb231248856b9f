/**
 * Which names a note may show. A name is shown only when it is a plain identifier and the catalog declares it:
 * whatever else stands in an error or a statement is data of a client.
 */
import type { ConstraintModel, SchemaModel, TableModel } from '../schema/model.js';

const plainName = /^[A-Za-z_][A-Za-z0-9_$]{0,62}$/;
/** Longer than this, or of more words, a name reads as a sentence: whoever may declare names could speak through it. */
const maxShownLength = 40;
const maxShownWords = 5;
const wordEnd = /_+|(?<=[a-z0-9])(?=[A-Z])/;

/** True for an identifier that needs no quotes but for its case: ASCII, at most 63 bytes. */
export function isPlainName(name: string): boolean {
  return plainName.test(name);
}

/** True for a plain name short enough to be read as a name and nothing else: no other is ever shown. */
export function isShownName(name: string): boolean {
  return (
    isPlainName(name) &&
    name.length <= maxShownLength &&
    name.split(wordEnd).filter((word) => word !== '').length <= maxShownWords
  );
}

/** `name`, dotted or not, if each of its parts is plain and known to the catalog; else null. */
export function showableName(name: string, schema: SchemaModel | null): string | null {
  if (schema === null) return null;
  const parts = name.split('.');
  return parts.length <= 3 && parts.every((part) => isShownName(part) && schema.knows(part)) ? name : null;
}

/** The constraint of that name on one of `tables`, with its table; null where there is none, or one on each of several. */
export function findConstraint(
  tables: readonly TableModel[],
  name: string,
): { readonly table: TableModel; readonly constraint: ConstraintModel } | null {
  const found = tables.flatMap((table) =>
    table.constraints
      .filter((candidate) => candidate.name === name)
      .slice(0, 1)
      .map((constraint) => ({ table, constraint })),
  );
  const [first = null, ...more] = found;
  return more.length === 0 ? first : null;
}

/** Columns behind the constraint of that name, in key order; empty unless all of them may be shown. */
export function constraintColumns(tables: readonly TableModel[], name: string): readonly string[] {
  const columns = findConstraint(tables, name)?.constraint.columns ?? [];
  return columns.every(isShownName) ? columns : [];
}

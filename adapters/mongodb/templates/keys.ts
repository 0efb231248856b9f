/** The fields of the index that was violated, as a note shows them. */
import { listNames } from '../../../src/core/notes/listing.js';
import { findConstraint, isShownName } from '../../../src/core/notes/safe-name.js';
import type { TemplateInput } from '../../../src/core/notes/templates.js';

const maxListLength = 60;
const maxPathParts = 4;

/** `tenant, address.city`, or null where the catalog does not know the index or a part of a path is not plain. */
export function keyFields(input: TemplateInput): string | null {
  const list = listNames(input.constraintColumns);
  if (list !== null) return list;
  const { object } = input.record;
  if (object?.kind !== 'constraint') return null;
  const among = input.errorTable === null ? input.tables : [input.errorTable];
  const columns = findConstraint(among, object.name)?.constraint.columns ?? [];
  if (columns.length === 0 || !columns.every(isShownPath)) return null;
  const joined = columns.join(', ');
  return joined.length <= maxListLength ? joined : null;
}

function isShownPath(path: string): boolean {
  const parts = path.split('.');
  return parts.length <= maxPathParts && parts.every(isShownName);
}

/** The collection that the command is about, where its name may be shown. */
export function collectionName({ tables, errorTable }: TemplateInput): string | null {
  const table = errorTable ?? (tables.length > 0 ? tables[0] : null);
  return table !== null && table !== undefined && isShownName(table.name) ? table.name : null;
}

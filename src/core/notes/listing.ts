/** How templates write names of the catalog into a sentence: plain ones only, few, and in a bounded length. */
import type { ColumnModel, TableModel } from '../schema/model.js';
import { isShownName } from './safe-name.js';
import type { TemplateInput } from './templates.js';

/** `a, b, c`, or null where a name is not plain or the list is empty, longer than `maxLength` or than `maxCount`. */
export function listNames(names: readonly string[], maxLength = 60, maxCount = 6): string | null {
  if (names.length === 0 || names.length > maxCount || !names.every(isShownName)) return null;
  const list = names.join(', ');
  return list.length <= maxLength ? list : null;
}

/** The name of the only table of the statement, if plain; templates that speak of columns need one table. */
export function onlyTable({ tables }: TemplateInput): (TableModel & { readonly name: string }) | null {
  const [table, ...more] = tables;
  return table !== undefined && more.length === 0 && isShownName(table.name) ? table : null;
}

/** `Types in users: id integer, name text.` for the columns chosen, or an empty string where that is too much. */
export function columnTypes(input: TemplateInput, choose: (column: ColumnModel) => boolean): string {
  const table = onlyTable(input);
  if (table === null) return '';
  const columns = table.columns.filter(choose);
  const isShown =
    columns.length > 0 && columns.every(({ name, type }) => isShownName(name) && isPlainType(type));
  const list = columns.map(({ name, type }) => `${name} ${type}`).join(', ');
  return isShown && list.length <= 110 ? ` Types in ${table.name}: ${list}.` : '';
}

function isPlainType(type: string): boolean {
  return /^[a-z][a-z0-9_ ,()[\]]{0,62}$/.test(type);
}

/**
 * ORDER BY with SQL's place for nulls: last when ascending, first when descending, where MongoDB has them the other way
 * round. Only an order that asks for MongoDB's places, or cannot have nulls, is a plain sort that an index may serve.
 */
import type { SqlDocument } from './compiled.js';
import { expressionOf, isNull, type Value } from './values.js';

export interface SortKey {
  readonly value: Value;
  readonly isDescending: boolean;
  readonly isNullFirst: boolean;
}

/** The sort that MongoDB does by itself; null where it takes more. */
export function plainSort(keys: readonly SortKey[]): SqlDocument | null {
  const sort = new Map<string, number>();
  for (const key of keys) {
    const path = pathOf(key.value);
    const isAsMongo = key.isDescending !== key.isNullFirst;
    if (path === null || !(isAsMongo || hasNoNull(key.value))) return null;
    if (!sort.has(path)) sort.set(path, key.isDescending ? -1 : 1);
  }
  // an object has such names first, whatever the order they were given in
  const isKept = sort.size < 2 || [...sort.keys()].every((path) => !/^\d+$/.test(path));
  return isKept ? Object.fromEntries(sort) : null;
}

/** Sorts by values worked out beside the documents, which come out as they were; `bounds` apply to the sorted ones. */
export function fullSort(keys: readonly SortKey[], bounds: readonly SqlDocument[]): SqlDocument[] {
  const fields: [string, unknown][] = [];
  const sort: [string, number][] = [];
  keys.forEach(({ value, isDescending, isNullFirst }, at) => {
    fields.push([`n${at}`, { $cond: [isNull(expressionOf(value)), 1, 0] }], [`k${at}`, expressionOf(value)]);
    sort.push([`n${at}`, isNullFirst ? -1 : 1], [`k${at}`, isDescending ? -1 : 1]);
  });
  return [
    { $project: { _id: 0, d: '$$ROOT', ...Object.fromEntries(fields) } },
    { $sort: Object.fromEntries(sort) },
    ...bounds,
    { $replaceRoot: { newRoot: '$d' } },
  ];
}

/** The path of a value that lies in the document as it is. */
function pathOf(value: Value): string | null {
  if (value.form === 'field') return value.path;
  const expression = expressionOf(value);
  const isPath = typeof expression === 'string' && expression.startsWith('$') && !expression.startsWith('$$');
  return isPath ? expression.slice(1) : null;
}

function hasNoNull(value: Value): boolean {
  if (value.form === 'field') return value.path === '_id';
  return value.form === 'computed' && value.isPresent === true;
}

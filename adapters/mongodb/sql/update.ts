/** UPDATE: operators where the new values are known, a pipeline where they are made from the old ones. */
import type { UpdateStatement } from 'pgsql-ast-parser';
import type { CompiledUpdate, SqlDocument } from './compiled.js';
import { StatementExpressions } from './expressions.js';
import { filterOf } from './filter.js';
import type { Prepared } from './pieces.js';
import { Source } from './source.js';
import { expressionOf, type Value } from './values.js';
import { refuseOverlap } from './written-paths.js';

export function compileUpdate(statement: UpdateStatement, prepared: Prepared, now: Date): CompiledUpdate {
  const source = new Source(prepared, statement.table);
  const expressions = new StatementExpressions(source, now);
  const set: [path: string, value: Value][] = [];
  const unset: string[] = [];
  for (const { column, value } of statement.sets) {
    const path = source.path(column.name, source.indexOf(column));
    if (value.type === 'default') unset.push(path);
    else set.push([path, expressions.value(value)]);
  }
  refuseOverlap([...set.map(([path]) => path), ...unset], source.indexOf(statement.table));
  return {
    kind: 'command',
    operation: 'updateMany',
    collection: source.collection,
    columns: null,
    filter: statement.where ? filterOf(expressions.predicate(statement.where)) : {},
    update: set.every(([, value]) => value.form === 'value') ? operators(set, unset) : stages(set, unset),
  };
}

function operators(set: readonly (readonly [string, Value])[], unset: readonly string[]): SqlDocument {
  const values = set.map(([path, value]) => [path, value.form === 'value' ? value.value : null] as const);
  return {
    ...(values.length === 0 ? {} : { $set: Object.fromEntries(values) }),
    ...(unset.length === 0 ? {} : { $unset: Object.fromEntries(unset.map((path) => [path, true])) }),
  };
}

/** All new values are made in one stage, so that each sees the old ones. */
function stages(set: readonly (readonly [string, Value])[], unset: readonly string[]): SqlDocument[] {
  const values = set.map(([path, value]) => {
    const expression = expressionOf(value);
    // what is missing is null, and null is stored
    return [path, value.form === 'value' ? expression : { $ifNull: [expression, null] }] as const;
  });
  const removed = unset.length === 0 ? [] : [{ $unset: unset }];
  return [{ $set: Object.fromEntries(values) }, ...removed];
}

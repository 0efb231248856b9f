/** The columns of a SELECT: their names, and the stage that makes rows of them. */
import type { Expr, SelectedColumn } from 'pgsql-ast-parser';
import type { SqlDocument } from './compiled.js';
import { refuse } from './refusals.js';
import type { Source } from './source.js';
import { expressionOf, type Value } from './values.js';

export interface Column {
  readonly label: string;
  readonly node: Expr;
  readonly isAliased: boolean;
}

/** The columns without the star; names that occur again get a number. */
export function labelled(columns: readonly SelectedColumn[], source: Source): Column[] {
  const taken = new Set<string>();
  return columns
    .filter(({ expr }) => !source.isStar(expr))
    .map(({ expr, alias }) => {
      const name = alias === undefined ? defaultLabel(expr, source) : source.nameOf(alias.name);
      if (name === '' || name.startsWith('$') || /[.\0]/.test(name)) {
        refuse('SQL_INVALID', 'No column can have this alias.', source.indexOf(alias ?? expr));
      }
      let label = name;
      for (let count = 2; taken.has(label); count += 1) label = `${name}_${count}`;
      taken.add(label);
      return { label, node: expr, isAliased: alias !== undefined };
    });
}

function defaultLabel(node: Expr, source: Source): string {
  switch (node.type) {
    case 'ref':
      return source.path(node.name, source.indexOf(node)).split('.').at(-1) as string;
    case 'call': {
      const name = source.functionName(node);
      return /^\w+$/.test(name) ? name : '?column?';
    }
    case 'cast':
      return defaultLabel(node.operand, source);
    case 'case':
    case 'extract':
    case 'substring':
    case 'array':
      return node.type;
    default:
      return '?column?';
  }
}

/** Null where it would change nothing. */
export function projection(
  columns: readonly (readonly [label: string, value: Value])[],
  hasStar: boolean,
): SqlDocument | null {
  const fields = columns.map(([label, value]) => [label, shown(value)] as const);
  if (!hasStar) {
    const hidden = columns.some(([label]) => label === '_id') ? [] : [['_id', 0] as const];
    return { $project: Object.fromEntries([...hidden, ...fields]) };
  }
  if (fields.length === 0) return null;
  return { $replaceRoot: { newRoot: { $mergeObjects: ['$$ROOT', Object.fromEntries(fields)] } } };
}

/** A column is there in every row. */
function shown(value: Value): unknown {
  const expression = expressionOf(value);
  const isThere = value.form === 'value' || (value.form === 'computed' && value.isPresent === true);
  return isThere ? expression : { $ifNull: [expression, null] };
}

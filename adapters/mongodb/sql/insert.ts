/** INSERT … VALUES: the documents, with the values as they are given; what is worked out is worked out now. */
import type { Expr, InsertStatement } from 'pgsql-ast-parser';
import type { CompiledInsert, SqlDocument } from './compiled.js';
import type { ConstantRow } from './constants.js';
import { StatementExpressions } from './expressions.js';
import type { Prepared } from './pieces.js';
import { refuse } from './refusals.js';
import { Source } from './source.js';
import { refuseOverlap } from './written-paths.js';

/** A row's value that leaves its field out. */
const leftOut = Symbol('DEFAULT');

export function compileInsert(statement: InsertStatement, prepared: Prepared, now: Date): CompiledInsert {
  const source = new Source(prepared, statement.into);
  const columns = statement.columns ?? [];
  if (columns.length === 0) {
    refuse(
      'SQL_INVALID',
      'INSERT names its columns: documents have no order of fields.',
      source.indexOf(statement.into),
    );
  }
  // the parser takes it without, though its types say otherwise
  const given = statement.insert as InsertStatement['insert'] | null;
  if (given?.type !== 'values') {
    refuse('SQL_SYNTAX', 'INSERT takes VALUES.', source.indexOf(given ?? statement.into));
  }
  const paths = columns.map(({ name, ...node }) => source.path(name, source.indexOf({ ...node })));
  refuseOverlap(paths, source.indexOf(statement.into));
  const expressions = new StatementExpressions(source, now);
  const documents = given.values.flatMap((row) =>
    rowsOf(row, source, expressions).map(({ values, index }) => {
      if (values.length !== paths.length) {
        refuse('SQL_INVALID', `A row has ${values.length} values for ${paths.length} columns.`, index);
      }
      return documentOf(paths, values);
    }),
  );
  return {
    kind: 'command',
    operation: 'insertMany',
    collection: source.collection,
    columns: null,
    documents,
  };
}

function rowsOf(
  row: readonly Expr[],
  source: Source,
  expressions: StatementExpressions,
): { readonly values: readonly unknown[]; readonly index: number }[] {
  const [first] = row;
  const constant = row.length === 1 && first !== undefined ? source.constantOf(first) : null;
  if (constant?.form === 'rows') {
    return constant.rows.map(({ values, index }: ConstantRow) => ({
      values: values.map(({ value }) => value),
      index,
    }));
  }
  const values = row.map((node) => {
    if (node.type === 'default') return leftOut;
    const value = expressions.value(node);
    return value.form === 'value'
      ? value.value
      : refuse(
          'SQL_EXPRESSION',
          'INSERT takes values that are known without the server.',
          source.indexOf(node),
        );
  });
  return [{ values, index: first === undefined ? 0 : source.indexOf(first) }];
}

/** Dotted columns make documents within the document; every name is an own property, whatever it is. */
function documentOf(paths: readonly string[], values: readonly unknown[]): SqlDocument {
  const document: Record<string, unknown> = {};
  paths.forEach((path, at) => {
    const value = values[at];
    if (value === leftOut) return;
    const parts = path.split('.');
    let place = document;
    for (const part of parts.slice(0, -1)) {
      if (!Object.hasOwn(place, part)) define(place, part, {});
      place = Object.getOwnPropertyDescriptor(place, part)?.value as Record<string, unknown>;
    }
    define(place, parts.at(-1) as string, value);
  });
  return document;
}

function define(target: object, name: string, value: unknown): void {
  Object.defineProperty(target, name, { value, enumerable: true, writable: true, configurable: true });
}

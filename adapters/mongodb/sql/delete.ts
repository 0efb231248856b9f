/** DELETE: the documents for which the condition is true. */
import type { DeleteStatement } from 'pgsql-ast-parser';
import type { CompiledDelete } from './compiled.js';
import { StatementExpressions } from './expressions.js';
import { filterOf } from './filter.js';
import type { Prepared } from './pieces.js';
import { Source } from './source.js';

export function compileDelete(statement: DeleteStatement, prepared: Prepared, now: Date): CompiledDelete {
  const source = new Source(prepared, statement.from);
  const expressions = new StatementExpressions(source, now);
  return {
    kind: 'command',
    operation: 'deleteMany',
    collection: source.collection,
    columns: null,
    filter: statement.where ? filterOf(expressions.predicate(statement.where)) : {},
  };
}

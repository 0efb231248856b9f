/**
 * SQL in, a command for a document backend or a refusal out. Pure: no driver, no connection, no clock but the one given.
 *
 * Loads a parser: import it where SQL is compiled, and nowhere on the path of a proxy.
 */
import { limits } from '../../../src/core/limits.js';
import type { CompiledSql, SqlCommand } from './compiled.js';
import { recognise } from './constructs.js';
import { compileDelete } from './delete.js';
import { compileInsert } from './insert.js';
import { parseStatement } from './parse.js';
import { prepare } from './prepare.js';
import { characterPosition, Refusal, refuse } from './refusals.js';
import { compileSelect } from './select.js';
import { tokensOf } from './tokens.js';
import { compileUpdate } from './update.js';

export interface CompileOptions {
  /** What NOW() and CURRENT_DATE are; default: the time of the call. */
  readonly now?: Date;
}

/**
 * Never throws for what it does not take: that is a refusal. `params` stand for `$1`, `$2`, … or for each `?` in turn,
 * and may be values of BSON.
 */
export function compileSql(
  text: string,
  params: readonly unknown[] = [],
  options: CompileOptions = {},
): CompiledSql {
  try {
    return compile(text, params, options.now ?? new Date());
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const position = error.index === null ? null : characterPosition(text, error.index);
    return { kind: 'refused', code: error.code, message: error.message, position };
  }
}

function compile(text: string, params: readonly unknown[], now: Date): SqlCommand {
  const tokens = tokensOf(text);
  const verb = recognise(tokens);
  const prepared = prepare(tokens, verb, params);
  if (prepared.sql.length > limits.maxSqlParsedUnits) {
    refuse('SQL_STATEMENT', 'The statement is too long: give lists of values as one parameter.', null);
  }
  const statement = parseStatement(prepared);
  switch (statement.type) {
    case 'select':
      return compileSelect(statement, prepared, now);
    case 'insert':
      return compileInsert(statement, prepared, now);
    case 'update':
      return compileUpdate(statement, prepared, now);
    case 'delete':
      return compileDelete(statement, prepared, now);
    default:
      refuse('SQL_STATEMENT', 'This is no statement of this surface.', null);
  }
}

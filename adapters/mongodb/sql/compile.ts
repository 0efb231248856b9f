/**
 * SQL in, a command for a document backend or a refusal out. Pure: no driver, no connection, no clock but the one given.
 *
 * Loads a parser: import it where SQL is compiled, and nowhere on the path of a proxy.
 */
import type { CompiledSql } from './compiled.js';

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
  void [text, params, options];
  return { kind: 'refused', code: 'SQL_STATEMENT', message: 'Nothing is compiled yet.', position: null };
}

/** Runs the parser on a prepared statement. Its own messages quote the text and stay here. */
import parser, { type Statement } from 'pgsql-ast-parser';
import type { Prepared } from './pieces.js';
import { refuse } from './refusals.js';

export function parseStatement(prepared: Prepared): Statement {
  let statements: Statement[];
  try {
    statements = parser.parse(prepared.sql, { locationTracking: true });
  } catch (error) {
    refuseSyntax(prepared, error);
  }
  const [statement] = statements;
  if (statement === undefined) refuse('SQL_SYNTAX', 'The text holds no statement.', null);
  return statement;
}

function refuseSyntax(prepared: Prepared, error: unknown): never {
  const offset = (error as { readonly token?: { readonly offset?: number } }).token?.offset;
  if (offset === undefined) {
    refuse('SQL_SYNTAX', 'The statement ends too early, or cannot be read in one way only.', null);
  }
  const word = /^[a-z]+|^[^"$\s]+/.exec(prepared.sql.slice(offset))?.[0];
  const what = word === undefined ? 'this name or value' : word.toUpperCase();
  refuse(
    'SQL_SYNTAX',
    `The statement does not go on like this: ${what} is not expected here.`,
    prepared.indexAt(offset),
  );
}

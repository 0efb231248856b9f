/** Runs the parser on a prepared statement. Its own messages quote the text and stay here. */
import { LRUCache } from 'lru-cache';
import parser, { type Statement } from 'pgsql-ast-parser';
import { limits } from '../../../src/core/limits.js';
import type { Prepared } from './pieces.js';
import { refuse } from './refusals.js';

/** Statements alike but for names and values are one text, and parsing takes milliseconds. */
const parsed = new LRUCache<string, Statement>({ max: limits.maxCachedSqlTrees });

export function parseStatement(prepared: Prepared): Statement {
  const known = parsed.get(prepared.sql);
  if (known !== undefined) return known;
  let statements: Statement[];
  try {
    statements = parser.parse(prepared.sql, { locationTracking: true });
  } catch (error) {
    refuseSyntax(prepared, error);
  }
  const [statement] = statements;
  if (statement === undefined) refuse('SQL_SYNTAX', 'The text holds no statement.', null);
  if (prepared.sql.length <= limits.maxCachedShapeTextBytes) parsed.set(prepared.sql, statement);
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

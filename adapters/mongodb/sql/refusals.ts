/**
 * What the compiler does not take, each with a code that never changes its meaning.
 *
 * Invariant: a message names constructs, functions and fields, never a value of the statement or of its parameters.
 */

/** In the order in which they win where several apply; docs/sql-on-documents.md says the same. */
export const sqlRefusalCodes = [
  'SQL_SEVERAL_STATEMENTS',
  'SQL_CTE',
  'SQL_DDL',
  'SQL_STATEMENT',
  'SQL_SET_OPERATION',
  'SQL_SUBQUERY',
  'SQL_JOIN',
  'SQL_SEVERAL_TABLES',
  'SQL_WINDOW',
  'SQL_DISTINCT',
  'SQL_CLAUSE',
  'SQL_SYNTAX',
  'SQL_PARAMETER',
  'SQL_FUNCTION',
  'SQL_EXPRESSION',
  'SQL_INVALID',
] as const;

export type SqlRefusalCode = (typeof sqlRefusalCodes)[number];

export interface RefusedSql {
  readonly kind: 'refused';
  readonly code: SqlRefusalCode;
  /** One or two sentences: the construct, and what to do. Without values. */
  readonly message: string;
  /** 1-based index of a character (not byte, not UTF-16 unit) in the text; null where no place is to blame. */
  readonly position: number | null;
}

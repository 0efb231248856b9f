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

/** Thrown within the compiler alone: `compileSql` hands it out as a value. */
export class Refusal extends Error {
  readonly code: SqlRefusalCode;
  /** UTF-16 index in the text of the statement. */
  readonly index: number | null;

  constructor(code: SqlRefusalCode, message: string, index: number | null) {
    super(message);
    this.code = code;
    this.index = index;
  }
}

export function refuse(code: SqlRefusalCode, message: string, index: number | null): never {
  throw new Refusal(code, message, index);
}

/** A name that may stand in a message: what is not plain may be a value that went astray. */
export function shownName(name: string, fallback: string): string {
  return /^[A-Za-z_][A-Za-z0-9_.]{0,62}$/.test(name) ? name : fallback;
}

/** 1-based index of the character at a UTF-16 index, a surrogate pair being one. */
export function characterPosition(text: string, index: number): number {
  let position = 1;
  for (let at = 0; at < index && at < text.length; position += 1) {
    at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
  }
  return position;
}

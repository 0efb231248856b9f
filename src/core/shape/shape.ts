/**
 * Canonical, literal-free form of a statement, with everything recall needs to know of its text.
 * The lexer's rules are a `Dialect`; the algorithm is one. Never throws, linear in the length of the text.
 */
import type { TableName } from '../schema/model.js';
import type { LexicalOptions } from '../verdict.js';

/** One statement of a text, made canonical. */
export interface StatementShape {
  /**
   * Tokens joined by one space: `insert into users ( email , name ) values ( ? , ? )`. A dotted name is one token
   * (`public.users`), `?` stands for a literal or parameter, `?+` for a list of them.
   */
  readonly shape: string;
  /**
   * One letter a hole, in order: s string, n number, b boolean, z null, p parameter, x binary, m other name, and v
   * where a collapsed list or row held several kinds at that place.
   */
  readonly holes: string;
  /** First significant keyword, CTE prefixes skipped: `insert`, `select`, `create table`, `alter table`, … */
  readonly verb: string;
  /** Statements that may replace each other: `read`, `insert`, `update`, `delete`, `merge`, `ddl`, `copy`, `call`, `other`. */
  readonly verbFamily: VerbFamily;
  /** Tables named, folded, in order of appearance without duplicates; CTE names and functions left out. */
  readonly tables: readonly TableName[];
  readonly isTruncated: boolean;
  /** Start and end (UTF-16 index, end exclusive) of the statement in the text. */
  readonly start: number;
  readonly end: number;
}

export type VerbFamily =
  | 'read'
  | 'insert'
  | 'update'
  | 'delete'
  | 'merge'
  | 'ddl'
  | 'copy'
  | 'call'
  | 'other';

/** All statements of a client's text, and what a token position in it stands for. */
export interface TextShape {
  /**
   * Never empty: a text without a token is one statement with an empty shape. Indexes agree with the completions of the
   * server, which decides what becomes of empty statements. At most `limits.maxMultiStatements`; the rest is not shaped.
   */
  readonly statements: readonly StatementShape[];
  /** W3C traceparent from a sqlcommenter comment anywhere in the text. */
  readonly trace: string | null;
}

/** A token as the caller of `tokenAt` sees it. */
export interface TokenAt {
  readonly kind: 'identifier' | 'keyword' | 'operator' | 'literal' | 'end';
  /** Canonical text; empty for literals, whose value is never handed out. Dotted names come whole: `public.users`. */
  readonly text: string;
  /** Index of the statement it stands in. */
  readonly statement: number;
}

/** How one database writes its statements; one object an engine, in the adapter's dialect.ts. */
export interface Dialect {
  readonly name: 'postgresql' | 'mysql' | 'mariadb' | 'mongodb';
  /** Every word with a meaning in the grammar, lower-case; folded also where a dialect keeps the case of names. */
  readonly keywords: ReadonlySet<string>;
  /** Keywords that cannot be the name of a table or column unless quoted. */
  readonly reserved: ReadonlySet<string>;
  /** Keywords that mean something else when quoted (PostgreSQL: `"char"` is not `char`), besides the reserved ones. */
  readonly restricted: ReadonlySet<string>;
  /** Types whose parenthesised integers are part of the type: `varchar(50)`. */
  readonly modifierTypes: ReadonlySet<string>;
  /** Those of them that are also called as functions, whose integers are values: `char(77)`. */
  readonly callableTypes: ReadonlySet<string>;
  /** Operators are the longest run of operator characters (PostgreSQL), not a fixed list. */
  readonly hasCustomOperators: boolean;
  readonly hasDollarQuotes: boolean;
  /** `E'…'`, `U&'…'` and `U&"…"`. */
  readonly hasEscapePrefixes: boolean;
  readonly hasNestedComments: boolean;
  readonly hasHashComments: boolean;
  /** A line comment ends at a carriage return too. */
  readonly hasCarriageReturnLines: boolean;
  /** Null where a comment is a comment. */
  readonly executableComments: ExecutableComments | null;
  readonly hasBackslashEscapes: boolean;
  /** `\N` is NULL. */
  readonly hasBackslashNull: boolean;
  readonly hasBacktickIdentifiers: boolean;
  /** Names may begin with a digit: `1st`, `t.2`. */
  readonly hasNumericNames: boolean;
  /** `_utf8mb4 '…'`: the word is part of the literal. */
  readonly charsetIntroducers: ReadonlySet<string>;
  readonly hasQuestionMarkParameters: boolean;
  readonly hasDollarParameters: boolean;
  /** Unquoted names fold and quoted ones stay, or all fold where `LexicalOptions.isNameCaseIgnored` says so. */
  readonly foldsNames: 'unquoted' | 'by option';
  /** Longer names are cut. */
  readonly maxNameBytes: number;
  /** Which statements hold others, and what becomes of empty ones. */
  readonly batches: Batches;
  /** Whose statements these are: where tables, accounts and settings stand, and which words are names. */
  readonly grammar: 'postgresql' | 'mysql';
  /** Families of verbs that differ from the common ones. */
  readonly verbFamilies: Readonly<Record<string, VerbFamily>>;
}

/** Comments whose content is code for servers of a version and above: `/*!50700 …`. */
export interface ExecutableComments {
  /** A letter that may stand between the star and the exclamation mark, as a UTF-16 unit; null without one. */
  readonly letter: number | null;
  /** A sixth digit of the version counts only before white space. */
  readonly hasSpacedVersion: boolean;
  /** False where no server of this dialect runs code of that version; `hasLetter`: the comment has the letter. */
  runs(version: number, hasLetter: boolean): boolean;
}

/**
 * How a text with several statements is read. `atomic`: BEGIN ATOMIC … END holds statements, empty ones are skipped.
 * `routines`: bodies of procedures, triggers and events hold statements, and an empty statement is a syntax error.
 * `blocks`: as `routines`, and compound statements may stand alone.
 */
export type Batches = 'atomic' | 'routines' | 'blocks';

/** Shapes text of one dialect; caches by text and options. */
export interface Shaper {
  shape(text: string, options: LexicalOptions, isTruncated: boolean): TextShape;
  /** The token at a 1-based character position, for errors that carry one; null when out of range. */
  tokenAt(text: string, options: LexicalOptions, position: number): TokenAt | null;
}

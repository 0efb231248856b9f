/**
 * What happened to one statement on one session, in words every database shares.
 *
 * Owns the nouns that adapters produce and the sink consumes. Pure data: no behaviour, no bytes of a wire format.
 */

/** The product that answered; MySQL and MariaDB differ because 170 of their error numbers do. */
export type Engine = 'postgresql' | 'mysql' | 'mariadb' | 'mongodb';

/** The family of data model; a record of one family is never recalled for the other. */
export type Backend = 'relational' | 'document';

/** Where a record holds: the configured upstream's name and the database on it. Both must be equal to recall. */
export interface Scope {
  readonly upstream: string;
  readonly database: string;
}

/** Who reads the error; decides where a note may be put (see each adapter's note-placement.ts). */
export type Audience = 'agent' | 'application';

/** The step of the protocol at which the server refused. `commit` covers errors raised after the statement completed. */
export type Phase = 'parse' | 'bind' | 'describe' | 'execute' | 'copy' | 'commit' | 'call';

/** `open`: a healthy transaction block; `aborted`: it only accepts a rollback; `closed`: the session itself ended. */
export type TransactionState = 'idle' | 'open' | 'aborted' | 'closed' | 'unknown';

/**
 * A failure in the server's own words. Text is decoded from the session's encoding; any field but `code` and
 * `message` may be missing, and those two are empty strings where the server left them out.
 */
export interface ServerError {
  /** SQLSTATE (PostgreSQL), errno as decimal digits (MySQL family), numeric code as digits (MongoDB). */
  readonly code: string;
  /** SQLSTATE where it is not the code (MySQL family); missing where the server sent none. */
  readonly sqlState?: string;
  readonly message: string;
  /** The server's own name for the code (MongoDB `codeName`). */
  readonly codeName?: string;
  /** What the server says may be done about it (MongoDB `errorLabels`): data to decide by, never to be shown. */
  readonly labels?: readonly string[];
  readonly severity?: string;
  readonly detail?: string;
  readonly hint?: string;
  /** 1-based index of a character (not byte) in the text the client sent. */
  readonly position?: number;
  /** True where `position` counts in a statement the server ran internally, not in the client's text. */
  readonly isInternalPosition?: boolean;
  /** Call stack of internal code (PostgreSQL field W); localised. */
  readonly context?: string;
  readonly schema?: string;
  readonly table?: string;
  readonly column?: string;
  readonly dataType?: string;
  readonly constraint?: string;
  /** The server's source routine (PostgreSQL field R): never localised. */
  readonly routine?: string;
  /**
   * Where declared names stand in `message`, as [start, end) of UTF-16 units, where the fields were read from it (MySQL
   * family): nothing else of the message but the server's own words is fit to be remembered.
   */
  readonly nameRanges?: readonly (readonly [start: number, end: number])[];
}

/**
 * The text of a statement, decoded only when asked for. Bytes may be a view of a network chunk; an instance is valid
 * as long as the adapter that made it says so, and whoever keeps the text keeps the returned string.
 */
export interface StatementText {
  /** Decodes at most `limits.maxStatementBytes`; `isTruncated` tells when the client sent more. */
  text(): string;
  readonly isTruncated: boolean;
}

/** One statement refused by the server, reported while its error frame is held back. */
export interface StatementFailure {
  /** Null where the text is not known (prepared before the session was watched, over a bound, or no such statement). */
  readonly statement: StatementText | null;
  /** How many statements of the same text had completed before (multi-statement texts); 0 for the first. */
  readonly completedBefore: number;
  readonly phase: Phase;
  readonly error: ServerError;
  readonly before: TransactionState;
  /** Someone asked for it: a cancel of this session was relayed meanwhile, or the client itself gave up its COPY. */
  readonly isCancelRequested: boolean;
  /**
   * The same for each try of one write that a driver retries by itself (MongoDB: lsid, txnNumber and which of its
   * operations), on whatever connection: however often it fails, it failed once.
   */
  readonly attempt?: string;
}

/** One statement that ran; reported only once nothing can undo the verdict (PostgreSQL: at ReadyForQuery). */
export interface StatementSuccess {
  readonly statement: StatementText;
  /** Which statement of a multi-statement text; 0 for the first. */
  readonly index: number;
}

/**
 * What the sink knows of a session. The adapter creates it and keeps the mutable members current as the server
 * reports changes (ParameterStatus, SET statements).
 */
export interface SessionContext {
  /** Unique in this process; goes into evidence. */
  readonly id: string;
  readonly engine: Engine;
  readonly backend: Backend;
  /** Replaced as a whole when the session goes to another database (MySQL `USE`). */
  scope: Scope;
  /** As whom the server runs its statements; MySQL sessions may change it. */
  user: string;
  readonly audience: Audience;
  application: string;
  /** Options of the dialect's lexer: the server's settings, and over them what `setLexical` was told. */
  readonly lexical: LexicalOptions;
  /** What the session set for itself; a key left out is the server's. Replaces what was told before. */
  setLexical(own: Partial<LexicalOptions>): void;
  /** Schemas searched for unqualified names, in order; null where not known (the catalog's default applies). */
  searchPath: readonly string[] | null;
}

/** Session settings that change how statement text is read. */
export interface LexicalOptions {
  /** PostgreSQL `standard_conforming_strings`: false makes a backslash in '…' an escape. */
  readonly isStandardConformingStrings: boolean;
  /** MySQL `ANSI_QUOTES`: "…" is an identifier. */
  readonly isAnsiQuotes: boolean;
  /** MySQL `NO_BACKSLASH_ESCAPES`. */
  readonly isBackslashLiteral: boolean;
  /** MySQL `lower_case_table_names` other than 0: names that differ in case alone are one name. */
  readonly isNameCaseIgnored: boolean;
}

export const defaultLexicalOptions: LexicalOptions = {
  isStandardConformingStrings: true,
  isAnsiQuotes: false,
  isBackslashLiteral: false,
  isNameCaseIgnored: false,
};

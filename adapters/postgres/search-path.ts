/**
 * Follows a session's `search_path` as far as the wire shows it: SET and RESET statements that ran, transactions that
 * undo them, and the server's own report (PostgreSQL 18 sends it as ParameterStatus, before ReadyForQuery). Not seen
 * before 18: `set_config()` inside a query, SET inside a routine or DO block, and, in any version, what SET ROLE makes
 * of "$user". A rollback to a savepoint is taken to undo what the transaction set.
 */

/** Null: not set in this session, the default of database and role applies. */
export type SearchPath = readonly string[] | null;

const gap = String.raw`(?:\s|--[^\n]*(?:\n|$)|/\*(?:[^*]|\*(?!/))*\*/)`;
const name = '(?:search_path|"search_path")';
const statement = String.raw`(?:set${gap}+(?:(session|local)${gap}+)?(?:${name}${gap}*(?:=|to\b)|schema\b)([^;]*)|reset${gap}+(?:${name}|all\b)|discard${gap}+all\b)`;
/** At the start of the text or of a statement in it, so that text in a literal is not taken for one. */
const setStatement = new RegExp(`(?:^|;)${gap}*${statement}`, 'gi');

/** Reads a list of schema names as SET and ParameterStatus write it; folds what is not quoted. */
export function parseSearchPath(list: string): readonly string[] {
  const names: string[] = [];
  for (const match of list.matchAll(/"((?:[^"]|"")*)"|'((?:[^']|'')*)'|([^\s,"']+)/g)) {
    const [, quoted, literal, plain] = match;
    if (quoted !== undefined) names.push(quoted.replaceAll('""', '"'));
    else if (literal !== undefined) names.push(literal.replaceAll("''", "'"));
    else if (plain !== undefined) names.push(plain.toLowerCase());
  }
  return names.filter((name) => name !== '');
}

export class SearchPathTracker {
  /** Outside the transaction that is open, inside it once it commits, and now (SET LOCAL). */
  #outside: SearchPath;
  #kept: SearchPath;
  #current: SearchPath;
  /** The server's own word, from the version on that gives it. */
  #reported: SearchPath = null;

  constructor(initial: SearchPath) {
    this.#outside = initial;
    this.#kept = initial;
    this.#current = initial;
  }

  get current(): SearchPath {
    return this.#current;
  }

  /** ParameterStatus `search_path`. */
  reported(value: string): void {
    this.#reported = parseSearchPath(value);
    this.#current = this.#reported;
  }

  /** A SET, RESET or DISCARD ALL has run; `text` is everything the client sent with it. */
  ran(text: string): void {
    for (const [, scope, list] of text.matchAll(setStatement)) {
      const path = list === undefined || /^\s*default\b/i.test(list) ? null : parseSearchPath(list);
      this.#current = path;
      if (scope?.toLowerCase() !== 'local') this.#kept = path;
    }
  }

  /** ReadyForQuery: everything sent before has taken effect or been undone. */
  settled(isTransactionOpen: boolean, isRolledBack: boolean): void {
    if (this.#reported !== null) {
      this.#current = this.#reported;
      return;
    }
    if (isRolledBack) this.#kept = this.#outside;
    if (isTransactionOpen && !isRolledBack) return;
    this.#current = this.#kept;
    if (!isTransactionOpen) this.#outside = this.#kept;
  }
}

/**
 * Follows a session's `search_path` as far as the wire shows it: SET and RESET statements that ran, transactions that
 * undo them, and the server's own report (PostgreSQL 18 sends it as ParameterStatus). `set_config()` inside a query is
 * not seen before 18; the catalog's default then stands in.
 */

/** Null: not set in this session, the default of database and role applies. */
export type SearchPath = readonly string[] | null;

const setStatement =
  /\bset\s+(?:(session|local)\s+)?search_path\s*(?:=|\bto\b)\s*([^;]*)|\breset\s+(?:search_path|all)\b|\bdiscard\s+all\b/gi;

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
  #outside: SearchPath;
  #kept: SearchPath;
  #current: SearchPath;
  #isReported = false;

  constructor(initial: SearchPath) {
    this.#outside = initial;
    this.#kept = initial;
    this.#current = initial;
  }

  get current(): SearchPath {
    return this.#current;
  }

  /** ParameterStatus `search_path`: the server says it itself, nothing needs guessing any more. */
  reported(value: string): void {
    this.#isReported = true;
    this.#current = parseSearchPath(value);
  }

  /** A SET, RESET or DISCARD ALL has run; `text` is everything the client sent with it. */
  ran(text: string): void {
    if (this.#isReported) return;
    for (const [, scope, list] of text.matchAll(setStatement)) {
      const path = list === undefined || /^default\b/i.test(list) ? null : parseSearchPath(list);
      this.#current = path;
      if (scope?.toLowerCase() !== 'local') this.#kept = path;
    }
  }

  /** No transaction is open any more. */
  transactionEnded(isRolledBack: boolean): void {
    if (this.#isReported) return;
    if (isRolledBack) this.#kept = this.#outside;
    this.#outside = this.#kept;
    this.#current = this.#kept;
  }
}

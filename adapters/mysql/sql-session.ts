/**
 * What SET and USE say of the session (reference manual, "SET Statement"): character sets, `sql_mode`, database. Reads
 * statements that ran, from their first word on; what it cannot read for sure it takes for what leaks least: a text in double quotes is then
 * a value, not a name.
 */

export type Setting =
  /** SET NAMES and SET CHARACTER SET; null: DEFAULT. */
  | { readonly kind: 'names'; readonly characterSet: string | null }
  | { readonly kind: 'client' | 'results'; readonly characterSet: string | null }
  /** `default`: the server's; `kept`: ANSI_QUOTES is as it was. */
  | { readonly kind: 'sql_mode'; readonly isAnsiQuotes: boolean | 'default' | 'kept' };

/** What stands between the tokens; of an executable comment only its two ends. */
const blank = String.raw`\s+|--(?=\s|$)[^\n]*|#[^\n]*|/\*M?!\d*|\*/|/\*.*?\*/`;
/** `@`s, dots and a name or more of them are one token. */
const word = String.raw`@{0,2}(?:[\p{L}\p{N}_$.]|\x60(?:[^\x60]|\x60\x60)*\x60)+`;
const tokenWith = (single: string, double: string): RegExp =>
  new RegExp(
    `(?:${blank})|(?<string>'${single}'|"${double}")|(?<word>${word})|(?<assign>:?=)|(?<other>.)`,
    'suy',
  );
const tokenWithEscapes = tokenWith(String.raw`(?:[^'\\]|''|\\.)*`, String.raw`(?:[^"\\]|""|\\.)*`);
const tokenWithoutEscapes = tokenWith("(?:[^']|'')*", '(?:[^"]|"")*');

interface Token {
  readonly kind: 'string' | 'word' | 'assign' | 'other';
  /** A word in lower case without backticks, a string without its quotes. */
  readonly text: string;
}

/** The settings a SET statement changed for the session, in order; empty for any other text. */
export function readSet(text: string, isBackslashLiteral: boolean): readonly Setting[] {
  const tokens = tokensOf(text, isBackslashLiteral);
  if (tokens[0]?.text !== 'set' || tokens[0].kind !== 'word' || tokens[1]?.text === 'statement') return [];
  const settings: Setting[] = [];
  let isSession = true;
  for (const assignment of splitAtCommas(tokens.slice(1))) {
    const [first] = assignment;
    if (first === undefined) continue;
    const scope = scopes[first.text];
    if (scope !== undefined && assignment[1]?.kind === 'word') {
      isSession = scope;
      assignment.shift();
    }
    const setting = isSession || first.text.startsWith('@@') ? readAssignment(assignment) : null;
    if (setting !== null) settings.push(setting);
  }
  return settings;
}

/** The database of a USE statement; null for any other text. */
export function readUse(text: string): string | null {
  const match = /^use\s+(?:`((?:[^`]|``)+)`|([^\s;`*]+))/i.exec(text);
  return match?.[1]?.replaceAll('``', '`') ?? match?.[2] ?? null;
}

/** Whether a value of `sql_mode` such as `ANSI,STRICT_ALL_TABLES` has ANSI_QUOTES in it. */
export function hasAnsiQuotes(modes: string): boolean {
  return modes.split(',').some((mode) => /^\s*ansi(?:_quotes)?\s*$/i.test(mode));
}

const scopes: Readonly<Record<string, boolean>> = {
  session: true,
  local: true,
  global: false,
  persist: false,
  persist_only: false,
};

const variables: Readonly<Record<string, Setting['kind']>> = {
  character_set_client: 'client',
  character_set_results: 'results',
  sql_mode: 'sql_mode',
};

function readAssignment(tokens: readonly Token[]): Setting | null {
  const [first, second, third] = tokens;
  if (first === undefined || second === undefined) return null;
  if (first.text === 'names' || first.text === 'charset') return namesOf(second);
  if (first.text === 'character' && second.text === 'set') return third === undefined ? null : namesOf(third);
  if (second.kind !== 'assign') return null;
  const kind = variables[first.text.replace(/^@@(?:session\.|local\.)?/, '')];
  const value = tokens.slice(2);
  if (kind === 'sql_mode') return { kind, isAnsiQuotes: readSqlMode(value) };
  if ((kind !== 'client' && kind !== 'results') || value.length !== 1) return null;
  return { kind, characterSet: characterSetIn(value[0]) };
}

function namesOf(value: Token): Setting {
  return { kind: 'names', characterSet: characterSetIn(value) };
}

function characterSetIn(value: Token | undefined): string | null {
  if (value === undefined || value.text.startsWith('@') || value.text === 'default') return null;
  // Without conversion results are as the server has them, and its messages are UTF-8.
  return value.text === 'null' ? 'utf8mb4' : value.text;
}

const ansiQuotesBit = 4;

function readSqlMode(value: readonly Token[]): boolean | 'default' | 'kept' {
  const [first] = value;
  if (first !== undefined && value.length === 1) {
    if (first.kind === 'string') return hasAnsiQuotes(first.text);
    if (first.text === 'default' || first.text === '@@global.sql_mode') return 'default';
    if (isOwnSqlMode(first)) return 'kept';
    if (/^\d+$/.test(first.text)) return (Number(first.text) & ansiQuotesBit) !== 0;
    return hasAnsiQuotes(first.text);
  }
  const strings = value.filter((one) => one.kind === 'string').map((one) => one.text);
  const words = value.filter((one) => one.kind === 'word' && !isOwnSqlMode(one)).map((one) => one.text);
  if (!value.some(isOwnSqlMode) || words.length === 0) return false;
  if (words.every((word) => word === 'concat' || word === 'concat_ws')) {
    return strings.some(hasAnsiQuotes) || 'kept';
  }
  if (words.every((word) => word === 'replace'))
    return strings.some((one) => /ansi/i.test(one)) ? false : 'kept';
  return false;
}

function isOwnSqlMode({ kind, text }: Token): boolean {
  return kind === 'word' && /^@@(?:session\.|local\.)?sql_mode$/.test(text);
}

function tokensOf(text: string, isBackslashLiteral: boolean): Token[] {
  const pattern = isBackslashLiteral ? tokenWithoutEscapes : tokenWithEscapes;
  const tokens: Token[] = [];
  pattern.lastIndex = 0;
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    const { string, word, assign, other } = match.groups ?? {};
    if (string !== undefined) tokens.push({ kind: 'string', text: string.slice(1, -1) });
    else if (word !== undefined) tokens.push({ kind: 'word', text: word.replaceAll('`', '').toLowerCase() });
    else if (assign !== undefined) tokens.push({ kind: 'assign', text: assign });
    else if (other === ';') break;
    else if (other !== undefined) tokens.push({ kind: 'other', text: other });
  }
  return tokens;
}

function splitAtCommas(tokens: readonly Token[]): Token[][] {
  const parts: Token[][] = [[]];
  let depth = 0;
  for (const one of tokens) {
    if (one.kind === 'other') {
      if (one.text === '(') depth += 1;
      else if (one.text === ')') depth -= 1;
    }
    if (one.kind === 'other' && one.text === ',' && depth === 0) parts.push([]);
    else parts.at(-1)?.push(one);
  }
  return parts;
}

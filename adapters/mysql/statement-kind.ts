/**
 * What a statement does to the session, by its first words: a look at bytes, so that statements nobody asks about are
 * never decoded. MySQL reference manual, "Comments" and "Statements That Cause an Implicit Commit".
 */

export const statementKind = {
  other: 0,
  /** Changes data; its warnings tell of coerced values. */
  write: 1,
  /** Changes the schema, and commits what is open first. */
  ddl: 2,
  /** Commits what is open first, for another purpose. */
  implicitCommit: 3,
  commit: 4,
  /** Answered by any number of result sets and one OK. */
  compound: 5,
  // From here on the text says something of the session.
  set: 6,
  use: 7,
  prepare: 8,
  execute: 9,
  deallocate: 10,
} as const;

export type StatementKind = (typeof statementKind)[keyof typeof statementKind];

const kindOf: ReadonlyMap<string, StatementKind> = new Map([
  ...words('insert update delete replace load', statementKind.write),
  ...words('create alter drop rename truncate', statementKind.ddl),
  ...words('grant revoke lock install uninstall import', statementKind.implicitCommit),
  ...words('commit', statementKind.commit),
  ...words('set', statementKind.set),
  ...words('use', statementKind.use),
  ...words('prepare', statementKind.prepare),
  ...words('execute', statementKind.execute),
  ...words('deallocate', statementKind.deallocate),
  // The others of these are statements of their own in MariaDB only.
  ...words('call begin if case loop repeat while for', statementKind.compound),
]);

/** By the first four letters, with the whole word: looked up without making a string. */
const byFirstLetters = new Map(
  [...kindOf].map(([word, kind]) => [pack(Buffer.from(word), 0, word.length), { word, kind }]),
);

function words(list: string, kind: StatementKind): [string, StatementKind][] {
  return list.split(' ').map((word) => [word, kind]);
}

/** The kind of the statement that begins at `start`; comments before it are passed over. */
export function readStatementKind(bytes: Buffer, start: number, end: number): StatementKind {
  const from = skipBlanks(bytes, start, end);
  const to = wordEnd(bytes, from, end);
  const found = byFirstLetters.get(pack(bytes, from, to));
  if (found === undefined || !isWord(bytes, from, to, found.word)) return statementKind.other;
  const { word, kind } = found;
  const second = skipBlanks(bytes, to, end);
  const secondEnd = wordEnd(bytes, second, end);
  if (word === 'create' || word === 'drop') {
    if (isWord(bytes, second, secondEnd, 'temporary')) return statementKind.other;
    return isWord(bytes, second, secondEnd, 'prepare') ? statementKind.deallocate : kind;
  }
  if (word === 'begin') return isWord(bytes, second, secondEnd, 'not') ? kind : statementKind.other;
  if (word === 'set' && isWord(bytes, second, secondEnd, 'password')) return statementKind.implicitCommit;
  return kind;
}

const slash = 0x2f;
const star = 0x2a;
const dash = 0x2d;
const hash = 0x23;
const newline = 0x0a;
const bang = 0x21;

/** Index of the first byte that is no white space, comment or opening parenthesis; what `/*!` hides is code. */
export function skipBlanks(bytes: Buffer, start: number, end: number): number {
  let at = start;
  while (at < end) {
    const byte = bytes[at] as number;
    const next = at + 1 < end ? (bytes[at + 1] as number) : 0;
    if (byte <= 0x20 || byte === 0x28) at += 1;
    else if (byte === hash || (byte === dash && next === dash && isBlank(bytes, at + 2, end)))
      at = lineEnd(bytes, at, end);
    else if (byte === slash && next === star) {
      const code = executableStart(bytes, at + 2, end);
      at = code > 0 ? code : commentEnd(bytes, at + 2, end);
    } else if (byte === star && next === slash) at += 2;
    else break;
  }
  return at;
}

/** Two dashes begin a comment only before white space, a control character or the end. */
function isBlank(bytes: Buffer, at: number, end: number): boolean {
  return at >= end || (bytes[at] as number) <= 0x20;
}

function lineEnd(bytes: Buffer, at: number, end: number): number {
  const found = bytes.indexOf(newline, at);
  return found < 0 || found >= end ? end : found + 1;
}

/** `at` is behind the opening. A comment that does not end goes to the end. */
function commentEnd(bytes: Buffer, at: number, end: number): number {
  const found = bytes.indexOf('*/', at, 'latin1');
  return found < 0 || found + 2 > end ? end : found + 2;
}

/** Where the code in `!40101 …` or MariaDB's `M!100100 …` begins; 0 when it is a plain comment. */
function executableStart(bytes: Buffer, at: number, end: number): number {
  const isMariadb = at < end && bytes[at] === 0x4d;
  let code = isMariadb ? at + 1 : at;
  if (code >= end || bytes[code] !== bang) return 0;
  code += 1;
  while (code < end && isDigit(bytes[code] as number)) code += 1;
  return code;
}

/** Index behind the letters, digits and underscores from `at`. */
function wordEnd(bytes: Buffer, at: number, end: number): number {
  let last = at;
  while (last < end && isWordByte(bytes[last] as number)) last += 1;
  return last;
}

/** Whether `bytes[from, to)` is `word`, which is in lower case. */
function isWord(bytes: Buffer, from: number, to: number, word: string): boolean {
  if (to - from !== word.length) return false;
  for (let index = 0; index < word.length; index += 1) {
    if (((bytes[from + index] as number) | 0x20) !== word.charCodeAt(index)) return false;
  }
  return true;
}

function isDigit(byte: number): boolean {
  return byte >= 0x30 && byte <= 0x39;
}

function isWordByte(byte: number): boolean {
  const lower = byte | 0x20;
  return (lower >= 0x61 && lower <= 0x7a) || isDigit(byte) || byte === 0x5f || byte === 0x24 || byte >= 0x80;
}

function pack(bytes: Buffer, from: number, to: number): number {
  let packed = 0;
  for (let at = from; at < to && at < from + 4; at += 1)
    packed = (packed << 8) | ((bytes[at] as number) | 0x20);
  return packed;
}

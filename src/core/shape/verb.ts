/** What a statement does: its verb, and the family of statements that may replace it. */
import type { VerbFamily } from './shape.js';
import { kinds, type Tokens } from './tokens.js';
import type { WordTable } from './words.js';

export interface Verb {
  readonly verb: string;
  readonly family: VerbFamily;
}

/** Words between CREATE, ALTER or DROP and the kind of object. */
const modifiers = new Set(
  `or replace global local temp temporary unlogged unique recursive constraint trusted procedural default algorithm
  definer invoker if not exists`.split(/\s+/),
);
/** Kinds of object of two words. */
const twoWordKinds = new Set(['materialized', 'foreign', 'event', 'access', 'text', 'user']);
const secondWords = new Set(['view', 'table', 'data', 'trigger', 'method', 'search', 'mapping', 'wrapper']);

const families: Readonly<Record<string, VerbFamily>> = {
  select: 'read',
  values: 'read',
  table: 'read',
  show: 'read',
  fetch: 'read',
  move: 'read',
  declare: 'read',
  explain: 'read',
  insert: 'insert',
  replace: 'insert',
  update: 'update',
  delete: 'delete',
  truncate: 'delete',
  merge: 'merge',
  copy: 'copy',
  call: 'call',
  do: 'call',
  execute: 'call',
  create: 'ddl',
  alter: 'ddl',
  drop: 'ddl',
  comment: 'ddl',
  grant: 'ddl',
  revoke: 'ddl',
  reassign: 'ddl',
  security: 'ddl',
  import: 'ddl',
  rename: 'ddl',
  refresh: 'ddl',
};

const mainVerbs = new Set(['select', 'insert', 'update', 'delete', 'merge', 'values', 'table', 'replace']);

/** Reads the verb of the statement [from, to); empty for a statement without a word in front. */
export function readVerb(tokens: Tokens, words: WordTable, from: number, to: number): Verb {
  let first = from;
  while (first < to && (tokens.kind(first) === kinds.openParen || tokens.kind(first) === kinds.openHint)) {
    first = tokens.kind(first) === kinds.openParen ? first + 1 : afterHint(tokens, first, to);
  }
  const text = first < to ? words.text(tokens.word(first)) : '';
  switch (text) {
    case 'with':
      return plain(mainVerb(tokens, words, first + 1, to));
    case 'explain':
      return explained(tokens, words, first + 1, to);
    case 'create':
    case 'alter':
    case 'drop':
      return { verb: objectVerb(tokens, words, text, first + 1, to), family: 'ddl' };
    default:
      return plain(text);
  }
}

const plain = (verb: string): Verb => ({ verb, family: families[verb] ?? 'other' });

function afterHint(tokens: Tokens, open: number, to: number): number {
  let i = open;
  while (i < to && tokens.kind(i) !== kinds.closeHint) i++;
  return i + 1;
}

/** The statement that follows the CTEs; `with` when there is none. */
function mainVerb(tokens: Tokens, words: WordTable, from: number, to: number): string {
  let depth = 0;
  for (let i = from; i < to; i++) {
    const kind = tokens.kind(i);
    if (kind === kinds.openParen) depth++;
    else if (kind === kinds.closeParen) depth--;
    else if (depth === 0 && kind === kinds.word) {
      const text = words.text(tokens.word(i));
      if (mainVerbs.has(text)) return text;
    }
  }
  return 'with';
}

/** EXPLAIN only reads, unless it runs the statement. */
function explained(tokens: Tokens, words: WordTable, from: number, to: number): Verb {
  let isRun = false;
  let depth = 0;
  for (let i = from; i < to; i++) {
    const kind = tokens.kind(i);
    if (kind === kinds.openParen) depth++;
    else if (kind === kinds.closeParen) depth--;
    const text = words.text(tokens.word(i));
    if (text === 'analyze' || text === 'analyse') isRun = true;
    else if (depth === 0 && text !== '' && text !== 'verbose') {
      return { verb: 'explain', family: isRun ? readVerb(tokens, words, i, to).family : 'read' };
    }
  }
  return { verb: 'explain', family: 'read' };
}

function objectVerb(tokens: Tokens, words: WordTable, verb: string, from: number, to: number): string {
  let i = from;
  while (i < to && modifiers.has(words.text(tokens.word(i)))) i++;
  const object = i < to ? words.text(tokens.word(i)) : '';
  if (object === '') return verb;
  const second = i + 1 < to ? words.text(tokens.word(i + 1)) : '';
  return twoWordKinds.has(object) && secondWords.has(second)
    ? `${verb} ${object} ${second}`
    : `${verb} ${object}`;
}

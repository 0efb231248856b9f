/**
 * Where statements of the MySQL family name tables in ways of their own: what a statement's first words make us expect,
 * index hints, periods, and words that are clauses only there.
 */
import { roles } from './roles.js';
import type { Place } from './table-definitions.js';
import { expects } from './table-scopes.js';
import { kinds, type Tokens } from './tokens.js';

/** Words behind EXPLAIN that no table is called by. */
const explained = new Set(
  `select insert update delete replace with values table format extended partitions analyze for into`.split(
    ' ',
  ),
);
const hintVerbs = new Set(['use', 'force', 'ignore']);
const maxListWords = 4;

/** Sets what the statement's first words make us expect; returns the index of the first token that is still to be read. */
export function startMysql(place: Place, to: number): number {
  const { scopes, tokens, verb } = place;
  const first = tokens.first(place.from, to);
  switch (verb) {
    case 'insert':
    case 'replace':
      if (tokens.role(first) !== roles.insert && tokens.role(first) !== roles.replace) return place.from;
      scopes.begin(tokens.role(first));
      scopes.expect(expects.target, false);
      return first + 1;
    case 'describe':
    case 'handler':
      scopes.expect(expects.target, false);
      return first + 1;
    case 'explain':
      if (tokens.isName(first + 1) && !explained.has(textAt(place, first + 1))) {
        scopes.expect(expects.target, false);
      }
      return first + 1;
    case 'analyze':
      return startList(place, first + 1, to, first + 1);
    case 'check':
    case 'checksum':
    case 'drop table':
    case 'flush':
    case 'lock':
    case 'optimize':
    case 'rename table':
    case 'repair':
      return startList(place, first + 1, to, to);
    default:
      return place.from;
  }
}

/** DROP TABLE, LOCK TABLES, FLUSH LOCAL TABLES: a list behind the word; `otherwise` without the word. */
function startList(place: Place, from: number, to: number, otherwise: number): number {
  const last = Math.min(to, from + maxListWords);
  for (let i = from; i < last; i++) {
    const text = textAt(place, i);
    if (text !== 'table' && text !== 'tables') continue;
    place.scopes.expect(expects.target, true);
    return i + 1;
  }
  return otherwise;
}

/** Where a SHOW statement names its table, with the schema behind it; both -1 without a table. */
export function shownTable(place: Place, to: number): { readonly name: number; readonly schema: number } {
  const { tokens } = place;
  const first = tokens.first(place.from, to);
  let i = first + 1;
  while (i < to && (textAt(place, i) === 'full' || textAt(place, i) === 'extended')) i++;
  switch (textAt(place, i)) {
    case 'create': {
      const kind = textAt(place, i + 1);
      return { name: kind === 'table' || kind === 'view' ? i + 2 : -1, schema: -1 };
    }
    case 'columns':
    case 'fields':
    case 'index':
    case 'indexes':
    case 'keys': {
      if (!isFromOrIn(tokens, i + 1)) break;
      const after = nameEnd(tokens, i + 2, to);
      return { name: i + 2, schema: isFromOrIn(tokens, after) ? after + 1 : -1 };
    }
    default:
  }
  return { name: -1, schema: -1 };
}

/** Index after an index hint whose INDEX or KEY is at `i`: USE INDEX FOR JOIN (a, b). `i` itself where there is none. */
export function indexHintEnd(place: Place, i: number, to: number): number {
  const { tokens } = place;
  if (!hintVerbs.has(textAt(place, i - 1))) return i;
  let open = i + 1;
  while (open < to && open < i + 4 && tokens.kind(open) === kinds.word) open++;
  if (open >= to || tokens.kind(open) !== kinds.openParen) return i;
  let close = open;
  while (close < to && tokens.kind(close) !== kinds.closeParen && tokens.kind(close) !== kinds.semicolon)
    close++;
  return close + 1;
}

/** Index after `for system_time` and `for portion of p`, with a FROM that names no table; `i` for another FOR. */
export function periodEnd(place: Place, i: number): number {
  const text = textAt(place, i + 1);
  if (text !== 'system_time' && text !== 'portion') return i;
  const after = text === 'portion' ? i + 4 : i + 2;
  return place.tokens.role(after) === roles.from ? after + 1 : after;
}

/** STRAIGHT_JOIN behind SELECT and its other options, where it joins nothing. */
export function isSelectOption(place: Place, i: number): boolean {
  const { tokens } = place;
  const before = tokens.role(i - 1);
  if (before === roles.select || before === roles.all || before === roles.distinct) return true;
  const text = textAt(place, i - 1);
  return text === 'distinctrow' || text === 'high_priority' || text.startsWith('sql_');
}

/** True behind a word that a statement may follow in a routine's body, and behind the options of EXPLAIN and ANALYZE. */
export function startsBehind(place: Place, i: number): boolean {
  const { scopes, verb, tokens } = place;
  switch (tokens.role(i - 1)) {
    case roles.begin:
    case roles.else:
    case roles.row:
    case roles.loop:
    case roles.repeat:
      return true;
    case roles.for:
      // SET STATEMENT … FOR UPDATE t
      return scopes.scope.query === roles.none;
    default:
      if (textAt(place, i - 1) === 'then') return true;
      return (verb === 'explain' || verb === 'analyze') && scopes.scope.query === roles.none;
  }
}

const isFromOrIn = (tokens: Tokens, i: number): boolean =>
  tokens.role(i) === roles.from || tokens.role(i) === roles.in;

/** Index after the dotted name at `i`. */
function nameEnd(tokens: Tokens, i: number, to: number): number {
  let after = i + 1;
  while (after + 1 < to && tokens.kind(after) === kinds.dot && tokens.isName(after + 1)) after += 2;
  return after;
}

const textAt = (place: Place, index: number): string => place.words.text(place.tokens.word(index));

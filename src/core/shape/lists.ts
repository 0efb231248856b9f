/** Where lists begin whose items collapse, and rows of VALUES: `in ( … )`, `array [ … ]`, `values ( … ) , row ( … )`. */
import type { Frame } from './brackets.js';
import { startsQuery } from './calls.js';
import type { Position } from './position.js';
import { roles } from './roles.js';
import { kinds, type Tokens } from './tokens.js';

const maxParentheses = 8;

/** True for a parenthesis, or ROW and a parenthesis. */
export const isRowAt = (tokens: Tokens, i: number): boolean =>
  tokens.kind(tokens.role(i) === roles.row ? i + 1 : i) === kinds.openParen;

/**
 * Whether rows follow the word VALUES that is about to be written, `next` being behind it. `isCallable`: it is a function
 * too, as in `a = values ( b )`.
 */
export function opensRows(tokens: Tokens, position: Position, next: number, isCallable: boolean): boolean {
  if (!isRowAt(tokens, next)) return false;
  if (!isCallable) return true;
  if (position.kind === kinds.operator) return false;
  const isArgument = position.kind === kinds.comma || position.kind === kinds.openParen;
  return !(isArgument && tokens.isName(next + 1) && tokens.kind(next + 2) === kinds.closeParen);
}

/** Whether the parenthesis behind what was written last opens a row, where rows are open. */
export const startsRow = ({ kind, role }: Position): boolean =>
  role === roles.values || role === roles.row || kind === kinds.comma;

/** ARRAY, or an array in an array. */
export function opensArray({ kind, role }: Position, { list }: Frame): boolean {
  if (role === roles.array) return true;
  const isItem = kind === kinds.comma || kind === kinds.openParen || kind === kinds.openBracket;
  return isItem && list !== null;
}

/** IN with a list and not with a query. */
export function opensInList(tokens: Tokens, position: Position, open: number, to: number): boolean {
  if (position.role !== roles.in) return false;
  let next = open + 1;
  while (next < to && next < open + maxParentheses && tokens.kind(next) === kinds.openParen) next++;
  return !startsQuery(tokens.role(next));
}

/** What a parenthesis behind a word holds, as far as values in the wrong quotes may be in it. */
import type { QuotedItems } from './brackets.js';
import { characterBits, isDigit } from './characters.js';
import { isMinor, roles } from './roles.js';
import { kinds, type Tokens } from './tokens.js';
import { type WordTable, wordTraits } from './words.js';

const { digit, spacer, odd } = characterBits;
/** Arguments beyond are not looked at. */
const maxArguments = 64;

/** True for a name that is not made like one: with a space, a sign or a digit in front. */
export function isOddlyMade(tokens: Tokens, index: number): boolean {
  if ((tokens.bits(index) & (spacer | odd)) !== 0) return true;
  const first = tokens.start(index);
  return isDigit(tokens.text.charCodeAt(tokens.kind(index) === kinds.quoted ? first + 1 : first));
}

/** A quoted name, or one that begins with a digit, as no column does that a person named. */
export const mayBeValue = (tokens: Tokens, index: number): boolean =>
  tokens.kind(index) === kinds.quoted ||
  ((tokens.bits(index) & digit) !== 0 && isDigit(tokens.text.charCodeAt(tokens.start(index))));

export const startsQuery = (role: number): boolean =>
  role === roles.select || role === roles.with || role === roles.values || role === roles.table;

/** What the parenthesis at `open`, which follows a word, holds: arguments of a call or a list of names. */
export function itemsBehindWord(
  tokens: Tokens,
  words: WordTable,
  open: number,
  from: number,
  to: number,
): QuotedItems {
  if (!isCall(tokens, words, open - 1, from)) return 'names';
  // one argument that can be no name tells of the others
  const last = Math.min(to, open + maxArguments);
  for (let i = open + 1; i < last && tokens.kind(i) !== kinds.closeParen; i++) {
    const isFirst = i === open + 1 || tokens.kind(i - 1) === kinds.comma;
    if (isFirst && mayBeValue(tokens, i) && isOddlyMade(tokens, i) && tokens.kind(i + 1) !== kinds.dot) {
      return 'values';
    }
  }
  return 'odd values';
}

function isCall(tokens: Tokens, words: WordTable, name: number, from: number): boolean {
  const role = tokens.role(name);
  if (role === roles.cast || role === roles.any || role === roles.some || role === roles.all) return true;
  if (
    (role !== roles.none && !isMinor(role)) ||
    (words.traits(tokens.word(name)) & wordTraits.reserved) !== 0
  )
    return false;
  let first = name;
  while (first - 2 >= from && tokens.kind(first - 1) === kinds.dot) first -= 2;
  const before = first - 1;
  if (before < from) return true;
  switch (tokens.kind(before)) {
    case kinds.operator:
    case kinds.comma:
    case kinds.openParen:
    case kinds.openBracket:
      return true;
    case kinds.word:
      return callsBehind(tokens, words, before);
    default:
      return false;
  }
}

function callsBehind(tokens: Tokens, words: WordTable, before: number): boolean {
  const entry = tokens.word(before);
  switch (tokens.role(before)) {
    case roles.from:
    case roles.join:
    case roles.execute:
      return true;
    case roles.into:
    case roles.by:
    case roles.on:
    case roles.using:
    case roles.with:
    case roles.for:
    case roles.to:
    case roles.is:
      return false;
    case roles.none: {
      const text = words.text(entry);
      if (text === 'call' || text === 'lateral') return true;
      break;
    }
    default:
  }
  return (words.traits(entry) & wordTraits.startsExpression) !== 0;
}

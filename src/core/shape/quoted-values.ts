/**
 * Where a name in double quotes is a value in the wrong quotes, and where bare words are the inside of a value whose
 * quotes were not doubled. Looks at tokens around a place, a bounded number of them.
 */
import type { QuotedItems } from './brackets.js';
import { characterBits } from './characters.js';
import { roles } from './roles.js';
import { kinds, type Tokens } from './tokens.js';
import { type WordTable, wordTraits } from './words.js';

const { spacer, odd } = characterBits;
/** Arguments beyond are not looked at. */
const maxArguments = 64;
const maxInnerWords = 16;

/** True for a name in double quotes that is not made like one: with a space, a sign or a digit in front. */
export function isOddlyMade(tokens: Tokens, index: number): boolean {
  if ((tokens.bits(index) & (spacer | odd)) !== 0) return true;
  const first = tokens.text.charCodeAt(tokens.start(index) + 1);
  return first >= 0x30 && first <= 0x39;
}

/** Nobody takes a backtick for the quote of a value. */
export const isDoubleQuoted = (tokens: Tokens, index: number): boolean =>
  tokens.kind(index) === kinds.quoted && tokens.text.charCodeAt(tokens.end(index) - 1) === 0x22;

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
    if (isFirst && isDoubleQuoted(tokens, i) && isOddlyMade(tokens, i) && tokens.kind(i + 1) !== kinds.dot) {
      return 'values';
    }
  }
  return 'odd values';
}

function isCall(tokens: Tokens, words: WordTable, name: number, from: number): boolean {
  const role = tokens.role(name);
  if (role === roles.cast || role === roles.any || role === roles.some || role === roles.all) return true;
  if (role !== roles.none || (words.traits(tokens.word(name)) & wordTraits.reserved) !== 0) return false;
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

/**
 * Index of the string that follows the words at `start`, which follow another string with no operator between:
 * `'the ' secret ' word'`. `start` itself where they are part of the grammar. In a list, where a string has no alias,
 * nothing need follow.
 */
export function innerWordsEnd(
  tokens: Tokens,
  words: WordTable,
  start: number,
  to: number,
  isInList: boolean,
): number {
  let end = start;
  const last = Math.min(to, start + maxInnerWords);
  while (end < last && tokens.role(end) === roles.none && isInner(tokens.kind(end))) end++;
  const entry = tokens.word(start);
  if (isInList && entry === 0) return end;
  if (end >= to || tokens.kind(end) !== kinds.string) return start;
  if (entry === 0) return end;
  const isGrammar =
    end > start + 1 ||
    (words.traits(entry) & (wordTraits.reserved | wordTraits.startsExpression)) !== 0 ||
    words.text(entry) === 'uescape';
  return isGrammar ? start : end;
}

const isInner = (kind: number): boolean =>
  kind === kinds.word ||
  kind === kinds.quoted ||
  kind === kinds.number ||
  kind === kinds.operator ||
  kind === kinds.dot ||
  kind === kinds.other;

/** Bare words that are the inside of a string whose quotes were not doubled: `'the ' secret ' word'`. */
import { isMinor, roles } from './roles.js';
import { kinds, type Tokens } from './tokens.js';
import { type WordTable, wordTraits } from './words.js';

const maxInnerWords = 16;

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
  while (end < last && isPlainWord(tokens.role(end)) && isInner(tokens.kind(end))) end++;
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

const isPlainWord = (role: number): boolean => role === roles.none || isMinor(role);

const isInner = (kind: number): boolean =>
  kind === kinds.word ||
  kind === kinds.quoted ||
  kind === kinds.number ||
  kind === kinds.operator ||
  kind === kinds.dot ||
  kind === kinds.other;

/** The token an error's position points at. */
import type { NameReader } from './names.js';
import { operatorText } from './operators.js';
import type { TokenAt } from './shape.js';
import type { StatementRange } from './statements.js';
import { kinds, type Tokens } from './tokens.js';
import { type WordTable, wordTraits } from './words.js';

/** UTF-16 index of the 1-based character `position`, where a surrogate pair is one character; -1 when out of range. */
export function utf16Index(text: string, position: number): number {
  if (!Number.isInteger(position) || position < 1) return -1;
  let index = 0;
  for (let left = position - 1; left > 0; left--) {
    if (index >= text.length) return -1;
    index += (text.codePointAt(index) ?? 0) > 0xffff ? 2 : 1;
  }
  return index;
}

export class TokenFinder {
  private readonly tokens: Tokens;
  private readonly words: WordTable;
  private readonly names: NameReader;

  constructor(tokens: Tokens, words: WordTable, names: NameReader) {
    this.tokens = tokens;
    this.words = words;
    this.names = names;
  }

  /** The token at a UTF-16 index, or the next one when there is none at it. */
  at(index: number, ranges: readonly StatementRange[]): TokenAt {
    const { tokens } = this;
    const at = this.search(index);
    let statement = 0;
    while (statement + 1 < ranges.length && at >= (ranges[statement + 1]?.from ?? 0)) statement++;
    switch (tokens.kind(at)) {
      case kinds.end:
        return { kind: 'end', text: '', statement };
      case kinds.word:
      case kinds.quoted:
        return { ...this.name(at), statement };
      case kinds.string:
      case kinds.binary:
      case kinds.number:
      case kinds.parameter:
        return { kind: 'literal', text: '', statement };
      default:
        return {
          kind: 'operator',
          text: operatorText(tokens.text, tokens.start(at), tokens.end(at)),
          statement,
        };
    }
  }

  /** First token that ends after the index. */
  private search(index: number): number {
    let low = 0;
    let high = this.tokens.count;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.tokens.end(middle) <= index) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  private name(at: number): { kind: 'identifier' | 'keyword'; text: string } {
    const { tokens, names } = this;
    let first = at;
    while (first >= 2 && tokens.kind(first - 1) === kinds.dot && tokens.isName(first - 2)) first -= 2;
    let last = first;
    let text = '';
    while (tokens.kind(last + 1) === kinds.dot && tokens.isName(last + 2)) {
      text += `${names.canonical(last)}.`;
      last += 2;
    }
    text += names.canonical(last, names.isCaseIdle(last));
    const isDotted = last > first;
    const isReserved = (this.words.traits(tokens.word(at)) & wordTraits.reserved) !== 0;
    return { kind: isReserved && !isDotted ? 'keyword' : 'identifier', text };
  }
}

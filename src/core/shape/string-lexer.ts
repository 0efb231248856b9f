/**
 * String literals and quoted names of one text, in every quoting, pushed as tokens.
 *
 * Values must not come out of a broken text either: a string literal whose closing quote runs straight into a name
 * (`'it's secret'`), or that never closes, means that what is inside and what is outside can no longer be told apart.
 * Such a text ends at its first string literal.
 */
import type { LexicalOptions } from '../verdict.js';
import { bitsOf, closingsOf, isWordPart } from './characters.js';
import { scanBareUuid, scanQuoted, scanTypographic } from './literals.js';
import { roles } from './roles.js';
import type { Dialect } from './shape.js';
import { kinds, type Tokens } from './tokens.js';
import { hashStep, type WordTable } from './words.js';

const quoteCode = 0x27;
const doubleQuoteCode = 0x22;
const backtickCode = 0x60;

export class StringLexer {
  private readonly dialect: Dialect;
  private readonly words: WordTable;
  private readonly tokens: Tokens;
  private text = '';
  private hasEscapes = false;
  private isDoubleQuoteString = false;
  private firstString = -1;
  private isBroken = false;

  constructor(dialect: Dialect, words: WordTable, tokens: Tokens) {
    this.dialect = dialect;
    this.words = words;
    this.tokens = tokens;
  }

  begin(text: string, options: LexicalOptions): void {
    const { dialect } = this;
    this.text = text;
    this.firstString = -1;
    this.isBroken = false;
    this.hasEscapes = dialect.hasBackslashEscapes
      ? !options.isBackslashLiteral
      : !options.isStandardConformingStrings;
    this.isDoubleQuoteString = dialect.hasBacktickIdentifiers && !options.isAnsiQuotes;
  }

  /** Ends the text at its first string where it is broken; one that was cut may end within a literal. */
  finish(isTruncated: boolean): void {
    if (this.isBroken && !isTruncated && this.firstString >= 0) this.tokens.extend(this.firstString);
    this.text = '';
  }

  /** Runs `read` on a part of the text whose broken literals end with it. */
  within(read: () => void): void {
    const { isBroken, firstString } = this;
    read();
    this.isBroken = isBroken;
    if (firstString < 0) this.firstString = -1;
  }

  /** The string in single quotes that opens at `start`; returns the index after it, as do all below. */
  single(start: number, end: number): number {
    return this.string(start, start, end, quoteCode, this.hasEscapes);
  }

  /** A string or a name, as the options have it. */
  double(start: number, end: number): number {
    return this.isDoubleQuoteString
      ? this.string(start, start, end, doubleQuoteCode, this.hasEscapes)
      : this.name(start, start, end, doubleQuoteCode);
  }

  /** A word that is the beginning of a literal (`E'…'`, `U&"…"`, `x'…'`, a bare UUID): after it; else 0. */
  afterPrefix(start: number, next: number, end: number, code: number): number {
    const { text, dialect } = this;
    const length = next - start;
    const letter = text.charCodeAt(start) | 0x20;
    if (length === 1 && code === quoteCode) {
      // with a backslash in it, it is a word and a string
      if (letter === 0x62 || letter === 0x78)
        return this.literal(start, next, end, kinds.binary, dialect.hasBackslashEscapes && this.hasEscapes);
      if (letter === 0x6e) return this.literal(start, next, end, kinds.string, this.hasEscapes);
      if (letter === 0x65 && dialect.hasEscapePrefixes)
        return this.literal(start, next, end, kinds.string, true);
    }
    if (length === 1 && letter === 0x75 && code === 0x26 && dialect.hasEscapePrefixes) {
      const mark = next + 1 < end ? text.charCodeAt(next + 1) : 0;
      if (mark === quoteCode) return this.literal(start, next + 1, end, kinds.string, false);
      if (mark === doubleQuoteCode) return this.name(start, next + 1, end, mark);
    }
    if (length === 8 && code === 0x2d) {
      const after = scanBareUuid(text, start, end);
      if (after > 0) this.tokens.push(kinds.string, start, after);
      return after;
    }
    return 0;
  }

  private literal(start: number, mark: number, end: number, kind: number, hasEscapes: boolean): number {
    return this.string(start, mark, end, quoteCode, hasEscapes, kind);
  }

  private string(
    start: number,
    open: number,
    end: number,
    mark: number,
    hasEscapes: boolean,
    kind: number = kinds.string,
  ): number {
    return this.stringTo(scanQuoted(this.text, open, end, mark, hasEscapes), start, end, kind);
  }

  /** Quotes that no server knows still hold a value. */
  typographic(start: number, end: number, first: number): number {
    const after = scanTypographic(this.text, start, end, closingsOf(first) ?? '');
    return this.stringTo(after, start, end, kinds.string);
  }

  /** A string literal that ends where a scan found its end. */
  private stringTo(found: number, start: number, end: number, kind: number): number {
    let after = found;
    if (this.firstString < 0) this.firstString = this.tokens.count;
    if (after < 0 || this.runsIntoName(after, end)) {
      this.isBroken = true;
      after = end;
    }
    this.tokens.push(kind, start, after);
    return after;
  }

  /** A name, not a keyword, right behind a closing quote: the quote was meant to be part of the value. */
  private runsIntoName(after: number, end: number): boolean {
    if (after >= end) return false;
    let hash = 0;
    let i = after;
    for (; i < end; i++) {
      const code = this.text.charCodeAt(i);
      if (!isWordPart(bitsOf(code))) break;
      hash = hashStep(hash, code);
    }
    return i > after && this.words.find(this.text, after, i, hash) === 0;
  }

  /** A quoted name; one that never closes, or runs into another, may have been meant for a value. */
  name(start: number, open: number, end: number, mark: number): number {
    const { text } = this;
    let bits = 0;
    let hash = 0;
    let i = open + 1;
    for (; i < end; i++) {
      const code = text.charCodeAt(i);
      if (code === mark) {
        if (i + 1 >= end || text.charCodeAt(i + 1) !== mark) break;
        i++;
      }
      bits |= bitsOf(code);
      hash = hashStep(hash, code);
    }
    if (i >= end || (mark !== backtickCode && this.runsIntoName(i + 1, end))) {
      this.tokens.push(kinds.string, start, end);
      return end;
    }
    const entry = this.isPart(i + 1, end) ? 0 : this.words.find(text, open + 1, i, hash);
    // the U& form is read by names.ts, which looks at the first character
    this.tokens.pushName(kinds.quoted, start, i + 1, entry, roles.none, bits);
    return i + 1;
  }

  /** Where an unquoted word beside a dot is a name, a quoted one is no more of a keyword. */
  private isPart(next: number, end: number): boolean {
    if (this.dialect.grammar !== 'mysql') return false;
    const { tokens } = this;
    if (next < end && this.text.charCodeAt(next) === 0x2e) return true;
    return tokens.count > 0 && tokens.kind(tokens.count - 1) === kinds.dot;
  }
}

/**
 * Splits a text into tokens by a dialect's rules. Never throws, looks at each character a bounded number of times, and
 * takes what it does not know for a token of kind `other`. Strings and quoted names are in string-lexer.ts.
 */

import type { LexicalOptions } from '../verdict.js';
import { bitsOf, characterBits, isDigit, isWordPart } from './characters.js';
import { readTrace, scanBlock, scanExecutable, scanLine } from './comments.js';
import { leads, leadTable } from './leads.js';
import { scanBareUuid, scanDollarQuoted, scanNumber, scanNumericName } from './literals.js';
import { scanCustomOperator, scanFixedOperator } from './operators.js';
import { roles } from './roles.js';
import type { Dialect } from './shape.js';
import { StringLexer } from './string-lexer.js';
import { kinds, type Tokens } from './tokens.js';
import { hashStep, type WordTable } from './words.js';

const soloKinds = new Map<number, number>([
  [0x28, kinds.openParen],
  [0x29, kinds.closeParen],
  [0x5b, kinds.openBracket],
  [0x5d, kinds.closeBracket],
  [0x2c, kinds.comma],
  [0x3b, kinds.semicolon],
]);
const soloTable = new Uint8Array(128);
for (const [code, kind] of soloKinds) soloTable[code] = kind;

const quoteCode = 0x27;
const ampersandCode = 0x26;
const hyphenCode = 0x2d;
const starCode = 0x2a;
const slashCode = 0x2f;
const dotCode = 0x2e;
const plusCode = 0x2b;
const atCode = 0x40;
const backtickCode = 0x60;
const capitalNCode = 0x4e;
const semicolonCode = 0x3b;

export class Lexer {
  /** Traceparent of the text read last, null without one. */
  trace: string | null = null;
  private readonly dialect: Dialect;
  private readonly words: WordTable;
  private readonly tokens: Tokens;
  private readonly lead: Uint8Array;
  /** Entry of NULL in the word table. */
  private readonly nullEntry: number;
  private readonly strings: StringLexer;
  private text = '';
  /** Within an executable comment, whose end is no operator. */
  private isInCode = false;

  constructor(dialect: Dialect, words: WordTable, tokens: Tokens) {
    this.dialect = dialect;
    this.words = words;
    this.tokens = tokens;
    this.lead = leadTable(dialect);
    this.nullEntry = words.entryOf('null');
    this.strings = new StringLexer(dialect, words, tokens);
  }

  /** Fills the tokens from the text. A truncated text may end within a literal without being broken. */
  lex(text: string, options: LexicalOptions, isTruncated: boolean): void {
    this.text = text;
    this.trace = null;
    this.isInCode = false;
    this.strings.begin(text, options);
    this.tokens.reset(text);
    this.range(0, text.length, false);
    this.tokens.close();
    this.strings.finish(isTruncated);
    this.text = '';
  }

  /** `isInner`: the content of a hint, which holds no other. */
  private range(start: number, end: number, isInner: boolean): void {
    const { text, tokens, lead } = this;
    let i = start;
    while (i < end) {
      const code = text.charCodeAt(i);
      switch (code < 128 ? lead[code] : leads.word) {
        case leads.space:
          i++;
          break;
        case leads.word:
          i = this.word(i, end, code);
          break;
        case leads.solo:
          tokens.push(soloTable[code] ?? kinds.other, i, i + 1);
          if (code === semicolonCode) tokens.hasSemicolon = true;
          i++;
          break;
        case leads.operator:
          i = this.operator(i, end);
          break;
        case leads.quote:
          i = this.strings.single(i, end);
          break;
        case leads.digit:
          i = this.number(i, end);
          break;
        case leads.doubleQuote:
          i = this.strings.double(i, end);
          break;
        case leads.dot:
          i = this.dot(i, end);
          break;
        case leads.dollar:
          i = this.dollar(i, end);
          break;
        case leads.colon:
          i = this.colon(i, end);
          break;
        case leads.minus:
          i = this.minus(i, end);
          break;
        case leads.slash:
          i = this.slash(i, end, isInner);
          break;
        case leads.backtick:
          i = this.strings.name(i, i, end, code);
          break;
        case leads.question:
          i = this.question(i, end);
          break;
        case leads.at:
          i = this.variable(i, end);
          break;
        case leads.backslash:
          i = this.backslash(i, end);
          break;
        case leads.hash:
          i = this.lineComment(i, end);
          break;
        default:
          tokens.push(kinds.other, i, i + 1);
          i++;
      }
    }
  }

  private word(start: number, end: number, first: number): number {
    const { text } = this;
    let bits = bitsOf(first);
    if (bits === characterBits.odd) return this.strings.typographic(start, end, first);
    let hash = hashStep(0, first);
    let i = start + 1;
    let code = 0;
    for (; i < end; i++) {
      code = text.charCodeAt(i);
      const bit = bitsOf(code);
      if (!isWordPart(bit)) break;
      bits |= bit;
      hash = hashStep(hash, code);
    }
    if (i < end && (code === quoteCode || code === ampersandCode || code === hyphenCode)) {
      const after = this.strings.afterPrefix(start, i, end, code);
      if (after > 0) return after;
    }
    const entry = this.words.find(text, start, i, hash);
    if (entry > 0 && this.isPart(i, end)) this.tokens.pushName(kinds.word, start, i, 0, roles.none, bits);
    else this.tokens.pushName(kinds.word, start, i, entry, this.words.role(entry), bits);
    return i;
  }

  /** Behind a dot every word is a name, and in the MySQL family before one too. */
  private isPart(next: number, end: number): boolean {
    const { tokens, text } = this;
    if (tokens.count > 0 && tokens.kind(tokens.count - 1) === kinds.dot) return true;
    if (this.dialect.grammar !== 'mysql' || next + 1 >= end || text.charCodeAt(next) !== dotCode)
      return false;
    const code = text.charCodeAt(next + 1);
    return code === backtickCode || isWordPart(bitsOf(code));
  }

  private number(start: number, end: number): number {
    const uuid = scanBareUuid(this.text, start, end);
    if (uuid > 0) {
      this.tokens.push(kinds.string, start, uuid);
      return uuid;
    }
    if (this.dialect.hasNumericNames && isDigit(this.text.charCodeAt(start))) {
      const name = this.numericName(start, end);
      if (name > 0) return name;
    }
    const after = scanNumber(this.text, start, end);
    this.tokens.push(kinds.number, start, after);
    return after;
  }

  /** A name that begins with a digit, as every word behind a dot may: after it; 0 for a number. */
  private numericName(start: number, end: number): number {
    const { tokens } = this;
    const last = tokens.count - 1;
    const isPart = last > 0 && tokens.kind(last) === kinds.dot && tokens.end(last) === start;
    const after = scanNumericName(this.text, start, end, isPart && tokens.isName(last - 1));
    if (after === 0) return 0;
    let bits = 0;
    for (let i = start; i < after; i++) bits |= bitsOf(this.text.charCodeAt(i));
    tokens.pushName(kinds.word, start, after, 0, roles.none, bits);
    return after;
  }

  private dot(start: number, end: number): number {
    const last = this.tokens.count - 1;
    const isAfterName = this.tokens.isName(last) && this.tokens.end(last) === start;
    if (!isAfterName && start + 1 < end && isDigit(this.text.charCodeAt(start + 1))) {
      return this.number(start, end);
    }
    this.tokens.push(kinds.dot, start, start + 1);
    return start + 1;
  }

  private dollar(start: number, end: number): number {
    if (this.dialect.hasDollarParameters && start + 1 < end && isDigit(this.text.charCodeAt(start + 1))) {
      const after = scanNumber(this.text, start + 1, end);
      this.tokens.push(kinds.parameter, start, after);
      return after;
    }
    const after = this.dialect.hasDollarQuotes ? scanDollarQuoted(this.text, start, end) : 0;
    if (after === 0) {
      if (!this.dialect.hasDollarParameters) return this.word(start, end, 0x24);
      this.tokens.push(kinds.other, start, start + 1);
      return start + 1;
    }
    const reached = after < 0 ? ~after : after;
    this.tokens.push(kinds.string, start, reached);
    return reached;
  }

  private colon(start: number, end: number): number {
    const next = start + 1 < end ? this.text.charCodeAt(start + 1) : 0;
    const after = next === 0x3a || next === 0x3d ? start + 2 : start + 1;
    this.tokens.push(kinds.operator, start, after);
    return after;
  }

  /** A parameter; in the text of a shape `?+` stands for several, and is followed by nothing that could be added. */
  private question(start: number, end: number): number {
    let after = start + 1;
    if (after < end && this.text.charCodeAt(after) === plusCode && this.endsItem(after + 1, end)) after++;
    this.tokens.push(kinds.parameter, start, after);
    return after;
  }

  private endsItem(start: number, end: number): boolean {
    let i = start;
    while (i < end && this.text.charCodeAt(i) === 0x20) i++;
    return i >= end || this.text.charCodeAt(i) === 0x29 || this.text.charCodeAt(i) === 0x2c;
  }

  private backslash(start: number, end: number): number {
    const isNull = start + 1 < end && this.text.charCodeAt(start + 1) === capitalNCode;
    if (!isNull) this.tokens.push(kinds.other, start, start + 1);
    else this.tokens.pushName(kinds.word, start, start + 2, this.nullEntry, roles.null, characterBits.odd);
    return isNull ? start + 2 : start + 1;
  }

  private operator(start: number, end: number): number {
    if (this.isInCode && this.text.charCodeAt(start) === starCode && start + 1 < end) {
      if (this.text.charCodeAt(start + 1) === slashCode) {
        this.isInCode = false;
        return start + 2;
      }
    }
    const after = this.dialect.hasCustomOperators
      ? scanCustomOperator(this.text, start, end)
      : scanFixedOperator(this.text, start, end);
    this.tokens.push(kinds.operator, start, after);
    return after;
  }

  private minus(start: number, end: number): number {
    if (start + 1 < end && this.text.charCodeAt(start + 1) === 0x2d && this.isLineComment(start + 2, end)) {
      return this.lineComment(start, end);
    }
    return this.operator(start, end);
  }

  /** MySQL takes `--` for a comment only before white space or a control character. */
  private isLineComment(next: number, end: number): boolean {
    if (this.dialect.hasCustomOperators || next >= end) return true;
    const code = this.text.charCodeAt(next);
    return code <= 0x20 || code === 0x7f;
  }

  private lineComment(start: number, end: number): number {
    this.tokens.noteComment();
    const after = scanLine(this.text, start, end, this.dialect.hasCarriageReturnLines);
    this.trace ??= readTrace(this.text, start, after);
    return after;
  }

  private slash(start: number, end: number, isInner: boolean): number {
    const { text, dialect } = this;
    if (start + 1 >= end || text.charCodeAt(start + 1) !== starCode) return this.operator(start, end);
    if (!isInner && dialect.executableComments !== null) {
      const found = scanExecutable(text, start, end, dialect.executableComments);
      if (found !== 0) return this.executable(found);
    }
    const after = scanBlock(text, start, end, dialect.hasNestedComments);
    if (isInner) return after;
    if (text.charCodeAt(start + 2) === plusCode && start + 2 < end) return this.hint(start, after);
    this.tokens.noteComment();
    this.trace ??= readTrace(text, start, after);
    return after;
  }

  /** Where code begins, or (the complement) where a comment ends whose version no server has. */
  private executable(found: number): number {
    this.tokens.noteComment();
    if (found < 0) return ~found;
    this.isInCode = true;
    return found;
  }

  private hint(start: number, after: number): number {
    const isClosed = this.text.charCodeAt(after - 1) === slashCode && after - start >= 4;
    const close = isClosed ? after - 2 : after;
    this.tokens.push(kinds.openHint, start, start + 3);
    this.strings.within(() => this.range(Math.min(start + 3, close), close, true));
    this.tokens.push(kinds.closeHint, close, after);
    return after;
  }

  private variable(start: number, end: number): number {
    const { text } = this;
    let bits: number = characterBits.odd;
    let i = start;
    while (i < end && text.charCodeAt(i) === atCode) i++;
    for (; i < end; i++) {
      const bit = bitsOf(text.charCodeAt(i));
      if (!isWordPart(bit)) break;
      bits |= bit;
    }
    this.tokens.pushName(kinds.word, start, i, 0, roles.none, bits);
    return i;
  }
}

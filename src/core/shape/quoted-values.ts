/**
 * Where a name is a value in the wrong quotes or without any. Looks at tokens around a place, a bounded number of them.
 */
import type { Brackets, QuotedItems } from './brackets.js';
import { isOddlyMade, itemsBehindWord, mayBeValue, startsQuery } from './calls.js';
import { characterBits } from './characters.js';
import { innerWordsEnd } from './inner-words.js';
import { isComparing } from './operators.js';
import type { Position } from './position.js';
import { roles } from './roles.js';
import { isVariable } from './setting-values.js';
import { kinds, type Tokens } from './tokens.js';
import type { WordTable } from './words.js';

const { odd } = characterBits;

const hyphenCode = 0x2d;
const backtickCode = 0x60;

export class QuotedValues {
  private readonly tokens: Tokens;
  private readonly words: WordTable;
  private readonly position: Position;
  private readonly brackets: Brackets;
  private from = 0;
  private to = 0;

  constructor(tokens: Tokens, words: WordTable, position: Position, brackets: Brackets) {
    this.tokens = tokens;
    this.words = words;
    this.position = position;
    this.brackets = brackets;
  }

  /** Begins the statement [from, to). */
  begin(from: number, to: number): void {
    this.from = from;
    this.to = to;
  }

  /**
   * Index after the value that is written like a name at `i`; `i` itself for a name. Values are found where values belong:
   * alone in a row of VALUES or an IN list, right of a comparison, among the arguments of a function, or in an expression
   * and not made like a name.
   */
  valueEnd(i: number): number {
    return mayBeValue(this.tokens, i) && this.looksLikeValue(i) ? i + 1 : i;
  }

  /** Index after an account or an address, `'ann'@'%'` or `ann.b@example.com`, that starts at `i`; `i` where there is none. */
  addressEnd(i: number): number {
    const { tokens } = this;
    let at = i + 1;
    const next = tokens.kind(at);
    if (next !== kinds.word && next !== kinds.dot) return i;
    while (tokens.kind(at) === kinds.dot && this.isJoined(at) && tokens.isName(at + 1)) at += 2;
    if (at >= this.to || !isVariable(tokens, at) || !this.isJoined(at) || isVariable(tokens, i)) return i;
    let end = at + 1;
    while (end < this.to && this.isJoined(end) && isAddressPart(tokens, end)) end++;
    return end;
  }

  private looksLikeValue(i: number): boolean {
    const { tokens } = this;
    const { kind, role } = this.position;
    const { frame } = this.brackets;
    const next = i + 1 < this.to ? tokens.kind(i + 1) : kinds.end;
    if (isItemStart(kind) || role === roles.distinct) {
      const isInList = frame.isRow || frame.list !== null;
      if ((isInList || frame.quoted === 'values') && endsItem(next)) return true;
      if ((isInList || frame.quoted !== 'names') && isOddlyMade(tokens, i)) return true;
    } else if (kind === kinds.operator) {
      if (isOddlyMade(tokens, i)) return true;
      if (next !== kinds.openParen && this.isCompared(i, next)) return true;
    } else if (this.isBehindComparison(i, role)) {
      return true;
    } else if (
      role === roles.select &&
      (next === kinds.closeParen || next === kinds.end) &&
      isOddlyMade(tokens, i)
    ) {
      // a query of nothing but a name
      return true;
    }
    if ((tokens.bits(i) & odd) === 0 || this.position.isOperandEnded || kind === kinds.end) return false;
    return role !== roles.from && role !== roles.into && role !== roles.on;
  }

  /** Right of a comparison; a column in backticks may well be there, and then mostly in an expression: `` `n` = `n` + 1 ``. */
  private isCompared(i: number, next: number): boolean {
    const { tokens } = this;
    const at = this.position.lastOperator;
    if (!isComparing(tokens.text, tokens.start(at), tokens.end(at))) return false;
    return next !== kinds.operator || tokens.text.charCodeAt(tokens.start(i)) !== backtickCode;
  }

  /** Behind a word that compares, or that no column can follow. */
  private isBehindComparison(i: number, role: number): boolean {
    switch (role) {
      case roles.like:
      case roles.ilike:
      case roles.between:
      case roles.symmetric:
      case roles.is:
      case roles.default:
        return true;
      case roles.from:
        return this.position.roleBefore === roles.distinct;
      case roles.to:
        return this.words.text(this.tokens.word(i - 2)) === 'similar';
      case roles.and:
        return this.brackets.frame.range === 'to';
      default:
        return false;
    }
  }

  /** No gap before the token. */
  private isJoined(index: number): boolean {
    return this.tokens.start(index) === this.tokens.end(index - 1);
  }

  /** What a name in quotes may be behind the parenthesis at `open`. */
  itemsBehind(open: number): QuotedItems {
    const { tokens } = this;
    switch (this.position.kind) {
      case kinds.word:
      case kinds.quoted:
        if (startsQuery(tokens.role(open + 1))) return 'names';
        return itemsBehindWord(tokens, this.words, open, this.from, this.to);
      case kinds.operator: {
        if (startsQuery(tokens.role(open + 1))) return 'names';
        const at = this.position.lastOperator;
        return isComparing(tokens.text, tokens.start(at), tokens.end(at)) ? 'values' : 'odd values';
      }
      case kinds.comma:
      case kinds.openParen:
        return startsQuery(tokens.role(open + 1)) ? 'names' : this.brackets.frame.quoted;
      default:
        return 'names';
    }
  }

  /** Index after the words that are the inside of the string written last; `i` itself where they are grammar. */
  innerWordsEnd(i: number): number {
    const { isRow, list, quoted } = this.brackets.frame;
    const isInList = isRow || list !== null;
    if (!isInList && quoted === 'names') {
      // in other statements options stand between two strings
      const first = this.tokens.role(this.from);
      const isQuery =
        startsQuery(first) || first === roles.insert || first === roles.update || first === roles.delete;
      if (!isQuery) return i;
    }
    return innerWordsEnd(this.tokens, this.words, i, this.to, isInList);
  }
}

function isAddressPart(tokens: Tokens, index: number): boolean {
  switch (tokens.kind(index)) {
    case kinds.word:
    case kinds.quoted:
    case kinds.string:
    case kinds.number:
    case kinds.dot:
      return true;
    case kinds.operator:
      return tokens.text.charCodeAt(tokens.start(index)) === hyphenCode;
    default:
      return false;
  }
}

const isItemStart = (kind: number): boolean =>
  kind === kinds.comma || kind === kinds.openParen || kind === kinds.openBracket;

const endsItem = (kind: number): boolean =>
  kind === kinds.comma || kind === kinds.closeParen || kind === kinds.closeBracket || kind === kinds.end;

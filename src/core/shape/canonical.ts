/**
 * Writes one statement in canonical form: literals become holes, lists collapse, names fold. Works on tokens alone and
 * knows just enough grammar to tell where an expression may start and which words are names the client made up.
 *
 * Invariant: the only digits of a literal that are written are ordinals of ORDER BY and GROUP BY and type modifiers,
 * both short integers. Everything else that is written is a keyword, a name or an operator.
 */
import { BareValues } from './bare-values.js';
import { Brackets, type QuotedItems } from './brackets.js';
import { characterBits } from './characters.js';
import { foreignText, writeHint } from './hints.js';
import { isShortInteger, isSign, modifierEnd, signsNumber } from './integers.js';
import { findMadeUpName } from './made-up-names.js';
import type { NameReader } from './names.js';
import { isComparing, operatorText } from './operators.js';
import { type HoleKind, holeKinds, ShapeOutput } from './output.js';
import { innerWordsEnd, isDoubleQuoted, isOddlyMade, itemsBehindWord, startsQuery } from './quoted-values.js';
import { roles } from './roles.js';
import { kinds, type Tokens } from './tokens.js';
import { type WordTable, wordTraits } from './words.js';

const { odd } = characterBits;
const maxOrdinalDigits = 4;

const dotCode = 0x2e;
const starCode = 0x2a;
const holeCode = 0x3f;
const plusCode = 0x2b;

export class Canonical {
  private readonly tokens: Tokens;
  private readonly words: WordTable;
  private readonly names: NameReader;
  private readonly output = new ShapeOutput();
  private readonly brackets = new Brackets(this.output);
  private from = 0;
  private to = 0;
  /** The operator written last. */
  private lastOperator = 0;
  private previousKind: number = kinds.end;
  private previousRole: number = roles.none;
  private roleBefore: number = roles.none;
  /** What was written last completes an operand: a sign after it is binary, NULL after it no value. */
  private isOperandEnded = false;
  private madeUpName = -1;
  private readonly bareValues: BareValues;

  constructor(tokens: Tokens, words: WordTable, names: NameReader) {
    this.tokens = tokens;
    this.words = words;
    this.names = names;
    this.bareValues = new BareValues(tokens, words);
  }

  /** Writes the tokens [from, to). Tokens taken for literals are hidden for whoever reads the tokens after. */
  write(from: number, to: number, isTruncated: boolean): { shape: string; holes: string } {
    this.begin(from, to);
    for (let i = from; i < to; ) i = this.token(i);
    this.brackets.finish(isTruncated);
    return this.output.text();
  }

  private begin(from: number, to: number): void {
    this.output.reset(this.tokens.end(to - 1) - this.tokens.start(from));
    this.brackets.reset();
    this.from = from;
    this.to = to;
    this.previousKind = kinds.end;
    this.previousRole = roles.none;
    this.roleBefore = roles.none;
    this.isOperandEnded = false;
    this.madeUpName = findMadeUpName(this.tokens, from, to);
    this.bareValues.hide(from, to);
  }

  /** Writes the token at `i` with those that belong to it; returns the next. */
  private token(i: number): number {
    const { output } = this;
    const kind = this.tokens.kind(i);
    switch (kind) {
      case kinds.word:
      case kinds.quoted:
        return this.name(i, kind);
      case kinds.comma:
        this.brackets.comma();
        return this.passed(i + 1, kind, roles.none, false);
      case kinds.operator:
        return this.operator(i);
      case kinds.openParen:
      case kinds.openBracket:
        this.open(i, kind);
        return i + 1;
      case kinds.closeParen:
      case kinds.closeBracket:
        return this.close(i);
      case kinds.number:
        if (this.isOrdinal(i)) {
          output.write(this.tokens.slice(i));
          return this.passed(i + 1, kind, roles.none, true);
        }
        return this.hole(i, kind, holeKinds.number);
      case kinds.string:
      case kinds.binary:
        // adjacent literals are one
        if (this.previousKind === kinds.string || this.previousKind === kinds.binary) return i + 1;
        return this.hole(i, kind, kind === kinds.binary ? holeKinds.binary : this.stringHole(i));
      case kinds.parameter:
        return this.hole(i, kind, holeKinds.parameter);
      case kinds.openHint:
        // what surrounds a hint does not see it
        return writeHint(this.tokens, this.names, output, i, this.to);
      case kinds.dot:
        output.writeCode(dotCode);
        return this.passed(i + 1, kind, roles.none, true);
      case kinds.semicolon:
        output.write(';');
        return this.passed(i + 1, kind, roles.none, false);
      default:
        output.write(kind === kinds.closeHint ? '*/' : foreignText(this.tokens, i));
        return this.passed(i + 1, kind, roles.none, false);
    }
  }

  /** Notes what was just written; returns `next`. */
  private passed(next: number, kind: number, role: number, isOperandEnded: boolean): number {
    this.previousKind = kind;
    this.roleBefore = this.previousRole;
    this.previousRole = role;
    this.isOperandEnded = isOperandEnded;
    return next;
  }

  private hole(i: number, kind: number, hole: HoleKind): number {
    this.output.hole(hole);
    return this.passed(i + 1, kind, roles.none, true);
  }

  private stringHole(i: number): HoleKind {
    return this.tokens.bits(i) === 0 ? holeKinds.string : holeKinds.name;
  }

  private name(i: number, kind: number): number {
    const { tokens, output } = this;
    if (i === this.madeUpName) {
      tokens.hide(i);
      return this.hole(i, kinds.word, holeKinds.name);
    }
    if (this.previousKind === kinds.string && this.mayHoldInnerWords()) {
      const { isRow, list } = this.brackets.frame;
      const end = innerWordsEnd(tokens, this.words, i, this.to, isRow || list !== null);
      for (let inner = i; inner < end; inner++) tokens.hide(inner);
      // part of the literal that has been written
      if (end > i) return end;
    }
    if (tokens.kind(i + 1) === kinds.dot && i + 1 < this.to) return this.dottedName(i);
    if (kind === kinds.quoted) {
      if (this.looksLikeValue(i)) {
        tokens.hide(i);
        return this.hole(i, kinds.word, holeKinds.name);
      }
      output.space();
      this.names.append(output, i);
      return this.passed(i + 1, kind, roles.none, true);
    }
    const entry = tokens.word(i);
    if (entry === 0) {
      output.space();
      this.names.append(output, i);
      return this.passed(i + 1, kind, roles.none, true);
    }
    return this.keyword(i, entry);
  }

  private keyword(i: number, entry: number): number {
    const { output, words } = this;
    const role = this.tokens.role(i);
    const traits = words.traits(entry);
    if (role === roles.null || role === roles.true || role === roles.false) {
      if (!this.isWordKept(i, role)) {
        return this.hole(i, kinds.word, role === roles.null ? holeKinds.null : holeKinds.boolean);
      }
    } else if (role !== roles.none) {
      this.noteClause(i, role);
    }
    output.space();
    this.names.append(output, i);
    const next = this.passed(i + 1, kinds.word, role, (traits & wordTraits.startsExpression) === 0);
    if (role === roles.values && this.tokens.kind(next) === kinds.openParen) this.brackets.openRows();
    return (traits & wordTraits.hasModifier) === 0 ? next : this.modifier(next);
  }

  private noteClause(i: number, role: number): void {
    switch (role) {
      case roles.by:
        this.brackets.frame.isSorting =
          this.previousRole === roles.order || this.previousRole === roles.group;
        break;
      case roles.between:
        this.brackets.frame.range = 'from';
        break;
      case roles.and:
        this.brackets.frame.range = this.brackets.frame.range === 'from' ? 'to' : 'none';
        break;
      case roles.limit:
      case roles.offset:
      case roles.fetch:
      case roles.having:
      case roles.for:
      case roles.union:
      case roles.except:
      case roles.intersect:
      case roles.window:
      case roles.select:
      case roles.rows:
      case roles.into:
        this.brackets.frame.isSorting = false;
        break;
      case roles.execute:
        if (this.startsExecute(i)) this.madeUpName = i + 1;
        break;
      case roles.of:
        if (this.previousRole === roles.current) this.madeUpName = i + 1;
        break;
      default:
    }
  }

  /** EXECUTE of a prepared statement, and not of a trigger's function, a privilege or a text. */
  private startsExecute(i: number): boolean {
    if (!this.tokens.isName(i + 1)) return false;
    const next = this.tokens.role(i + 1);
    if (
      next === roles.function ||
      next === roles.procedure ||
      next === roles.immediate ||
      next === roles.on
    ) {
      return false;
    }
    const { previousKind: kind, previousRole: role } = this;
    if (kind === kinds.end || kind === kinds.closeParen) return true;
    return role === roles.explain || role === roles.analyze || role === roles.verbose || role === roles.as;
  }

  /** NULL, TRUE and FALSE that are part of the statement's form: IS NULL, NOT NULL, DEFAULT NULL, ON DELETE SET NULL. */
  private isWordKept(i: number, role: number): boolean {
    const { previousRole } = this;
    if (this.isOperandEnded || previousRole === roles.is || previousRole === roles.default) return true;
    if (previousRole === roles.not && (role === roles.null || this.roleBefore === roles.is)) return true;
    if (role !== roles.null) return false;
    if (previousRole === roles.set || previousRole === roles.on) return true;
    // an option of COPY; `?` where the text is itself a shape
    if (i + 1 >= this.to) return false;
    const next = this.tokens.kind(i + 1);
    return (
      next === kinds.string ||
      (next === kinds.operator && this.isHoleText(this.tokens.start(i + 1), this.tokens.end(i + 1)))
    );
  }

  private dottedName(start: number): number {
    const { tokens, names, output } = this;
    output.space();
    names.append(output, start);
    let i = start + 1;
    while (i < this.to && tokens.kind(i) === kinds.dot) {
      output.appendCode(dotCode);
      i++;
      if (i < this.to && tokens.isName(i)) {
        names.append(output, i);
        i++;
      } else {
        if (i < this.to && tokens.kind(i) === kinds.operator && tokens.slice(i) === '*') {
          output.appendCode(starCode);
          i++;
        }
        break;
      }
    }
    return this.passed(i, kinds.word, roles.none, true);
  }

  /** In lists and queries no word but an operator stands between two strings; in other statements options do. */
  private mayHoldInnerWords(): boolean {
    const { frame } = this.brackets;
    if (frame.isRow || frame.list !== null || frame.quoted !== 'names') return true;
    const first = this.tokens.role(this.from);
    return startsQuery(first) || first === roles.insert || first === roles.update || first === roles.delete;
  }

  /**
   * A quoted name where a value belongs, which is how values get quoted by mistake: alone in a row of VALUES or an IN
   * list, right of a comparison, among the arguments of a function, or in an expression and not made like a name.
   */
  private looksLikeValue(i: number): boolean {
    const { tokens, previousKind, previousRole: role } = this;
    const { frame } = this.brackets;
    if (!isDoubleQuoted(tokens, i)) return false;
    const next = i + 1 < this.to ? tokens.kind(i + 1) : kinds.end;
    if (this.isItemStart(previousKind) || role === roles.distinct) {
      const isInList = frame.isRow || frame.list !== null;
      if ((isInList || frame.quoted === 'values') && this.endsItem(next)) return true;
      if ((isInList || frame.quoted !== 'names') && isOddlyMade(tokens, i)) return true;
    } else if (previousKind === kinds.operator) {
      const at = this.lastOperator;
      if (isOddlyMade(tokens, i)) return true;
      if (next !== kinds.openParen && isComparing(tokens.text, tokens.start(at), tokens.end(at))) return true;
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
    if ((tokens.bits(i) & odd) === 0 || this.isOperandEnded || previousKind === kinds.end) return false;
    return role !== roles.from && role !== roles.into && role !== roles.on;
  }

  private isItemStart(kind: number): boolean {
    return kind === kinds.comma || kind === kinds.openParen || kind === kinds.openBracket;
  }

  private endsItem(kind: number): boolean {
    return (
      kind === kinds.comma || kind === kinds.closeParen || kind === kinds.closeBracket || kind === kinds.end
    );
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
        return this.roleBefore === roles.distinct;
      case roles.to:
        return this.words.text(this.tokens.word(i - 2)) === 'similar';
      case roles.and:
        return this.brackets.frame.range === 'to';
      default:
        return false;
    }
  }

  private operator(i: number): number {
    const { tokens, output } = this;
    if (!this.isOperandEnded && isSign(tokens, i) && signsNumber(tokens, i, this.to)) return i + 1;
    const start = tokens.start(i);
    const end = tokens.end(i);
    if (end - start === 1) output.writeCode(tokens.text.charCodeAt(start));
    else output.write(operatorText(tokens.text, start, end));
    // in the text of a shape they are operands, and as operators they have one on the right that is no number
    if (this.isHoleText(start, end)) return this.passed(i + 1, kinds.parameter, roles.none, true);
    this.lastOperator = i;
    return this.passed(i + 1, kinds.operator, roles.none, false);
  }

  private isHoleText(start: number, end: number): boolean {
    const { text } = this.tokens;
    if (text.charCodeAt(start) !== holeCode) return false;
    return end - start === 1 || (end - start === 2 && text.charCodeAt(start + 1) === plusCode);
  }

  private isOrdinal(i: number): boolean {
    if (!this.brackets.frame.isSorting || !isShortInteger(this.tokens, i, maxOrdinalDigits)) return false;
    if (this.previousRole !== roles.by && this.previousKind !== kinds.comma) return false;
    if (i + 1 >= this.to) return true;
    const next = this.tokens.kind(i + 1);
    return next === kinds.comma || next === kinds.closeParen || next === kinds.word;
  }

  /** `( 10 , 2 )` after a type's name, as it stands; anything else is left to the rules of expressions. */
  private modifier(open: number): number {
    const { tokens, output } = this;
    const end = modifierEnd(tokens, open, this.to);
    if (end === open) return open;
    for (let i = open; i < end; i++) output.write(tokens.slice(i));
    return this.passed(end, kinds.closeParen, roles.none, true);
  }

  private open(i: number, kind: number): void {
    this.output.writeCode(this.tokens.text.charCodeAt(this.tokens.start(i)));
    const isRow = kind === kinds.openParen && this.opensRow();
    if (kind === kinds.openParen) this.brackets.open(isRow, this.opensInList(i), this.quotedItems(i));
    else this.brackets.open(isRow, this.opensArray(), 'names');
    this.passed(i, kind, roles.none, false);
  }

  /** What a name in double quotes may be behind the parenthesis at `open`. */
  private quotedItems(open: number): QuotedItems {
    const { tokens, previousKind } = this;
    switch (previousKind) {
      case kinds.word:
      case kinds.quoted:
        if (startsQuery(tokens.role(open + 1))) return 'names';
        return itemsBehindWord(tokens, this.words, open, this.from, this.to);
      case kinds.operator: {
        if (startsQuery(tokens.role(open + 1))) return 'names';
        const at = this.lastOperator;
        return isComparing(tokens.text, tokens.start(at), tokens.end(at)) ? 'values' : 'odd values';
      }
      case kinds.comma:
      case kinds.openParen:
        return startsQuery(tokens.role(open + 1)) ? 'names' : this.brackets.frame.quoted;
      default:
        return 'names';
    }
  }

  private opensRow(): boolean {
    if (this.brackets.frame.rows === null) return false;
    return this.previousRole === roles.values || this.previousKind === kinds.comma;
  }

  private opensArray(): boolean {
    if (this.previousRole === roles.array) return true;
    return this.isItemStart(this.previousKind) && this.brackets.frame.list !== null;
  }

  /** IN with a list and not with a query. */
  private opensInList(i: number): boolean {
    if (this.previousRole !== roles.in) return false;
    let next = i + 1;
    while (next < this.to && next < i + 8 && this.tokens.kind(next) === kinds.openParen) next++;
    const role = this.tokens.role(next);
    return role !== roles.select && role !== roles.with && role !== roles.values && role !== roles.table;
  }

  private close(i: number): number {
    const { tokens, output, brackets } = this;
    const isRowEnd = brackets.close();
    output.writeCode(tokens.text.charCodeAt(tokens.start(i)));
    if (isRowEnd) {
      const hasNext =
        i + 2 < this.to && tokens.kind(i + 1) === kinds.comma && tokens.kind(i + 2) === kinds.openParen;
      brackets.endRow(hasNext);
      if (hasNext) return this.passed(i + 2, kinds.comma, roles.none, false);
    }
    return this.passed(i + 1, kinds.closeParen, roles.none, true);
  }
}

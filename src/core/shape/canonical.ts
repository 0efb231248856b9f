/**
 * Writes one statement in canonical form: literals become holes, lists collapse, names fold. Works on tokens alone and
 * knows just enough grammar to tell where an expression may start and which words are names the client made up.
 *
 * Invariant: the only digits of a literal that are written are ordinals of ORDER BY and GROUP BY and type modifiers,
 * both short integers. Everything else that is written is a keyword, a name or an operator.
 */
import { BareValues } from './bare-values.js';
import { Brackets } from './brackets.js';
import { foreignText, writeHint } from './hints.js';
import { isShortInteger, isSign, modifierEnd, signsNumber } from './integers.js';
import { isHoleText, isWordKept, startsExecute } from './kept-words.js';
import { isRowAt, opensArray, opensInList, opensRows, startsRow } from './lists.js';
import { findMadeUpName } from './made-up-names.js';
import type { NameReader } from './names.js';
import { operatorText } from './operators.js';
import { OptionalWords } from './optional-words.js';
import { type HoleKind, holeKinds, ShapeOutput } from './output.js';
import { Position } from './position.js';
import { QuotedValues } from './quoted-values.js';
import { roles } from './roles.js';
import { isVariable } from './setting-values.js';
import type { Dialect } from './shape.js';
import { kinds, type Tokens } from './tokens.js';
import { type WordTable, wordTraits } from './words.js';

const maxOrdinalDigits = 4;

const dotCode = 0x2e;
const starCode = 0x2a;

export class Canonical {
  /** The grammar of the MySQL family, as far as it matters for values and names. */
  private readonly isMysql: boolean;
  private readonly tokens: Tokens;
  private readonly words: WordTable;
  private readonly names: NameReader;
  private readonly output = new ShapeOutput();
  private readonly brackets = new Brackets(this.output);
  private readonly position = new Position();
  private readonly quotedValues: QuotedValues;
  private readonly bareValues: BareValues;
  private readonly optionalWords: OptionalWords;
  private to = 0;
  private madeUpName = -1;

  constructor(dialect: Dialect, tokens: Tokens, words: WordTable, names: NameReader) {
    this.isMysql = dialect.grammar === 'mysql';
    this.tokens = tokens;
    this.words = words;
    this.names = names;
    this.quotedValues = new QuotedValues(tokens, words, this.position, this.brackets);
    this.bareValues = new BareValues(dialect, tokens, words);
    this.optionalWords = new OptionalWords(tokens, words);
  }

  /** Writes the tokens [from, to), a statement of this verb. Tokens taken for literals are hidden for whoever reads the tokens after. */
  write(from: number, to: number, verb: string, isTruncated: boolean): { shape: string; holes: string } {
    this.begin(from, to);
    if (this.isMysql) this.optionalWords.begin(from, to, verb);
    for (let i = from; i < to; ) i = this.token(i);
    this.brackets.finish(isTruncated);
    return this.output.text();
  }

  private begin(from: number, to: number): void {
    this.output.reset(this.tokens.end(to - 1) - this.tokens.start(from));
    this.brackets.reset();
    this.position.reset();
    this.quotedValues.begin(from, to);
    this.to = to;
    this.madeUpName = findMadeUpName(this.tokens, this.words, from, to);
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
        return this.position.passed(i + 1, kind, roles.none, false);
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
          return this.position.passed(i + 1, kind, roles.none, true);
        }
        return this.hole(i, kind, holeKinds.number);
      case kinds.string:
      case kinds.binary:
        // adjacent literals are one
        if (this.position.kind === kinds.string || this.position.kind === kinds.binary) return i + 1;
        if (this.isMysql) {
          const end = this.address(i);
          if (end > i) return end;
        }
        return this.hole(i, kind, kind === kinds.binary ? holeKinds.binary : this.stringHole(i));
      case kinds.parameter:
        return this.hole(i, kind, holeKinds.parameter);
      case kinds.openHint:
        // what surrounds a hint does not see it
        return writeHint(this.tokens, this.names, output, i, this.to);
      case kinds.dot:
        output.writeCode(dotCode);
        return this.position.passed(i + 1, kind, roles.none, true);
      case kinds.semicolon:
        output.write(';');
        return this.position.passed(i + 1, kind, roles.none, false);
      default:
        output.write(kind === kinds.closeHint ? '*/' : foreignText(this.tokens, i));
        return this.position.passed(i + 1, kind, roles.none, false);
    }
  }

  private hole(i: number, kind: number, hole: HoleKind): number {
    this.output.hole(hole);
    return this.position.passed(i + 1, kind, roles.none, true);
  }

  private stringHole(i: number): HoleKind {
    return this.tokens.bits(i) === 0 ? holeKinds.string : holeKinds.name;
  }

  private name(i: number, kind: number): number {
    const { tokens, output, position } = this;
    if (i === this.madeUpName) {
      tokens.hide(i);
      return this.hole(i, kinds.word, holeKinds.name);
    }
    if (position.kind === kinds.string) {
      const end = this.quotedValues.innerWordsEnd(i);
      for (let inner = i; inner < end; inner++) tokens.hide(inner);
      // part of the literal that has been written
      if (end > i) return end;
    }
    if (this.isMysql) {
      const end = this.address(i);
      if (end > i) return end;
    }
    if (tokens.kind(i + 1) === kinds.dot && i + 1 < this.to) return this.dottedName(i);
    const entry = tokens.word(i);
    if (entry > 0) return this.keyword(i, entry);
    if (kind === kinds.quoted || this.isMysql) {
      const end = this.quotedValues.valueEnd(i);
      if (end > i) return this.hidden(i, end);
    }
    output.space();
    const isCalled = tokens.kind(i + 1) === kinds.openParen && tokens.role(i) !== roles.tableName;
    this.names.append(output, i, isCalled || this.names.isCaseIdle(i));
    return position.passed(i + 1, kind, roles.none, true);
  }

  private address(i: number): number {
    const end = this.quotedValues.addressEnd(i);
    return end > i ? this.hidden(i, end) : i;
  }

  /** Writes one hole for the tokens [i, end), which are a value in the form of names; returns `end`. */
  private hidden(i: number, end: number): number {
    for (let at = i; at < end; at++) this.tokens.hide(at);
    this.hole(i, kinds.word, holeKinds.name);
    return end;
  }

  private keyword(i: number, entry: number): number {
    const { output, words, position, tokens } = this;
    const role = tokens.role(i);
    const traits = words.traits(entry);
    const mayBeOptional = (traits & wordTraits.mayBeOptional) !== 0 && this.isMysql;
    if (mayBeOptional && this.optionalWords.isIdle(i, position)) return i + 1;
    if (role === roles.null || role === roles.true || role === roles.false) {
      if (!isWordKept(tokens, position, i, this.to, role, !this.isMysql)) {
        return this.hole(i, kinds.word, role === roles.null ? holeKinds.null : holeKinds.boolean);
      }
    } else if (role !== roles.none) {
      this.noteClause(i, role);
    }
    if ((traits & wordTraits.introducesLiteral) !== 0 && this.isLiteral(i + 1)) return i + 1;
    const hasType = (traits & wordTraits.hasModifier) !== 0 && this.mayBeType(traits);
    output.space();
    const other = mayBeOptional ? this.optionalWords.instead(i) : '';
    if (other === '') this.names.append(output, i);
    else output.append(other);
    const hasRows = role === roles.values && opensRows(tokens, position, i + 1, this.isMysql);
    const next = position.passed(i + 1, kinds.word, role, (traits & wordTraits.startsExpression) === 0);
    if (hasRows) this.brackets.openRows();
    if (mayBeOptional) this.missing(i);
    return hasType ? this.modifier(next) : next;
  }

  /** Writes the word that was left out behind the one at `i`, if any. */
  private missing(i: number): void {
    const role = this.optionalWords.missing(i);
    if (role === roles.none) return;
    this.noteClause(i, role);
    this.output.write(role === roles.into ? 'into' : 'table');
    this.position.passed(i, kinds.word, role, role !== roles.into);
  }

  private isLiteral(i: number): boolean {
    const kind = i < this.to ? this.tokens.kind(i) : kinds.end;
    return kind === kinds.string || kind === kinds.binary || kind === kinds.number;
  }

  /** Whether a type may stand behind what was written last; one that is also a function needs a name or a word before. */
  private mayBeType(traits: number): boolean {
    if ((traits & wordTraits.isCallable) === 0) return true;
    const { kind, isOperandEnded } = this.position;
    return isOperandEnded && (kind === kinds.word || kind === kinds.quoted);
  }

  private noteClause(i: number, role: number): void {
    switch (role) {
      case roles.by:
        this.brackets.frame.isSorting =
          this.position.role === roles.order || this.position.role === roles.group;
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
        if (startsExecute(this.tokens, this.position, i)) this.madeUpName = i + 1;
        break;
      case roles.of:
        if (this.position.role === roles.current) this.madeUpName = i + 1;
        break;
      default:
    }
  }

  private dottedName(start: number): number {
    const { tokens, names, output } = this;
    const isFolded = isVariable(tokens, start);
    output.space();
    names.append(output, start, isFolded);
    let i = start + 1;
    while (i < this.to && tokens.kind(i) === kinds.dot) {
      output.appendCode(dotCode);
      i++;
      if (i < this.to && tokens.isName(i)) {
        // what stands before a dot may be a table
        names.append(output, i, isFolded || (tokens.kind(i + 1) !== kinds.dot && names.isCaseIdle(i)));
        i++;
      } else {
        if (i < this.to && tokens.kind(i) === kinds.operator && tokens.slice(i) === '*') {
          output.appendCode(starCode);
          i++;
        }
        break;
      }
    }
    return this.position.passed(i, kinds.word, roles.none, true);
  }

  private operator(i: number): number {
    const { tokens, output } = this;
    const hasParameters = !this.isMysql;
    if (
      !this.position.isOperandEnded &&
      isSign(tokens, i) &&
      signsNumber(tokens, i, this.to, hasParameters)
    ) {
      return i + 1;
    }
    const start = tokens.start(i);
    const end = tokens.end(i);
    if (end - start === 1) output.writeCode(tokens.text.charCodeAt(start));
    else output.write(operatorText(tokens.text, start, end));
    // in the text of a shape they are operands, and as operators they have one on the right that is no number
    if (isHoleText(tokens.text, start, end))
      return this.position.passed(i + 1, kinds.parameter, roles.none, true);
    this.position.lastOperator = i;
    return this.position.passed(i + 1, kinds.operator, roles.none, false);
  }

  private isOrdinal(i: number): boolean {
    if (!this.brackets.frame.isSorting || !isShortInteger(this.tokens, i, maxOrdinalDigits)) return false;
    if (this.position.role !== roles.by && this.position.kind !== kinds.comma) return false;
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
    return this.position.passed(end, kinds.closeParen, roles.none, true);
  }

  private open(i: number, kind: number): void {
    this.output.writeCode(this.tokens.text.charCodeAt(this.tokens.start(i)));
    const { brackets, position, tokens } = this;
    if (kind === kinds.openParen) {
      const isRow = brackets.frame.rows !== null && startsRow(position);
      brackets.open(isRow, opensInList(tokens, position, i, this.to), this.quotedValues.itemsBehind(i));
    } else brackets.open(false, opensArray(position, brackets.frame), 'names');
    this.position.passed(i, kind, roles.none, false);
  }

  private close(i: number): number {
    const { tokens, output, brackets } = this;
    const isRowEnd = brackets.close();
    output.writeCode(tokens.text.charCodeAt(tokens.start(i)));
    if (isRowEnd) {
      const hasNext = i + 2 < this.to && tokens.kind(i + 1) === kinds.comma && isRowAt(tokens, i + 2);
      brackets.endRow(hasNext);
      if (hasNext) return this.position.passed(i + 2, kinds.comma, roles.none, false);
    }
    return this.position.passed(i + 1, kinds.closeParen, roles.none, true);
  }
}

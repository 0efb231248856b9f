/**
 * Makes of the tokens what the parser takes: names and values numbered, lists and rows of values as one value each, and
 * the forms it does not know (ESCAPE, IS DISTINCT FROM, typed literals) in those it does.
 */
import { type Constant, constantOf, nullConstant, type ValueConstant } from './constants.js';
import { GrammarWords } from './grammar-words.js';
import { Parameters } from './parameters.js';
import { joined, Numbered, type Piece, type Prepared, type PreparedName } from './pieces.js';
import type { Found } from './plain-values.js';
import { PlainValues } from './plain-values.js';
import { withPrecedence } from './precedence.js';
import { refuse } from './refusals.js';
import { isMark, isWord, type Token } from './token.js';
import { readTypedLiteral } from './typed-literals.js';

const operators = new Set(['=', '<', '>', '<=', '>=', '<>', '!=', '+', '-', '*', '/', '%', '||', '::']);
const operatorHints: Readonly<Record<string, string>> = {
  '->': ': name a field of a document with a dot, as in address.city',
  '->>': ': name a field of a document with a dot, as in address.city',
  '~': ': use LIKE',
  '~*': ': use ILIKE',
  '==': ': use =',
  '<=>': ': use IS NOT DISTINCT FROM',
};
const foreignWords = new Set(['similar', 'overlaps', 'collate', 'symmetric']);

export function prepare(tokens: readonly Token[], verb: string, params: readonly unknown[]): Prepared {
  return new Preparation(tokens, verb, params).run();
}

class Preparation {
  private readonly tokens: readonly Token[];
  private readonly words: GrammarWords;
  private readonly parameters: Parameters;
  private readonly values: PlainValues;
  private readonly verb: string;
  private readonly names = new Numbered<PreparedName>();
  private readonly constants = new Numbered<Constant>();
  private readonly pieces: Piece[] = [];
  private at = 0;

  constructor(tokens: readonly Token[], verb: string, params: readonly unknown[]) {
    this.tokens = tokens;
    this.verb = verb;
    this.words = new GrammarWords(tokens, verb);
    this.parameters = new Parameters(params);
    this.values = new PlainValues(tokens, this.parameters);
  }

  run(): Prepared {
    while (this.at < this.tokens.length) this.step(this.tokens[this.at] as Token);
    this.parameters.finish();
    const { sql, indexAt } = joined(withPrecedence(this.pieces, this.verb));
    return { sql, indexAt, names: this.names.all, constants: this.constants.all };
  }

  private step(token: Token): void {
    switch (token.kind) {
      case 'word':
        this.word(token);
        return;
      case 'quoted':
        this.path(token);
        return;
      case 'operator':
        this.operator(token);
        return;
      case 'mark':
        this.mark(token);
        return;
      default: {
        const found = this.values.valueAt(this.at) as Found;
        this.constant(found.key, found.value, token.start, found.next);
        return;
      }
    }
  }

  private word(token: Token): void {
    if (this.words.isType(this.at)) {
      this.type();
      return;
    }
    if (this.isAt(this.at + 1, '.') || this.isWord(this.at - 1, 'as')) {
      this.path(token);
      return;
    }
    switch (token.text) {
      case 'is':
        this.is(token);
        return;
      case 'like':
      case 'ilike':
        this.like(token);
        return;
      case 'in':
        this.list(token);
        return;
      case 'true':
      case 'false':
      case 'null': {
        if (this.isBehindIs()) {
          this.raw(token, true);
          return;
        }
        const value = token.text === 'null' ? nullConstant : constantOf('boolean', token.text === 'true');
        this.constant(token.text, value, token.start, this.at + 1);
        return;
      }
      case 'limit':
        // no bound is none
        if (this.isWord(this.at + 1, 'all')) this.at += 2;
        else this.raw(token, false);
        return;
      default:
        this.otherWord(token);
        return;
    }
  }

  private otherWord(token: Token): void {
    const literal = readTypedLiteral(this.tokens, this.at);
    if (literal !== null) {
      this.constant(literal.key, literal.value, token.start, literal.next);
      return;
    }
    if (this.words.isGrammar(this.at)) {
      if (foreignWords.has(token.text)) this.refuseOperator(token);
      if (token.text === 'values') {
        this.rows(token);
        return;
      }
      this.raw(token, token.text === 'end');
      return;
    }
    const isTrim = token.text === 'trim' && this.isAt(this.at + 1, '(');
    if (isTrim && ['both', 'leading', 'trailing'].some((side) => this.isWord(this.at + 2, side))) {
      refuse('SQL_FUNCTION', 'TRIM with words in it is not known: use BTRIM, LTRIM or RTRIM.', token.start);
    }
    this.path(token);
  }

  /** A name with all its parts; the star behind a table's name stays apart. */
  private path(token: Token): void {
    const parts = [token.written ?? token.text];
    let next = this.at + 1;
    while (this.isAt(next, '.') && this.isName(next + 1)) {
      const part = this.tokens[next + 1] as Token;
      parts.push(part.written ?? part.text);
      next += 2;
    }
    const isWhole = parts.length === 1 && token.kind === 'quoted';
    const split = parts.flatMap((part) => part.split('.'));
    const number = this.names.add(JSON.stringify([split, isWhole]), () => ({ parts: split, isWhole }));
    this.push(`"n${number}"`, token.start, true);
    this.at = next;
  }

  /** The word or words of a type, and the numbers in parentheses that belong to it. */
  private type(): void {
    for (; this.words.isType(this.at); this.at += 1) {
      const token = this.tokens[this.at] as Token;
      this.push(token.text, token.start, true);
    }
    if (!this.isAt(this.at, '(')) return;
    for (let isOpen = true; isOpen && this.at < this.tokens.length; this.at += 1) {
      const token = this.tokens[this.at] as Token;
      this.push(token.text, token.start, true);
      isOpen = token.text !== ')';
    }
  }

  private is(token: Token): void {
    const isNot = this.isWord(this.at + 1, 'not');
    const next = this.at + (isNot ? 2 : 1);
    if (this.isWord(next, 'distinct') && this.isWord(next + 1, 'from')) {
      // two operators that no statement may hold, and that bind as a comparison does
      this.push(isNot ? '<@' : '@>', token.start, false);
      this.at = next + 2;
      return;
    }
    this.push('is', token.start, false);
    if (isNot) this.push('not', token.start, false);
    this.at = next;
    if (!this.isWord(next, 'unknown')) return;
    this.push('null', token.start, true);
    this.at = next + 1;
  }

  /** The pattern with its escape character as one value. */
  private like(token: Token): void {
    this.raw(token, false);
    const pattern = this.values.valueAt(this.at);
    const start = this.tokens[this.at]?.start ?? token.start;
    if (pattern === null) refuse('SQL_EXPRESSION', 'The pattern of LIKE is a text or a parameter.', start);
    const hasEscape = this.isWord(pattern.next, 'escape');
    const mark = hasEscape ? this.values.valueAt(pattern.next + 1) : null;
    if (hasEscape && mark === null) {
      refuse('SQL_EXPRESSION', 'The escape character of LIKE is a text or a parameter.', start);
    }
    this.constant(
      `like ${pattern.key} ${mark?.key}`,
      { form: 'pattern', pattern: pattern.value, escape: mark?.value ?? constantOf('string', '\\') },
      start,
      mark?.next ?? pattern.next,
    );
  }

  /** IN and its list: one value where nothing in it has to be worked out. */
  private list(token: Token): void {
    this.raw(token, false);
    const found = this.values.valuesAt(this.at);
    if (found === null) return;
    const start = this.tokens[this.at]?.start ?? token.start;
    this.mark(this.tokens[this.at] as Token);
    const items = found.values.map((item) => item.value);
    const key = `in ${found.values.map((item) => item.key).join()}`;
    this.constant(key, { form: 'list', items }, start, found.next - 1);
  }

  /** VALUES and its rows: those of plain values stand as one. */
  private rows(token: Token): void {
    this.raw(token, false);
    for (;;) {
      const start = this.tokens[this.at]?.start ?? token.start;
      const rows: { values: ValueConstant[]; index: number }[] = [];
      const keys: string[] = [];
      let next = this.at;
      for (
        let row = this.values.valuesAt(next);
        row !== null;
        row = this.isAt(next, ',') ? this.values.valuesAt(next + 1) : null
      ) {
        rows.push({
          values: row.values.map((item) => item.value),
          index: this.tokens[row.from]?.start ?? start,
        });
        keys.push(row.values.map((item) => item.key).join());
        next = row.next;
      }
      if (rows.length === 0) return;
      this.push('(', start, false);
      this.constant(`rows ${keys.join(';')} ${start}`, { form: 'rows', rows }, start, next);
      this.push(')', start, true);
      if (!this.isAt(next, ',')) return;
      this.mark(this.tokens[next] as Token);
    }
  }

  private operator(token: Token): void {
    if (!operators.has(token.text)) this.refuseOperator(token);
    const isSign = token.text === '-' && this.pieces.at(-1)?.endsOperand !== true;
    const found = isSign ? this.values.valueAt(this.at) : null;
    if (found !== null) {
      this.constant(found.key, found.value, token.start, found.next);
      return;
    }
    this.raw(token, token.text === '*' && this.isAt(this.at - 1, '.'));
  }

  private mark(token: Token): void {
    this.raw(token, token.text === ')' || token.text === ']');
  }

  private raw(token: Token, endsOperand: boolean): void {
    this.push(token.text, token.start, endsOperand);
    this.words.passed(this.at);
    this.at += 1;
  }

  private constant(key: string, value: Constant, start: number, next: number): void {
    // the parser knows $0 for no parameter
    this.push(`$${this.constants.add(key, () => value) + 1}`, start, true);
    this.at = next;
  }

  private push(text: string, start: number, endsOperand: boolean): void {
    this.pieces.push({ text, start, endsOperand });
  }

  private refuseOperator(token: Token): never {
    const hint = Object.hasOwn(operatorHints, token.text) ? operatorHints[token.text] : '';
    refuse(
      'SQL_EXPRESSION',
      `The operator ${token.text.toUpperCase()} cannot be represented${hint}.`,
      token.start,
    );
  }

  private isBehindIs(): boolean {
    const before = this.pieces.at(-1)?.text;
    return before === 'is' || (before === 'not' && this.pieces.at(-2)?.text === 'is');
  }

  private isName(index: number): boolean {
    const kind = this.tokens[index]?.kind;
    return kind === 'word' || kind === 'quoted';
  }

  private isAt(index: number, mark: string): boolean {
    return isMark(this.tokens, index, mark);
  }

  private isWord(index: number, word: string): boolean {
    return isWord(this.tokens, index, word);
  }
}

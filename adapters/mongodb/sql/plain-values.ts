/** Reads values that stand in a statement as they are, one or a list in parentheses: literals and parameters. */
import { constantOf, nullConstant, numberOf, type ValueConstant } from './constants.js';
import type { Parameters } from './parameters.js';
import { isMark, type Token } from './token.js';
import { readTypedLiteral } from './typed-literals.js';

export interface Found {
  /** Equal for equal values. */
  readonly key: string;
  readonly value: ValueConstant;
  /** Index of the token behind it. */
  readonly next: number;
}

export class PlainValues {
  private readonly tokens: readonly Token[];
  private readonly parameters: Parameters;

  constructor(tokens: readonly Token[], parameters: Parameters) {
    this.tokens = tokens;
    this.parameters = parameters;
  }

  /** The plain value that begins at a token, or null. */
  valueAt(index: number): Found | null {
    const token = this.tokens[index];
    switch (token?.kind) {
      case 'string':
        return { key: `'${token.text}'`, value: constantOf('string', token.text), next: index + 1 };
      case 'number':
        return { key: token.text, value: numberOf(token.text, false, token.start), next: index + 1 };
      case 'parameter': {
        const { number, value } = this.parameters.take(token);
        return { key: `$${number}`, value, next: index + 1 };
      }
      case 'operator': {
        const number = this.tokens[index + 1];
        if (token.text !== '-' || number?.kind !== 'number') return null;
        return { key: `-${number.text}`, value: numberOf(number.text, true, token.start), next: index + 2 };
      }
      case 'word': {
        if (token.text === 'null') return { key: 'null', value: nullConstant, next: index + 1 };
        if (token.text === 'true' || token.text === 'false') {
          return { key: token.text, value: constantOf('boolean', token.text === 'true'), next: index + 1 };
        }
        const literal = readTypedLiteral(this.tokens, index);
        return literal?.value.form === 'value' ? { ...literal, value: literal.value } : null;
      }
      default:
        return null;
    }
  }

  /** Plain values in parentheses that begin at a token; null where anything else stands among them. */
  valuesAt(from: number): { values: Found[]; from: number; next: number } | null {
    if (!isMark(this.tokens, from, '(')) return null;
    const taken = this.parameters.mark();
    const values: Found[] = [];
    for (let next = from + 1; ; ) {
      const value = this.valueAt(next);
      if (value === null) break;
      values.push(value);
      if (isMark(this.tokens, value.next, ')')) return { values, from, next: value.next + 1 };
      if (!isMark(this.tokens, value.next, ',')) break;
      next = value.next + 1;
    }
    this.parameters.back(taken);
    return null;
  }
}

/** Which value each `$1` or `?` of a statement stands for. */
import { parameterOf, type ValueConstant } from './constants.js';
import { refuse } from './refusals.js';
import type { Token } from './token.js';

export class Parameters {
  private readonly values: readonly unknown[];
  private form: 'numbered' | 'in turn' | null = null;
  private highest = 0;

  constructor(values: readonly unknown[]) {
    this.values = values;
  }

  /** The number a token stands for, and its value. */
  take(token: Token): { readonly number: number; readonly value: ValueConstant } {
    const form = token.text === '?' ? 'in turn' : 'numbered';
    if (this.form !== null && this.form !== form) {
      refuse('SQL_PARAMETER', 'Parameters are all written as $1, $2 and so on, or all as ?.', token.start);
    }
    this.form = form;
    const number = form === 'in turn' ? this.highest + 1 : Number(token.text.slice(1));
    if (number < 1 || number > this.values.length) {
      refuse('SQL_PARAMETER', 'There is no value for this parameter.', token.start);
    }
    this.highest = Math.max(this.highest, number);
    return { number, value: parameterOf(this.values[number - 1], number, token.start) };
  }

  /** A state to go back to, where what was read is read again. */
  mark(): number {
    return this.highest;
  }

  back(mark: number): void {
    this.highest = mark;
  }

  /** To be called at the end of the statement: a value that nothing names is as wrong as one that is missing. */
  finish(): void {
    if (this.highest === this.values.length) return;
    refuse(
      'SQL_PARAMETER',
      `The statement has ${this.highest} parameters, and ${this.values.length} values are given.`,
      null,
    );
  }
}

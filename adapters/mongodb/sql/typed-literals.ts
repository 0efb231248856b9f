/** Literals that begin with the name of their type: `DATE '2024-05-01'`, `INTERVAL '7 days'`. */
import { constantOf, type IntervalConstant, type ValueConstant } from './constants.js';
import { readDate, readInterval } from './dates.js';
import { refuse } from './refusals.js';
import type { Token } from './token.js';

interface TypedLiteral {
  readonly key: string;
  readonly value: ValueConstant | IntervalConstant;
  /** Index of the token behind it. */
  readonly next: number;
}

/** The literal that begins at a token; null where none does. Refuses a text that its type does not have. */
export function readTypedLiteral(tokens: readonly Token[], at: number): TypedLiteral | null {
  const type = tokens[at];
  if (type?.kind !== 'word' || !/^(?:date|timestamp|timestamptz|interval|time)$/.test(type.text)) return null;
  const literal = at + (isZoned(tokens, at + 1) ? 4 : 1);
  const token = tokens[literal];
  if (token?.kind !== 'string') return null;
  const value = read(type.text, token.text);
  if (value === null) {
    refuse('SQL_INVALID', `The text behind ${type.text.toUpperCase()} cannot be read as one.`, token.start);
  }
  return { key: `${type.text} '${token.text}'`, value, next: literal + 1 };
}

function isZoned(tokens: readonly Token[], at: number): boolean {
  const words = tokens.slice(at, at + 3).map((token) => token.text);
  return ['with time zone', 'without time zone'].includes(words.join(' '));
}

function read(type: string, text: string): ValueConstant | IntervalConstant | null {
  if (type === 'interval') return readInterval(text);
  // there is no time of day without a day
  const date = type === 'time' ? null : readDate(text, type === 'date');
  return date === null ? null : constantOf('date', date);
}

/** What the first character of a token says of it, per dialect: the lexer's dispatch table. */
import { bitsOf, characterBits, isDigit } from './characters.js';
import type { Dialect } from './shape.js';

export const leads = {
  other: 0,
  space: 1,
  word: 2,
  digit: 3,
  quote: 4,
  doubleQuote: 5,
  backtick: 6,
  dollar: 7,
  dot: 8,
  colon: 9,
  /** A character that is a token by itself; its kind is in `soloKinds`. */
  solo: 10,
  operator: 11,
  minus: 12,
  slash: 13,
  hash: 14,
  question: 15,
  at: 16,
  backslash: 17,
} as const;

const letters = characterBits.lower | characterBits.upper;

export function leadTable(dialect: Dialect): Uint8Array {
  const table = new Uint8Array(128);
  for (let code = 0; code < 128; code++) {
    if ((bitsOf(code) & letters) !== 0) table[code] = leads.word;
    else if (isDigit(code)) table[code] = leads.digit;
  }
  const put = (characters: string, lead: number): void => {
    for (const c of characters) table[c.charCodeAt(0)] = lead;
  };
  put(' \t\n\r\f\v', leads.space);
  put('_', leads.word);
  put('()[],;', leads.solo);
  put('+*<>=~!%^&|', leads.operator);
  put("'", leads.quote);
  put('"', leads.doubleQuote);
  put('.', leads.dot);
  put(':', leads.colon);
  put('-', leads.minus);
  put('/', leads.slash);
  put('$', dialect.hasDollarParameters || dialect.hasDollarQuotes ? leads.dollar : leads.word);
  put('`', dialect.hasBacktickIdentifiers ? leads.backtick : leads.operator);
  put('#', dialect.hasHashComments ? leads.hash : leads.operator);
  put('?', dialect.hasQuestionMarkParameters ? leads.question : leads.operator);
  if (dialect.hasBackslashNull) put('\\', leads.backslash);
  put('@', dialect.hasCustomOperators ? leads.operator : leads.at);
  return table;
}

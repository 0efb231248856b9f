/**
 * What an ASCII character may be part of, as bits, so that a name's make-up is known from one OR per character.
 * Characters beyond ASCII are letters to every dialect here.
 */
export const characterBits = {
  lower: 1,
  upper: 2,
  digit: 4,
  /** Underscore and dollar. */
  joiner: 8,
  /** Seen in quoted names only: space and hyphen, as in `"Order date"`. */
  spacer: 16,
  /** Seen in quoted names only: anything else, control characters included. */
  odd: 32,
  beyondAscii: 64,
} as const;

const { lower, upper, digit, joiner, spacer, odd } = characterBits;

/** One entry for each UTF-16 unit, so that the lexer's inner loop looks up without a branch. */
const bits = new Uint8Array(0x10000).fill(characterBits.beyondAscii).fill(odd, 0, 128);
for (let c = 0x61; c <= 0x7a; c++) bits[c] = lower;
for (let c = 0x41; c <= 0x5a; c++) bits[c] = upper;
for (let c = 0x30; c <= 0x39; c++) bits[c] = digit;
for (const c of '_$') bits[c.charCodeAt(0)] = joiner;
for (const c of ' -') bits[c.charCodeAt(0)] = spacer;

/** Quotes of a word processor, each with the marks that close it: a server takes them for letters, people do not. */
const closings = new Map<number, string>(
  Object.entries({
    '\u00ab': '\u00bb',
    '\u00bb': '\u00ab\u00bb',
    '\u00b4': '\u00b4',
    '\u2018': '\u2019',
    '\u2019': '\u2019\u2018',
    '\u201a': '\u2018\u2019',
    '\u201b': '\u2019',
    '\u201c': '\u201d',
    '\u201d': '\u201d\u201c',
    '\u201e': '\u201c\u201d',
    '\u201f': '\u201d',
    '\u2039': '\u203a',
    '\u203a': '\u2039\u203a',
    '\uff02': '\uff02',
    '\uff07': '\uff07',
  }).map(([open, close]) => [open.charCodeAt(0), close]),
);
for (const code of closings.keys()) bits[code] = odd;

/** What closes the typographic quote `code`; undefined for any other character. */
export const closingsOf = (code: number): string | undefined => closings.get(code);

/** Bits of a UTF-16 unit. */
export const bitsOf = (code: number): number => bits[code] ?? 0;

const wordBits = lower | upper | digit | joiner | characterBits.beyondAscii;

/** True for bits of a character that may continue an unquoted name. */
export const isWordPart = (characterBit: number): boolean => (characterBit & wordBits) !== 0;

export const isDigit = (code: number): boolean => code >= 0x30 && code <= 0x39;

export const isHexDigit = (code: number): boolean =>
  isDigit(code) || ((code | 0x20) >= 0x61 && (code | 0x20) <= 0x66);

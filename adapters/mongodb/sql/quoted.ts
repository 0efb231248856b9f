/** String literals and quoted names: where they end, and what they say. */
import { refuse } from './refusals.js';
import type { Token } from './token.js';

const escapes: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };
const escapePattern =
  /\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|x([0-9A-Fa-f]{1,2})|([0-7]{1,3})|([\s\S]))|''/g;

/** The string whose opening quote stands at `open`; with `escapes`, backslashes mean something, as in `E'…'`. */
export function readString(text: string, start: number, open: number, form: 'standard' | 'escapes'): Token {
  const end = form === 'standard' ? endOfQuoted(text, open, "'") : endOfEscaped(text, open);
  if (end < 0) refuse('SQL_SYNTAX', 'A string never ends.', start);
  const inside = text.slice(open + 1, end - 1);
  const value = form === 'standard' ? inside.replaceAll("''", "'") : unescaped(inside, start);
  return { kind: 'string', text: value, start, end };
}

export function readQuoted(text: string, start: number): Token {
  const end = endOfQuoted(text, start, '"');
  if (end < 0) refuse('SQL_SYNTAX', 'A quoted name never ends.', start);
  return { kind: 'quoted', text: text.slice(start + 1, end - 1).replaceAll('""', '"'), start, end };
}

/** Index after the closing mark; a doubled mark is none. */
function endOfQuoted(text: string, open: number, mark: string): number {
  for (let at = text.indexOf(mark, open + 1); at >= 0; at = text.indexOf(mark, at + 2)) {
    if (text.charAt(at + 1) !== mark) return at + 1;
  }
  return -1;
}

function endOfEscaped(text: string, open: number): number {
  for (let at = open + 1; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (character === '\\') at += 1;
    else if (character === "'") {
      if (text.charAt(at + 1) !== "'") return at + 1;
      at += 1;
    }
  }
  return -1;
}

function unescaped(inside: string, start: number): string {
  return inside.replace(escapePattern, (whole, short, long, hex, octal, other) => {
    if (whole === "''") return "'";
    if (other !== undefined) return escapes[other] ?? other;
    if (octal !== undefined) return String.fromCharCode(Number.parseInt(octal, 8) & 0xff);
    const code = Number.parseInt(short ?? long ?? hex, 16);
    if (code > 0x10ffff) refuse('SQL_SYNTAX', 'An escape in a string names no character.', start);
    return String.fromCodePoint(code);
  });
}

/**
 * Splits the text of a statement into tokens; values are read here, so that the parser never sees one.
 * Lexical rules: https://www.postgresql.org/docs/current/sql-syntax-lexical.html, and `?` as a parameter.
 */

import { readQuoted, readString } from './quoted.js';
import { refuse } from './refusals.js';
import type { Token } from './token.js';

const wordPattern = /[\p{L}_][\p{L}\p{N}_$]*/uy;
const numberPattern = /(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?/y;
const spacePattern = /\s+/y;
const lineCommentPattern = /--[^\r\n]*/y;
const dollarQuotePattern = /\$(?:[A-Za-z_][A-Za-z0-9_]*)?\$/y;
const parameterPattern = /\$\d+|\?/y;
const operatorPattern = /<=|>=|<>|!=|\|\||::|->>|->|[=<>+\-*/%]/y;
/** Operators of other databases: known for what they are, and taken by none of ours. */
const foreignOperatorPattern = /[~!@#%^&|<>=?]+|:=|:/y;
/** An operator that we know, and a parameter behind it. */
const gluedParameterPattern = /^(?:<=|>=|<>|!=|\|\||[=<>%])\?$/;
const namedParameterPattern = /[:@][\p{L}_]/uy;
const marks = '(),.;[]';

export function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  for (let at = skipSpace(text, 0); at < text.length; ) {
    const token = readToken(text, at);
    tokens.push(token);
    at = skipSpace(text, token.end);
  }
  return tokens;
}

function readToken(text: string, at: number): Token {
  const character = text.charAt(at);
  if (character === "'") return readString(text, at, at, 'standard');
  if (character === '"') return readQuoted(text, at);
  if (character === '`') refuse('SQL_SYNTAX', 'Names are quoted with double quotes, not with backticks.', at);
  const prefixed = readPrefixed(text, at);
  if (prefixed !== null) return prefixed;
  const word = matchAt(wordPattern, text, at);
  if (word !== null) {
    return { kind: 'word', text: word.toLowerCase(), written: word, start: at, end: at + word.length };
  }
  const number = matchAt(numberPattern, text, at);
  if (number !== null) return readNumber(text, number, at);
  const quote = matchAt(dollarQuotePattern, text, at);
  if (quote !== null) return readDollarQuoted(text, quote, at);
  const parameter = matchAt(parameterPattern, text, at);
  if (parameter !== null)
    return { kind: 'parameter', text: parameter, start: at, end: at + parameter.length };
  if (marks.includes(character)) return { kind: 'mark', text: character, start: at, end: at + 1 };
  return readOperator(text, at);
}

/** `E'…'`; the other prefixed literals have no value here. */
function readPrefixed(text: string, at: number): Token | null {
  if (/^[eE]'/.test(text.slice(at, at + 2))) return readString(text, at, at + 1, 'escapes');
  if (/^(?:[bBxXnN]'|[uU]&['"])/.test(text.slice(at, at + 3))) {
    refuse('SQL_EXPRESSION', "Write text as '…' or E'…'; give bytes as a parameter.", at);
  }
  return null;
}

function readNumber(text: string, number: string, at: number): Token {
  const end = at + number.length;
  if (matchAt(wordPattern, text, end) !== null) refuse('SQL_SYNTAX', 'A number runs into a word.', at);
  return { kind: 'number', text: number, start: at, end };
}

function readDollarQuoted(text: string, quote: string, at: number): Token {
  const close = text.indexOf(quote, at + quote.length);
  if (close < 0) refuse('SQL_SYNTAX', 'A string that begins with a dollar quote never ends.', at);
  return { kind: 'string', text: text.slice(at + quote.length, close), start: at, end: close + quote.length };
}

function readOperator(text: string, at: number): Token {
  if (!text.startsWith('::', at) && matchAt(namedParameterPattern, text, at) !== null) {
    refuse('SQL_PARAMETER', 'Parameters are written as $1, $2 and so on, or as ?.', at);
  }
  const known = matchAt(operatorPattern, text, at);
  const longest = matchAt(foreignOperatorPattern, text, at);
  if (longest !== null && longest.length > (known?.length ?? 0) && !gluedParameterPattern.test(longest)) {
    return { kind: 'operator', text: longest, start: at, end: at + longest.length };
  }
  if (known !== null) return { kind: 'operator', text: known, start: at, end: at + known.length };
  refuse('SQL_SYNTAX', 'There is a character that no statement can hold.', at);
}

/** After white space and comments, which nest. */
function skipSpace(text: string, from: number): number {
  let at = from;
  for (;;) {
    const space = matchAt(spacePattern, text, at);
    if (space !== null) at += space.length;
    else if (text.startsWith('--', at)) {
      at += (matchAt(lineCommentPattern, text, at) as string).length;
    } else if (text.startsWith('/*', at)) at = skipComment(text, at);
    else return at;
  }
}

function skipComment(text: string, start: number): number {
  const edge = /\/\*|\*\//g;
  edge.lastIndex = start;
  let depth = 0;
  for (let found = edge.exec(text); found !== null; found = edge.exec(text)) {
    depth += found[0] === '/*' ? 1 : -1;
    if (depth === 0) return edge.lastIndex;
  }
  refuse('SQL_SYNTAX', 'A comment never ends.', start);
}

function matchAt(pattern: RegExp, text: string, at: number): string | null {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0] ?? null;
}

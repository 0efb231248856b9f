/**
 * A server's message made fit to be remembered. Invariant: every word of the answer is a word of `messageWords` or one
 * of the names the caller vouches for; all else (quoted text, numbers, keys, failing rows, words of a RAISE, text in
 * another language) becomes `?`. It errs on the side of taking too much: the answer is for display and nothing more.
 */
import { limits } from '../limits.js';
import { messageWords } from './message-words.js';
import { isPlainName } from './safe-name.js';

/** Quotation marks of any server language. */
const quotes = /["'`\u00ab\u00bb\u2018-\u201f\u2039\u203a\u300c-\u300f\uff02\uff07]/;
const firstAndLastQuote = new RegExp(`${quotes.source}.*${quotes.source}`, 'su');
/** `Key (email)=(…)`, `Failing row contains (…)`, `(a, b)`: a bracket that is not part of a name before it. */
const bracketed = /(^|[\s=:])[([{].*[)\]}]/s;
/** Stands for the n-th known name while the text around it is taken apart; not a word, not a quote, not a bracket. */
const placeholder = (index: number) => String.fromCharCode(0xe000 + index);
const placeholders = /[\ue000-\uf8ff]/gu;
const tokens = /[\ue000-\uf8ff]|\w[\w$]*|[=<>!+*/|,.:;()-]|\s+|[^\s\w]/gu;
const maxKnownNames = 64;

/**
 * `message` without anything that could be a value, on one line, ASCII, at most `limits.maxDetailBytes` long.
 * `knownNames` may stay where the message quotes them: pass names from the error's own fields and from the catalog.
 */
export function redactDetail(message: string, knownNames: Iterable<string> = []): string {
  const names = usableNames(knownNames);
  let text = withoutControls(message.slice(0, 4 * limits.maxDetailBytes));
  names.forEach((name, index) => {
    for (const [open, close] of quotePairs) text = text.replaceAll(open + name + close, placeholder(index));
  });
  return keepWords(text, names, names);
}

/** Where names stand in a message: [start, end) of UTF-16 units, in ascending order. */
type NameRanges = readonly (readonly [start: number, end: number])[];

/** The same for a server that quotes names and values alike: a name may stay at its place in `ranges` and nowhere else. */
export function redactAround(message: string, ranges: NameRanges): string {
  const names: string[] = [];
  let text = '';
  let from = 0;
  for (const [start, end] of ranges) {
    const parts = message.slice(start, end).split(partEnd);
    if (start < from || names.length + parts.length > maxKnownNames || !parts.every(isPlainName)) continue;
    text += withoutControls(message.slice(from, start)).replace(/['"`]$/, '');
    text += parts.map((part) => placeholder(names.push(part) - 1)).join('.');
    from = /['"`]/.test(message[end] ?? '') ? end + 1 : end;
  }
  text += withoutControls(message.slice(from, from + 4 * limits.maxDetailBytes));
  return keepWords(text.replace(contraction, expand), names, []);
}

const partEnd = /['"`]?\.['"`]?/;
/** The apostrophe of the server's own prose is no quotation mark. */
const contraction = /\b(ca|could|do|does|has|is|are|was|were|would|should)n't\b/gi;

function expand(_: string, verb: string): string {
  return verb.toLowerCase() === 'ca' ? `${verb}nnot` : `${verb} not`;
}

function withoutControls(text: string): string {
  return text.replace(/[\p{Cc}\p{Co}\p{Cs}]+/gu, ' ');
}

/** `names` are what the placeholders stand for; `words` of them may stand without quotes too. */
function keepWords(marked: string, names: readonly string[], words: readonly string[]): string {
  const text = marked.replace(firstAndLastQuote, '?').replace(bracketed, '$1?');
  const kept: string[] = [];
  for (const [token] of text.matchAll(tokens)) kept.push(keep(token, words));
  return cap(
    kept
      .join('')
      .replace(placeholders, (mark) => `"${names[mark.charCodeAt(0) - 0xe000] ?? '?'}"`)
      .replace(/\?(?:[\s?.:;,=<>!+*/|()-]*\?)+/g, '?')
      .replace(/\s+/g, ' ')
      .trim(),
  );
}

const quotePairs = [
  ['"', '"'],
  ['\u00ab', '\u00bb'],
  ['\u00bb', '\u00ab'],
  ['\u201e', '\u201c'],
  ['\u201c', '\u201d'],
  ['\u300c', '\u300d'],
] as const;

function usableNames(knownNames: Iterable<string>): string[] {
  const names = new Set<string>();
  for (const name of knownNames) {
    if (names.size >= maxKnownNames) break;
    if (isPlainName(name)) names.add(name);
  }
  return [...names];
}

function keep(token: string, words: readonly string[]): string {
  if (/^[\ue000-\uf8ff=<>!+*/|,.:;()\s-]/u.test(token)) return token;
  if (messageWords.has(token.toLowerCase())) return token;
  return words.includes(token) ? token : '?';
}

function cap(text: string): string {
  if (text.length <= limits.maxDetailBytes) return text;
  const cut = text.slice(0, limits.maxDetailBytes);
  const lastSpace = cut.lastIndexOf(' ');
  return lastSpace > 0 ? cut.slice(0, lastSpace) : cut;
}

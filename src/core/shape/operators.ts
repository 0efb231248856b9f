/**
 * Where an operator ends. PostgreSQL: the longest run of operator characters, cut before a comment, and without a
 * trailing sign unless the run has a character that allows one
 * (https://www.postgresql.org/docs/current/sql-syntax-lexical.html#SQL-SYNTAX-OPERATORS). Others: a fixed list.
 */
const operatorCharacters = new Uint8Array(128);
for (const c of '+-*/<>=~!@#%^&|`?') operatorCharacters[c.charCodeAt(0)] = 1;
/** Characters that let an operator end in `+` or `-`. */
for (const c of '~!@#%^&|`?') operatorCharacters[c.charCodeAt(0)] = 2;

/** No operator is longer (NAMEDATALEN - 1); also what keeps a run of trimmed signs linear. */
const maxOperatorLength = 63;

const minus = 0x2d;
const plus = 0x2b;
const slash = 0x2f;
const star = 0x2a;

export function scanCustomOperator(text: string, start: number, end: number): number {
  const bound = Math.min(end, start + maxOperatorLength);
  let i = start;
  let allowsSign = false;
  while (i < bound) {
    const code = text.charCodeAt(i);
    const character = code < 128 ? (operatorCharacters[code] ?? 0) : 0;
    if (character === 0) break;
    if (i > start && i + 1 < end) {
      const next = text.charCodeAt(i + 1);
      if ((code === minus && next === minus) || (code === slash && next === star)) break;
    }
    if (character === 2) allowsSign = true;
    i++;
  }
  while (!allowsSign && i - start > 1) {
    const last = text.charCodeAt(i - 1);
    if (last !== minus && last !== plus) break;
    i--;
  }
  return i;
}

const fixedOperators = ['<=>', '->>', '->', ':=', '<>', '!=', '<=', '>=', '||', '&&', '<<', '>>'];
const secondCharacters = new Uint8Array(128);
for (const operator of fixedOperators) secondCharacters[operator.charCodeAt(1)] = 1;

export function scanFixedOperator(text: string, start: number, end: number): number {
  const next = start + 1 < end ? text.charCodeAt(start + 1) : 0;
  if (next > 127 || secondCharacters[next] === 0) return start + 1;
  for (const operator of fixedOperators) {
    if (start + operator.length <= end && text.startsWith(operator, start)) return start + operator.length;
  }
  return start + 1;
}

const singles: string[] = [];
for (let code = 0; code < 128; code++) singles.push(String.fromCharCode(code));

/** Canonical text of the operator at [start, end). */
export function operatorText(text: string, start: number, end: number): string {
  if (end - start === 1) return singles[text.charCodeAt(start)] ?? '';
  const operator = text.slice(start, end);
  return operator === '!=' ? '<>' : operator;
}

const comparingSingles = '=<>~:';
const comparing = new Set([
  '<>',
  '!=',
  '<=',
  '>=',
  '==',
  '<=>',
  ':=',
  '=>',
  '~*',
  '!~',
  '!~*',
  '~~',
  '~~*',
  '!~~',
  '!~~*',
]);

/** True for an operator that compares or assigns: what stands right of it is mostly a value. */
export function isComparing(text: string, start: number, end: number): boolean {
  return end - start === 1
    ? comparingSingles.includes(text.charAt(start))
    : comparing.has(text.slice(start, end));
}

/** Which table a statement writes, read from its canonical form: the main statement's own, never that of a CTE. */
import type { TableModel } from '../schema/model.js';

const fillers: ReadonlySet<string> = new Set(['into', 'from', 'only']);
/** Words of the MySQL family before a table, which elsewhere may be the table's own name. */
const modifiers: ReadonlySet<string> = new Set([
  'ignore',
  'low_priority',
  'high_priority',
  'delayed',
  'quick',
]);
const writers: ReadonlySet<string> = new Set([
  'insert',
  'replace',
  'update',
  'delete',
  'merge',
  'copy',
  'load',
]);
const readers: ReadonlySet<string> = new Set(['select', 'values', 'table']);

/** The name as the statement writes it, without quotes; null where it writes no table by itself. */
export function writtenTable(shape: string): string | null {
  const tokens = shape.split(' ', 4_000);
  let depth = 0;
  for (const [index, token] of tokens.entries()) {
    if (token === '(') depth += 1;
    else if (token === ')') depth -= 1;
    if (depth !== 0) continue;
    if (readers.has(token)) return null;
    if (token === 'load') return loadedTable(tokens);
    if (token === 'update' && updatesSeveral(tokens, index)) return null;
    if (writers.has(token)) return nameAfter(tokens, index + 1);
    // Only CTEs and EXPLAIN stand before the main verb.
    if (index === 0 && token !== 'with' && token !== 'explain') return null;
  }
  return null;
}

/** LOAD DATA INFILE ? INTO TABLE t. */
function loadedTable(tokens: readonly string[]): string | null {
  const index = tokens.indexOf('table');
  return index > 0 && tokens[index - 1] === 'into' ? nameAfter(tokens, index + 1) : null;
}

/** UPDATE a JOIN b SET, UPDATE a, b SET: which of them is written stands in SET, if it does. */
function updatesSeveral(tokens: readonly string[], update: number): boolean {
  const set = tokens.indexOf('set', update);
  return tokens.slice(update, set < 0 ? undefined : set).some((token) => token === 'join' || token === ',');
}

function nameAfter(tokens: readonly string[], from: number): string | null {
  let index = from;
  while (fillers.has(tokens[index] ?? '') || isModifier(tokens, index)) index += 1;
  const token = tokens[index] ?? '';
  // A quoted name with a space in it is more than one token here.
  const isWhole = token.split('"').length % 2 === 1 && token.split('`').length % 2 === 1;
  const name = token.replace(/["`]/g, '');
  return isWhole && /^[^\s()?]+$/.test(name) ? name : null;
}

function isModifier(tokens: readonly string[], index: number): boolean {
  const next = tokens[index + 1] ?? '(';
  return (
    modifiers.has(tokens[index] ?? '') && !/^(?:[(?;]|set|values?|select|where|as|default|using)$/.test(next)
  );
}

/** True where `name`, qualified or not, may be that of `table`. */
export function isNameOf(name: string, table: TableModel): boolean {
  return name === table.name || name === `${table.schema}.${table.name}`;
}

/** `users` of `public.users`. */
export function lastPart(name: string): string {
  return name.slice(name.lastIndexOf('.') + 1);
}

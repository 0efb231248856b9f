/** Which table a statement writes, read from its canonical form: the main statement's own, never that of a CTE. */
import type { TableModel } from '../schema/model.js';

const fillers: ReadonlySet<string> = new Set(['into', 'from', 'only']);
const writers: ReadonlySet<string> = new Set(['insert', 'update', 'delete', 'merge', 'copy']);
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
    if (writers.has(token)) return nameAfter(tokens, index + 1);
    // Only CTEs and EXPLAIN stand before the main verb.
    if (index === 0 && token !== 'with' && token !== 'explain') return null;
  }
  return null;
}

function nameAfter(tokens: readonly string[], from: number): string | null {
  let index = from;
  while (fillers.has(tokens[index] ?? '')) index += 1;
  const token = tokens[index] ?? '';
  // A quoted name with a space in it is more than one token here.
  const isWhole = token.split('"').length % 2 === 1;
  const name = token.replaceAll('"', '');
  return isWhole && /^[^\s()?]+$/.test(name) ? name : null;
}

/** True where `name`, qualified or not, may be that of `table`. */
export function isNameOf(name: string, table: TableModel): boolean {
  return name === table.name || name === `${table.schema}.${table.name}`;
}

/** `users` of `public.users`. */
export function lastPart(name: string): string {
  return name.slice(name.lastIndexOf('.') + 1);
}

/**
 * Order-independent hashes of what a schema declares (docs/fingerprints.md). Each line is hashed alone and lines are
 * added modulo 2^64, so neither the order of rows nor that of tables matters, and the sum over any set of tables comes
 * from the tables' own sums. Invariant: what these lines say is stored in records; changing them makes every record
 * stale.
 */
import { hash } from 'node:crypto';
import type { ColumnModel, ConstraintModel, TableKind } from './model.js';

/** The sum over nothing, and the start of every sum. */
export const emptySum = 0n;

/** Adds modulo 2^64. */
export function addToSum(sum: bigint, summand: bigint): bigint {
  return BigInt.asUintN(64, sum + summand);
}

/** A sum as records carry it: 16 lower-case hex digits. */
export function sumAsHex(sum: bigint): string {
  return sum.toString(16).padStart(16, '0');
}

interface TableIdentity {
  readonly schema: string;
  readonly name: string;
  readonly kind: TableKind;
  readonly detail?: string;
}

/** Hash of a table's existence and its columns. */
export function hashColumns(table: TableIdentity, columns: readonly ColumnModel[]): bigint {
  // A table without columns exists all the same, and so differs from one that does not.
  const exists = ['table', table.schema, table.name, table.kind];
  if (table.detail !== undefined) exists.push(table.detail);
  let sum = hashLine(exists);
  for (const { name, type, isNotNull, rank, typeDetail } of columns) {
    const nullability = isNotNull ? 'not null' : 'null';
    const line = ['column', table.schema, table.name, table.kind, name, type, nullability, String(rank)];
    if (typeDetail !== undefined) line.push(typeDetail);
    sum = addToSum(sum, hashLine(line));
  }
  return sum;
}

/** Hash of a table's constraints, unique indexes and triggers. */
export function hashConstraints(table: TableIdentity, constraints: readonly ConstraintModel[]): bigint {
  let sum = emptySum;
  for (const { kind, name, columns, definition, references } of constraints) {
    const line = [
      'constraint',
      table.schema,
      table.name,
      kind,
      name,
      definition,
      references ?? '',
      ...columns,
    ];
    sum = addToSum(sum, hashLine(line));
  }
  return sum;
}

/** Hash of a table that does not exist, by its name as the statement writes it. */
export function hashAbsent(name: string): bigint {
  return hashLine(['absent', name]);
}

/** Hash of a table of the server itself: part of the product, the same whatever a user declares. */
export function hashSystem(name: string): bigint {
  return hashLine(['system', name]);
}

/** No server lets a NUL into a name, so it cannot be confused with part of one. */
function hashLine(words: readonly string[]): bigint {
  return BigInt(`0x${hash('sha256', words.join('\0')).slice(0, 16)}`);
}

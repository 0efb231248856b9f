/** Values of a statement: literals and parameters, with the kind by which MongoDB compares them. */
import { refuse } from './refusals.js';

/** `other`: what is compared as the server does it, such as Timestamp or Binary. */
export type ValueKind =
  | 'null'
  | 'number'
  | 'string'
  | 'boolean'
  | 'date'
  | 'objectId'
  | 'array'
  | 'document'
  | 'other';

export interface ValueConstant {
  readonly form: 'value';
  readonly kind: ValueKind;
  readonly value: unknown;
}

export interface IntervalConstant {
  readonly form: 'interval';
  readonly months: number;
  readonly milliseconds: number;
}

/** What the places of a prepared statement stand for. */
export type Constant =
  | ValueConstant
  | IntervalConstant
  /** LIKE's pattern with its escape character. */
  | { readonly form: 'pattern'; readonly pattern: ValueConstant; readonly escape: ValueConstant }
  /** What stands in the parentheses of IN, where nothing in them is an expression. */
  | { readonly form: 'list'; readonly items: readonly ValueConstant[] }
  /** Rows of VALUES in which nothing is an expression, and where each begins in the text. */
  | { readonly form: 'rows'; readonly rows: readonly ConstantRow[] };

export interface ConstantRow {
  readonly values: readonly ValueConstant[];
  readonly index: number;
}

export const nullConstant: ValueConstant = { form: 'value', kind: 'null', value: null };

export function constantOf(kind: ValueKind, value: unknown): ValueConstant {
  return { form: 'value', kind, value };
}

/** Whole numbers beyond 32 bits become 64-bit ones, and what has a fraction or an exponent a double. */
export function numberOf(text: string, isNegative: boolean, index: number): ValueConstant {
  if (/^\d+$/.test(text)) {
    const whole = isNegative ? -BigInt(text) : BigInt(text);
    if (BigInt.asIntN(64, whole) !== whole) {
      refuse('SQL_EXPRESSION', 'A whole number beyond 64 bits: give a Decimal128 as a parameter.', index);
    }
    return constantOf('number', BigInt.asIntN(32, whole) === whole ? Number(whole) : whole);
  }
  const value = Number(text);
  if (!Number.isFinite(value)) {
    refuse('SQL_EXPRESSION', 'A number beyond those of 64 bits: give a Decimal128 as a parameter.', index);
  }
  return constantOf('number', isNegative ? -value : value);
}

const bsonKinds: Readonly<Record<string, ValueKind>> = {
  ObjectId: 'objectId',
  Int32: 'number',
  Double: 'number',
  Long: 'number',
  Decimal128: 'number',
  Binary: 'other',
  Timestamp: 'other',
  MinKey: 'other',
  MaxKey: 'other',
  DBRef: 'document',
};

/** The value of parameter `number` (1-based); what could be taken for an operator, or is no value, is refused. */
export function parameterOf(value: unknown, number: number, index: number): ValueConstant {
  const kind = kindOf(value);
  if (kind === null) {
    refuse(
      'SQL_PARAMETER',
      `Parameter ${number} has no value that can be compared or stored; give null for no value.`,
      index,
    );
  }
  return constantOf(kind, value);
}

function kindOf(value: unknown): ValueKind | null {
  switch (typeof value) {
    case 'string':
      return 'string';
    case 'number':
      return 'number';
    case 'boolean':
      return 'boolean';
    case 'bigint':
      return BigInt.asIntN(64, value) === value ? 'number' : null;
    case 'object':
      return value === null ? 'null' : kindOfObject(value);
    default:
      return null;
  }
}

function kindOfObject(value: object): ValueKind | null {
  if (Array.isArray(value)) return 'array';
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : 'date';
  if (value instanceof RegExp) return null;
  if (value instanceof Uint8Array) return 'other';
  const type = (value as { readonly _bsontype?: unknown })._bsontype;
  if (typeof type !== 'string') return 'document';
  return Object.hasOwn(bsonKinds, type) ? (bsonKinds[type] ?? null) : null;
}

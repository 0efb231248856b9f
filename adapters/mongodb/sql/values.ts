/** What an expression is worth: a field as it is, a value known now, or what the server works out. */
import { constantOf, type ValueConstant, type ValueKind } from './constants.js';

export interface FieldValue {
  readonly form: 'field';
  /** Without a dollar sign; checked, so that no part of it is an operator. */
  readonly path: string;
  readonly kind: 'unknown';
}

export interface ComputedValue {
  readonly form: 'computed';
  /** An aggregation expression. */
  readonly expression: unknown;
  readonly kind: ValueKind | 'unknown';
  /** It is neither null nor missing. */
  readonly isPresent?: true;
}

export type Value = FieldValue | ComputedValue | ValueConstant;

/** A call of a function that gives one value for one document. */
export interface Call {
  readonly args: readonly Value[];
  readonly index: number;
  /** What NOW() is. */
  readonly now: Date;
}

export interface KnownFunction {
  /** Fewest and most arguments. */
  readonly arity: readonly [number, number];
  make(call: Call): Value;
}

export function computed(expression: unknown, kind: ComputedValue['kind'] = 'unknown'): ComputedValue {
  return { form: 'computed', expression, kind };
}

/** A constant is always wrapped: a text that begins with a dollar sign is no path, and a document no expression. */
export function expressionOf(value: Value): unknown {
  switch (value.form) {
    case 'field':
      return `$${value.path}`;
    case 'value':
      return literal(value.value);
    case 'computed':
      return value.expression;
  }
}

export function literal(value: unknown): unknown {
  return { $literal: value };
}

/** True, in an expression, where a value is null, missing or undefined. */
export function isNull(expression: unknown): unknown {
  return { $eq: [{ $ifNull: [expression, null] }, null] };
}

/** Names a value that is worked out, so that it can stand in several places; fields and constants are named already. */
export function named(
  values: Readonly<Record<string, Value>>,
  make: (names: Readonly<Record<string, unknown>>) => unknown,
): unknown {
  const vars: Record<string, unknown> = {};
  const names: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(values)) {
    const expression = expressionOf(value);
    const isLong = value.form === 'computed' && typeof expression !== 'string';
    if (isLong) vars[name] = expression;
    names[name] = isLong ? `$$${name}` : expression;
  }
  const made = make(names);
  return Object.keys(vars).length === 0 ? made : { $let: { vars, in: made } };
}

/** Null where the value is, else what `make` makes of it. */
export function whenPresent(
  value: Value,
  make: (expression: unknown) => unknown,
  kind: ComputedValue['kind'],
): Value {
  if (value.kind === 'null') return constantOf('null', null);
  return computed(
    named({ v: value }, ({ v }) => ({ $cond: [isNull(v), null, make(v)] })),
    kind,
  );
}

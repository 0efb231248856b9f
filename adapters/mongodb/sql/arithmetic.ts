/** Arithmetic and joining of texts; null where an operand is null, as in SQL and as the server has it. */
import type { ExprBinary } from 'pgsql-ast-parser';
import { constantOf, type IntervalConstant, nullConstant } from './constants.js';
import type { Expressions } from './contract.js';
import { later } from './dates.js';
import { refuse } from './refusals.js';
import { computed, expressionOf, type Value, whenPresent } from './values.js';

const arithmetic: Readonly<Record<string, string>> = {
  '+': '$add',
  '-': '$subtract',
  '*': '$multiply',
  '/': '$divide',
  '%': '$mod',
};

export function isArithmetic(op: string): boolean {
  return op === '||' || Object.hasOwn(arithmetic, op);
}

export function arithmeticOf(node: ExprBinary, expressions: Expressions): Value {
  const interval = node.op === '+' || node.op === '-' ? expressions.interval(node.right) : null;
  if (interval !== null) {
    return moved(expressions.value(node.left), interval, node.op === '+' ? 1 : -1, expressions.indexOf(node));
  }
  const left = expressions.value(node.left);
  const right = expressions.value(node.right);
  if (left.kind === 'null' || right.kind === 'null') return nullConstant;
  return node.op === '||' ? joined([left, right]) : calculated(node, left, right, expressions.indexOf(node));
}

export function negated(value: Value, index: number): Value {
  requireNumber(value, index);
  if (value.kind === 'null') return nullConstant;
  if (value.form === 'value' && (typeof value.value === 'number' || typeof value.value === 'bigint')) {
    return constantOf('number', -value.value);
  }
  return computed({ $multiply: [expressionOf(value), -1] }, 'number');
}

/** The texts one behind the other; what is no text becomes one. */
function joined(values: readonly Value[]): Value {
  if (values.every((value) => value.form === 'value' && value.kind === 'string')) {
    return constantOf('string', values.map((value) => (value as { value: string }).value).join(''));
  }
  return computed({ $concat: values.map(asText) }, 'string');
}

export function asText(value: Value): unknown {
  return value.kind === 'string' ? expressionOf(value) : { $toString: expressionOf(value) };
}

function calculated(node: ExprBinary, left: Value, right: Value, index: number): Value {
  requireNumber(left, index);
  requireNumber(right, index);
  if (left.form === 'value' && right.form === 'value') {
    const result = resultOf(node.op, left.value, right.value);
    if (result !== null) return constantOf('number', result);
  }
  return computed({ [arithmetic[node.op] as string]: [expressionOf(left), expressionOf(right)] }, 'number');
}

/** Null where it is better left to the server: division by zero, 64-bit numbers, what is not exact. */
function resultOf(op: string, left: unknown, right: unknown): number | null {
  if (typeof left !== 'number' || typeof right !== 'number') return null;
  const result = calculate(op, left, right);
  const isExact =
    op === '/' || !Number.isInteger(left) || !Number.isInteger(right) || Number.isSafeInteger(result);
  return Number.isFinite(result) && isExact ? result : null;
}

function calculate(op: string, left: number, right: number): number {
  switch (op) {
    case '+':
      return left + right;
    case '-':
      return left - right;
    case '*':
      return left * right;
    case '/':
      return left / right;
    default:
      return left % right;
  }
}

function requireNumber(value: Value, index: number): void {
  if (['number', 'null', 'unknown'].includes(value.kind)) return;
  refuse('SQL_EXPRESSION', 'Arithmetic takes numbers: intervals alone are added to a date.', index);
}

/** A date so much later, or earlier. */
function moved(value: Value, interval: IntervalConstant, sign: 1 | -1, index: number): Value {
  if (value.kind === 'null') return nullConstant;
  if (value.form === 'value' && value.value instanceof Date) {
    return constantOf('date', later(value.value, interval, sign));
  }
  if (value.kind !== 'date' && value.kind !== 'unknown') {
    refuse('SQL_EXPRESSION', 'An interval is added to a date.', index);
  }
  const { months, milliseconds } = interval;
  return whenPresent(
    value,
    (date) => {
      const inMonths =
        months === 0 ? date : { $dateAdd: { startDate: date, unit: 'month', amount: sign * months } };
      return milliseconds === 0 ? inMonths : { $add: [inMonths, sign * milliseconds] };
    },
    'date',
  );
}

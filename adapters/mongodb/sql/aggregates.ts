/** COUNT, SUM, AVG, MIN and MAX with SQL's rules for null, as accumulators of $group. */
import type { ExprCall } from 'pgsql-ast-parser';
import type { Expressions } from './contract.js';
import { refuse } from './refusals.js';
import { truthOf } from './truth.js';
import { type ComputedValue, computed, expressionOf, isNull, type Value } from './values.js';

const names = new Set(['count', 'sum', 'avg', 'min', 'max']);

export function isAggregate(name: string): boolean {
  return names.has(name);
}

export class Aggregates {
  /** Of $group, by the name of their field. */
  readonly accumulators: [name: string, accumulator: unknown][] = [];
  /** What each field is where there is no document at all. */
  readonly whenEmpty: [name: string, value: unknown][] = [];
  private readonly known = new Map<string, string>();

  /** `expressions` are those of the documents that are grouped. */
  add(call: ExprCall, name: string, expressions: Expressions): Value {
    const index = expressions.indexOf(call);
    if (call.orderBy || call.withinGroup || call.over) {
      refuse('SQL_FUNCTION', `The aggregate ${name} is called in a form that is not known here.`, index);
    }
    const [argument] = call.args;
    if (argument === undefined || call.args.length > 1) {
      refuse('SQL_INVALID', `The aggregate ${name} takes one argument.`, index);
    }
    const condition = call.filter ? { $eq: [truthOf(expressions.predicate(call.filter)), true] } : null;
    const isStar = argument.type === 'ref' && argument.name === '*';
    if (isStar) {
      if (name !== 'count' || call.distinct) refuse('SQL_INVALID', 'Only COUNT takes a star.', index);
      return this.counted(condition ?? true);
    }
    const value = expressions.value(argument);
    const expression = expressionOf(value);
    const taken = condition === null ? expression : { $cond: [condition, expression, null] };
    return call.distinct === 'distinct' ? this.distinct(name, taken, value) : this.plain(name, taken, value);
  }

  private plain(name: string, expression: unknown, value: Value): Value {
    switch (name) {
      case 'count':
        return this.counted({ $not: [isNull(expression)] });
      case 'sum': {
        // the sum of nothing is null, and MongoDB's is 0
        const count = this.field({ $sum: { $cond: [{ $isNumber: expression }, 1, 0] } }, 0);
        const sum = this.field({ $sum: expression }, 0);
        return computed({ $cond: [{ $eq: [count, 0] }, null, sum] }, 'number');
      }
      case 'avg':
        return computed(this.field({ $avg: expression }, null), 'number');
      default:
        return computed(this.field({ [`$${name}`]: expression }, null), value.kind);
    }
  }

  private distinct(name: string, expression: unknown, value: Value): Value {
    if (name === 'min' || name === 'max') return this.plain(name, expression, value);
    const set = this.field({ $addToSet: { $ifNull: [expression, null] } }, []);
    if (name === 'count') return present({ $size: { $setDifference: [set, [null]] } });
    const numbers = { $filter: { input: set, cond: { $isNumber: '$$this' } } };
    const total = { [`$${name}`]: '$$numbers' };
    const result = { $cond: [{ $eq: ['$$numbers', []] }, null, total] };
    return computed({ $let: { vars: { numbers }, in: result } }, 'number');
  }

  private counted(condition: unknown): Value {
    const one = condition === true ? 1 : { $cond: [condition, 1, 0] };
    return present(this.field({ $sum: one }, 0));
  }

  /** The path of an accumulator's field; equal ones are one. */
  private field(accumulator: unknown, whenEmpty: unknown): string {
    const key = keyOf(accumulator);
    const known = this.known.get(key);
    if (known !== undefined) return known;
    const name = `a${this.accumulators.length}`;
    this.accumulators.push([name, accumulator]);
    this.whenEmpty.push([name, whenEmpty]);
    this.known.set(key, `$${name}`);
    return `$${name}`;
  }
}

function present(expression: unknown): ComputedValue {
  return { ...computed(expression, 'number'), isPresent: true };
}

/** Of a 64-bit number JSON knows nothing. */
function keyOf(accumulator: unknown): string {
  return JSON.stringify(accumulator, (_, value) => (typeof value === 'bigint' ? `${value}n` : value));
}

/**
 * Conditions as query filters, which use indexes and look into arrays.
 *
 * Each condition has two filters, one for what makes it true and one for what makes it false; documents of neither are
 * those where it is null. So NOT never lets a null or missing field through.
 */

import type { SqlDocument } from './compiled.js';
import type { ValueConstant } from './constants.js';
import { meantBy } from './id-text.js';
import type { Comparison, Predicate } from './predicate.js';
import { truthOf } from './truth.js';
import type { FieldValue, Value } from './values.js';

/** A boolean where all documents or none match. */
type Filter = boolean | SqlDocument;

interface Outcomes {
  readonly isTrue: Filter;
  readonly isFalse: Filter;
}

/** The filter for documents for which the condition is true. */
export function filterOf(predicate: Predicate): SqlDocument {
  const { isTrue } = outcomesOf(predicate);
  if (typeof isTrue === 'object') return isTrue;
  return isTrue ? {} : { $expr: false };
}

function outcomesOf(predicate: Predicate): Outcomes {
  switch (predicate.form) {
    case 'known':
      return { isTrue: predicate.outcome === true, isFalse: predicate.outcome === false };
    case 'and': {
      const parts = predicate.parts.map(outcomesOf);
      return {
        isTrue: all(parts.map((part) => part.isTrue)),
        isFalse: any(parts.map((part) => part.isFalse)),
      };
    }
    case 'or': {
      const parts = predicate.parts.map(outcomesOf);
      return {
        isTrue: any(parts.map((part) => part.isTrue)),
        isFalse: all(parts.map((part) => part.isFalse)),
      };
    }
    case 'not': {
      const { isTrue, isFalse } = outcomesOf(predicate.part);
      return { isTrue: isFalse, isFalse: isTrue };
    }
    case 'is':
      return ofIs(predicate);
    case 'truth':
      return predicate.value.form === 'field'
        ? {
            isTrue: { [predicate.value.path]: { $eq: true } },
            isFalse: { [predicate.value.path]: { $eq: false } },
          }
        : byExpression(predicate);
    case 'null':
      return ofNull(predicate.value);
    case 'compare':
      return predicate.left.form === 'field' && predicate.right.form === 'value'
        ? ofComparison(predicate.left, predicate.op, predicate.right)
        : byExpression(predicate);
    case 'among':
      return predicate.value.form === 'field'
        ? ofList(predicate.value, predicate.items)
        : byExpression(predicate);
    case 'like': {
      if (predicate.value.form !== 'field') return byExpression(predicate);
      const matches = { $regex: predicate.regex, $options: predicate.options };
      return {
        isTrue: { [predicate.value.path]: matches },
        isFalse: { [predicate.value.path]: { $not: matches, $ne: null } },
      };
    }
    case 'same':
      return byExpression(predicate);
  }
}

function ofIs({ part, outcome }: Predicate & { form: 'is' }): Outcomes {
  if (outcome === null) return byExpression({ form: 'is', part, outcome });
  const { isTrue, isFalse } = outcomesOf(part);
  const wanted = outcome ? isTrue : isFalse;
  return { isTrue: wanted, isFalse: none(wanted) };
}

/** An array is no null, though it may hold one. */
function ofNull(value: Value): Outcomes {
  if (value.form !== 'field') return byExpression({ form: 'null', value });
  const isNull = { [value.path]: { $eq: null, $not: { $type: 'array' } } };
  return { isTrue: isNull, isFalse: none(isNull) };
}

function ofComparison(field: FieldValue, op: Comparison, constant: ValueConstant): Outcomes {
  const meant = meantBy(field, constant);
  if (op === 'eq') return ofList(field, [constant]);
  const holds = any(meant.map(({ value }) => ({ [field.path]: { [`$${op}`]: value } })));
  const fails = meant.map(({ value }) => ({ [field.path]: { $not: { [`$${op}`]: value } } }));
  return { isTrue: holds, isFalse: all([...fails, { [field.path]: { $ne: null } }]) };
}

function ofList(field: FieldValue, items: readonly ValueConstant[]): Outcomes {
  const present = items.filter((item) => item.kind !== 'null');
  const values = present.flatMap((item) => meantBy(field, item)).map((item) => item.value);
  // with a null in the list, no value is known to be outside it
  const isOpen = present.length < items.length;
  return {
    isTrue:
      values.length === 0
        ? false
        : { [field.path]: values.length === 1 ? { $eq: values[0] } : { $in: values } },
    isFalse: isOpen ? false : { [field.path]: { $nin: [...values, null] } },
  };
}

function byExpression(predicate: Predicate): Outcomes {
  const truth = truthOf(predicate);
  return { isTrue: { $expr: { $eq: [truth, true] } }, isFalse: { $expr: { $eq: [truth, false] } } };
}

function all(filters: readonly Filter[]): Filter {
  if (filters.includes(false)) return false;
  return connected('$and', filters.filter((filter) => filter !== true) as SqlDocument[], true);
}

function any(filters: readonly Filter[]): Filter {
  if (filters.includes(true)) return true;
  return connected('$or', filters.filter((filter) => filter !== false) as SqlDocument[], false);
}

/** Connected filters of the same kind become one, so that long chains are not deep. */
function connected(connective: '$and' | '$or', filters: readonly SqlDocument[], whenEmpty: boolean): Filter {
  const [only] = filters;
  if (only === undefined) return whenEmpty;
  if (filters.length === 1) return only;
  const flat = filters.flatMap((filter) => {
    const inner = filter[connective];
    return Array.isArray(inner) ? (inner as SqlDocument[]) : [filter];
  });
  return { [connective]: flat };
}

function none(filter: Filter): Filter {
  return typeof filter === 'boolean' ? !filter : { $nor: [filter] };
}

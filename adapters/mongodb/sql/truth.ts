/**
 * Conditions as aggregation expressions that are true, false or null, for where a filter cannot stand: in columns, CASE,
 * HAVING, and between values that are worked out. Every operand is written once, so that what is nested does not multiply.
 */
import type { ValueConstant, ValueKind } from './constants.js';
import { meantBy } from './id-text.js';
import type { Comparison, Predicate } from './predicate.js';
import { expressionOf, isNull, literal, named, type Value } from './values.js';

const typeNames: Readonly<Partial<Record<ValueKind, string>>> = {
  string: 'string',
  boolean: 'bool',
  date: 'date',
  objectId: 'objectId',
  array: 'array',
  document: 'object',
};

export function truthOf(predicate: Predicate): unknown {
  switch (predicate.form) {
    case 'known':
      return literal(predicate.outcome);
    case 'and':
      return connected(predicate.parts, false);
    case 'or':
      return connected(predicate.parts, true);
    case 'not':
      return {
        $let: {
          vars: { v: truthOf(predicate.part) },
          in: { $cond: [{ $eq: ['$$v', null] }, null, { $not: ['$$v'] }] },
        },
      };
    case 'is':
      return { $eq: [truthOf(predicate.part), predicate.outcome] };
    case 'truth':
      return named({ v: predicate.value }, ({ v }) => ({
        $cond: [{ $eq: [v, true] }, true, { $cond: [{ $eq: [v, false] }, false, null] }],
      }));
    case 'null':
      return isNull(expressionOf(predicate.value));
    case 'same':
      return {
        $eq: [
          { $ifNull: [expressionOf(predicate.left), null] },
          { $ifNull: [expressionOf(predicate.right), null] },
        ],
      };
    default:
      return ofTest(predicate);
  }
}

function ofTest(predicate: Predicate & { form: 'compare' | 'among' | 'like' }): unknown {
  switch (predicate.form) {
    case 'compare': {
      const { left, op, right } = predicate;
      return right.form === 'value'
        ? tested(left, (x) => comparedWithAny(x, op, meantBy(left, right), left.kind), right.kind)
        : between(left, op, right);
    }
    case 'among': {
      const { value, items } = predicate;
      const present = items.filter((item) => item.kind !== 'null');
      const values = present.flatMap((item) => meantBy(value, item)).map((item) => item.value);
      const found = tested(value, (x) => ({ $in: [x, literal(values)] }), 'unknown');
      // with a null in the list, no value is known to be outside it
      return present.length === items.length ? found : { $cond: [{ $eq: [found, true] }, true, null] };
    }
    case 'like':
      return tested(
        predicate.value,
        (x) => ({
          $cond: [
            { $eq: [{ $type: x }, 'string'] },
            { $regexMatch: { input: x, regex: literal(predicate.regex), options: predicate.options } },
            false,
          ],
        }),
        'string',
      );
  }
}

/**
 * A test of a value. Of a field, its elements are tested where it holds an array, as a filter does: one that passes is
 * enough, and where none does, a null among them leaves it open.
 */
function tested(value: Value, test: (expression: unknown) => unknown, kind: ValueKind | 'unknown'): unknown {
  if (value.form !== 'field') {
    return named({ v: value }, ({ v }) => ({ $cond: [isNull(v), null, test(v)] }));
  }
  const field = expressionOf(value);
  const isWhole = kind === 'array' || kind === 'unknown';
  const elements = isWhole ? { $concatArrays: [field, [field]] } : field;
  return {
    $let: {
      vars: { c: { $cond: [{ $isArray: [field] }, elements, [field]] } },
      in: {
        $cond: [
          { $anyElementTrue: [{ $map: { input: '$$c', as: 'x', in: test('$$x') } }] },
          true,
          { $cond: [{ $in: [null, '$$c'] }, null, false] },
        ],
      },
    },
  };
}

function comparedWithAny(
  expression: unknown,
  op: Comparison,
  constants: readonly ValueConstant[],
  kind: Value['kind'],
): unknown {
  const comparisons = constants.map((constant) => compared(expression, op, constant, kind));
  return comparisons.length === 1 ? comparisons[0] : { $or: comparisons };
}

/** Values of another type are equal to none, and neither less nor greater. `kind` is what is known of the expression. */
function compared(
  expression: unknown,
  op: Comparison,
  constant: ValueConstant,
  kind: Value['kind'],
): unknown {
  const comparison = { [`$${op}`]: [expression, literal(constant.value)] };
  if (op === 'eq' || kind === constant.kind) return comparison;
  const isComparable = isOfKind(expression, constant.kind);
  return isComparable === null ? comparison : { $and: [isComparable, comparison] };
}

function between(left: Value, op: Comparison, right: Value): unknown {
  return named({ l: left, r: right }, ({ l, r }) => {
    const comparison = { [`$${op}`]: [l, r] };
    const isComparable = op === 'eq' ? null : areOfOneKind(left, l, right, r);
    return {
      $cond: [
        { $or: [isNull(l), isNull(r)] },
        null,
        isComparable === null ? comparison : { $and: [isComparable, comparison] },
      ],
    };
  });
}

/** Null where it needs no asking. */
function areOfOneKind(left: Value, l: unknown, right: Value, r: unknown): unknown {
  if (left.kind === 'unknown' && right.kind === 'unknown') return { $eq: [kindIn(l), kindIn(r)] };
  if (left.kind === 'unknown') return isOfKind(l, right.kind as ValueKind);
  if (right.kind === 'unknown') return isOfKind(r, left.kind);
  return left.kind === right.kind ? null : literal(false);
}

function kindIn(expression: unknown): unknown {
  return { $cond: [{ $isNumber: expression }, 'number', { $type: expression }] };
}

function isOfKind(expression: unknown, kind: ValueKind): unknown {
  if (kind === 'number') return { $isNumber: expression };
  const name = typeNames[kind];
  return name === undefined ? null : { $eq: [{ $type: expression }, name] };
}

/** `deciding` is what settles AND (false) or OR (true); what stands behind it is then not worked out. */
function connected(parts: readonly Predicate[], deciding: boolean): unknown {
  const [first, ...rest] = parts;
  if (first === undefined) return literal(!deciding);
  if (rest.length === 0) return truthOf(first);
  return {
    $let: {
      vars: { a: truthOf(first) },
      in: {
        $cond: [
          { $eq: ['$$a', deciding] },
          deciding,
          {
            $let: {
              vars: { b: connected(rest, deciding) },
              in: {
                $cond: [
                  { $eq: ['$$b', deciding] },
                  deciding,
                  { $cond: [{ $or: [{ $eq: ['$$a', null] }, { $eq: ['$$b', null] }] }, null, !deciding] },
                ],
              },
            },
          },
        ],
      },
    },
  };
}

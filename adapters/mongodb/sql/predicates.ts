/** Reads conditions out of the syntax tree. */
import type { Expr, ExprBinary, ExprUnary } from 'pgsql-ast-parser';
import { parameterOf, type ValueConstant } from './constants.js';
import type { Expressions } from './contract.js';
import { likeExpression } from './like.js';
import type { Comparison, Predicate } from './predicate.js';
import { refuse } from './refusals.js';
import type { Value } from './values.js';

const comparisons: Readonly<Record<string, Comparison>> = {
  '=': 'eq',
  '>': 'gt',
  '>=': 'gte',
  '<': 'lt',
  '<=': 'lte',
};
const mirrored: Readonly<Record<Comparison, Comparison>> = {
  eq: 'eq',
  gt: 'lt',
  gte: 'lte',
  lt: 'gt',
  lte: 'gte',
};
const conditionOperators = new Set(
  'AND,OR,=,!=,<,<=,>,>=,IN,NOT IN,LIKE,NOT LIKE,ILIKE,NOT ILIKE,@>,<@'.split(','),
);
const conditionUnaries = new Set([
  'NOT',
  'IS NULL',
  'IS NOT NULL',
  'IS TRUE',
  'IS FALSE',
  'IS NOT TRUE',
  'IS NOT FALSE',
]);

/** True for a node that is true, false or null by its form. */
export function isCondition(node: Expr): boolean {
  if (node.type === 'binary') return conditionOperators.has(node.op);
  if (node.type === 'unary') return conditionUnaries.has(node.op);
  return node.type === 'ternary';
}

export function predicateOf(node: Expr, expressions: Expressions): Predicate {
  if (node.type === 'binary' && conditionOperators.has(node.op)) return ofBinary(node, expressions);
  if (node.type === 'unary' && conditionUnaries.has(node.op)) return ofUnary(node, expressions);
  if (node.type === 'ternary') {
    const value = expressions.value(node.value);
    const inside: Predicate = {
      form: 'and',
      parts: [
        compared('gte', value, expressions.value(node.lo)),
        compared('lte', value, expressions.value(node.hi)),
      ],
    };
    return node.op === 'BETWEEN' ? inside : not(inside);
  }
  return truthOf(expressions.value(node), expressions.indexOf(node));
}

/** A value in the place of a condition. */
function truthOf(value: Value, index: number): Predicate {
  if (value.form === 'value' && (value.kind === 'boolean' || value.kind === 'null')) {
    return { form: 'known', outcome: value.value as boolean | null };
  }
  if (value.kind !== 'unknown' && value.kind !== 'boolean') {
    refuse('SQL_INVALID', 'A condition is needed here, and this is another value.', index);
  }
  return { form: 'truth', value };
}

function ofUnary(node: ExprUnary, expressions: Expressions): Predicate {
  if (node.op === 'NOT') return not(expressions.predicate(node.operand));
  const isNegated = node.op.startsWith('IS NOT');
  const inner = ofIs(node, expressions);
  return isNegated ? not(inner) : inner;
}

function ofIs(node: ExprUnary, expressions: Expressions): Predicate {
  const { operand } = node;
  if (!node.op.endsWith('NULL')) {
    return { form: 'is', part: expressions.predicate(operand), outcome: node.op.endsWith('TRUE') };
  }
  if (isCondition(operand)) return { form: 'is', part: expressions.predicate(operand), outcome: null };
  const value = expressions.value(operand);
  if (value.form === 'value') return { form: 'known', outcome: value.kind === 'null' };
  return { form: 'null', value };
}

function ofBinary(node: ExprBinary, expressions: Expressions): Predicate {
  switch (node.op) {
    case 'AND':
    case 'OR':
      return chain(node, expressions);
    case 'IN':
    case 'NOT IN': {
      const inside = ofList(node, expressions);
      return node.op === 'IN' ? inside : not(inside);
    }
    case 'LIKE':
    case 'ILIKE':
    case 'NOT LIKE':
    case 'NOT ILIKE': {
      const like = ofLike(node, expressions);
      return node.op.startsWith('NOT') ? not(like) : like;
    }
    case '@>':
    case '<@': {
      const same: Predicate = {
        form: 'same',
        left: expressions.value(node.left),
        right: expressions.value(node.right),
      };
      return node.op === '<@' ? same : not(same);
    }
    default:
      return ofComparison(node, expressions);
  }
}

/** All that one connective connects: a long chain is one level deep. */
function chain(node: ExprBinary, expressions: Expressions): Predicate {
  const form = node.op === 'AND' ? 'and' : 'or';
  const parts: Predicate[] = [];
  let left: Expr = node;
  while (left.type === 'binary' && left.op === node.op) {
    parts.push(expressions.predicate(left.right));
    left = left.left;
  }
  parts.push(expressions.predicate(left));
  return { form, parts: parts.reverse() };
}

function ofComparison(node: ExprBinary, expressions: Expressions): Predicate {
  const isNegated = node.op === '!=';
  const op = isNegated ? 'eq' : (comparisons[node.op] as Comparison);
  const quantified = ofQuantified(node, op, expressions);
  if (quantified !== null) return quantified;
  const equal = compared(op, expressions.value(node.left), expressions.value(node.right));
  return isNegated ? not(equal) : equal;
}

/** `= ANY(…)` and `<> ALL(…)`: membership, of a field in values or of a value in a field that holds an array. */
function ofQuantified(node: ExprBinary, op: Comparison, expressions: Expressions): Predicate | null {
  const { right } = node;
  if (right.type !== 'call' || !/^(?:any|some|all)$/.test(right.function.name)) return null;
  const isNegated = node.op === '!=';
  const isAll = right.function.name === 'all';
  const [argument] = right.args;
  if (op !== 'eq' || isAll !== isNegated || argument === undefined) {
    refuse('SQL_EXPRESSION', 'Only = ANY(…) and <> ALL(…) can be represented.', expressions.indexOf(node));
  }
  const array = expressions.value(argument);
  const value = expressions.value(node.left);
  let inside: Predicate;
  if (array.form === 'value' && array.kind === 'array') {
    inside = { form: 'among', value, items: elementsOf(array, expressions.indexOf(argument)) };
  } else if (array.form === 'field' && value.form === 'value') {
    inside = { form: 'compare', op: 'eq', left: array, right: value };
  } else {
    refuse('SQL_EXPRESSION', 'ANY takes an array of values, or a field.', expressions.indexOf(argument));
  }
  return isNegated ? not(inside) : inside;
}

function elementsOf(array: ValueConstant, index: number): ValueConstant[] {
  return (array.value as unknown[]).map((element, at) => parameterOf(element, at + 1, index));
}

function ofList(node: ExprBinary, expressions: Expressions): Predicate {
  const value = expressions.value(node.left);
  const items = expressions.list(node.right);
  if (items !== null) {
    if (items.some((item) => item.kind === 'array')) {
      refuse('SQL_PARAMETER', 'An array within IN: write = ANY($1).', expressions.indexOf(node.right));
    }
    return { form: 'among', value, items };
  }
  const nodes = node.right.type === 'list' ? node.right.expressions : [node.right];
  return { form: 'or', parts: nodes.map((item) => compared('eq', value, expressions.value(item))) };
}

function ofLike(node: ExprBinary, expressions: Expressions): Predicate {
  const value = expressions.value(node.left);
  const like = likeExpression(expressions.pattern(node.right), expressions.indexOf(node.right));
  if (like === null) return { form: 'known', outcome: null };
  if (value.form === 'value' && value.kind === 'null') return { form: 'known', outcome: null };
  return { form: 'like', value, regex: like, options: node.op.endsWith('ILIKE') ? 'is' : 's' };
}

/** With a field on the left where there is one, and nothing left to compare with null. */
function compared(op: Comparison, left: Value, right: Value): Predicate {
  if (left.kind === 'null' || right.kind === 'null') return { form: 'known', outcome: null };
  if (left.form === 'value' && right.form === 'value') {
    const outcome = comparedNow(op, left, right);
    if (outcome !== null) return { form: 'known', outcome };
  }
  const isMirrored = left.form === 'value' && right.form !== 'value';
  return isMirrored
    ? { form: 'compare', op: mirrored[op], left: right, right: left }
    : { form: 'compare', op, left, right };
}

/** Null where it is better left to the server. */
function comparedNow(op: Comparison, left: ValueConstant, right: ValueConstant): boolean | null {
  if (typeof left.value !== 'number' || typeof right.value !== 'number') return null;
  if (Number.isNaN(left.value) || Number.isNaN(right.value)) return null;
  const order = Math.sign(left.value - right.value);
  switch (op) {
    case 'eq':
      return order === 0;
    case 'gt':
      return order > 0;
    case 'gte':
      return order >= 0;
    case 'lt':
      return order < 0;
    case 'lte':
      return order <= 0;
  }
}

function not(part: Predicate): Predicate {
  return { form: 'not', part };
}

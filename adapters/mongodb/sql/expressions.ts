/** Works out the nodes of a statement's syntax tree, for documents as they are stored or as they are grouped. */
import type { Expr, ExprCall, ExprCase, ExprUnary, PGNode } from 'pgsql-ast-parser';
import { limits } from '../../../src/core/limits.js';
import { isAggregate } from './aggregates.js';
import { arithmeticOf, isArithmetic, negated } from './arithmetic.js';
import { castOf } from './casts.js';
import { constantOf, type IntervalConstant, nullConstant, type ValueConstant } from './constants.js';
import type { Expressions, LikePattern } from './contract.js';
import { partOfDate } from './date-functions.js';
import { callOf } from './functions.js';
import type { Predicate } from './predicate.js';
import { isCondition, predicateOf } from './predicates.js';
import { refuse } from './refusals.js';
import type { Source } from './source.js';
import { truthOf } from './truth.js';
import { computed, expressionOf, type Value } from './values.js';

/** What stands for a node before it is looked into: a group's key, an aggregate's result. */
export type Replacement = (node: Expr, expressions: Expressions) => Value | null;

export class StatementExpressions implements Expressions {
  readonly now: Date;
  private readonly source: Source;
  private readonly replacement: Replacement | null;
  private depth = 0;

  constructor(source: Source, now: Date, replacement: Replacement | null = null) {
    this.source = source;
    this.now = now;
    this.replacement = replacement;
  }

  value(node: Expr): Value {
    return this.deeper(node, () => this.replacement?.(node, this) ?? this.valueOf(node));
  }

  predicate(node: Expr): Predicate {
    return this.deeper(node, () => predicateOf(node, this));
  }

  interval(node: Expr): IntervalConstant | null {
    const constant = this.source.constantOf(node);
    return constant?.form === 'interval' ? constant : null;
  }

  list(node: Expr): readonly ValueConstant[] | null {
    const constant = this.source.constantOf(node);
    return constant?.form === 'list' ? constant.items : null;
  }

  pattern(node: Expr): LikePattern {
    const constant = this.source.constantOf(node);
    if (constant?.form === 'pattern') return constant;
    refuse('SQL_EXPRESSION', 'The pattern of LIKE is a text or a parameter.', this.indexOf(node));
  }

  nameOf(call: ExprCall): string {
    return this.source.functionName(call);
  }

  indexOf(node: PGNode): number {
    return this.source.indexOf(node);
  }

  /** Bounds what is nested: the tree is walked by calls. */
  private deeper<T>(node: Expr, work: () => T): T {
    this.depth += 1;
    if (this.depth > limits.maxSqlDepth) {
      refuse('SQL_EXPRESSION', 'The statement is nested too deep.', this.indexOf(node));
    }
    const result = work();
    this.depth -= 1;
    return result;
  }

  private valueOf(node: Expr): Value {
    if (isCondition(node)) {
      const predicate = this.predicate(node);
      if (predicate.form === 'known') {
        return predicate.outcome === null ? nullConstant : constantOf('boolean', predicate.outcome);
      }
      return computed(truthOf(predicate), 'boolean');
    }
    switch (node.type) {
      case 'ref':
        return this.source.field(node);
      case 'parameter':
        return this.constant(node);
      case 'unary':
        return this.signed(node);
      case 'binary':
        if (isArithmetic(node.op)) return arithmeticOf(node, this);
        break;
      case 'cast':
        return castOf(this.value(node.operand), node.to, this.indexOf(node));
      case 'case':
        return this.choice(node);
      case 'call':
        return this.call(node);
      case 'extract':
        return partOfDate(this.source.nameOf(node.field.name), this.value(node.from), this.indexOf(node));
      case 'substring':
        return this.substring(node);
      case 'array':
        return this.array(node.expressions);
      case 'default':
        return refuse('SQL_INVALID', 'DEFAULT stands for a value of its own.', this.indexOf(node));
    }
    refuse('SQL_EXPRESSION', 'This kind of expression cannot be represented.', this.indexOf(node));
  }

  private constant(node: Expr): Value {
    const constant = this.source.constantOf(node);
    if (constant?.form === 'value') return constant;
    refuse('SQL_EXPRESSION', 'A value cannot stand here in this form.', this.indexOf(node));
  }

  private signed(node: ExprUnary): Value {
    const value = this.value(node.operand);
    if (node.op === '-') return negated(value, this.indexOf(node));
    if (node.op === '+') return value;
    refuse('SQL_EXPRESSION', 'This operator cannot be represented.', this.indexOf(node));
  }

  private choice(node: ExprCase): Value {
    const { value: subject } = node;
    if (node.whens.length === 0) refuse('SQL_SYNTAX', 'CASE has no WHEN.', this.indexOf(node));
    const otherwise = node.else === null || node.else === undefined ? nullConstant : this.value(node.else);
    const whens = node.whens.map(({ when, value }) => {
      const condition: Predicate =
        subject === null || subject === undefined
          ? this.predicate(when)
          : predicateOf({ type: 'binary', op: '=', left: subject, right: when }, this);
      return [{ $eq: [truthOf(condition), true] }, expressionOf(this.value(value))];
    });
    const chosen = whens.reduceRight<unknown>(
      (rest, when) => ({ $cond: [...when, rest] }),
      expressionOf(otherwise),
    );
    return computed(chosen);
  }

  private call(node: ExprCall): Value {
    const name = this.nameOf(node);
    const index = this.indexOf(node);
    if (isAggregate(name)) {
      refuse('SQL_INVALID', `The aggregate ${name} cannot stand here.`, index);
    }
    if (
      node.distinct ||
      node.filter ||
      node.orderBy ||
      node.withinGroup ||
      node.function.schema !== undefined
    ) {
      refuse('SQL_FUNCTION', 'A function is called in a form that is not known here.', index);
    }
    return callOf(name, { args: node.args.map((arg) => this.value(arg)), index, now: this.now });
  }

  private substring(node: Expr & { type: 'substring' }): Value {
    const from = node.from ? this.value(node.from) : constantOf('number', 1);
    const length = node.for ? [this.value(node.for)] : [];
    const args = [this.value(node.value), from, ...length];
    return callOf('substring', { args, index: this.indexOf(node), now: this.now });
  }

  private array(nodes: readonly Expr[]): Value {
    const values = nodes.map((node) => this.value(node));
    if (values.every((value) => value.form === 'value')) {
      return constantOf(
        'array',
        values.map((value) => value.value),
      );
    }
    return computed(
      values.map((value) => ({ $ifNull: [expressionOf(value), null] })),
      'array',
    );
  }
}

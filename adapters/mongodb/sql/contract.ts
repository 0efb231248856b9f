/** What the parts of the compiler ask of each other about a node of the syntax tree. */
import type { Expr, ExprCall, PGNode } from 'pgsql-ast-parser';
import type { IntervalConstant, ValueConstant } from './constants.js';
import type { Predicate } from './predicate.js';
import type { Value } from './values.js';

export interface LikePattern {
  readonly pattern: ValueConstant;
  readonly escape: ValueConstant;
}

export interface Expressions {
  value(node: Expr): Value;
  predicate(node: Expr): Predicate;
  /** An interval, if the node is one. */
  interval(node: Expr): IntervalConstant | null;
  /** The values of a list that needs no working out; null for another. */
  list(node: Expr): readonly ValueConstant[] | null;
  /** What LIKE compares with. */
  pattern(node: Expr): LikePattern;
  /** The function a call names, in lower case. */
  nameOf(call: ExprCall): string;
  /** UTF-16 index of a node in the text of the statement. */
  indexOf(node: PGNode): number;
  /** What NOW() is. */
  readonly now: Date;
}

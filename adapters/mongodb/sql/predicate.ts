/** A condition in the few forms that both translations know, that into a filter and that into an expression. */
import type { ValueConstant } from './constants.js';
import type { Value } from './values.js';

export type Comparison = 'eq' | 'gt' | 'gte' | 'lt' | 'lte';

export type Predicate =
  | { readonly form: 'and' | 'or'; readonly parts: readonly Predicate[] }
  | { readonly form: 'not'; readonly part: Predicate }
  /** Whether the condition is just that; null: neither true nor false. */
  | { readonly form: 'is'; readonly part: Predicate; readonly outcome: boolean | null }
  /** A value that is itself true, false or null. */
  | { readonly form: 'truth'; readonly value: Value }
  | { readonly form: 'known'; readonly outcome: boolean | null }
  | { readonly form: 'null'; readonly value: Value }
  | { readonly form: 'compare'; readonly op: Comparison; readonly left: Value; readonly right: Value }
  /** IN: one of them is null where a null stood in the list. */
  | { readonly form: 'among'; readonly value: Value; readonly items: readonly ValueConstant[] }
  | { readonly form: 'like'; readonly value: Value; readonly regex: string; readonly options: string }
  /** IS NOT DISTINCT FROM: two nulls are the same. */
  | { readonly form: 'same'; readonly left: Value; readonly right: Value };

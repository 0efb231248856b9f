/** Input of a catalog read, the same for every relational database; `buildSchema` (to come) makes the model. */
import type { ConstraintKind, TableKind } from './model.js';

export interface SchemaInput {
  readonly tables: readonly TableInput[];
  readonly defaultSearchPath: readonly string[];
}

export interface TableInput {
  readonly schema: string;
  readonly name: string;
  readonly kind: TableKind;
  readonly columns: readonly { readonly name: string; readonly type: string; readonly isNotNull: boolean }[];
  readonly constraints: readonly {
    readonly kind: ConstraintKind;
    readonly name: string;
    readonly columns: readonly string[];
    readonly definition: string;
    readonly references?: string;
  }[];
}

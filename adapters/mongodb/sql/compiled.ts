/** What a statement becomes: plain data that says which command to run, without a driver in it. */
import type { RefusedSql } from './refusals.js';

/** Values may be of BSON; keys are own properties, whatever their name. */
export type SqlDocument = { readonly [key: string]: unknown };

interface OnCollection {
  readonly kind: 'command';
  readonly collection: string;
  /** Names of the columns in their order; null where they are those of the documents, and for writes. */
  readonly columns: readonly string[] | null;
}

export interface CompiledFind extends OnCollection {
  readonly operation: 'find';
  readonly filter: SqlDocument;
  readonly sort: SqlDocument | null;
  readonly skip: number | null;
  readonly limit: number | null;
}

export interface CompiledAggregate extends OnCollection {
  readonly operation: 'aggregate';
  readonly pipeline: readonly SqlDocument[];
}

export interface CompiledInsert extends OnCollection {
  readonly operation: 'insertMany';
  readonly documents: readonly SqlDocument[];
}

export interface CompiledUpdate extends OnCollection {
  readonly operation: 'updateMany';
  readonly filter: SqlDocument;
  /** A pipeline where a new value is made from old ones. */
  readonly update: SqlDocument | readonly SqlDocument[];
}

export interface CompiledDelete extends OnCollection {
  readonly operation: 'deleteMany';
  readonly filter: SqlDocument;
}

export type SqlCommand = CompiledFind | CompiledAggregate | CompiledInsert | CompiledUpdate | CompiledDelete;

export type CompiledSql = SqlCommand | RefusedSql;

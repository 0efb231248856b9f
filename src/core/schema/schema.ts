/**
 * From a catalog read to the model the gate asks: `SchemaInput` in, `SchemaModel` out, the same for every relational
 * database. Invariant: two inputs that declare the same tables give the same hashes, whatever the order of their
 * rows; a table that a read does not change keeps its very object, so that reading again hashes nothing.
 */

import type { LexicalOptions } from '../verdict.js';
import { DeclaredSchema, TableIndex } from './declared-schema.js';
import { hashColumns, hashConstraints } from './fingerprint.js';
import type {
  ColumnModel,
  ConstraintKind,
  SchemaModel,
  SystemNames,
  TableAlias,
  TableKind,
  TableModel,
} from './model.js';

/** What a catalog read found; temporary, system and extension-owned tables are left out by the reader. */
export interface SchemaInput {
  readonly tables: readonly TableInput[];
  readonly defaultSearchPath: readonly string[];
  /** Search paths of users whose default is another. */
  readonly roleSearchPaths?: ReadonlyMap<string, readonly string[]>;
  /** Partitions and other names that stand for a table above. */
  readonly aliases?: readonly TableAlias[];
  /** Other declared names a reader may be shown: trigger routines, types. */
  readonly otherNames?: readonly string[];
  /** What belongs to the product and is the same everywhere. */
  readonly system?: SystemNames;
  /** How statements are read on this server unless a session says otherwise. */
  readonly lexical?: Partial<LexicalOptions>;
}

const noSystemNames: SystemNames = { schemas: [], unqualified: null };

export interface ColumnInput {
  readonly name: string;
  readonly type: string;
  readonly isNotNull: boolean;
  /** What belongs to the type and is not printed with it: labels of an enum, generation. Hashed, never shown. */
  readonly typeDetail?: string;
}

export interface ConstraintInput {
  readonly kind: ConstraintKind;
  readonly name: string;
  readonly columns: readonly string[];
  readonly definition: string;
  readonly references?: string;
}

export interface TableInput {
  readonly schema: string;
  readonly name: string;
  readonly kind: TableKind;
  /** Live columns in their order; the rank is the place in this list. */
  readonly columns: readonly ColumnInput[];
  /** In any order. */
  readonly constraints: readonly ConstraintInput[];
  /** What is declared of the table as a whole and decides what may be done with it. Hashed, never shown. */
  readonly detail?: string;
}

/** The model of `input`, in one go; a `SchemaBuilder` makes a large one without blocking. */
export function buildSchema(input: SchemaInput, version: number): SchemaModel {
  const builder = new SchemaBuilder(null);
  for (const table of input.tables) builder.add(table);
  return builder.finish(input, version);
}

/** Makes one model, a table at a time. */
export class SchemaBuilder {
  readonly #previous: SchemaModel | null;
  readonly #index = new TableIndex();

  /** `previous`: the model of the read before, whose tables are kept where nothing changed. */
  constructor(previous: SchemaModel | null) {
    this.#previous = previous;
  }

  add(table: TableInput): void {
    this.#index.add(declareTable(table, this.#previous?.table(table.schema, table.name)));
  }

  /** Call once, with all tables of `input` added. */
  finish(input: SchemaInput, version: number): DeclaredSchema {
    const { defaultSearchPath, roleSearchPaths = new Map(), aliases = [], otherNames = [] } = input;
    const { system = noSystemNames, lexical = {} } = input;
    return new DeclaredSchema(
      this.#index,
      { defaultSearchPath, roleSearchPaths, aliases, otherNames, system, lexical },
      version,
    );
  }
}

/** Hashes one table, or answers `previous`, the model of the read before, where it says the same. */
export function declareTable(input: TableInput, previous: TableModel | undefined): TableModel {
  if (previous !== undefined && isUnchanged(input, previous)) return previous;
  const { schema, name, kind, constraints, detail } = input;
  const columns: ColumnModel[] = input.columns.map((column, index) => ({ ...column, rank: index + 1 }));
  return {
    schema,
    name,
    kind,
    columns,
    constraints,
    ...(detail !== undefined && { detail }),
    columnsHash: hashColumns(input, columns),
    constraintsHash: hashConstraints(input, constraints),
  };
}

function isUnchanged(input: TableInput, previous: TableModel): boolean {
  return (
    input.schema === previous.schema &&
    input.name === previous.name &&
    input.kind === previous.kind &&
    input.detail === previous.detail &&
    input.columns.length === previous.columns.length &&
    input.constraints.length === previous.constraints.length &&
    input.columns.every((column, index) => isSameColumn(column, previous.columns[index])) &&
    // Rows in another order only cost a hash.
    input.constraints.every((constraint, index) => isSameConstraint(constraint, previous.constraints[index]))
  );
}

function isSameColumn(column: ColumnInput, other: ColumnInput | undefined): boolean {
  return (
    other !== undefined &&
    column.name === other.name &&
    column.type === other.type &&
    column.isNotNull === other.isNotNull &&
    column.typeDetail === other.typeDetail
  );
}

function isSameConstraint(constraint: ConstraintInput, other: ConstraintInput | undefined): boolean {
  return (
    other !== undefined &&
    constraint.kind === other.kind &&
    constraint.name === other.name &&
    constraint.definition === other.definition &&
    constraint.references === other.references &&
    constraint.columns.length === other.columns.length &&
    constraint.columns.every((column, index) => column === other.columns[index])
  );
}

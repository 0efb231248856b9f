/**
 * What a database declares, as the poller last read it. Types only; built by schema.ts, hashed by fingerprint.ts.
 */
import type { LexicalOptions } from '../verdict.js';

export type TableKind = 'table' | 'partitioned' | 'view' | 'materialized_view' | 'foreign' | 'collection';

export interface ColumnModel {
  readonly name: string;
  /** Full type with modifiers, as the server prints it. */
  readonly type: string;
  readonly isNotNull: boolean;
  /** 1-based position among live columns (dropped columns leave no gap). */
  readonly rank: number;
  /** What belongs to the type and is not printed with it: labels of an enum, generation. Hashed, never shown. */
  readonly typeDetail?: string;
}

export type ConstraintKind =
  | 'primary_key'
  | 'unique'
  | 'foreign_key'
  | 'check'
  | 'not_null'
  | 'exclusion'
  | 'unique_index'
  | 'trigger';

export interface ConstraintModel {
  readonly kind: ConstraintKind;
  readonly name: string;
  /** Column names in key order; empty for expressions, checks and triggers. */
  readonly columns: readonly string[];
  /** The server's own definition text; hashed, never shown. */
  readonly definition: string;
  /** Foreign keys: the referenced table, qualified. */
  readonly references?: string;
}

export interface TableModel {
  readonly schema: string;
  readonly name: string;
  readonly kind: TableKind;
  readonly columns: readonly ColumnModel[];
  readonly constraints: readonly ConstraintModel[];
  /** What is declared of the table as a whole and decides what may be done with it. Hashed, never shown. */
  readonly detail?: string;
  /** Commutative 64-bit hashes (schema.ts). */
  readonly columnsHash: bigint;
  readonly constraintsHash: bigint;
}

/** The tables a statement touches, resolved against a model, with the sums the gate compares. */
export interface ResolvedTables {
  /** Qualified names, sorted, without duplicates; unresolved names as written. */
  readonly names: readonly string[];
  /** Models of those that exist, in the order of the statement. */
  readonly tables: readonly TableModel[];
  /** 16 lower-case hex digits. */
  readonly tablesFingerprint: string;
  readonly constraintsFingerprint: string;
  /** A name among them stands for nothing the catalog declares: it is missing, temporary, or not read yet. */
  readonly hasAbsent: boolean;
}

/** Tables of the server itself. */
export interface SystemNames {
  /** No user can declare a table in these. */
  readonly schemas: readonly string[];
  /** Unqualified names that begin so are found in `home` before any other schema (PostgreSQL); null for none. */
  readonly unqualified: { readonly prefix: string; readonly home: string } | null;
}

/** A declared name that stands for a table with another one: a partition is read as the table it is part of. */
export interface TableAlias {
  readonly schema: string;
  readonly name: string;
  readonly ofSchema: string;
  readonly ofName: string;
}

/** A name as a statement writes it, already folded by the dialect's rules. */
export interface TableName {
  readonly schema: string | null;
  readonly name: string;
}

export interface SchemaModel {
  /** Increases with every read that changed something. */
  readonly version: number;
  /** Whole database, 16 lower-case hex digits. */
  readonly fingerprint: string;
  readonly tableCount: number;
  /** Schemas searched for unqualified names unless the session says otherwise ("$user" already as such). */
  readonly defaultSearchPath: readonly string[];
  /** How statements are read on this server unless a session says otherwise; the same object until that changes. */
  readonly lexical: Partial<LexicalOptions>;
  table(schema: string, name: string): TableModel | undefined;
  /** Tables with a foreign key to this one, each once, in the order they were read; itself among them if it has one. */
  referencing(table: TableModel): readonly TableModel[];
  /** Resolves by `searchPath` (null: the default one); "$user" stands for `user`. */
  resolve(names: readonly TableName[], searchPath: readonly string[] | null, user: string): ResolvedTables;
  /** True for a table, column or constraint name of this database. */
  knows(identifier: string): boolean;
  /** At most `count` table names (qualified unless in the default path) closest to `name`, of all schemas or those of `within`. */
  similarTables(name: string, count: number, within?: readonly string[]): readonly string[];
}

/** Where the current model of a database comes from. Never waits: what is not known is null. */
export interface SchemaSource {
  /** The model last read, or null before the first read. */
  current(scope: { readonly upstream: string; readonly database: string }): SchemaModel | null;
  /** True while a refresh has been asked for that has not been read yet: what is keyed now may move. */
  isDirty(scope: { readonly upstream: string; readonly database: string }): boolean;
  /**
   * True while the model itself may be wrong: the schema was changed, or nobody watched it for a while, and the answer
   * is still to come. What it declares must not be shown until then.
   */
  isInDoubt(scope: { readonly upstream: string; readonly database: string }): boolean;
  /** Asks for a re-read soon; cheap, idempotent, never throws. */
  refresh(scope: { readonly upstream: string; readonly database: string }, reason: RefreshReason): void;
  /** The scope under which the catalog that covers this one is read and announced. */
  catalogOf(scope: { readonly upstream: string; readonly database: string }): {
    readonly upstream: string;
    readonly database: string;
  };
  /** Called after each completed read, also one that changed nothing, and after one that failed (`model` null). */
  onRead(
    listener: (
      scope: { readonly upstream: string; readonly database: string },
      model: SchemaModel | null,
    ) => void,
  ): void;
}

export type RefreshReason = 'ddl_seen' | 'drift_suspected' | 'probe_moved' | 'first_seen' | 'asked';

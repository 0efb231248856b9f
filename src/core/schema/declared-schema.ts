/**
 * One read of a database's schema, made for the error path: names resolve by map look-ups and a statement's
 * fingerprint is a sum of hashes made beforehand. Immutable once built.
 */
import { LRUCache } from 'lru-cache';
import { limits } from '../limits.js';
import { closestNames } from '../notes/names.js';
import { addToSum, emptySum, hashAbsent, hashSystem, sumAsHex } from './fingerprint.js';
import type { ResolvedTables, SchemaModel, TableAlias, TableModel, TableName } from './model.js';

/** What a model is made of. */
export interface SchemaFacts {
  readonly version: number;
  readonly tables: readonly TableModel[];
  readonly defaultSearchPath: readonly string[];
  readonly roleSearchPaths: ReadonlyMap<string, readonly string[]>;
  readonly aliases: readonly TableAlias[];
  readonly otherNames: readonly string[];
}

/** What one name of a statement stands for; `table` is undefined for absent and system tables. */
interface Resolution {
  readonly name: string;
  readonly table: TableModel | undefined;
  readonly columnsHash: bigint;
  readonly constraintsHash: bigint;
}

export class DeclaredSchema implements SchemaModel {
  readonly version: number;
  readonly fingerprint: string;
  readonly constraintsFingerprint: string;
  readonly tableCount: number;
  readonly defaultSearchPath: readonly string[];
  readonly #facts: SchemaFacts;
  readonly #bySchema = new Map<string, Map<string, Resolution>>();
  readonly #names = new Set<string>();
  /** Hashes of names outside the model: a statement that fails once tends to fail again. */
  readonly #outside = new LRUCache<string, Resolution>({ max: limits.maxCachedOutsideTables });
  /** Made when first needed: most databases never see a misspelt table. */
  #written: ReadonlyMap<string, readonly string[]> | null = null;
  readonly #similar = new LRUCache<string, readonly string[]>({ max: limits.maxCachedSimilarTables });

  constructor(facts: SchemaFacts) {
    this.#facts = facts;
    this.version = facts.version;
    this.tableCount = facts.tables.length;
    this.defaultSearchPath = facts.defaultSearchPath;
    let columns = emptySum;
    let constraints = emptySum;
    for (const table of facts.tables) {
      columns = addToSum(columns, table.columnsHash);
      constraints = addToSum(constraints, table.constraintsHash);
      this.#declare(table.schema, table.name, table);
      for (const column of table.columns) this.#names.add(column.name);
      for (const constraint of table.constraints) this.#names.add(constraint.name);
    }
    for (const { schema, name, ofSchema, ofName } of facts.aliases) {
      const table = this.table(ofSchema, ofName);
      if (table !== undefined) this.#declare(schema, name, table);
    }
    for (const name of facts.otherNames) this.#names.add(name);
    this.fingerprint = sumAsHex(columns);
    this.constraintsFingerprint = sumAsHex(constraints);
  }

  table(schema: string, name: string): TableModel | undefined {
    return this.#bySchema.get(schema)?.get(name)?.table;
  }

  resolve(names: readonly TableName[], searchPath: readonly string[] | null, user: string): ResolvedTables {
    const path = searchPath ?? this.#facts.roleSearchPaths.get(user) ?? this.defaultSearchPath;
    const resolved = new Map<string, Resolution>();
    for (const name of names) {
      const resolution = this.#find(name, path, user) ?? this.#findOutside(name);
      resolved.set(resolution.name, resolution);
    }
    let columns = emptySum;
    let constraints = emptySum;
    const tables: TableModel[] = [];
    for (const { table, columnsHash, constraintsHash } of resolved.values()) {
      columns = addToSum(columns, columnsHash);
      constraints = addToSum(constraints, constraintsHash);
      if (table !== undefined && !tables.includes(table)) tables.push(table);
    }
    return {
      names: [...resolved.keys()].sort(),
      tables,
      tablesFingerprint: sumAsHex(columns),
      constraintsFingerprint: sumAsHex(constraints),
    };
  }

  knows(identifier: string): boolean {
    if (this.#names.has(identifier)) return true;
    const dot = identifier.indexOf('.');
    if (dot < 0) return false;
    const schema = this.#bySchema.get(identifier.slice(0, dot));
    return schema?.has(identifier.slice(dot + 1)) ?? false;
  }

  similarTables(name: string, count: number): readonly string[] {
    const bare = name.slice(name.lastIndexOf('.') + 1);
    const key = `${count} ${bare}`;
    let similar = this.#similar.get(key);
    if (similar === undefined) {
      const written = this.#namesAsWritten();
      // The same name in a schema that is not searched comes first: only its qualification is missing.
      const ranked = [bare, ...closestNames(bare, written.keys(), count)];
      similar = ranked.flatMap((candidate) => written.get(candidate) ?? []).slice(0, count);
      this.#similar.set(key, similar);
    }
    return similar;
  }

  /** True where nothing a statement could notice differs; versions may. */
  equals(other: DeclaredSchema): boolean {
    return (
      this.fingerprint === other.fingerprint &&
      this.constraintsFingerprint === other.constraintsFingerprint &&
      this.tableCount === other.tableCount &&
      sideFacts(this.#facts) === sideFacts(other.#facts)
    );
  }

  #declare(schema: string, name: string, table: TableModel): void {
    let tables = this.#bySchema.get(schema);
    if (tables === undefined) {
      tables = new Map();
      this.#bySchema.set(schema, tables);
    }
    const { columnsHash, constraintsHash } = table;
    tables.set(name, { name: `${schema}.${name}`, table, columnsHash, constraintsHash });
    this.#names.add(name);
  }

  #find({ schema, name }: TableName, searchPath: readonly string[], user: string): Resolution | undefined {
    if (schema !== null) return this.#bySchema.get(schema)?.get(name);
    for (const entry of searchPath) {
      const found = this.#bySchema.get(entry === '$user' ? user : entry)?.get(name);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  #findOutside({ schema, name }: TableName): Resolution {
    const written = schema === null ? name : `${schema}.${name}`;
    let resolution = this.#outside.get(written);
    if (resolution === undefined) {
      const isSystem = schema === null ? name.startsWith('pg_') : isSystemSchema(schema);
      const canonical = isSystem && schema === null ? `pg_catalog.${name}` : written;
      const columnsHash = isSystem ? hashSystem(canonical) : hashAbsent(canonical);
      resolution = { name: canonical, table: undefined, columnsHash, constraintsHash: emptySum };
      this.#outside.set(written, resolution);
    }
    return resolution;
  }

  /** Bare names, each with the tables of that name as a statement would write them. */
  #namesAsWritten(): ReadonlyMap<string, readonly string[]> {
    if (this.#written !== null) return this.#written;
    const names = new Map<string, string[]>();
    for (const { schema, name } of this.#facts.tables) {
      const written = this.defaultSearchPath.includes(schema) ? name : `${schema}.${name}`;
      const namesakes = names.get(name);
      if (namesakes === undefined) names.set(name, [written]);
      else namesakes.push(written);
    }
    this.#written = names;
    return names;
  }
}

/** PostgreSQL finds these unqualified, before any other schema; no user can declare a table in them. */
function isSystemSchema(schema: string): boolean {
  return schema === 'pg_catalog' || schema === 'information_schema' || schema === 'pg_toast';
}

function sideFacts({ defaultSearchPath, roleSearchPaths, aliases, otherNames }: SchemaFacts): string {
  return JSON.stringify([defaultSearchPath, [...roleSearchPaths].sort(), aliases, otherNames]);
}

/**
 * One read of a database's schema, made for the error path: names resolve by map look-ups and a statement's
 * fingerprint is a sum of hashes made beforehand. Immutable once built.
 */
import { LRUCache } from 'lru-cache';
import { limits } from '../limits.js';
import { closestNames } from '../notes/names.js';
import type { LexicalOptions } from '../verdict.js';
import { addToSum, emptySum, hashAbsent, hashSystem, sumAsHex } from './fingerprint.js';
import type { ResolvedTables, SchemaModel, SystemNames, TableAlias, TableModel, TableName } from './model.js';

/** What one name of a statement stands for; `table` is undefined for absent and system tables. */
interface Resolution {
  readonly isAbsent: boolean;
  readonly name: string;
  readonly table: TableModel | undefined;
  readonly columnsHash: bigint;
  readonly constraintsHash: bigint;
}

/** What a model is made of besides its tables. */
export interface SchemaSettings {
  readonly defaultSearchPath: readonly string[];
  readonly roleSearchPaths: ReadonlyMap<string, readonly string[]>;
  readonly aliases: readonly TableAlias[];
  readonly otherNames: readonly string[];
  readonly system: SystemNames;
  readonly lexical: Partial<LexicalOptions>;
}

/** The tables of a model in the making, looked up as the model does; filled a table at a time. */
export class TableIndex {
  readonly bySchema = new Map<string, Map<string, Resolution>>();
  /** Every declared name, for `knows`. */
  readonly names = new Set<string>();
  /** Schemas of the tables of one name. */
  readonly schemasOf = new Map<string, string[]>();
  /** Tables by what their foreign keys refer to, qualified. */
  readonly referencing = new Map<string, TableModel[]>();
  columnsSum = emptySum;
  constraintsSum = emptySum;
  tableCount = 0;

  add(table: TableModel): void {
    this.tableCount += 1;
    this.columnsSum = addToSum(this.columnsSum, table.columnsHash);
    this.constraintsSum = addToSum(this.constraintsSum, table.constraintsHash);
    this.addName(table.schema, table.name, table);
    const namesakes = this.schemasOf.get(table.name);
    if (namesakes === undefined) this.schemasOf.set(table.name, [table.schema]);
    else namesakes.push(table.schema);
    for (const column of table.columns) this.names.add(column.name);
    for (const constraint of table.constraints) {
      this.names.add(constraint.name);
      if (constraint.references !== undefined) this.#addReference(constraint.references, table);
    }
  }

  #addReference(parent: string, table: TableModel): void {
    const children = this.referencing.get(parent);
    if (children === undefined) this.referencing.set(parent, [table]);
    else if (children.at(-1) !== table) children.push(table);
  }

  /** Another name for a table already added; not a table of its own. */
  addName(schema: string, name: string, table: TableModel): void {
    let tables = this.bySchema.get(schema);
    if (tables === undefined) {
      tables = new Map();
      this.bySchema.set(schema, tables);
    }
    const { columnsHash, constraintsHash } = table;
    tables.set(name, { name: `${schema}.${name}`, table, isAbsent: false, columnsHash, constraintsHash });
    this.names.add(name);
  }
}

export class DeclaredSchema implements SchemaModel {
  readonly version: number;
  readonly fingerprint: string;
  readonly constraintsFingerprint: string;
  readonly tableCount: number;
  readonly defaultSearchPath: readonly string[];
  readonly lexical: Partial<LexicalOptions>;
  readonly #index: TableIndex;
  readonly #settings: SchemaSettings;
  /** Hashes of names outside the model: a statement that fails once tends to fail again. */
  readonly #outside = new LRUCache<string, Resolution>({ max: limits.maxCachedOutsideTables });
  readonly #similar = new LRUCache<string, readonly string[]>({ max: limits.maxCachedSimilarTables });

  /** Takes the index over: nothing may be added to it afterwards. */
  constructor(index: TableIndex, settings: SchemaSettings, version: number) {
    this.#index = index;
    this.#settings = settings;
    this.version = version;
    this.tableCount = index.tableCount;
    this.defaultSearchPath = settings.defaultSearchPath;
    this.lexical = settings.lexical;
    for (const { schema, name, ofSchema, ofName } of settings.aliases) {
      const table = this.table(ofSchema, ofName);
      if (table !== undefined) index.addName(schema, name, table);
    }
    for (const name of settings.otherNames) index.names.add(name);
    this.fingerprint = sumAsHex(index.columnsSum);
    this.constraintsFingerprint = sumAsHex(index.constraintsSum);
  }

  table(schema: string, name: string): TableModel | undefined {
    return this.#index.bySchema.get(schema)?.get(name)?.table;
  }

  referencing({ schema, name }: TableModel): readonly TableModel[] {
    return this.#index.referencing.get(`${schema}.${name}`) ?? [];
  }

  resolve(names: readonly TableName[], searchPath: readonly string[] | null, user: string): ResolvedTables {
    const path = searchPath ?? this.#settings.roleSearchPaths.get(user) ?? this.defaultSearchPath;
    const resolved = new Map<string, Resolution>();
    for (const name of names) {
      const resolution = this.#find(name, path, user) ?? this.#findOutside(name);
      resolved.set(resolution.name, resolution);
    }
    let columns = emptySum;
    let constraints = emptySum;
    let hasAbsent = false;
    const tables: TableModel[] = [];
    for (const { table, isAbsent, columnsHash, constraintsHash } of resolved.values()) {
      hasAbsent ||= isAbsent;
      columns = addToSum(columns, columnsHash);
      constraints = addToSum(constraints, constraintsHash);
      if (table !== undefined && !tables.includes(table)) tables.push(table);
    }
    return {
      names: [...resolved.keys()].sort(),
      tables,
      tablesFingerprint: sumAsHex(columns),
      constraintsFingerprint: sumAsHex(constraints),
      hasAbsent,
    };
  }

  knows(identifier: string): boolean {
    if (this.#index.names.has(identifier)) return true;
    const dot = identifier.indexOf('.');
    if (dot < 0) return false;
    const schema = this.#index.bySchema.get(identifier.slice(0, dot));
    return schema?.has(identifier.slice(dot + 1)) ?? false;
  }

  similarTables(name: string, count: number, within?: readonly string[]): readonly string[] {
    const bare = name.slice(name.lastIndexOf('.') + 1);
    const key = `${count} ${bare} ${within?.join(' ') ?? '*'}`;
    let similar = this.#similar.get(key);
    if (similar === undefined) {
      // The same name in a schema that is not searched comes first: only its qualification is missing.
      const ranked = [bare, ...closestNames(bare, this.#candidates(bare, within), count)];
      similar = ranked.flatMap((candidate) => this.#written(candidate, within)).slice(0, count);
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
      settingsText(this.#settings) === settingsText(other.#settings)
    );
  }

  #find({ schema, name }: TableName, searchPath: readonly string[], user: string): Resolution | undefined {
    if (schema !== null) return this.#index.bySchema.get(schema)?.get(name);
    for (const entry of searchPath) {
      const found = this.#index.bySchema.get(entry === '$user' ? user : entry)?.get(name);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  #findOutside({ schema, name }: TableName): Resolution {
    const written = schema === null ? name : `${schema}.${name}`;
    let resolution = this.#outside.get(written);
    if (resolution === undefined) {
      const { schemas, unqualified } = this.#settings.system;
      const isSystem =
        schema === null
          ? unqualified !== null && name.startsWith(unqualified.prefix)
          : schemas.includes(schema);
      const canonical = isSystem && schema === null ? `${unqualified?.home}.${name}` : written;
      const columnsHash = isSystem ? hashSystem(canonical) : hashAbsent(canonical);
      resolution = {
        name: canonical,
        table: undefined,
        isAbsent: !isSystem,
        columnsHash,
        constraintsHash: emptySum,
      };
      this.#outside.set(written, resolution);
    }
    return resolution;
  }

  /** Names worth measuring: of a length some edits away, or part of one another. */
  *#candidates(wanted: string, within: readonly string[] | undefined): Generator<string> {
    for (const [name, schemas] of this.#index.schemasOf) {
      if (within !== undefined && !schemas.some((schema) => within.includes(schema))) continue;
      const slack = Math.max(2, Math.ceil(Math.max(name.length, wanted.length) / 3));
      const isNear = Math.abs(name.length - wanted.length) <= slack;
      if (isNear || name.includes(wanted) || wanted.includes(name)) yield name;
    }
  }

  /** Tables of a name as a statement would write them. */
  #written(name: string, within: readonly string[] | undefined): string[] {
    const schemas = this.#index.schemasOf.get(name) ?? [];
    return schemas
      .filter((schema) => within === undefined || within.includes(schema))
      .map((schema) => (this.defaultSearchPath.includes(schema) ? name : `${schema}.${name}`));
  }
}

function settingsText(settings: SchemaSettings): string {
  const { defaultSearchPath, roleSearchPaths, aliases, otherNames, lexical } = settings;
  return JSON.stringify([defaultSearchPath, [...roleSearchPaths].sort(), aliases, otherNames, lexical]);
}

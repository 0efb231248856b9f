/**
 * From catalog rows (catalog-queries.ts) to the input of the schema model. Rows are taken one by one as they come, in
 * any order. What a line of the fingerprint says, and what it leaves out, is decided here (docs/fingerprints.md).
 */
import type { TableKind } from '../../src/core/schema/model.js';
import type { ColumnInput, ConstraintInput, TableInput } from '../../src/core/schema/schema.js';
import type { CatalogRow } from './catalog-connection.js';

/** Storage engines that keep their rows elsewhere. */
const foreignEngines: ReadonlySet<string> = new Set(['FEDERATED', 'CONNECT', 'SPIDER', 'NDBCLUSTER']);
/** Display width: MySQL stopped printing it in 8.0.19, and it never had an effect. */
const displayWidth = /^((?:tiny|small|medium|big)?int|year)\(\d+\)/;
const labelled = /^(enum|set)\(/;
const generated = /\b(VIRTUAL|STORED|PERSISTENT) GENERATED\b/;

interface Placed<Value> {
  readonly place: number;
  readonly value: Value;
}

interface TableRows {
  readonly schema: string;
  readonly name: string;
  readonly kind: TableKind;
  readonly columns: Placed<ColumnInput>[];
  readonly uniqueKeys: Map<string, Placed<KeyPart>[]>;
  readonly foreignKeys: Map<string, Placed<ForeignKeyPart>[]>;
  /** ` ON DELETE …` by constraint. */
  readonly actions: Map<string, string>;
  readonly others: ConstraintInput[];
}

interface KeyPart {
  /** Null: an expression. */
  readonly column: string | null;
  readonly text: string;
}

interface ForeignKeyPart {
  readonly column: string;
  readonly table: string;
  readonly referenced: string;
}

interface LastTable {
  readonly schema: string | null | undefined;
  readonly table: string | null | undefined;
  readonly rows: TableRows | undefined;
}

export class CatalogTables {
  readonly #byName = new Map<string, TableRows>();
  readonly #fold: (name: string) => string;
  #last: LastTable = { schema: undefined, table: undefined, rows: undefined };
  readonly #clauses = new Map<string, string>();
  /** One copy of what thousands of columns have in common. */
  readonly #texts = new Map<string, string>();

  /** `isNameFolded`: the server keeps names of databases and tables as they were written, and compares them folded. */
  constructor(isNameFolded: boolean) {
    this.#fold = isNameFolded ? (name) => name.toLowerCase() : (name) => name;
  }

  get size(): number {
    return this.#byName.size;
  }

  addTable([schema, table, type, engine]: CatalogRow): void {
    const key = { schema: this.#fold(schema ?? ''), name: this.#fold(table ?? '') };
    const kind: TableKind = type === 'VIEW' ? 'view' : foreignEngines.has(engine ?? '') ? 'foreign' : 'table';
    this.#byName.set(keyOf(key.schema, key.name), {
      ...{ ...key, kind, columns: [], uniqueKeys: new Map(), foreignKeys: new Map() },
      ...{ actions: new Map(), others: [] },
    });
  }

  addColumn(row: CatalogRow): void {
    const [schema, table, place, name, type, nullable] = row;
    const rows = this.#table(schema, table);
    if (rows === undefined) return;
    const column = { name: this.#one(name ?? ''), isNotNull: nullable === 'NO' };
    const detail = typeDetail(row);
    const shown = labelled.exec(type ?? '')?.[1] ?? (type ?? '').replace(displayWidth, '$1');
    const value = { ...column, type: this.#one(shown) };
    rows.columns.push({
      place: Number(place),
      value: detail === '' ? value : { ...value, typeDetail: this.#one(detail) },
    });
  }

  addUniqueKeyPart([schema, table, index, place, column, prefix, expression]: CatalogRow): void {
    const keys = this.#table(schema, table)?.uniqueKeys;
    const text = column ?? `(${expression ?? ''})`;
    const value = { column: column ?? null, text: prefix == null ? text : `${text}(${prefix})` };
    if (keys !== undefined) pushTo(keys, index ?? '', { place: Number(place), value });
  }

  addForeignKeyPart(row: CatalogRow): void {
    const [schema, table, constraint, place, column, ofSchema, ofTable, ofColumn] = row;
    const keys = this.#table(schema, table)?.foreignKeys;
    const referencedTable = `${this.#fold(ofSchema ?? '')}.${this.#fold(ofTable ?? '')}`;
    const value = { column: column ?? '', table: referencedTable, referenced: ofColumn ?? '' };
    if (keys !== undefined) pushTo(keys, constraint ?? '', { place: Number(place), value });
  }

  addReferentialAction([schema, table, constraint, onDelete, onUpdate]: CatalogRow): void {
    const actions = ` ON DELETE ${action(onDelete)} ON UPDATE ${action(onUpdate)}`;
    this.#table(schema, table)?.actions.set(constraint ?? '', actions);
  }

  /** Comes before the check itself, of which it says nothing else. */
  addCheckClause([schema, name, clause]: CatalogRow): void {
    this.#clauses.set(keyOf(schema ?? '', name ?? ''), clause ?? '');
  }

  addCheck([schema, table, name, clause, enforced]: CatalogRow): void {
    const text = clause ?? this.#clauses.get(keyOf(schema ?? '', name ?? '')) ?? '';
    const definition = `CHECK (${text})${enforced === 'YES' ? '' : ' NOT ENFORCED'}`;
    this.#table(schema, table)?.others.push({ kind: 'check', name: name ?? '', columns: [], definition });
  }

  addTrigger([schema, table, name, time, event, place, mode, body]: CatalogRow): void {
    // Drivers ask for this mode, and what the trigger does is the same with it.
    const modes = (mode ?? '').split(',').filter((one) => one !== 'IGNORE_SPACE');
    const definition = [time, event, place, modes.join(), body].join(' ');
    this.#table(schema, table)?.others.push({ kind: 'trigger', name: name ?? '', columns: [], definition });
  }

  /** Tables one by one; nothing may be added meanwhile. Those that a tool makes while it changes another are left out. */
  *tables(): Generator<TableInput> {
    for (const rows of this.#byName.values()) {
      if (!this.#isShadow(rows)) yield tableFrom(rows);
    }
  }

  /** Rows of one table mostly stand together. */
  #table(schema: string | null | undefined, table: string | null | undefined): TableRows | undefined {
    const last = this.#last;
    if (last.schema !== schema || last.table !== table) {
      const rows = this.#byName.get(keyOf(this.#fold(schema ?? ''), this.#fold(table ?? '')));
      this.#last = { schema, table, rows };
    }
    return this.#last.rows;
  }

  /** gh-ost and pt-online-schema-change work beside the table that their tables are named after. */
  #isShadow({ schema, name }: TableRows): boolean {
    if (name.startsWith('#sql')) return true;
    const base = shadowed.exec(name)?.[1];
    return base !== undefined && this.#byName.has(keyOf(schema, base));
  }

  #one(text: string): string {
    const known = this.#texts.get(text);
    if (known !== undefined) return known;
    this.#texts.set(text, text);
    return text;
  }
}

const shadowed = /^_+(.+?)(?:_\d{14})?_(?:gho|ghc|del|new|old)$/;

function keyOf(schema: string, name: string): string {
  return `${schema}\0${name}`;
}

function pushTo<Value>(lists: Map<string, Value[]>, key: string, value: Value): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [value]);
  else list.push(value);
}

function inOrder<Value>(placed: readonly Placed<Value>[]): Value[] {
  return [...placed].sort((a, b) => a.place - b.place).map(({ value }) => value);
}

/**
 * What makes a statement succeed or fail beyond the type: labels, collation, how the column is filled where a
 * statement names no value for it, and whether it stands among the columns of `SELECT *` and `INSERT … VALUES`.
 */
function typeDetail(row: CatalogRow): string {
  const [, , , , type, nullable, hasDefault, extra, expression, collation, spatialReference] = row;
  const details: string[] = [];
  if (labelled.test(type ?? '')) details.push(type ?? '');
  if (collation != null) details.push(collation);
  if (spatialReference != null) details.push(`srid ${spatialReference}`);
  const stored = generated.exec(extra ?? '')?.[1];
  if (stored !== undefined)
    details.push(`${stored === 'VIRTUAL' ? 'virtual' : 'stored'} ${expression ?? ''}`);
  if (/\bauto_increment\b/i.test(extra ?? '')) details.push('auto_increment');
  // A column that may be null has NULL for its default; of one that may not, error 1364 tells.
  else if (nullable === 'NO' && hasDefault === '1') details.push('default');
  if (/\bINVISIBLE\b/.test(extra ?? '')) details.push('invisible');
  return details.join('; ');
}

/** InnoDB takes the two for one; MySQL prints what was written, and NO ACTION where nothing was. */
function action(rule: string | null | undefined): string {
  return rule === 'NO ACTION' ? 'RESTRICT' : (rule ?? '');
}

function tableFrom(rows: TableRows): TableInput {
  const { schema, name, kind } = rows;
  const constraints = [...rows.others];
  for (const [key, parts] of rows.uniqueKeys) constraints.push(uniqueKey(key, inOrder(parts)));
  for (const [key, parts] of rows.foreignKeys) {
    constraints.push(foreignKey(key, inOrder(parts), rows.actions.get(key) ?? ''));
  }
  return { schema, name, kind, columns: inOrder(rows.columns), constraints };
}

/** A key with a part that is no column has none to show: they would be said to be all of it. */
function uniqueKey(name: string, parts: readonly KeyPart[]): ConstraintInput {
  const columns = parts.flatMap(({ column }) => (column === null ? [] : [column]));
  const isOfColumns = parts.every(({ column, text }) => column === text);
  const kind = name === 'PRIMARY' ? 'primary_key' : isOfColumns ? 'unique' : 'unique_index';
  const definition = `${kind === 'primary_key' ? 'PRIMARY KEY' : 'UNIQUE'} (${parts.map(({ text }) => text).join(', ')})`;
  return { kind, name, columns: columns.length === parts.length ? columns : [], definition };
}

function foreignKey(name: string, parts: readonly ForeignKeyPart[], actions: string): ConstraintInput {
  const references = parts[0]?.table ?? '';
  const columns = parts.map(({ column }) => column);
  const referenced = parts.map((part) => part.referenced).join(', ');
  const definition = `FOREIGN KEY (${columns.join(', ')}) REFERENCES ${references} (${referenced})${actions}`;
  return { kind: 'foreign_key', name, columns, definition, references };
}

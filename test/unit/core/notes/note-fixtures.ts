/** Records and tables for tests of notes: a small shop, declared without a server. */
import type { MemoryRecord } from '../../../../src/core/memory/record.js';
import { type Occasion, templateInput } from '../../../../src/core/notes/input.js';
import { closestNames } from '../../../../src/core/notes/names.js';
import type { TemplateInput } from '../../../../src/core/notes/templates.js';
import type { ConstraintModel, SchemaModel, TableModel } from '../../../../src/core/schema/model.js';

export function tableOf(
  name: string,
  columns: readonly string[],
  constraints: readonly ConstraintModel[] = [],
): TableModel {
  return {
    schema: 'public',
    name,
    kind: 'table',
    columns: columns.map((column, index) => {
      const [columnName = '', ...rest] = column.split(' ');
      const isNotNull = rest.at(-1) === '!';
      const type = rest.filter((word) => word !== '!').join(' ') || 'text';
      return { name: columnName, type, isNotNull, rank: index + 1 };
    }),
    constraints,
    columnsHash: 1n,
    constraintsHash: 1n,
  };
}

export function constraintOf(
  kind: ConstraintModel['kind'],
  name: string,
  columns: readonly string[],
  definition = '',
  references?: string,
): ConstraintModel {
  return { kind, name, columns, definition, ...(references === undefined ? {} : { references }) };
}

export const users = tableOf(
  'users',
  ['id integer !', 'email character varying(120) !', 'name text', 'age integer'],
  [
    constraintOf('primary_key', 'users_pkey', ['id'], 'PRIMARY KEY (id)'),
    constraintOf('unique', 'users_email_key', ['email'], 'UNIQUE (email)'),
    constraintOf('unique_index', 'users_lower_name', [], 'CREATE UNIQUE INDEX ON users (lower(name))'),
    constraintOf('unique_index', 'users_live_email', ['email'], 'CREATE UNIQUE INDEX ... WHERE (age > 3)'),
    constraintOf('check', 'users_age_check', [], 'CHECK (age > 0)'),
  ],
);

/** A table whose keys ON CONFLICT does not take. */
export const seats = tableOf(
  'seats',
  ['id integer !', 'place integer'],
  [
    constraintOf('primary_key', 'seats_pkey', ['id'], 'PRIMARY KEY (id)'),
    constraintOf('unique', 'seats_place_late', ['place'], 'UNIQUE (place) DEFERRABLE'),
  ],
);

export const orders = tableOf(
  'orders',
  ['id integer !', 'user_id integer !', 'total numeric'],
  [
    constraintOf('primary_key', 'orders_pkey', ['id'], 'PRIMARY KEY (id)'),
    constraintOf(
      'foreign_key',
      'orders_user_id_fkey',
      ['user_id'],
      'FOREIGN KEY (user_id) REFERENCES users(id)',
      'public.users',
    ),
  ],
);

export function schemaOf(tables: readonly TableModel[], otherNames: readonly string[] = []): SchemaModel {
  const names = new Set<string>(otherNames);
  for (const table of tables) {
    names.add(table.schema).add(table.name);
    for (const { name } of [...table.columns, ...table.constraints]) names.add(name);
  }
  return {
    version: 1,
    fingerprint: '0123456789abcdef',
    tableCount: tables.length,
    defaultSearchPath: ['public'],
    lexical: {},
    table: (schema, name) => tables.find((table) => table.schema === schema && table.name === name),
    referencing: ({ schema, name }) =>
      tables.filter(({ constraints }) =>
        constraints.some(({ references }) => references === `${schema}.${name}`),
      ),
    resolve: (wanted, searchPath) => ({
      names: [],
      tables: tables.filter((table) =>
        wanted.some(
          ({ schema, name }) =>
            table.name === name && (searchPath ?? ['public']).concat(schema ?? []).includes(table.schema),
        ),
      ),
      hasAbsent: false,
      tablesFingerprint: '',
      constraintsFingerprint: '',
    }),
    knows: (identifier) => names.has(identifier),
    similarTables: (name, count) =>
      closestNames(
        name,
        tables.map((table) => table.name),
        count,
      ),
  };
}

export function recordOf(facts: Partial<MemoryRecord> = {}): MemoryRecord {
  return {
    id: '9f2c51d07a3be844',
    scope: { upstream: 'shop', database: 'shop' },
    backend: 'relational',
    engine: 'postgresql',
    shape: 'insert into users ( email , name ) values ( ? , ? )',
    holes: 'ss',
    tables: ['public.users'],
    verb: 'insert',
    fingerprint: { tables: '1', constraints: '1', database: '1' },
    class: 'unique_violation',
    code: '23505',
    isStructural: false,
    object: { kind: 'constraint', name: 'users_email_key' },
    detail: '',
    phase: 'execute',
    after: 'idle',
    evidence: { session: '1' },
    status: 'live',
    failures: 3,
    successes: 0,
    firstAt: '2026-11-02T10:00:00.000Z',
    lastAt: '2026-11-03T10:00:00.000Z',
    validFrom: '2026-11-02T10:00:00.000Z',
    validTo: null,
    recordedAt: '2026-11-02T10:00:00.000Z',
    resolution: null,
    ignored: 0,
    confirmed: 0,
    contradicted: 0,
    reviewBy: null,
    statusReason: null,
    ...facts,
  };
}

/** The input a template gets for these facts, on the shop's tables. */
export function inputOf(
  facts: Partial<MemoryRecord> = {},
  tables: readonly TableModel[] = [users],
  options: {
    readonly isInTransaction?: boolean;
    readonly otherNames?: readonly string[];
    readonly occasion?: Occasion;
  } = {},
): TemplateInput {
  const schema = cachedSchema([users, orders, ...tables], options.otherNames);
  return templateInput(recordOf(facts), tables, schema, options.isInTransaction ?? false, options.occasion);
}

const schemas = new Map<string, SchemaModel>();

/** Property tests ask for the same few schemas many thousand times. */
function cachedSchema(tables: readonly TableModel[], otherNames: readonly string[] = []): SchemaModel {
  const isShop = tables.every((table) => table === users || table === orders);
  if (!isShop) return schemaOf(tables, otherNames);
  const key = `${tables.map((table) => table.name).join()} ${otherNames.join()}`;
  const schema = schemas.get(key) ?? schemaOf(tables, otherNames);
  schemas.set(key, schema);
  return schema;
}

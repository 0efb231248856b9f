import { describe, expect, it } from 'vitest';
import type { SchemaModel } from '../../../../src/core/schema/model.js';
import {
  buildSchema,
  type ConstraintInput,
  declareTable,
  SchemaBuilder,
  type SchemaInput,
  type TableInput,
} from '../../../../src/core/schema/schema.js';

const emailKey: ConstraintInput = {
  kind: 'unique',
  name: 'users_email_key',
  columns: ['email'],
  definition: 'UNIQUE (email)',
};
const ageCheck: ConstraintInput = {
  kind: 'check',
  name: 'users_age_check',
  columns: [],
  definition: 'CHECK ((age > 0))',
};
const users: TableInput = {
  schema: 'public',
  name: 'users',
  kind: 'table',
  columns: [
    { name: 'id', type: 'integer', isNotNull: true },
    { name: 'email', type: 'character varying(50)', isNotNull: false },
    { name: 'age', type: 'integer', isNotNull: false },
  ],
  constraints: [emailKey, ageCheck],
};
const orders: TableInput = {
  schema: 'public',
  name: 'orders',
  kind: 'table',
  columns: [{ name: 'id', type: 'bigint', isNotNull: true }],
  constraints: [],
};

function schemaOf(tables: readonly TableInput[], more: Partial<SchemaInput> = {}): SchemaModel {
  return buildSchema({ tables, defaultSearchPath: ['$user', 'public'], ...more }, 1);
}

function sums(model: SchemaModel, ...names: string[]) {
  const written = names.map((name) => {
    const dot = name.indexOf('.');
    return dot < 0 ? { schema: null, name } : { schema: name.slice(0, dot), name: name.slice(dot + 1) };
  });
  const { tablesFingerprint, constraintsFingerprint } = model.resolve(written, null, 'app');
  return { tables: tablesFingerprint, constraints: constraintsFingerprint };
}

describe('fingerprint of a statement', () => {
  const before = schemaOf([users, orders]);

  it('is the same whatever the order of tables, constraints and names', () => {
    const shuffled = schemaOf([orders, { ...users, constraints: [ageCheck, emailKey] }]);
    expect(sums(shuffled, 'users', 'orders')).toEqual(sums(before, 'orders', 'public.users', 'users'));
    expect(shuffled.fingerprint).toBe(before.fingerprint);
  });

  it('is 16 lower-case hex digits, zeros for no table', () => {
    expect(sums(before, 'users').tables).toMatch(/^[0-9a-f]{16}$/);
    expect(sums(before).tables).toBe('0000000000000000');
    expect(before.fingerprint).toMatch(/^[0-9a-f]{16}$/);
  });

  it('is stored in records: these very digits hold between versions', () => {
    expect(sums(before, 'users')).toEqual({ tables: '70f789da7344d301', constraints: '01a5cf6b5358dbe9' });
  });

  it('does not move for an unrelated table, the database does', () => {
    const after = schemaOf([users]);
    expect(sums(after, 'users')).toEqual(sums(before, 'users'));
    expect(after.fingerprint).not.toBe(before.fingerprint);
  });

  const column = (change: Partial<TableInput['columns'][number]>): TableInput => ({
    ...users,
    columns: users.columns.map((item) => (item.name === 'email' ? { ...item, ...change } : item)),
  });
  it.each<[string, TableInput]>([
    ['type', column({ type: 'character varying(60)' })],
    ['not null', column({ isNotNull: true })],
    ['type detail', column({ typeDetail: '{a,b}' })],
    ['column name', column({ name: 'mail' })],
    ['dropped column', { ...users, columns: users.columns.slice(0, 2) }],
    ['order of columns', { ...users, columns: [...users.columns].reverse() }],
    ['kind', { ...users, kind: 'view' }],
    ['detail of the table', { ...users, detail: 'capped' }],
  ])('moves with the %s of a column, and the old one comes back with the old schema', (_, changed) => {
    const after = schemaOf([changed, orders]);
    expect(sums(after, 'users').tables).not.toBe(sums(before, 'users').tables);
    expect(sums(after, 'orders')).toEqual(sums(before, 'orders'));
    expect(sums(schemaOf([users, orders]), 'users')).toEqual(sums(before, 'users'));
  });

  it.each<[string, readonly ConstraintInput[]]>([
    ['definition', [emailKey, { ...ageCheck, definition: 'CHECK ((age > 17))' }]],
    ['name', [emailKey, { ...ageCheck, name: 'users_adult' }]],
    ['kind', [{ ...emailKey, kind: 'unique_index' }, ageCheck]],
    ['columns', [{ ...emailKey, columns: ['id'] }, ageCheck]],
    ['reference', [{ ...emailKey, references: 'public.orders' }, ageCheck]],
    ['number', [emailKey]],
  ])('of constraints moves with their %s, of columns does not', (_, constraints) => {
    const after = schemaOf([{ ...users, constraints }, orders]);
    expect(sums(after, 'users').constraints).not.toBe(sums(before, 'users').constraints);
    expect(sums(after, 'users').tables).toBe(sums(before, 'users').tables);
  });

  it('tells a column moved between two tables', () => {
    const flag = { name: 'flag', type: 'boolean', isNotNull: false };
    const onUsers = schemaOf([{ ...users, columns: [...users.columns, flag] }, orders]);
    const onOrders = schemaOf([users, { ...orders, columns: [...orders.columns, flag] }]);
    expect(sums(onUsers, 'users', 'orders')).not.toEqual(sums(onOrders, 'users', 'orders'));
  });
});

describe('names of a statement', () => {
  it('an absent table counts by its name, and stops to when it is created, even without columns', () => {
    const without = schemaOf([users]);
    const absent = sums(without, 'users', 'orders').tables;
    expect(absent).not.toBe(sums(without, 'users').tables);
    expect(absent).not.toBe(sums(without, 'users', 'order').tables);
    expect(sums(schemaOf([users, { ...orders, columns: [] }]), 'users', 'orders').tables).not.toBe(absent);
    expect(without.resolve([{ schema: null, name: 'orders' }], null, 'app')).toMatchObject({
      names: ['orders'],
      tables: [],
    });
  });

  it('follow the session, the role, the database, in this order', () => {
    const inSchema = (schema: string): TableInput => ({ ...orders, schema });
    const model = schemaOf([inSchema('app'), inSchema('shop'), inSchema('public'), inSchema('audit')], {
      roleSearchPaths: new Map([['clerk', ['shop', 'public']]]),
    });
    const found = (path: readonly string[] | null, user: string): readonly string[] =>
      model.resolve([{ schema: null, name: 'orders' }], path, user).names;
    expect(found(null, 'someone')).toEqual(['public.orders']);
    expect(found(null, 'app')).toEqual(['app.orders']);
    expect(found(null, 'clerk')).toEqual(['shop.orders']);
    expect(found(['audit', 'public'], 'clerk')).toEqual(['audit.orders']);
    expect(found(['nowhere', '$user'], 'shop')).toEqual(['shop.orders']);
    expect(found([], 'app')).toEqual(['orders']);
    expect(model.resolve([{ schema: 'audit', name: 'orders' }], null, 'app').names).toEqual(['audit.orders']);
  });

  it('of the server itself are one thing, qualified or not', () => {
    const unqualified = { prefix: 'pg_', home: 'pg_catalog' };
    const model = schemaOf([users], { system: { schemas: ['pg_catalog'], unqualified } });
    expect(sums(model, 'pg_class')).toEqual(sums(model, 'pg_catalog.pg_class'));
    expect(model.resolve([{ schema: null, name: 'pg_class' }], null, 'app').names).toEqual([
      'pg_catalog.pg_class',
    ]);
    expect(sums(model, 'pg_class').tables).not.toBe(sums(model, 'pg_type').tables);
    // As stored records have it.
    expect(sums(model, 'pg_class').tables).toBe('c6681e86124d764f');
    expect(sums(model, 'nowhere').tables).toBe('f09e04253b3a71ae');
  });

  it('are missing tables where the product has no such names', () => {
    const model = schemaOf([users]);
    expect(model.resolve([{ schema: null, name: 'pg_class' }], null, 'app')).toMatchObject({
      names: ['pg_class'],
      hasAbsent: true,
    });
  });

  it('of a partition stand for the table it belongs to', () => {
    const model = schemaOf([users], {
      aliases: [
        { schema: 'public', name: 'users_1', ofSchema: 'public', ofName: 'users' },
        { schema: 'public', name: 'gone_1', ofSchema: 'public', ofName: 'gone' },
      ],
    });
    expect(sums(model, 'users_1')).toEqual(sums(model, 'users'));
    expect(sums(model, 'gone_1')).toEqual(sums(schemaOf([users]), 'gone_1'));
    expect(model.fingerprint).toBe(schemaOf([users]).fingerprint);
  });
});

describe('names to show', () => {
  const model = schemaOf([users, orders, { ...orders, schema: 'billing', name: 'invoices' }], {
    otherNames: ['check_overdraft'],
  });

  it.each(['users', 'email', 'users_email_key', 'public.users', 'billing.invoices', 'check_overdraft'])(
    'knows %s',
    (name) => {
      expect(model.knows(name)).toBe(true);
    },
  );

  it.each(['usr', 'public.invoices', 'character varying(50)', '', 'a.b.c'])('does not know "%s"', (name) => {
    expect(model.knows(name)).toBe(false);
  });

  it('tells which tables refer to one', () => {
    const child = (name: string, ...keys: readonly string[]) => ({
      ...users,
      name,
      constraints: keys.map((key) => ({
        kind: 'foreign_key' as const,
        name: key,
        columns: ['id'],
        definition: key,
        references: 'public.users',
      })),
    });
    const shop = schemaOf([users, child('a', 'k1', 'k2'), child('b', 'k3')]);
    const parent = shop.table('public', 'users');
    expect(parent === undefined ? null : shop.referencing(parent).map(({ name }) => name)).toEqual([
      'a',
      'b',
    ]);
    const other = shop.table('public', 'a');
    expect(other === undefined ? null : shop.referencing(other)).toEqual([]);
  });

  it('suggests close tables, qualified where the path does not reach', () => {
    expect(model.similarTables('user', 5)).toEqual(['users']);
    expect(model.similarTables('public.ordres', 5)).toEqual(['orders']);
    expect(model.similarTables('invoices', 5)).toEqual(['billing.invoices']);
    expect(model.similarTables('customer_orders', 5)).toEqual(['orders']);
    expect(model.similarTables('zzzzzzzz', 5)).toEqual([]);
  });
});

describe('a read after another', () => {
  it('keeps the tables that it does not change', () => {
    const first = declareTable(users, undefined);
    expect(declareTable(structuredClone(users), first)).toBe(first);
    const changed = { ...users, columns: users.columns.slice(1) };
    expect(declareTable(changed, first).columnsHash).toBe(declareTable(changed, undefined).columnsHash);
    expect(declareTable(changed, first)).not.toBe(first);
  });

  it('is told from it by anything a statement could notice', () => {
    const model = (tables: readonly TableInput[], more: Partial<SchemaInput> = {}) => {
      const builder = new SchemaBuilder(null);
      for (const table of tables) builder.add(table);
      return builder.finish({ tables, defaultSearchPath: ['public'], ...more }, 1);
    };
    const first = model([users, orders]);
    expect(model([orders, users]).equals(first)).toBe(true);
    expect(model([users]).equals(first)).toBe(false);
    expect(model([{ ...users, constraints: [] }, orders]).equals(first)).toBe(false);
    expect(model([users, orders], { defaultSearchPath: ['shop'] }).equals(first)).toBe(false);
    expect(model([users, orders], { roleSearchPaths: new Map([['a', ['b']]]) }).equals(first)).toBe(false);
  });
});

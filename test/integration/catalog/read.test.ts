import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openCatalog } from '../../../adapters/postgres/catalog.js';
import type { CatalogReader } from '../../../src/core/adapter.js';
import { buildSchema, type SchemaInput, type TableInput } from '../../../src/core/schema/schema.js';
import { asRole, createDatabase, type TestDatabase } from '../../servers/database.js';
import { roles } from '../../servers/roles.js';
import { describeEachPostgres } from '../../support/postgres-servers.js';
import { addressOf, plain, readModel, sumsOf } from './support.js';

const setup = `
  create type mood as enum ('sad', 'ok');
  create domain posint as integer check (value > 0);
  create table users (
    id integer generated always as identity primary key,
    gone text,
    email varchar(50) not null constraint users_email_key unique,
    age posint,
    moods mood[],
    balance numeric(10,2) default 0 check (balance >= 0));
  alter table users drop column gone;
  create unique index users_lower on users (lower(email));
  create unique index users_live on users (age) where balance > 0;
  create unique index users_pair on users (age, email) include (balance);
  create index users_plain on users (age);
  create table orders (id bigint primary key, user_id integer references users, exclude using btree (user_id with =));
  create function check_overdraft() returns trigger language plpgsql as $$
    begin if new.balance < 0 then raise exception 'no'; end if; return new; end $$;
  create trigger overdraft before update on users for each row execute function check_overdraft();
  create view user_mails as select id, email from users;
  create materialized view user_count as select count(*) from users;
  create table events (at date not null, what text) partition by range (at);
  create table events_2026 partition of events for values from ('2026-01-01') to ('2027-01-01') partition by range (at);
  create table events_2026_01 partition of events_2026 for values from ('2026-01-01') to ('2026-02-01');
  create table _users_gho (id integer);
  create table owned (id integer);
  alter extension plpgsql add table owned;
  create schema private; revoke all on schema private from public;
  create table private.secrets (id integer primary key);
  create table bare ();
  create table "Odd ""Name" ("a.b" text);`;

describeEachPostgres('reading the catalog', (server) => {
  let database: TestDatabase;
  let session: pg.Client;
  let reader: CatalogReader;
  let input: SchemaInput;

  beforeAll(async () => {
    database = await createDatabase(server.url, setup);
    session = new pg.Client(database.url);
    await session.connect();
    await session.query('create temporary table scratch (id integer)');
    reader = await openCatalog(addressOf(database.url), plain, database.name);
    input = await reader.read();
  });

  afterAll(async () => {
    await reader?.close();
    await session?.end();
    await database?.drop();
  });

  function table(name: string, schema = 'public'): TableInput {
    const found = input.tables.find((item) => item.schema === schema && item.name === name);
    if (found === undefined) throw new Error(`${schema}.${name} was not read`);
    return found;
  }

  it('finds tables of every kind and leaves out what is not declared by users', () => {
    expect(input.tables.map(({ schema, name, kind }) => `${schema}.${name} ${kind}`).sort()).toEqual([
      'private.secrets table',
      'public.Odd "Name table',
      'public.bare table',
      'public.events partitioned',
      'public.orders table',
      'public.user_count materialized_view',
      'public.user_mails view',
      'public.users table',
    ]);
  });

  it("knows what is the server's own", () => {
    const model = buildSchema(input, 1);
    const isAbsent = (schema: string | null, name: string) =>
      model.resolve([{ schema, name }], null, 'app').hasAbsent;
    expect(isAbsent(null, 'pg_class')).toBe(false);
    expect(isAbsent('pg_catalog', 'pg_class')).toBe(false);
    expect(isAbsent('information_schema', 'columns')).toBe(false);
    expect(isAbsent('pg_toast', 'pg_toast_1')).toBe(false);
    expect(isAbsent(null, 'class')).toBe(true);
  });

  it('finds live columns in order, with whole types', () => {
    expect(table('users').columns).toEqual([
      { name: 'id', type: 'integer', isNotNull: true, typeDetail: 'identity a' },
      { name: 'email', type: 'character varying(50)', isNotNull: true },
      { name: 'age', type: 'public.posint', isNotNull: false },
      { name: 'moods', type: 'public.mood[]', isNotNull: false, typeDetail: '{sad,ok}' },
      { name: 'balance', type: 'numeric(10,2)', isNotNull: false },
    ]);
    expect(table('bare').columns).toEqual([]);
    expect(table('Odd "Name').columns.map(({ name }) => name)).toEqual(['a.b']);
  });

  it('finds constraints, unique indexes without one, rules of domains and triggers', () => {
    const found = table('users').constraints.filter(({ kind }) => kind !== 'not_null');
    expect(found.map(({ kind, name, columns }) => `${kind} ${name} (${columns.join()})`).sort()).toEqual([
      'check posint_check (age)',
      'check users_balance_check ()',
      'primary_key users_pkey (id)',
      'trigger overdraft ()',
      'unique users_email_key (email)',
      'unique_index users_live ()',
      'unique_index users_lower ()',
      'unique_index users_pair (age,email)',
    ]);
    expect(found.every(({ definition }) => definition !== '')).toBe(true);
    expect(table('orders').constraints).toContainEqual({
      kind: 'foreign_key',
      name: 'orders_user_id_fkey',
      columns: ['user_id'],
      definition: 'FOREIGN KEY (user_id) REFERENCES public.users(id)',
      references: 'public.users',
    });
    expect(table('orders').constraints.map(({ kind }) => kind)).toContain('exclusion');
  });

  it('names partitions of every level by the table they belong to', async () => {
    const events = { ofSchema: 'public', ofName: 'events' };
    expect(input.aliases).toEqual([
      { schema: 'public', name: 'events_2026', ...events },
      { schema: 'public', name: 'events_2026_01', ...events },
    ]);
    const model = await readModel(reader);
    expect(sumsOf(model, 'events_2026_01')).toBe(sumsOf(model, 'events'));
  });

  it('knows the names a failure can carry', async () => {
    const model = await readModel(reader);
    for (const name of [
      'users_email_key',
      'check_overdraft',
      'posint_check',
      'posint',
      'public.users',
      'events_2026',
    ]) {
      expect(model.knows(name), name).toBe(true);
    }
    expect(model.knows('scratch')).toBe(false);
  });

  it.each(roles)('reads the same as $name, who may see nothing, by $method', async (role) => {
    const other = await openCatalog(addressOf(asRole(database.url, role)), plain, database.name);
    try {
      expect((await other.read()).tables).toEqual(input.tables);
      expect(await other.probe()).toBe(await reader.probe(true));
    } finally {
      await other.close();
    }
  });

  it.each([
    [
      'create or replace function check_overdraft() returns trigger language plpgsql as $$ begin return new; end $$',
    ],
    ['alter table users disable trigger overdraft'],
    ['alter domain posint add constraint small check (value < 1000)'],
    ["alter type mood add value 'good'"],
    ['alter table users rename constraint users_email_key to mail_key'],
    ['drop index users_pair'],
    ['alter table users alter column balance type numeric(12,2)'],
    ['alter table users alter column balance set not null'],
    ['alter table users add column extra text'],
    ['alter table users alter column id drop identity'],
    [
      'alter table users drop constraint users_balance_check, add constraint users_balance_check check (balance > 0)',
    ],
    ['drop index users_lower; create unique index users_lower on users (upper(email))'],
    ['drop index users_live; create unique index users_live on users (age) where balance > 1'],
    [
      'drop trigger overdraft on users; create trigger overdraft before insert on users for each row execute function check_overdraft()',
    ],
    [
      'drop trigger overdraft on users; create trigger overdraft before insert on users for each row when (new.age > 3) execute function check_overdraft()',
    ],
  ])('sees that this changes the table: %s', async (statement) => {
    const before = sumsOf(await readModel(reader), 'users');
    const orders = sumsOf(await readModel(reader), 'orders');
    await session.query(statement);
    const after = await readModel(reader);
    expect(sumsOf(after, 'users')).not.toBe(before);
    expect(sumsOf(after, 'orders')).toBe(orders);
  });

  it.each([
    ['create table unrelated (id integer primary key)'],
    ["create table events_2026_02 partition of events_2026 for values from ('2026-02-01') to ('2026-03-01')"],
    ['create index on users (balance)'],
    ["comment on table users is 'people'"],
    ['insert into orders values (1); vacuum orders; analyze orders'],
    ['grant select on users to public'],
    ['begin; alter table users add column never text; rollback'],
    ['drop view user_mails'],
  ])('sees that this does not: %s', async (statement) => {
    const before = sumsOf(await readModel(reader), 'users', 'events', 'orders');
    for (const part of statement.split('; ')) await session.query(part);
    expect(sumsOf(await readModel(reader), 'users', 'events', 'orders')).toBe(before);
  });

  it('reads as it was after a change is taken back', async () => {
    const before = sumsOf(await readModel(reader), 'users');
    await session.query('alter table users add column wrong text');
    expect(sumsOf(await readModel(reader), 'users')).not.toBe(before);
    await session.query('alter table users drop column wrong');
    expect(sumsOf(await readModel(reader), 'users')).toBe(before);
  });

  it('reads a rule that is made anew in other words of the same meaning as what it was', async () => {
    const rules = (check: string, predicate: string) => `
      create unique index again_index on again (lower(name)) where ${predicate};
      alter table again add constraint again_check check (${check}), add exclude using btree (lower(name) with =);
      create trigger again before update of amount on again for each row when (new.amount > 5)
        execute function check_overdraft()`;
    await session.query(`create table again (id integer, amount integer, name text);
                         ${rules('amount > 0 and name <> $$x$$', 'amount > 1')}`);
    const before = sumsOf(await readModel(reader), 'again');
    await session.query(`drop index again_index; drop trigger again on again;
      alter table again drop constraint again_check, drop constraint again_lower_excl, drop column amount, drop column name;
      alter table again add column amount integer, add column name text;
      ${rules('   (amount   > 0) AND name != $$x$$', '(amount>1)')}`);
    expect(sumsOf(await readModel(reader), 'again')).toBe(before);
  });

  it('is not held up by a migration that locks every table', async () => {
    const before = await readModel(reader);
    await session.query('begin; lock users, orders, events; alter table users add column pending text');
    try {
      expect(sumsOf(await readModel(reader), 'users', 'orders')).toBe(sumsOf(before, 'users', 'orders'));
    } finally {
      await session.query('rollback');
    }
  });

  it('follows search paths set for the database and for roles', async () => {
    expect(input.defaultSearchPath).toEqual(['$user', 'public']);
    await session.query(`alter database ${database.name} set search_path = private, "$user", public`);
    await session.query(`alter role reader in database ${database.name} set search_path = "Odd", public`);
    const read = await reader.read();
    expect(read.defaultSearchPath).toEqual(['private', '$user', 'public']);
    expect(read.roleSearchPaths).toEqual(new Map([['reader', ['Odd', 'public']]]));
    // A session begun after the change has it as its own setting, and must find the same.
    const later = await openCatalog(
      addressOf(asRole(database.url, { name: 'reader', password: 'readerpw' })),
      plain,
      database.name,
    );
    try {
      expect((await later.read()).defaultSearchPath).toEqual(['private', '$user', 'public']);
    } finally {
      await later.close();
    }
  });

  it('leaves no setting of its own behind and writes nothing', async () => {
    const { rows } = await session.query(
      `select state, query, backend_xid from pg_stat_activity
        where application_name = 'twiceshy catalog' and datname = current_database()`,
    );
    expect(rows).toEqual([{ state: 'idle', query: expect.stringContaining('commit'), backend_xid: null }]);
  });
});

import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openCatalog } from '../../../adapters/postgres/catalog.js';
import type { CatalogReader } from '../../../src/core/adapter.js';
import { createDatabase, type TestDatabase } from '../../servers/database.js';
import { describeEachPostgres } from '../../support/postgres-servers.js';
import { addressOf, plain } from './support.js';

const setup = `
  create type mood as enum ('sad', 'ok');
  create domain posint as integer;
  create table users (id integer primary key, email text, age posint);
  create function rule() returns trigger language plpgsql as $$ begin return new; end $$;`;

describeEachPostgres('probing the catalog', (server) => {
  let database: TestDatabase;
  let session: pg.Client;
  let reader: CatalogReader;

  beforeAll(async () => {
    database = await createDatabase(server.url, setup);
    session = new pg.Client(database.url);
    await session.connect();
    reader = await openCatalog(addressOf(database.url), plain, database.name);
  });

  afterAll(async () => {
    await reader?.close();
    await session?.end();
    await database?.drop();
  });

  // One session, one statement right after the other: the server's statistics are silent about all but the first.
  it.each([
    'create table orders (id integer)',
    'alter table orders rename to bills',
    'alter table bills rename column id to number',
    'alter table bills add column note text',
    'alter table bills drop column note',
    'alter table bills alter column number set not null',
    'alter table bills alter column number type bigint',
    'alter table bills add constraint positive check (number > 0)',
    'alter table bills drop constraint positive',
    'alter table bills add foreign key (number) references users',
    'create unique index bills_number on bills (number)',
    'drop index bills_number',
    'create unique index concurrently bills_number on bills (number)',
    'create trigger guard before insert on bills for each row execute function rule()',
    'alter table bills disable trigger guard',
    'create or replace function rule() returns trigger language plpgsql as $$ begin return null; end $$',
    'drop trigger guard on bills',
    "alter type mood add value 'good'",
    'alter domain posint add constraint small check (value < 9)',
    'alter domain posint drop constraint small',
    'create view mails as select email from users',
    'create schema shop',
    'alter table bills set schema shop',
    'alter schema shop rename to store',
    'alter role reader in database :database set search_path = store',
    'create table events (at date) partition by range (at)',
    "create table events_1 partition of events for values from ('2026-01-01') to ('2026-02-01')",
    'drop table store.bills',
  ])('moves at once with: %s', async (statement) => {
    const before = await reader.probe(true);
    await session.query(statement.replace(':database', database.name));
    expect(await reader.probe(true)).not.toBe(before);
  });

  it.each([
    ['insert into users values (1); update users set email = null; delete from users'],
    ['begin; create table never (id integer); rollback'],
    ['vacuum users; vacuum freeze pg_attribute; analyze'],
    ['create temporary table scratch (id integer); drop table scratch'],
    ['select count(*) from users'],
  ])('stays for: %s', async (statements) => {
    if (statements.includes('temporary')) await session.query('create temporary table earlier (id integer)');
    const before = await reader.probe(true);
    for (const statement of statements.split('; ')) await session.query(statement);
    expect(await reader.probe(true)).toBe(before);
  });

  it('moves with the commit, not with the statement', async () => {
    const before = await reader.probe(true);
    await session.query('begin; create table later (id integer)');
    expect(await reader.probe(true)).toBe(before);
    await session.query('commit');
    expect(await reader.probe(true)).not.toBe(before);
  });

  it('is the same on another connection', async () => {
    const other = await openCatalog(addressOf(database.url), plain, database.name);
    try {
      expect(await other.probe()).toBe(await reader.probe());
    } finally {
      await other.close();
    }
  });
});

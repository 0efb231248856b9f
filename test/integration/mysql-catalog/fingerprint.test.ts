/** What moves which sum of a statement's tables, and what takes it back. */
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { describeEachMysql } from '../../support/mysql-servers.js';
import { CatalogBench } from './support.js';

const made = `
  create table parent (id int primary key, code int, unique key code_key (code));
  create table t (
    id int not null auto_increment primary key,
    a int not null,
    b int,
    name varchar(100),
    mood enum('sad', 'ok'),
    amount int not null default 1,
    twice int generated always as (amount * 2) virtual,
    secret int invisible,
    parent_id int,
    unique key name_key (name),
    key plain_index (b),
    constraint positive check (a > 0),
    constraint parent_key foreign key (parent_id) references parent (id)
  );
  create trigger watched before insert on t for each row set new.b = 1;
  create view seen as select id, name from t;`;

/** Which sums a change moves: of tables and columns, of constraints, of both, of neither. */
type Moved = 'tables' | 'constraints' | 'both' | 'none';

type Case = [change: string, moved: Moved, undo?: string];

const onBoth: Case[] = [
  ['alter table t add column c int', 'tables', 'alter table t drop column c'],
  ['alter table t add column c int first', 'tables', 'alter table t drop column c'],
  [
    'alter table t drop column b',
    'tables',
    'alter table t add column b int after a, add key plain_index (b)',
  ],
  ['alter table t rename column b to c', 'tables', 'alter table t rename column c to b'],
  ['alter table t modify b int after name', 'tables', 'alter table t modify b int after a'],
  ['alter table t modify b bigint', 'tables', 'alter table t modify b int'],
  ['alter table t modify b int unsigned', 'tables', 'alter table t modify b int'],
  ['alter table t modify b int not null', 'tables', 'alter table t modify b int'],
  ['alter table t modify name varchar(101)', 'tables', 'alter table t modify name varchar(100)'],
  [
    'alter table t modify name varchar(100) collate utf8mb4_bin',
    'tables',
    'alter table t modify name varchar(100)',
  ],
  [
    "alter table t modify mood enum('sad', 'ok', 'glad')",
    'tables',
    "alter table t modify mood enum('sad', 'ok')",
  ],
  ['alter table t alter column a set default 5', 'tables', 'alter table t alter column a drop default'],
  [
    'alter table t alter column amount drop default',
    'tables',
    'alter table t alter column amount set default 1',
  ],
  ['alter table t modify id int not null', 'tables', 'alter table t modify id int not null auto_increment'],
  ['alter table t modify secret int', 'tables', 'alter table t modify secret int invisible'],
  ['alter table t modify twice int generated always as (amount * 3) virtual', 'tables'],
  ['alter table t convert to character set latin1', 'tables'],
  ['rename table t to elsewhere', 'both', 'rename table elsewhere to t'],

  ['alter table t add unique key b_key (b)', 'constraints', 'alter table t drop key b_key'],
  ['alter table t drop key name_key', 'constraints', 'alter table t add unique key name_key (name)'],
  ['alter table t drop key name_key, add unique key name_key (name(20))', 'constraints'],
  ['alter table t drop key name_key, add unique key name_key (name, b)', 'constraints'],
  ['alter table t drop key name_key, add unique key other_key (name)', 'constraints'],
  ['create unique index b_key on t (b)', 'constraints', 'drop index b_key on t'],
  [
    'alter table t drop foreign key parent_key',
    'constraints',
    'alter table t add constraint parent_key foreign key (parent_id) references parent (id)',
  ],
  [
    'alter table t drop foreign key parent_key; alter table t add constraint parent_key foreign key (parent_id) references parent (id) on delete cascade',
    'constraints',
  ],
  [
    'alter table t drop foreign key parent_key; alter table t add constraint parent_key foreign key (parent_id) references parent (code)',
    'constraints',
  ],
  [
    'alter table t add constraint small check (b < 100)',
    'constraints',
    'alter table t drop constraint small',
  ],
  ['alter table t drop constraint positive, add constraint positive check (a > 1)', 'constraints'],
  ['create trigger later after insert on t for each row do 0', 'constraints', 'drop trigger later'],
  [
    'drop trigger watched',
    'constraints',
    'create trigger watched before insert on t for each row set new.b = 1',
  ],
  [
    "set sql_mode = ''; drop trigger watched; create trigger watched before insert on t for each row set new.b = 1",
    'constraints',
    'set sql_mode = default; drop trigger watched; create trigger watched before insert on t for each row set new.b = 1 ;',
  ],
  [
    'drop trigger watched; create trigger watched before insert on t for each row set new.b = 2',
    'constraints',
  ],
  [
    'drop trigger watched; create trigger watched before update on t for each row set new.b = 1',
    'constraints',
  ],

  ["alter table t comment 'ours'", 'none'],
  ["alter table t modify b int comment 'ours'", 'none'],
  ['alter table t auto_increment = 1000', 'none'],
  ['alter table t row_format = dynamic', 'none'],
  ['alter table t add key other_index (a)', 'none'],
  ['alter table t drop key plain_index', 'none'],
  ['alter table t alter column amount set default 2', 'none'],
  ['alter table t default character set latin1', 'none'],
  [
    'alter table t drop foreign key parent_key; alter table t add constraint parent_key foreign key (parent_id) references parent (id) on delete restrict',
    'none',
  ],
  ['analyze table t', 'none'],
  ['optimize table t', 'none'],
  ['truncate table t', 'none'],
  ['insert into t (a, name) values (1, repeat(char(120), 50)), (2, null)', 'none'],
  ['create table other (id int); drop table other', 'none'],
  ['create temporary table t (other int)', 'none', 'drop temporary table t'],
  ['create table _t_gho like t; create table _t_del (id int)', 'none'],
  ['create procedure p() select 1; create event e on schedule every 1 day do select 1', 'none'],
  ['drop view seen; create view seen as select id, name from t', 'none'],
];

const onMysql: Case[] = [
  ['alter table t add unique key lowered ((lower(name)))', 'constraints', 'alter table t drop key lowered'],
  ['alter table t add unique key lowered ((upper(name))); alter table t drop key lowered', 'none'],
  [
    'alter table t alter check positive not enforced',
    'constraints',
    'alter table t alter check positive enforced',
  ],
  ['alter table t alter index name_key invisible', 'none'],
  ['alter table t add column p point not null srid 4326', 'tables', 'alter table t drop column p'],
];

const onMariadb: Case[] = [
  ['alter table t add column c int, add constraint c_key unique (c)', 'both', 'alter table t drop column c'],
  ['create or replace table t (id int)', 'both'],
  ['create sequence s', 'none', 'drop sequence s'],
  ['alter table t modify b int check (b > 0)', 'constraints', 'alter table t modify b int'],
];

describeEachMysql('the fingerprint of a table', (server) => {
  const bench = new CatalogBench();
  beforeAll(() => bench.open(server));
  afterAll(() => bench.close());
  beforeEach(() => remake(bench));

  it.each<Case>([...onBoth, ...(server.flavour === 'mysql' ? onMysql : onMariadb)])(
    '%s: %s',
    async (change, moved, undo) => {
      const before = await bench.sums('t');
      await bench.session.query(change);
      const after = await bench.sums('t');
      expect({
        tables: after.tables !== before.tables,
        constraints: after.constraints !== before.constraints,
      }).toEqual({
        tables: moved === 'tables' || moved === 'both',
        constraints: moved === 'constraints' || moved === 'both',
      });
      if (undo === undefined) return;
      await bench.session.query(undo);
      expect(await bench.sums('t')).toEqual(before);
    },
  );

  it('is that of the table and not of the day it was made', async () => {
    const before = await bench.sums('t', 'parent', 'seen');
    await remake(bench);
    expect(await bench.sums('t', 'parent', 'seen')).toEqual(before);
  });

  it('comes back with a database that is dropped and made again', async () => {
    const { name } = bench.database;
    const before = await bench.sums('t', 'parent', 'seen');
    await bench.session.query(`drop database ${name}`);
    expect((await bench.model()).table(name, 't')).toBeUndefined();
    expect(await bench.sums('t')).not.toEqual(before);
    await bench.session.query(`create database ${name}; use ${name}`);
    await bench.session.query(made);
    expect(await bench.sums('t', 'parent', 'seen')).toEqual(before);
  });

  it('of a view moves with the columns it shows and with no others', async () => {
    const before = await bench.sums('seen');
    await bench.session.query('alter table t add column c int');
    expect(await bench.sums('seen')).toEqual(before);
    await bench.session.query('alter table t modify name varchar(101)');
    expect((await bench.sums('seen')).tables).not.toBe(before.tables);
    await bench.session.query('alter table t modify name varchar(100)');
    await bench.session.query('create or replace view seen as select id, name, b from t');
    expect((await bench.sums('seen')).tables).not.toBe(before.tables);
  });

  it('tells tables of one name in two databases apart', async () => {
    const other = new CatalogBench();
    await other.open(server, made);
    const model = await bench.model();
    const path = (database: string) => model.resolve([{ schema: null, name: 't' }], [database], 'app');
    expect(path(bench.database.name)).not.toEqual(path(other.database.name));
    expect(model.resolve([{ schema: other.database.name, name: 't' }], [bench.database.name], 'app')).toEqual(
      path(other.database.name),
    );
    await other.close();
  });
});

/** Everything as `made` has it. */
async function remake({ session, database }: CatalogBench): Promise<void> {
  await session.query(
    `drop database if exists ${database.name}; create database ${database.name}; use ${database.name}`,
  );
  await session.query(made);
}

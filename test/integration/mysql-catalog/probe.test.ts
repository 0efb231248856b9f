import { type Connection, createConnection } from 'mysql2/promise';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openCatalog } from '../../../adapters/mysql/catalog.js';
import { describeEachMysql, describeMariadb } from '../../support/mysql-servers.js';
import { until } from '../../support/until.js';
import { addressOf, CatalogBench, plain } from './support.js';

const setup = `
  create table t (id int not null auto_increment primary key, a int);
  create table parent (id int primary key);
  create view v as select id from t;
  create procedure makes() create table made (id int);
  create procedure adds() begin set @text = 'alter table t add column added int'; prepare s from @text; execute s; end;
  create table old (id int)`;

describeEachMysql('the probe', (server) => {
  const bench = new CatalogBench();
  let other: Connection;

  beforeAll(async () => {
    await bench.open(server);
    for (const statement of setup.split(/;\n/)) await bench.session.query(statement);
    other = await createConnection({ uri: bench.database.url, multipleStatements: true });
  });
  afterAll(async () => {
    await other?.end();
    await bench.close();
  });

  /** Tests of other files change schemas of the same server meanwhile: what must not move it is tried until it does not. */
  const staysWith = (run: () => Promise<unknown>): Promise<boolean> =>
    until(
      async () => {
        const before = await bench.reader.probe();
        await run();
        return (await bench.reader.probe()) === before;
      },
      10_000,
      'a probe that stays',
    );

  it.each([
    'create table new_one (id int)',
    'create table like_t like t',
    'create table from_t as select * from t',
    'alter table t add column b int',
    'alter table t add key b_key (b)',
    'create index b_index on t (b)',
    'drop index b_index on t',
    'alter table t rename column b to c',
    "alter table t comment 'seen too'",
    'rename table new_one to new_two',
    'alter table new_two rename to new_one',
    'alter table t add constraint positive check (a > 0)',
    'alter table t add constraint to_parent foreign key (a) references parent (id)',
    'alter table t drop foreign key to_parent',
    'create trigger watched before insert on t for each row set new.a = 1',
    'drop trigger watched',
    'create or replace view v as select a from t',
    'alter view v as select id from t',
    'drop view v',
    'drop table new_one, like_t, from_t',
    'alter database default character set latin1',
    'call makes()',
    'call adds()',
    'create procedure another() select 1',
    'drop procedure another',
    'create function answer() returns int deterministic return 42',
    'drop function answer',
    'create event nightly on schedule every 1 day do select 1',
    'alter event nightly rename to daily',
    'drop event daily',
    "prepare s from 'create table prepared (id int)'; execute s",
    ...(server.flavour === 'mariadb'
      ? [
          'create or replace table t (id int primary key, a int)',
          'create sequence s',
          'drop sequence s',
          "execute immediate 'create table immediate_one (id int)'",
          'begin not atomic create table in_block (id int); end',
        ]
      : ['alter table t alter index a invisible', 'alter table old import tablespace']),
  ])('moves at once with %s', async (statement) => {
    const before = await bench.reader.probe();
    // Some are refused; they count all the same, and cost a look.
    await other.query(statement).catch(() => undefined);
    expect(await bench.reader.probe()).not.toBe(before);
  });

  it('moves with a statement prepared by the protocol', async () => {
    const statement = await other.prepare('create table by_protocol (id int)');
    const before = await bench.reader.probe();
    await statement.execute([]);
    expect(await bench.reader.probe()).not.toBe(before);
    await statement.close();
  });

  it('moves with a database that is made and dropped', async () => {
    const name = `${bench.database.name}_more`;
    for (const statement of [`create database ${name}`, `drop database ${name}`]) {
      const before = await bench.reader.probe();
      await other.query(statement);
      expect(await bench.reader.probe()).not.toBe(before);
    }
  });

  it.each([
    'insert into t (a) values (null)',
    'update t set a = null',
    'delete from t',
    'truncate table t',
    'analyze table t',
    'flush tables',
    'select * from t',
    "set @x = 'create table y (id int)'",
    'lock tables t write; unlock tables',
    'start transaction; insert into t (a) values (null); rollback',
    'show create table t',
    'this is no statement',
  ])('stays with %s', async (statement) => {
    expect(await staysWith(() => other.query(statement).catch(() => undefined))).toBe(true);
  });

  it('stays for those who only look, and is the same for all of them', async () => {
    const second = await openCatalog(addressOf(server.url), plain);
    const unprivileged = await openCatalog(
      addressOf(server.url, { name: 'no_rights', password: 'norightspw' }),
      plain,
    );
    try {
      const isOne = async () => {
        const values = [];
        for (const reader of [bench.reader, second, unprivileged]) values.push(await reader.probe(true));
        return new Set(values).size === 1;
      };
      expect(await until(isOne, 10_000, 'one value')).toBe(true);
      expect(await staysWith(() => second.read())).toBe(true);
    } finally {
      await second.close();
      await unprivileged.close();
    }
  });
});

describeMariadb('the probe', (server) => {
  it('stays with temporary tables, which have counters of their own', async () => {
    const bench = new CatalogBench();
    await bench.open(server);
    const stays = async () => {
      const before = await bench.reader.probe();
      await bench.session.query('create temporary table scratch (id int); drop temporary table scratch');
      return (await bench.reader.probe()) === before;
    };
    expect(await until(stays, 10_000, 'a probe that stays')).toBe(true);
    await bench.close();
  });
});

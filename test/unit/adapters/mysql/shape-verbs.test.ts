/** Verbs and families, held against the servers' own Com_ counters when they were written. */
import { describe, expect, it } from 'vitest';
import { mariadb, mysql, oneShape } from '../../core/shape/support.js';

const verbs: readonly (readonly [sql: string, verb: string, family: string])[] = [
  ['select 1', 'select', 'read'],
  ['(select 1) union (select 2)', 'select', 'read'],
  ['values (1)', 'values', 'read'],
  ['table t', 'table', 'read'],
  ['with a as (select 1) select * from a', 'select', 'read'],
  ['with a as (select 1) update t join a set x = 1', 'update', 'update'],
  ['with a as (select 1) delete from t', 'delete', 'delete'],
  ['/*+ x */ select 1', 'select', 'read'],
  ['/*!40101 set names utf8 */', 'set', 'other'],
  ['; select 1', 'select', 'read'],
  ['show tables', 'show', 'read'],
  ['describe t', 'describe', 'read'],
  ['desc t a', 'describe', 'read'],
  ['desc select 1', 'explain', 'read'],
  ['explain t', 'describe', 'read'],
  ['explain delete from t', 'explain', 'read'],
  ['explain format=json update t set a = 1', 'explain', 'read'],
  ['explain analyze select 1', 'explain', 'read'],
  ['explain analyze format=tree update t set a = 1', 'explain', 'update'],
  ['handler t read first', 'handler', 'read'],
  ['help x', 'help', 'read'],
  ['checksum table t', 'checksum', 'read'],
  ['insert into t values (1)', 'insert', 'insert'],
  ['replace into t values (1)', 'replace', 'insert'],
  ['update t set a = 1', 'update', 'update'],
  ['delete t from t join u', 'delete', 'delete'],
  ['truncate t', 'truncate', 'delete'],
  ["load data infile 'x' into table t", 'load data', 'copy'],
  ["load xml infile 'x' into table t", 'load xml', 'copy'],
  ['load index into cache t', 'load index', 'other'],
  ['call p()', 'call', 'call'],
  ['execute s', 'execute', 'call'],
  ['do 1', 'do', 'other'],
  ['set @a = 1', 'set', 'other'],
  ['set password = x', 'set', 'other'],
  ['use db', 'use', 'other'],
  ['begin', 'begin', 'other'],
  ['begin work', 'begin', 'other'],
  ['start transaction', 'start', 'other'],
  ['commit', 'commit', 'other'],
  ["xa start 'x'", 'xa', 'other'],
  ['lock tables t read', 'lock', 'other'],
  ['unlock tables', 'unlock', 'other'],
  ['optimize table t', 'optimize', 'other'],
  ['analyze table t', 'analyze', 'other'],
  ['repair table t', 'repair', 'other'],
  ['flush tables', 'flush', 'other'],
  ['kill 1', 'kill', 'other'],
  ['prepare s from @a', 'prepare', 'other'],
  ['deallocate prepare s', 'deallocate', 'other'],
  ['drop prepare s', 'deallocate', 'other'],
  ['signal x', 'signal', 'other'],
  ['create table t (a int)', 'create table', 'ddl'],
  ['create or replace temporary table if not exists t (a int)', 'create table', 'ddl'],
  ['create unique index i on t (a)', 'create index', 'ddl'],
  ['create fulltext index i on t (a)', 'create index', 'ddl'],
  ["create definer='root'@'%' trigger g before insert on t for each row set @a = 1", 'create trigger', 'ddl'],
  ['create definer=current_user() event e on schedule every 1 day do set @a = 1', 'create event', 'ddl'],
  [
    'create or replace algorithm=merge definer=`a`@`b` sql security definer view v as select 1',
    'create view',
    'ddl',
  ],
  ['create aggregate function f returns int soname "x"', 'create function', 'ddl'],
  ['create procedure p() select 1', 'create procedure', 'ddl'],
  ["create user u identified by 'x'", 'create user', 'ddl'],
  ['create database d', 'create database', 'ddl'],
  ['alter table t add a int', 'alter table', 'ddl'],
  ['drop tables a, b', 'drop table', 'ddl'],
  ['drop temporary table a', 'drop table', 'ddl'],
  ['rename table a to b', 'rename table', 'ddl'],
  ['rename tables a to b', 'rename table', 'ddl'],
  ['rename user a to b', 'rename user', 'ddl'],
  ['grant select on t to u', 'grant', 'ddl'],
  ['import table from "x"', 'import', 'ddl'],
  ['selec 1', '', 'other'],
  ['', '', 'other'],
];

const mariadbVerbs: readonly (readonly [sql: string, verb: string, family: string])[] = [
  ['begin not atomic select 1; end', 'begin not atomic', 'call'],
  ['if a then select 1; end if', 'if', 'call'],
  ['case a when 1 then select 1; end case', 'case', 'call'],
  ['while a do select 1; end while', 'while', 'call'],
  ['set statement a = 1 for select 1', 'select', 'read'],
  ['set statement a = 1 for update t set a = 1', 'update', 'update'],
  ['set statement a = 1', 'set', 'other'],
  ['analyze update t set a = 1', 'analyze', 'update'],
  ['analyze format=json select 1', 'analyze', 'read'],
  ['analyze local table t', 'analyze', 'other'],
  ['create sequence s', 'create sequence', 'ddl'],
  ['alter online ignore table t add a int', 'alter table', 'ddl'],
  ['delete history from t', 'delete', 'delete'],
  ["execute immediate 'x'", 'execute', 'call'],
];

const verbOf = (sql: string, shaper = mysql): readonly string[] => {
  const { verb, verbFamily } = oneShape(sql, {}, shaper);
  return [verb, verbFamily];
};

describe('verbs', () => {
  it.each(verbs)('%s', (sql, verb, family) => {
    expect(verbOf(sql)).toEqual([verb, family]);
    expect(verbOf(sql, mariadb)).toEqual([verb, family]);
  });

  it.each(mariadbVerbs)('in MariaDB: %s', (sql, verb, family) => {
    expect(verbOf(sql, mariadb)).toEqual([verb, family]);
  });

  it('asks little of a text of nothing but EXPLAIN or SET STATEMENT', () => {
    expect(verbOf('explain analyze '.repeat(4_000))).toEqual(['explain', 'read']);
    expect(verbOf('set statement a=1 for '.repeat(2_900), mariadb)).toEqual(['set', 'other']);
  });
});

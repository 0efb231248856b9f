/**
 * The case of names where lower_case_table_names is 0: it tells two tables, databases and aliases apart, and never two
 * columns, indexes, constraints or routines.
 */
import { describe, expect, it } from 'vitest';
import { defaultLexicalOptions } from '../../../../src/core/verdict.js';
import { mariadb, mysql, oneShape } from '../../core/shape/support.js';

/** `[one writing, another, the shape of both]`. */
const alike: readonly (readonly [string, string, string])[] = [
  [
    'insert into n1(ID, A, `B`) values (1, 2, 3)',
    'insert into n1(id, a, `b`) values (1, 2, 3)',
    'insert into n1 ( id , a , b ) values ( ? , ? , ? )',
  ],
  [
    'SELECT U.Id AS Total, `É` FROM Users U WHERE Users.Email = U.Name ORDER BY total',
    'select U.id as total, `é` from Users U where Users.email = U.name order by Total',
    'select U.id as total , é from Users U where Users.email = U.name order by total',
  ],
  [
    'update Users as U set U.Name = 1, Age = 2',
    'update Users as U set U.name = 1, AGE = 2',
    'update Users as U set U.name = ? , age = ?',
  ],
  [
    'select D.X from (select A as X from T) D join T as T2 using (A)',
    'select D.x from (select a as x from T) D join T as T2 using (a)',
    'select D.x from ( select a as x from T ) D join T as T2 using ( a )',
  ],
  [
    'with Cte (A) as (select B from T) select A from Cte',
    'with Cte (a) as (select b from T) select a from Cte',
    'with Cte ( a ) as ( select b from T ) select a from Cte',
  ],
  [
    'alter table T drop index Idx, add constraint Fk foreign key (A) references Other (B), rename to T2',
    'alter table T drop index idx, add constraint fk foreign key (a) references Other (b), rename to T2',
    'alter table T drop index idx , add constraint fk foreign key ( a ) references Other ( b ) , rename to T2',
  ],
  ['create index Idx on T (A)', 'create index IDX on T (a)', 'create index idx on T ( a )'],
  ['call Db.Proc(1)', 'call Db.proc(1)', 'call Db.proc ( ? )'],
  ['drop procedure Proc', 'drop procedure proc', 'drop procedure proc'],
  ['set Foreign_Key_Checks = 0', 'set foreign_key_checks = 0', 'set foreign_key_checks = ?'],
];

/** Pairs that differ in the case of what may be a table, an alias or a database. */
const apart: readonly (readonly [string, string])[] = [
  ['select a from Users', 'select a from users'],
  ['select a from `Users`', 'select a from `users`'],
  ['select a from Db.t', 'select a from db.t'],
  ['select Users.a from Users', 'select users.a from Users'],
  ['select Db.t.a from t', 'select db.t.a from t'],
  ['select Users.* from t', 'select users.* from t'],
  ['select a from t U', 'select a from t u'],
  ['select a from t as U', 'select a from t as u'],
  ['select a from t as Value', 'select a from t as value'],
  ['select a from (select 1 a) U', 'select a from (select 1 a) u'],
  ['delete U from Users U', 'delete u from Users u'],
  ['delete U, V from t U join t V', 'delete U, v from t U join t V'],
  ['select a from t U for update of U', 'select a from t U for update of u'],
  ['with Cte as (select 1) select 2', 'with cte as (select 1) select 2'],
  [
    'insert into t values (1) as New on duplicate key update a = 1',
    'insert into t values (1) as new on duplicate key update a = 1',
  ],
  ['alter table t rename to Users', 'alter table t rename to users'],
  ['alter table t rename Users', 'alter table t rename users'],
  ['create table t (a int) union = (T1, t2)', 'create table t (a int) union = (t1, t2)'],
  ['create table t (a int references Users (a))', 'create table t (a int references users (a))'],
  ['create table t like Users', 'create table t like users'],
  ['rename table t to Users', 'rename table t to users'],
  ['explain select a from Users', 'explain select a from users'],
  ['create view V as select 1', 'create view v as select 1'],
  ['drop trigger Tr', 'drop trigger tr'],
  ['use Db', 'use db'],
  ['create database Db', 'create database db'],
  ['lock tables Users read', 'lock tables users read'],
  ['grant select on Db.* to x', 'grant select on db.* to x'],
];

describe.each([
  ['MySQL', mysql],
  ['MariaDB', mariadb],
] as const)('case of names in %s', (_name, shaper) => {
  it.each(alike)('%s', (one, other, shape) => {
    expect(oneShape(one, {}, shaper).shape).toBe(shape);
    expect(oneShape(other, {}, shaper).shape).toBe(shape);
    expect(oneShape(shape, {}, shaper).shape).toBe(shape);
  });

  it.each(apart)('%s is not %s', (one, other) => {
    const shapes = [one, other].map((sql) => oneShape(sql, {}, shaper).shape);
    expect(shapes[0]).not.toBe(shapes[1]);
    for (const shape of shapes) expect(oneShape(shape, {}, shaper).shape).toBe(shape);
  });

  it.each(apart)('%s is %s where the server minds no case', (one, other) => {
    const options = { isNameCaseIgnored: true };
    expect(oneShape(one, options, shaper).shape).toBe(oneShape(other, options, shaper).shape);
  });

  it('counts for tables beyond those that are listed', () => {
    const many = Array.from({ length: 200 }, (_, index) => `t${index}`).join(', ');
    const shapeOf = (table: string): string => oneShape(`select A from ${many}, ${table}`, {}, shaper).shape;
    expect(shapeOf('Users')).not.toBe(shapeOf('users'));
  });

  it('is the same to an error’s position', () => {
    const textAt = (sql: string, word: string): string | undefined =>
      shaper.tokenAt(sql, defaultLexicalOptions, sql.indexOf(word) + 1)?.text;
    const sql = 'select Xyz from Users U where U.Name = 1; drop trigger Tr; update Users set Abc = 1';
    expect(textAt(sql, 'Xyz')).toBe('xyz');
    expect(textAt(sql, 'Users')).toBe('Users');
    expect(textAt(sql, 'Name')).toBe('U.name');
    expect(textAt(sql, 'Tr')).toBe('Tr');
    expect(textAt(sql, 'Abc')).toBe('abc');
  });
});

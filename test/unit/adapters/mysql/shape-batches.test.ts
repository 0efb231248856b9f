/** Statements of one text, counted as servers of MySQL 9.7 and MariaDB 10.11 count them, and how each is answered. */
import { describe, expect, it } from 'vitest';
import { limits } from '../../../../src/core/limits.js';
import { defaultLexicalOptions } from '../../../../src/core/verdict.js';
import { mariadb, mysql, shapes } from '../../core/shape/support.js';

const pieces = (text: string, shaper = mysql): string[] =>
  shaper.shape(text, defaultLexicalOptions, false).statements.map(({ start, end }) => text.slice(start, end));

describe('empty statements', () => {
  it.each([
    ['select 1;', ['select 1']],
    ['select 1;; \n;', ['select 1']],
    ['select 1; select 2', ['select 1', 'select 2']],
    // the server reads the semicolon and what follows as one statement, which is a syntax error
    ['select 1;;select 2', ['select 1', ';select 2']],
    ['select 1; ; select 2; select 3', ['select 1', '; select 2', 'select 3']],
    [';;select 1', [';;select 1']],
    ['/* x */; select 1', ['; select 1']],
    ['/*!99999 x */; select 1', ['; select 1']],
    // a comment at the end is answered
    ['select 1; -- x', ['select 1', '']],
    ['select 1; # x', ['select 1', '']],
    ['select 1; /* x */', ['select 1', '']],
    ['select 1; /* x */ ;', ['select 1', '']],
    ['select 1; /*! */', ['select 1', '']],
    ['select 1; /*!99999 x */', ['select 1', '']],
    ['select 1;;/* x */', ['select 1', ';']],
    ['; /* x */', [';']],
    ['select 1 /* x */;', ['select 1']],
    ['select /* x */ 1; select 2', ['select /* x */ 1', 'select 2']],
    ['', ['']],
    [';', ['']],
    ['-- x', ['']],
    ['/* x */;', ['']],
    ['/*! set @a = 1 */; select 1', ['set @a = 1', 'select 1']],
    ['select (1; select 2', ['select (1', 'select 2']],
  ] as const)('%s', (text, expected) => {
    expect(pieces(text)).toEqual(expected);
    expect(pieces(text, mariadb)).toEqual(expected);
  });

  it('bounds the number of statements', () => {
    expect(shapes('select 1;'.repeat(1000), mysql)).toHaveLength(limits.maxMultiStatements);
    expect(shapes(`${';'.repeat(1000)} select 1`, mysql)).toHaveLength(1);
  });
});

const routines = [
  'create procedure p() begin select 1; select 2; end',
  'create procedure p() begin end',
  'create procedure p() select 1',
  'create procedure if not exists p() begin select 1; end',
  'create definer=`r`@`h` procedure p() begin select 1; end',
  "create definer = 'r'@'%' procedure p() begin select 1; end",
  'create definer=current_user() procedure p() begin select 1; end',
  'create procedure p() lbl: begin lp: loop leave lp; end loop lp; end lbl',
  'create procedure p() `lbl`: begin action: while 1 do leave action; end while action; end',
  'create procedure p() if exists(select 1) then select 1; end if',
  'create procedure p() if (1) then select 1; elseif (2) then select 2; else select 3; end if',
  'create procedure p() while 0 do select 1; end while',
  "create procedure p() comment 'x' reads sql data sql security invoker repeat select 1; until 1 end repeat",
  'create procedure p() case 1 when 1 then select 1; else select 2; end case',
  'create procedure p() case when 1 then select 1; when 2 then begin end; else select case 1 when 1 then 2 else 3 end; end case',
  'create function f() returns int deterministic if 1 then return 1; else return 2; end if',
  'create function f() returns int deterministic return case when 1 then 2 end',
  "create function f() returns set('a') character set utf8 begin return 'a'; end",
  'create procedure p() begin select start, end from (select 1 start, 2 end) x; select begin from (select 1 begin) y; end',
  'create procedure p(begin int, end int) begin declare begin int; declare end int; set begin=1; set end = 2; end',
  'create procedure p() do if(1,2,3)',
  'create procedure p() begin do if(1,2,3); select if(1,2,3), repeat(1, 2), insert(1, 2, 3, 4); end',
  'create procedure p() begin declare exit handler for sqlexception, sqlwarning begin select 1; end; end',
  'create procedure p() begin declare continue handler for not found if 1 then set @x = 1; end if; set @y = 2; end',
  "create procedure p() begin declare continue handler for sqlstate '02000' set @x = if(1, case 1 when 1 then 2 end, 3); select 1; end",
  'create procedure p() begin if case when 1 then 1 end then select 1; end if; end',
  'create procedure p() begin if 1 then set @x = case 1 when 1 then if(1, 2, 3) else 4 end; end if; end',
  'create procedure p() begin drop table if exists t; create table if not exists t (a int); end',
  'create procedure p() begin declare v int; declare c cursor for select 1; open c; fetch c into v; close c; end',
  'create procedure p() begin while @a do repeat set @a = 1; until @a end repeat; end while; end',
  'create trigger g before insert on t for each row set new.a = 1',
  'create trigger g before insert on t for each row if new.a then set new.a = 1; end if',
  'create trigger g after update on t for each row follows h begin insert into u values (1); update u set a = 1; end',
  'create trigger if not exists g before delete on t for each row begin delete from u; end',
  'create event e on schedule every 1 day do select 1',
  'create event e on schedule every case 1 when 1 then 2 end day starts now() ends now() do begin select 1; select 2; end',
  'create event if not exists e on schedule at now() on completion not preserve do if 1 then select 1; end if',
  'alter event e do begin select 1; end',
  'alter procedure p comment "begin"',
  'create function f returns string soname "x.so"',
  'create table t (event int, begin int)',
  'drop procedure if exists p',
  'create view begin as select 1 end',
] as const;

describe('routines', () => {
  it.each(routines)('%s', (sql) => {
    for (const shaper of [mysql, mariadb]) {
      expect(pieces(sql, shaper)).toEqual([sql]);
      expect(pieces(`select 0; ${sql}; select 1;`, shaper)).toEqual(['select 0', sql, 'select 1']);
      expect(pieces(`${sql.toUpperCase()};select 1`, shaper)).toEqual([sql.toUpperCase(), 'select 1']);
    }
  });

  it('keeps the rest of a text whose body is not closed', () => {
    expect(pieces('create procedure p() begin select 1; select 2; select 3')).toHaveLength(1);
    expect(pieces('create procedure p() begin if 1 then select 1; end; select 2')).toHaveLength(1);
  });

  it('takes BEGIN for a transaction elsewhere', () => {
    expect(pieces('begin; select 1; end; commit')).toHaveLength(4);
    expect(pieces('begin work; if 1; select 1', mariadb)).toHaveLength(2);
    expect(pieces('start transaction; select case 1 when 1 then 2 end; commit', mariadb)).toHaveLength(3);
  });

  it.each([
    'begin not atomic select 1; select 2; end',
    'begin not atomic if 1 then select if(1,2,3); end if; end',
    "set statement sql_mode='ansi' for begin not atomic select 1; select 2; end",
    'set statement a=1 for create procedure p() begin select 1; end',
    'if 1 then select 1; end if',
    'if (1) then select 1; else select 2; end if',
    'case 1 when 1 then select 1; else select 2; end case',
    'loop leave x; end loop',
    'repeat select 1; until 1 end repeat',
    'while @n < 1 do set @n = 1; end while',
    'for i in 1..2 do select i; end for',
    'for i in (select 1 a) do select i.a; end for',
    'create or replace definer=`r`@`h` procedure p() begin select 1; end',
    'create procedure p() begin for i in 1..3 do select i; end for; end',
    'create procedure p() begin begin not atomic select 1; end; end',
    'create package k procedure a(); function b() returns int; end',
    'create or replace package body k procedure a() begin select 1; end; function b() returns int begin return 1; end; end',
    'create package body k function b() returns int return 1; begin set @a = 1; end',
  ])('in MariaDB: %s', (sql) => {
    expect(pieces(`select 0; ${sql}; select 1`, mariadb)).toEqual(['select 0', sql, 'select 1']);
  });

  it('has no compound statements outside of routines in MySQL', () => {
    expect(pieces('begin not atomic select 1; end')).toHaveLength(2);
    expect(pieces('if 1 then select 1; end if')).toHaveLength(2);
  });

  it('is linear in what is open', () => {
    const deep = `create procedure p() ${'begin if 1 then '.repeat(3_000)} select 1; select 2`;
    expect(pieces(deep)).toHaveLength(1);
    expect(pieces(`create procedure p() begin ${'case '.repeat(10_000)}; end`)).toHaveLength(1);
  });
});

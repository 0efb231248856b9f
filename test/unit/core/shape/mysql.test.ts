/** The lexer's traits of the MySQL family. */
import { describe, expect, it } from 'vitest';
import { mysql, oneShape } from './support.js';

const shapeOf = (sql: string, options = {}): string => oneShape(sql, options, mysql).shape;

describe('MySQL traits', () => {
  it.each([
    [
      'select `users`.`id`, `Orders`, `select`, x `a``b` from `users`',
      'select users.id , Orders , `select` , x `a``b` from users',
    ],
    ["select \"a\", 'b' \"c\", 'it\\'s', 'it''s'", 'select ? , ? , ? , ?'],
    ["select 1 # it's\n+ 2", 'select ? + ?'],
    ['select 1#a', 'select ?'],
    ["select 1 -- it's", 'select ?'],
    ['select 5--1', 'select ? - ?'],
    ['select /*!40101 straight_join */ a, b /*M!100100 c */ from t', 'select straight_join a , b from t'],
    ["/*!40101 set names 'x' */", 'set names ?'],
    ['select /* a /* b */ c', 'select c'],
    ["select _utf8mb4'x', N'x', x'1F', 0b01", 'select ? , ? , ? , ?'],
    ['select a from t where b in (?, ?) and c = ?', 'select a from t where b in ( ?+ ) and c = ?'],
    [
      'select @a := 1, @@global.x, a->>"$.b", a <=> null, !a, a && b',
      'select @a := ? , @@global.x , a ->> ? , a <=> ? , ! a , a && b',
    ],
    ['select a from t where b=-1 and c=@d limit 5, 10', 'select a from t where b = ? and c = @d limit ? , ?'],
    [
      'insert into T (A) values (1), (2) on duplicate key update a = values(a)',
      'insert into T ( A ) values ( ? ) on duplicate key update a = values ( a )',
    ],
    [
      'create table t (a varchar(50), b decimal(10,2))',
      'create table t ( a varchar ( 50 ) , b decimal ( 10 , 2 ) )',
    ],
  ])('%s', (sql, shape) => {
    expect(shapeOf(sql)).toBe(shape);
  });

  it('reads double quotes by ANSI_QUOTES', () => {
    expect(shapeOf('select "a" from t')).toBe('select ? from t');
    expect(shapeOf('select "a" from t', { isAnsiQuotes: true })).toBe('select a from t');
  });

  it('reads backslashes by NO_BACKSLASH_ESCAPES', () => {
    const sql = "select 'a\\', b, 'c'";
    expect(shapeOf("select 'a\\', b, 'c")).toBe('select ?');
    expect(shapeOf(sql, { isBackslashLiteral: true })).toBe('select ? , b , ?');
  });

  it('knows tables behind its own forms', () => {
    const tables = (sql: string): string =>
      oneShape(sql, {}, mysql)
        .tables.map((table) => table.name)
        .join(' ');
    expect(tables('update a, b set a.x = 1')).toBe('a b');
    expect(tables('select 1 from a straight_join b')).toBe('a b');
    expect(tables('delete a from a join b on a.x = b.x')).toBe('a b');
    expect(tables('insert ignore into a values (1)')).toBe('a');
    expect(tables('replace into a values (1)')).toBe('a');
  });
});

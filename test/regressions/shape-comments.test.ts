// Comments at the end of a text, and a text cut within one, gave another digest (proxysql#4918, proxysql#3680).
import { expect, it } from 'vitest';
import { mariadb, mysql, oneShape, postgres, shapes } from '../unit/core/shape/support.js';

it.each([
  'select 1 -- a',
  'select 1 /* a */',
  'select 1 /* a',
  'select 1 --',
  'select 1 /*',
  'select 1--a\n',
])('drops the comment of %j', (sql) => {
  expect(oneShape(sql).shape).toBe('select ?');
  expect(shapes(sql, postgres, true)).toEqual(['select ?']);
});

const sqls = [
  'select 1 # a',
  'select 1#a',
  'select 1 -- a',
  'select 1 --',
  'select 1 /* a',
  'select 1 /* a */',
  'select 1 --\ta',
  'select 1 # it\'s "a`',
  'select 1 -- a\r b',
];
it.each(sqls)('drops it in MySQL and MariaDB, cut or not: %j', (sql) => {
  for (const shaper of [mysql, mariadb]) {
    expect(oneShape(sql, {}, shaper).shape).toBe('select ?');
    for (let cut = 'select 1'.length; cut <= sql.length; cut++) {
      const made = shapes(sql.slice(0, cut), shaper, true);
      // what is no comment yet: its first character
      expect(made[0]).toMatch(/^select \?( [-/])?$/);
    }
  }
});

it('keeps executable comments as code and optimizer hints as hints', () => {
  expect(oneShape("/*!40101 set names 'utf8' */", {}, mysql).shape).toBe('set names ?');
  expect(oneShape("/*!40101 SET @old = @@sql_mode, sql_mode='x' */;", {}, mariadb).shape).toBe(
    'set @old = @@sql_mode , sql_mode = ?',
  );
  expect(oneShape('select /*+ BKA(t) */ /*!40001 sql_no_cache */ a from t', {}, mysql).shape).toBe(
    'select /*+ bka ( t ) */ sql_no_cache a from t',
  );
  expect(oneShape("/*!40101 set names 'utf8' */ select 1").shape).toBe('select ?');
  expect(oneShape('/*+ SeqScan(t) */ select 1').shape).toBe('/*+ seqscan ( t ) */ select ?');
});

// Comments at the end of a text, and a text cut within one, gave another digest (proxysql#4918, proxysql#3680).
import { expect, it } from 'vitest';
import { mysql, oneShape, postgres, shapes } from '../unit/core/shape/support.js';

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

it.each(['select 1 # a', 'select 1#a', 'select 1 -- a', 'select 1 --', 'select 1 /* a'])(
  'drops it in MySQL: %j',
  (sql) => {
    expect(oneShape(sql, {}, mysql).shape).toBe('select ?');
  },
);

it('keeps executable comments as code and optimizer hints as hints', () => {
  expect(oneShape("/*!40101 set names 'utf8' */", {}, mysql).shape).toBe('set names ?');
  expect(oneShape("/*!40101 set names 'utf8' */ select 1").shape).toBe('select ?');
  expect(oneShape('/*+ SeqScan(t) */ select 1').shape).toBe('/*+ seqscan ( t ) */ select ?');
});

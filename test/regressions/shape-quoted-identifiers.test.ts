// Double-quoted identifiers were replaced like strings, so that statements on different tables were merged (proxysql#5231).
import { expect, it } from 'vitest';
import { mariadb, mysql, oneShape } from '../unit/core/shape/support.js';

it('keeps quoted identifiers apart in PostgreSQL', () => {
  const users = oneShape('select * from "Users"');
  const orders = oneShape('select * from "Orders"');
  expect(users.shape).toBe('select * from "Users"');
  expect(orders.shape).toBe('select * from "Orders"');
  expect(users.tables).toEqual([{ schema: null, name: 'Users' }]);
});

it.each([mysql, mariadb])('follows ANSI_QUOTES in MySQL and MariaDB', (shaper) => {
  for (const name of ['Users', 'Orders']) {
    const sql = `select "a" from "${name}"`;
    expect(oneShape(sql, { isAnsiQuotes: true }, shaper).shape).toBe(`select a from ${name}`);
    expect(oneShape(sql, { isAnsiQuotes: true }, shaper).tables).toEqual([{ schema: null, name }]);
    expect(oneShape(sql, {}, shaper).shape).toBe('select ? from ?');
    expect(oneShape(sql, {}, shaper).tables).toEqual([]);
    expect(oneShape(`select 1 from \`${name}\``, {}, shaper).shape).toBe(`select ? from ${name}`);
  }
});

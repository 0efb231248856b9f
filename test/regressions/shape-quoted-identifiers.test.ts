// Double-quoted identifiers were replaced like strings, so that statements on different tables were merged (proxysql#5231).
import { expect, it } from 'vitest';
import { mysql, oneShape } from '../unit/core/shape/support.js';

it('keeps quoted identifiers apart in PostgreSQL', () => {
  const users = oneShape('select * from "Users"');
  const orders = oneShape('select * from "Orders"');
  expect(users.shape).toBe('select * from "Users"');
  expect(orders.shape).toBe('select * from "Orders"');
  expect(users.tables).toEqual([{ schema: null, name: 'Users' }]);
});

it('follows ANSI_QUOTES in MySQL', () => {
  expect(oneShape('select "Users"', { isAnsiQuotes: true }, mysql).shape).toBe('select Users');
  expect(oneShape('select "Users"', {}, mysql).shape).toBe('select ?');
});

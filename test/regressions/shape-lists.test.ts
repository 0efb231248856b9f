// Lists of strings were not collapsed, and tools disagreed among themselves (comdb2#5612, zenit#37).
import { expect, it } from 'vitest';
import { mariadb, mysql, oneShape } from '../unit/core/shape/support.js';

it.each(["('a')", "('a','b')", "(1,'a',NULL)", '($1,$2)', '( -1 , 2.5e3, TRUE )'])(
  'IN %s is one shape',
  (list) => {
    expect(oneShape(`SELECT * FROM t WHERE x IN ${list}`).shape).toBe('select * from t where x in ( ?+ )');
  },
);

it('VALUES is one shape with 1 row and with 100', () => {
  const rows = (count: number): string =>
    Array.from({ length: count }, (_, i) => `(${i}, 'n${i}')`).join(',');
  const one = oneShape(`insert into t values ${rows(1)}`);
  const hundred = oneShape(`insert into t values ${rows(100)}`);
  expect(hundred.shape).toBe(one.shape);
  expect(hundred.holes).toBe(one.holes);
});

it.each([mysql, mariadb])('and so they are in MySQL and MariaDB', (shaper) => {
  for (const list of ["('a')", '("a","b")', "(1,'a',NULL)", '(?,?)', '( -1 , 2.5e3, TRUE )']) {
    const { shape } = oneShape(`SELECT * FROM t WHERE x IN ${list}`, {}, shaper);
    expect(shape).toBe('select * from t where x in ( ?+ )');
  }
  const rows = Array.from({ length: 100 }, (_, i) => `(${i}, "n${i}")`).join(',');
  expect(oneShape(`REPLACE t VALUES ${rows}`, {}, shaper).shape).toBe('replace into t values ( ? , ? )');
});

import { describe, expect, it } from 'vitest';
import type { Shaper } from '../../../../src/core/shape/shape.js';
import type { Case } from '../../core/shape/cases.js';
import { mariadb, mysql, oneShape } from '../../core/shape/support.js';
import * as cases from './shape-cases.js';

const { mysqlOnly, mariadbOnly, ...shared } = cases;

const holds = (shaper: Shaper, [sql, shape, holes, tables]: Case): void => {
  const made = oneShape(sql, {}, shaper);
  expect(made.shape).toBe(shape);
  expect(made.holes).toBe(holes);
  expect(made.tables.map((t) => (t.schema === null ? t.name : `${t.schema}.${t.name}`)).join(' ')).toBe(
    tables,
  );
};

for (const [name, group] of Object.entries(shared)) {
  describe(`shapes of both: ${name}`, () => {
    it.each(group)('%s', (...one) => {
      holds(mysql, one);
      holds(mariadb, one);
    });
  });
}

describe('shapes of MySQL', () => {
  it.each(mysqlOnly)('%s', (...one) => holds(mysql, one));
});

describe('shapes of MariaDB', () => {
  it.each(mariadbOnly)('%s', (...one) => holds(mariadb, one));
});

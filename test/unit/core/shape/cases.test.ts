import { describe, expect, it } from 'vitest';
import { postgresDialect } from '../../../../adapters/postgres/dialect.js';
import { createShaper } from '../../../../src/core/shape/shaper.js';
import { defaultLexicalOptions } from '../../../../src/core/verdict.js';
import * as cases from './cases.js';

const shaper = createShaper(postgresDialect);
const shapeOf = (sql: string) => {
  const { statements } = shaper.shape(sql, defaultLexicalOptions, false);
  expect(statements).toHaveLength(1);
  return statements[0]!;
};

const { verbs, ...groups } = cases;

for (const [name, group] of Object.entries(groups)) {
  describe(`shapes: ${name}`, () => {
    it.each(group)('%s', (sql, shape, holes, tables) => {
      const made = shapeOf(sql);
      expect(made.shape).toBe(shape);
      expect(made.holes).toBe(holes);
      expect(made.tables.map((t) => (t.schema === null ? t.name : `${t.schema}.${t.name}`)).join(' ')).toBe(
        tables,
      );
    });
  });
}

describe('verbs', () => {
  it.each(verbs)('%s', (sql, verb, family) => {
    const made = shapeOf(sql);
    expect([made.verb, made.verbFamily]).toEqual([verb, family]);
  });
});

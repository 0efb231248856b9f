/** Operators bind as PostgreSQL has it: each statement means what it means with all its parentheses. */
import { describe, expect, it } from 'vitest';
import { compileSql } from '../../../../../adapters/mongodb/sql/compile.js';

const pairs: readonly (readonly [bare: string, explicit: string])[] = [
  ['a = b IS TRUE', '(a = b) IS TRUE'],
  ['a = b IS NOT NULL', '(a = b) IS NOT NULL'],
  ['a < b IS UNKNOWN', '(a < b) IS NULL'],
  ['a + 1 = b IS NULL', '((a + 1) = b) IS NULL'],
  ['a IS NULL AND b = c IS FALSE', '(a IS NULL) AND ((b = c) IS FALSE)'],
  ['NOT a IS NULL', 'NOT (a IS NULL)'],
  ['NOT a = b', 'NOT (a = b)'],
  ['NOT a = b AND c', '(NOT (a = b)) AND c'],
  ['a OR b AND NOT c', 'a OR (b AND (NOT c))'],
  ['a IN (1, 2) IS TRUE', '(a IN (1, 2)) IS TRUE'],
  ["a LIKE 'x%' IS NOT TRUE", "(a LIKE 'x%') IS NOT TRUE"],
  ['a BETWEEN 1 AND 2 AND b', '(a BETWEEN 1 AND 2) AND b'],
  ['a NOT BETWEEN 1 AND b + 2 OR c', '(a NOT BETWEEN 1 AND (b + 2)) OR c'],
  ['a IS DISTINCT FROM b AND c', '(a IS DISTINCT FROM b) AND c'],
  ['a IS NOT DISTINCT FROM b + 1', 'a IS NOT DISTINCT FROM (b + 1)'],
  ['a = b IN (1)', 'a = (b IN (1))'],
  ['a + b * c - d > 0', '((a + (b * c)) - d) > 0'],
  ['a - b - c = 0', '((a - b) - c) = 0'],
  ['a / b * c % d = 0', '(((a / b) * c) % d) = 0'],
  ['-a + b > -1', '((-a) + b) > (-1)'],
  ['a - -1 > 0', '(a - (-1)) > 0'],
  ["a || b = 'xy'", "(a || b) = 'xy'"],
  ['a::int + 1 > b', '((a::int) + 1) > b'],
  ['CASE WHEN a THEN b ELSE c END = d', '(CASE WHEN a THEN b ELSE c END) = d'],
];

describe('precedence', () => {
  it.each(pairs)('%s', (bare, explicit) => {
    const compiled = compileSql(`SELECT x FROM t WHERE ${bare}`);
    expect(compiled).toEqual(compileSql(`SELECT x FROM t WHERE ${explicit}`));
    expect(compiled.kind).toBe('command');
  });

  it.each(['a || b + 1', 'a || b - c'])('what the parser would bind otherwise is refused: %s', (text) => {
    expect(compileSql(`SELECT ${text} FROM t`)).toMatchObject({ kind: 'refused', code: 'SQL_EXPRESSION' });
  });

  it('assignments of UPDATE are no comparisons', () => {
    expect(compileSql('UPDATE t SET a = b = c, d = 1 WHERE e = 2')).toEqual(
      compileSql('UPDATE t SET a = (b = c), d = 1 WHERE (e = 2)'),
    );
  });
});

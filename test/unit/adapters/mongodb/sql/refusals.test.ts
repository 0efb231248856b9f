/** What is refused, by which code and at which character; where several apply, the one that wins. */
import { describe, expect, it } from 'vitest';
import { compileSql } from '../../../../../adapters/mongodb/sql/compile.js';
import { type SqlRefusalCode, sqlRefusalCodes } from '../../../../../adapters/mongodb/sql/refusals.js';

/** The bar stands before the character that is blamed; without one, nothing is. */
const cases: readonly (readonly [code: SqlRefusalCode, marked: string])[] = [
  ['SQL_SEVERAL_STATEMENTS', 'SELECT a FROM t; |SELECT b FROM t'],
  ['SQL_SEVERAL_STATEMENTS', 'SELECT a FROM t JOIN u ON true;; |DROP TABLE t'],
  ['SQL_CTE', '|WITH x AS (SELECT a FROM t) SELECT a FROM x'],
  ['SQL_CTE', '|WITH RECURSIVE x AS (SELECT 1 UNION SELECT 2) SELECT * FROM x'],
  ['SQL_CTE', 'SELECT a FROM t WHERE a IN (|WITH x AS (SELECT 1) SELECT * FROM x)'],
  ['SQL_DDL', '|CREATE TABLE t (a int)'],
  ['SQL_DDL', '|CREATE UNIQUE INDEX i ON t (a)'],
  ['SQL_DDL', '|DROP TABLE IF EXISTS t CASCADE'],
  ['SQL_DDL', '|ALTER TABLE t ADD COLUMN b text'],
  ['SQL_DDL', '|TRUNCATE t'],
  ['SQL_DDL', '|GRANT SELECT ON t TO u'],
  ['SQL_STATEMENT', '|BEGIN'],
  ['SQL_STATEMENT', '|EXPLAIN SELECT a FROM t'],
  ['SQL_STATEMENT', '|VALUES (1)'],
  ['SQL_STATEMENT', '|MERGE INTO t USING u ON true WHEN MATCHED THEN DELETE'],
  ['SQL_STATEMENT', '|REPLACE INTO t (a) VALUES (1)'],
  ['SQL_STATEMENT', '|SHOW TABLES'],
  ['SQL_STATEMENT', '|(SELECT a FROM t)'],
  ['SQL_SET_OPERATION', 'SELECT a FROM t |UNION SELECT a FROM u'],
  ['SQL_SET_OPERATION', 'SELECT a FROM t |UNION ALL SELECT a FROM u'],
  ['SQL_SET_OPERATION', 'SELECT a FROM t |INTERSECT SELECT a FROM u'],
  ['SQL_SET_OPERATION', '(SELECT a FROM t) |EXCEPT (SELECT a FROM u)'],
  ['SQL_SUBQUERY', 'SELECT a FROM t WHERE a IN (|SELECT b FROM u)'],
  ['SQL_SUBQUERY', 'SELECT a FROM t WHERE EXISTS (|SELECT 1 FROM u)'],
  ['SQL_SUBQUERY', 'SELECT a FROM (|SELECT b FROM u) x'],
  ['SQL_SUBQUERY', 'SELECT (|SELECT max(b) FROM u) FROM t'],
  ['SQL_SUBQUERY', 'INSERT INTO t (a) |SELECT b FROM u'],
  ['SQL_SUBQUERY', 'SELECT a FROM (|VALUES (1)) v'],
  ['SQL_SUBQUERY', 'DELETE FROM t WHERE a = ANY(|SELECT b FROM u)'],
  ['SQL_JOIN', 'SELECT a FROM t |JOIN u ON t.id = u.id'],
  ['SQL_JOIN', 'SELECT a FROM t LEFT OUTER |JOIN u USING (id)'],
  ['SQL_JOIN', 'SELECT a FROM t NATURAL |JOIN u'],
  ['SQL_JOIN', 'SELECT a FROM t CROSS |JOIN u'],
  ['SQL_SEVERAL_TABLES', 'SELECT a FROM t|, u WHERE t.id = u.id'],
  ['SQL_SEVERAL_TABLES', 'UPDATE t SET a = u.b |FROM u WHERE t.id = u.id'],
  ['SQL_SEVERAL_TABLES', 'DELETE FROM t |USING u WHERE t.id = u.id'],
  ['SQL_WINDOW', 'SELECT a, row_number() |OVER (PARTITION BY b ORDER BY c) FROM t'],
  ['SQL_WINDOW', 'SELECT sum(a) |OVER w FROM t WINDOW w AS (ORDER BY b)'],
  ['SQL_WINDOW', 'SELECT a FROM t |WINDOW w AS (ORDER BY b)'],
  ['SQL_DISTINCT', 'SELECT |DISTINCT a FROM t'],
  ['SQL_DISTINCT', 'SELECT |DISTINCT ON (a) a, b FROM t'],
  ['SQL_CLAUSE', 'SELECT a FROM t |FOR UPDATE'],
  ['SQL_CLAUSE', 'SELECT a |INTO u FROM t'],
  ['SQL_CLAUSE', 'SELECT |TOP 5 a FROM t'],
  ['SQL_CLAUSE', 'SELECT a FROM t |TABLESAMPLE system (5)'],
  ['SQL_CLAUSE', 'SELECT a FROM t LIMIT 5|, 10'],
  ['SQL_CLAUSE', 'SELECT a FROM t FETCH FIRST 5 ROWS WITH |TIES'],
  ['SQL_CLAUSE', 'SELECT a, count(*) FROM t GROUP BY |ROLLUP (a)'],
  ['SQL_CLAUSE', 'INSERT INTO t (a) VALUES (1) |RETURNING a'],
  ['SQL_CLAUSE', 'INSERT INTO t (a) VALUES (1) |ON CONFLICT DO NOTHING'],
  ['SQL_CLAUSE', 'INSERT INTO t (a) VALUES (1) |ON DUPLICATE KEY UPDATE a = 2'],
  ['SQL_CLAUSE', 'INSERT INTO t |DEFAULT VALUES'],
  ['SQL_CLAUSE', 'UPDATE t SET a = 1 |LIMIT 1'],
  ['SQL_CLAUSE', 'DELETE FROM t WHERE a = 1 |ORDER BY b LIMIT 1'],
  ['SQL_CLAUSE', 'DELETE FROM t WHERE a = 1 |RETURNING *'],
  ['SQL_CLAUSE', 'SELECT count(*) FROM t |HAVING count(*) > 1'],
  ['SQL_CLAUSE', '|SELECT 1'],
  ['SQL_SYNTAX', ''],
  ['SQL_SYNTAX', ' -- nothing'],
  ['SQL_SYNTAX', '|SELEC a FROM t'],
  ['SQL_SYNTAX', '|how many users are there?'],
  ['SQL_SYNTAX', 'SELECT a, |FROM t'],
  ['SQL_SYNTAX', 'SELECT |between FROM t'],
  ['SQL_SYNTAX', 'INSERT INTO |t (a)'],
  ['SQL_SYNTAX', 'SELECT |CASE END FROM t'],
  ['SQL_SYNTAX', 'SELECT a FROM t WHERE'],
  ['SQL_SYNTAX', "SELECT a FROM t WHERE b = |'never ends"],
  ['SQL_SYNTAX', 'SELECT |"a FROM t'],
  ['SQL_SYNTAX', 'SELECT |`a` FROM t'],
  ['SQL_SYNTAX', 'SELECT a |/* never ends'],
  ['SQL_SYNTAX', 'SELECT a FROM t WHERE a = b |= c'],
  ['SQL_SYNTAX', 'SELECT a FROM t WHERE 1 < a |< 3'],
  ['SQL_SYNTAX', 'SELECT a FROM t WHERE a IN (|)'],
  ['SQL_SYNTAX', 'SELECT a FROM t WHERE |5a = 1'],
  ['SQL_SYNTAX', 'SELECT a FROM t WHERE a = 1 |b'],
  ['SQL_PARAMETER', 'SELECT a FROM t WHERE a = |$1'],
  ['SQL_PARAMETER', 'SELECT a FROM t WHERE a = |?'],
  ['SQL_PARAMETER', 'SELECT a FROM t WHERE a = |$0'],
  ['SQL_PARAMETER', 'SELECT a FROM t WHERE a = |:id'],
  ['SQL_PARAMETER', 'SELECT a FROM t WHERE a = |@id'],
  ['SQL_FUNCTION', 'SELECT |md5(a) FROM t'],
  ['SQL_FUNCTION', 'SELECT |string_agg(a, b) FROM t'],
  ['SQL_FUNCTION', 'SELECT a FROM t WHERE |to_tsvector(a) = 1'],
  ['SQL_FUNCTION', 'SELECT * FROM |generate_series(1, 2)'],
  ['SQL_FUNCTION', "SELECT |trim(both 'x' from a) FROM t"],
  ['SQL_FUNCTION', 'SELECT |extract(century from a) FROM t'],
  ['SQL_FUNCTION', 'SELECT |constructor(a) FROM t'],
  ['SQL_EXPRESSION', "SELECT a FROM t WHERE a |~ '^b'"],
  ['SQL_EXPRESSION', "SELECT a |->> 'b' FROM t"],
  ['SQL_EXPRESSION', "SELECT a FROM t WHERE a |SIMILAR TO 'b'"],
  ['SQL_EXPRESSION', 'SELECT a FROM t ORDER BY a |COLLATE "C"'],
  ['SQL_EXPRESSION', 'SELECT |a[1] FROM t'],
  ['SQL_EXPRESSION', 'SELECT |"$where" FROM t'],
  ['SQL_EXPRESSION', 'SELECT a FROM t WHERE |"a.$b" = 1'],
  ['SQL_EXPRESSION', 'SELECT a FROM t WHERE |"a..b" = 1'],
  ['SQL_EXPRESSION', 'UPDATE t SET |"$inc" = 1'],
  ['SQL_EXPRESSION', 'INSERT INTO t (|"$a") VALUES (1)'],
  ['SQL_EXPRESSION', 'SELECT a FROM t WHERE a = |99999999999999999999'],
  ['SQL_EXPRESSION', 'SELECT a FROM t WHERE a LIKE |b'],
  ['SQL_EXPRESSION', 'SELECT |a::xml FROM t'],
  ['SQL_EXPRESSION', 'SELECT |a::varchar(5) FROM t'],
  ['SQL_EXPRESSION', 'INSERT INTO t (a) VALUES (|lower(b))'],
  ['SQL_EXPRESSION', 'SELECT a FROM t WHERE (|a, b) = (1, 2)'],
  ['SQL_INVALID', 'SELECT |a, count(*) FROM t'],
  ['SQL_INVALID', 'SELECT a, |b FROM t GROUP BY a'],
  ['SQL_INVALID', '|SELECT * FROM t GROUP BY a'],
  ['SQL_INVALID', 'SELECT a FROM t WHERE |count(*) > 1'],
  ['SQL_INVALID', 'SELECT max(|count(*)) FROM t'],
  ['SQL_INVALID', 'SELECT a FROM t ORDER BY |2'],
  ['SQL_INVALID', 'SELECT a FROM t GROUP BY |0'],
  ['SQL_INVALID', 'SELECT a FROM t LIMIT |-1'],
  ['SQL_INVALID', 'SELECT a FROM t WHERE |5'],
  ['SQL_INVALID', "SELECT a FROM t WHERE d > date |'2024-02-30'"],
  ['SQL_INVALID', "SELECT a FROM t WHERE a LIKE |'x\\'"],
  ['SQL_INVALID', 'SELECT a FROM |shop.t'],
  ['SQL_INVALID', 'INSERT INTO |t VALUES (1)'],
  ['SQL_INVALID', 'INSERT INTO t (a, b) VALUES (1, 2), |(3)'],
  ['SQL_INVALID', 'INSERT INTO |t (a, a) VALUES (1, 2)'],
  ['SQL_INVALID', 'INSERT INTO |t (a, a.b) VALUES (1, 2)'],
  ['SQL_INVALID', 'UPDATE |t SET a = 1, a = 2'],
  ['SQL_INVALID', 'SELECT a AS |"b.c" FROM t'],
  ['SQL_INVALID', 'SELECT |lower(a, b) FROM t'],
];

/** Each has all that stands right of it, so that the first must win. */
const contests: readonly (readonly [code: SqlRefusalCode, text: string])[] = [
  ['SQL_SEVERAL_STATEMENTS', 'WITH x AS (SELECT 1) SELECT DISTINCT a FROM x; SELECT 1'],
  ['SQL_CTE', 'WITH x AS (SELECT 1 UNION SELECT 2) SELECT DISTINCT a FROM x JOIN y ON true'],
  ['SQL_DDL', 'CREATE TABLE x AS SELECT DISTINCT a FROM t JOIN u ON true'],
  ['SQL_STATEMENT', 'EXPLAIN SELECT DISTINCT a FROM t JOIN u ON true'],
  ['SQL_SET_OPERATION', 'SELECT DISTINCT a FROM t JOIN u ON a IN (SELECT 1) UNION SELECT 2'],
  ['SQL_SUBQUERY', 'SELECT DISTINCT a FROM t JOIN u ON a IN (SELECT 1)'],
  ['SQL_JOIN', 'SELECT DISTINCT a, rank() OVER () FROM t, v JOIN u ON md5(a) FOR UPDATE'],
  ['SQL_SEVERAL_TABLES', 'SELECT DISTINCT a, rank() OVER () FROM t, v FOR UPDATE'],
  ['SQL_WINDOW', 'SELECT DISTINCT a, rank() OVER () FROM t FOR UPDATE'],
  ['SQL_DISTINCT', 'SELECT DISTINCT md5(a) FROM t FOR UPDATE'],
  ['SQL_CLAUSE', 'SELECT md5(a), FROM t FOR UPDATE'],
];

describe('refusals of SQL on documents', () => {
  it.each(cases)('%s: %s', (code, marked) => {
    const at = marked.indexOf('|');
    const refused = compileSql(marked.replace('|', ''));
    expect(refused).toMatchObject({ kind: 'refused', code, position: at < 0 ? null : at + 1 });
  });

  it.each(contests)('%s wins: %s', (code, text) => {
    expect(compileSql(text)).toMatchObject({ kind: 'refused', code });
  });

  it('has a case for each code', () => {
    expect(new Set(cases.map(([code]) => code))).toEqual(new Set(sqlRefusalCodes));
  });

  it('counts characters, not UTF-16 units', () => {
    expect(compileSql("SELECT '😀😀' FROM t JOIN u ON true")).toMatchObject({
      code: 'SQL_JOIN',
      position: 20,
    });
  });

  it.each([
    ['too few values', 'SELECT a FROM t WHERE a = $1 AND b = $3', [1, 2]],
    ['too many values', 'SELECT a FROM t WHERE a = $1', [1, 2]],
    ['both forms', 'SELECT a FROM t WHERE a = $1 AND b = ?', [1, 2]],
    ['no value', 'SELECT a FROM t WHERE a = $1', [undefined]],
    ['a pattern', 'SELECT a FROM t WHERE a IN ($1)', [/x/]],
    ['a function', 'UPDATE t SET a = $1', [() => 1]],
    ['no date', 'UPDATE t SET a = $1', [new Date(Number.NaN)]],
    ['an array in a list', 'SELECT a FROM t WHERE a IN ($1)', [[1, 2]]],
  ])('SQL_PARAMETER: %s', (_, text, params) => {
    expect(compileSql(text, params)).toMatchObject({ kind: 'refused', code: 'SQL_PARAMETER' });
  });

  it.each([
    ['LIMIT', 'SELECT a FROM t LIMIT $1', [1.5]],
    ['OFFSET', 'SELECT a FROM t OFFSET $1', ['5']],
  ])('SQL_INVALID: %s of what is no count', (_, text, params) => {
    expect(compileSql(text, params)).toMatchObject({ kind: 'refused', code: 'SQL_INVALID' });
  });

  it('takes words of the grammar for names where they can be nothing else', () => {
    const text = 'SELECT t.order, user, "select", set, values, over, first AS join FROM t WHERE t.union = 1';
    expect(compileSql(text)).toMatchObject({
      kind: 'command',
      columns: ['order', 'user', 'select', 'set', 'values', 'over', 'join'],
    });
  });
});

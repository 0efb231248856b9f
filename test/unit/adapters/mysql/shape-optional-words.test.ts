/** Words that MySQL and MariaDB allow and that change nothing: with and without them a statement is one shape. */
import { describe, expect, it } from 'vitest';
import { mariadb, mysql, oneShape, postgres } from '../../core/shape/support.js';

const alike: readonly (readonly [string, string, string])[] = [
  ['insert t values (1)', 'insert into t values (1)', 'insert into t values ( ? )'],
  [
    'insert low_priority ignore t set a = 1',
    'insert low_priority ignore into t set a = 1',
    'insert low_priority ignore into t set a = ?',
  ],
  ['insert Event (a) select 1', 'insert into Event (a) select 1', 'insert into Event ( a ) select ?'],
  ['replace t values (1)', 'replace into t values (1)', 'replace into t values ( ? )'],
  ['explain insert t values (1)', 'explain insert into t values (1)', 'explain insert into t values ( ? )'],
  ['truncate t', 'truncate table t', 'truncate table t'],
  ['truncate db.`a b`', 'truncate table db.`a b`', 'truncate table db.`a b`'],
  ['drop tables t, tables', 'drop table t, tables', 'drop table t , tables'],
  [
    'drop temporary tables if exists t',
    'drop temporary table if exists t',
    'drop temporary table if exists t',
  ],
  ['desc t', 'describe t', 'describe t'],
  ['explain t a', 'describe t a', 'describe t a'],
  ['desc select 1', 'explain select 1', 'explain select ?'],
  ['describe format = json select 1', 'explain format = json select 1', 'explain format = json select ?'],
  ['begin work', 'begin', 'begin'],
  ['commit work and chain', 'commit and chain', 'commit and chain'],
  ['rollback work to savepoint a', 'rollback to savepoint b', 'rollback to savepoint ?'],
  [
    'select a from t inner join u using (b)',
    'select a from t join u using (b)',
    'select a from t join u using ( b )',
  ],
  [
    'select a from t left outer join u using (b)',
    'select a from t left join u using (b)',
    'select a from t left join u using ( b )',
  ],
  ['select 1 union distinct select 2', 'select 1 union select 2', 'select ? union select ?'],
  ['select 1 except distinct (table t)', 'select 1 except (table t)', 'select ? except ( table t )'],
  [
    'select a from t order by 1 asc, b asc limit 1',
    'select a from t order by 1, b limit 1',
    'select a from t order by 1 , b limit ?',
  ],
  ['create index i on t (a asc)', 'create index i on t (a)', 'create index i on t ( a )'],
];

/** What looks like them and is none. */
const kept: readonly (readonly [string, string])[] = [
  ['select distinct a, count(distinct b) from t', 'select distinct a , count ( distinct b ) from t'],
  [
    'select insert(a, 1, 2, b), replace(a, b, c), truncate(a, 2)',
    'select insert ( a , ? , ? , b ) , replace ( a , b , c ) , truncate ( a , ? )',
  ],
  ['update ignore t set a = 1', 'update ignore t set a = ?'],
  ['delete low_priority from t', 'delete low_priority from t'],
  ['alter table t truncate partition p', 'alter table t truncate partition p'],
  ['select work from t', 'select work from t'],
  ['select a from t order by b desc', 'select a from t order by b desc'],
  ['select 1 union all select 2', 'select ? union all select ?'],
  ['select a from t cross join u', 'select a from t cross join u'],
  ['explain for connection 5', 'explain for connection ?'],
  ['drop view tables', 'drop view tables'],
];

describe.each([
  ['MySQL', mysql],
  ['MariaDB', mariadb],
] as const)('words that change nothing in %s', (_name, shaper) => {
  it.each(alike)('%s is %s', (one, other, shape) => {
    const shapes = [one, other].map((sql) => oneShape(sql, {}, shaper));
    for (const made of shapes) expect(made.shape).toBe(shape);
    expect(shapes[0]?.verb).toBe(shapes[1]?.verb);
    expect(shapes[0]?.tables).toEqual(shapes[1]?.tables);
    expect(oneShape(shape, {}, shaper).shape).toBe(shape);
  });

  it.each(kept)('%s', (sql, shape) => {
    expect(oneShape(sql, {}, shaper).shape).toBe(shape);
  });
});

it.each([
  'truncate t',
  'begin work',
  'select a from t inner join u on b left outer join v on c order by a asc',
  'select a from t union distinct select b from u',
])('PostgreSQL keeps them: %s', (sql) => {
  expect(oneShape(sql, {}, postgres).shape).toBe(sql);
});

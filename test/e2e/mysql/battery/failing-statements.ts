/**
 * Statements MySQL and MariaDB refuse, one per kind of failure: the part of the battery that every client shares.
 * Adding a kind is adding a line. Data only: the Python and Go clients get it as JSON.
 */
import type { MysqlFlavour } from '../../../servers/mysql-programs.js';

export interface FailingStatement {
  /** The error number and SQLSTATE the server must answer with. */
  readonly code: number;
  readonly state: string;
  readonly sql: string;
  /** Run once around the repetitions, for failures that need a setting. */
  readonly before?: string;
  readonly after?: string;
  /** Runs on a session of the account that may only read. */
  readonly isReader?: true;
  /** The error comes after rows. */
  readonly isLate?: true;
  /** Whether a repetition must carry a note. */
  readonly note: 'must' | 'may';
  /** Cannot be sent as a prepared statement, or costs too much time to be sent in every way. */
  readonly isTextOnly?: true;
}

interface Row extends Omit<FailingStatement, 'code' | 'state'> {
  readonly mysql?: readonly [code: number, state: string];
  readonly mariadb?: readonly [code: number, state: string];
  readonly both?: readonly [code: number, state: string];
}

/** How often each statement runs in a row; the first time is never annotated. */
export const repetitions = 3;

/** Those of one server, in the order they are listed. */
export function failingStatements(flavour: MysqlFlavour): readonly FailingStatement[] {
  return rows.flatMap(({ mysql, mariadb, both, ...rest }) => {
    const expected = both ?? (flavour === 'mysql' ? mysql : mariadb);
    return expected === undefined ? [] : [{ code: expected[0], state: expected[1], ...rest }];
  });
}

const must = 'must';
const may = 'may';
const isTextOnly = true;
const isReader = true;
const isLate = true;

/** Takes far longer than any statement timeout of the battery; a plain count would be interrupted as if killed. */
const endless =
  'select max(a.d + h.d) from digits a, digits b, digits c, digits d, digits e, digits f, digits g, digits h';

const rows: readonly Row[] = [
  { both: [1062, '23000'], note: must, sql: "insert into person (id, email) values (9, 'a@example.org')" },
  {
    both: [1452, '23000'],
    note: must,
    sql: "insert into person (id, email, city_id) values (9, 'x@example.org', 99)",
  },
  { both: [1451, '23000'], note: must, sql: 'delete from city where id = 1' },
  { both: [1048, '23000'], note: must, sql: 'insert into person (id, email) values (9, null)' },
  { both: [1364, 'HY000'], note: must, sql: "insert into city (id, country) values (9, 'SE')" },
  {
    mysql: [3819, 'HY000'],
    mariadb: [4025, '23000'],
    note: must,
    sql: "insert into person (id, email, age) values (9, 'x@example.org', -1)",
  },
  { both: [1146, '42S02'], note: must, sql: 'select * from persons where id = 1' },
  { both: [1054, '42S22'], note: must, sql: 'select nme from city where id = 1' },
  { both: [1064, '42000'], note: must, sql: 'selec id from city' },
  { both: [1305, '42000'], note: must, sql: "select lowerr('X')" },
  {
    mysql: [1366, 'HY000'],
    mariadb: [1366, '22007'],
    note: must,
    sql: "insert into person (id, email, age) values (9, 'x@example.org', 'abc')",
  },
  { both: [1292, '22007'], note: must, sql: "update person set born = 'yesterday-ish' where id = 1" },
  { both: [1406, '22001'], note: must, sql: "update person set nick = 'far too long' where id = 1" },
  { both: [1264, '22003'], note: must, sql: 'update person set shoe = 70000 where id = 1' },
  { both: [1690, '22003'], note: must, sql: 'select 9223372036854775807 + id from city' },
  { both: [1365, '22012'], note: must, sql: 'update account set balance = 1 / (id - 1) where id = 1' },
  { both: [1265, '01000'], note: must, sql: "update person set mood = 'odd' where id = 1" },
  { both: [1644, '45000'], note: must, sql: 'update account set balance = balance - 1000 where id = 1' },
  { both: [31234, '45123'], note: may, sql: 'call overdraw()' },
  {
    mysql: [3572, 'HY000'],
    mariadb: [1205, 'HY000'],
    note: must,
    sql: 'select v from held where id = 1 for update nowait',
  },
  {
    both: [1205, 'HY000'],
    note: must,
    before: 'set innodb_lock_wait_timeout = 1',
    sql: 'update held set v = v + 1 where id = 1',
    after: 'set innodb_lock_wait_timeout = default',
    isTextOnly,
  },
  {
    mysql: [3024, 'HY000'],
    note: must,
    before: 'set max_execution_time = 50',
    sql: endless,
    after: 'set max_execution_time = default',
  },
  {
    mariadb: [1969, '70100'],
    note: must,
    before: 'set max_statement_time = 0.05',
    sql: endless,
    after: 'set max_statement_time = default',
  },
  { both: [1242, '21000'], note: must, sql: 'select (select id from city)' },
  { both: [1241, '21000'], note: may, sql: 'select id from city where (id, name) in (select 1)' },
  { both: [1136, '21S01'], note: must, sql: 'insert into city values (9)' },
  { both: [1222, '21000'], note: may, sql: 'select id from city union select id, name from city' },
  {
    both: [1055, '42000'],
    note: must,
    before: "set sql_mode = concat(@@sql_mode, ',ONLY_FULL_GROUP_BY')",
    sql: 'select name, count(*) from city group by country',
    after: 'set sql_mode = default',
  },
  { both: [1142, '42000'], note: must, isReader, sql: "insert into city values (9, 'Bergen', 'NO')" },
  { both: [1142, '42000'], note: may, isReader, sql: 'drop table city' },
  { both: [1370, '42000'], note: may, isReader, sql: 'call two_sets()' },
  { both: [1049, '42000'], note: may, sql: 'use no_such_database', isTextOnly },
  { both: [1050, '42S01'], note: must, sql: 'create table city (id int)' },
  { both: [1060, '42S21'], note: may, sql: 'alter table city add column name text' },
  { both: [1061, '42000'], note: may, sql: 'create index city_name_key on city (country)' },
  { both: [1007, 'HY000'], note: may, sql: 'create database sys' },
  { both: [1091, '42000'], note: may, sql: 'alter table city drop column nope' },
  { both: [1051, '42S02'], note: may, sql: 'drop table nowhere' },
  { both: [1052, '23000'], note: must, sql: 'select id from city join person on person.city_id = city.id' },
  { both: [1111, 'HY000'], note: may, sql: 'select id from city where count(*) > 1' },
  {
    mysql: [1093, 'HY000'],
    note: may,
    sql: 'delete from city where id in (select id from city where id > 5)',
  },
  { mysql: [1248, '42000'], note: may, sql: 'select id from (select id from city)' },
  { both: [1176, '42000'], note: may, sql: 'select id from city force index (nope)' },
  { both: [1193, 'HY000'], note: may, sql: 'set no_such_variable = 1' },
  { both: [1231, '42000'], note: may, sql: "set sql_mode = 'NOPE'" },
  { both: [1172, '42000'], note: may, sql: 'select id into @id from city' },
  { both: [1243, 'HY000'], note: may, sql: 'execute never_prepared', isTextOnly },
  { both: [1582, '42000'], note: may, sql: 'select length()' },
  { both: [1115, '42000'], note: may, sql: "select convert('x' using nope)" },
  {
    both: [1267, 'HY000'],
    note: may,
    sql: "select 'a' collate utf8mb4_bin = 'b' collate utf8mb4_general_ci",
  },
  {
    mysql: [3691, 'HY000'],
    mariadb: [1139, '42000'],
    note: may,
    sql: "select name from city where name regexp '('",
  },
  { mysql: [3141, '22032'], note: may, sql: "select json_extract('{', '$')" },
  {
    mysql: [3636, 'HY000'],
    note: may,
    sql: 'with recursive n as (select 1 as i union all select i + 1 from n) select max(i) from n',
  },
  { both: [1264, '22003'], note: may, sql: 'select id, checked(id) from city order by id', isLate },
  {
    both: [1792, '25006'],
    note: may,
    before: 'set session transaction read only',
    sql: 'delete from copied',
    after: 'set session transaction read write',
  },
  { both: [1305, '42000'], note: may, sql: 'rollback to savepoint never_made', isTextOnly },
  { both: [1305, '42000'], note: may, sql: 'call no_such_procedure()' },
];

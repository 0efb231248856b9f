/**
 * Statements a server refuses, one per kind of failure: the part of the battery that every client shares. Adding a
 * kind is adding a line. Data only: the Python clients get it as JSON.
 */
export interface FailingStatement {
  /** The SQLSTATE the server must answer with. */
  readonly code: string;
  readonly sql: string;
  /** Run once around the repetitions, for failures that need a setting. */
  readonly before?: string;
  readonly after?: string;
  /** Whether a repetition must carry a note; `never` where the failure is another statement's consequence. */
  readonly note: 'must' | 'may' | 'never';
  /** Refused by the server before it can be prepared, or only valid as text of its own. */
  readonly isTextOnly?: true;
}

/** How often each statement runs in a row; the first time is never annotated. */
export const repetitions = 3;

const must = 'must';
const may = 'may';

export const failingStatements: readonly FailingStatement[] = [
  { code: '23505', note: must, sql: "insert into person (id, email) values (9, 'a@example.org')" },
  {
    code: '23503',
    note: must,
    sql: "insert into person (id, email, city_id) values (9, 'x@example.org', 99)",
  },
  { code: '23502', note: must, sql: 'insert into person (id, email) values (9, null)' },
  { code: '23514', note: must, sql: "insert into person (id, email, age) values (9, 'x@example.org', -1)" },
  { code: '23P01', note: must, sql: "insert into booking values (2, '[15,25)')" },
  { code: '42P01', note: must, sql: 'select * from persons where id = 1' },
  { code: '42703', note: must, sql: 'select nme from city where id = 1' },
  { code: '42601', note: must, sql: 'selec id from city' },
  { code: '42883', note: must, sql: "select lowerr('X')" },
  { code: '42883', note: must, sql: 'select id from person where email = 1' },
  { code: '22P02', note: must, sql: "select * from person where id = 'abc'" },
  { code: '22012', note: must, sql: 'select 1 / (id - id) from city' },
  { code: '22001', note: must, sql: "update person set nick = 'far too long' where id = 1" },
  { code: '22003', note: must, sql: 'update person set shoe = 70000 where id = 1' },
  { code: 'P0001', note: must, sql: 'update account set balance = balance - 1000 where id = 1' },
  { code: '55P03', note: must, sql: 'select v from held where id = 1 for update nowait' },
  {
    code: '57014',
    note: must,
    before: "set statement_timeout = '60ms'",
    sql: 'select pg_sleep(20) from city',
    after: 'reset statement_timeout',
  },
  { code: '0A000', note: must, sql: 'select count(*) from city for update' },
  { code: '21000', note: must, sql: 'select (select id from city)' },
  { code: '42501', note: must, before: 'set role reader', sql: 'select * from secret', after: 'reset role' },
  {
    code: '25006',
    note: may,
    before: 'set default_transaction_read_only = on',
    sql: 'delete from copied',
    after: 'reset default_transaction_read_only',
  },
  { code: '42P07', note: may, sql: 'create table city (id int)' },
  { code: '42701', note: may, sql: 'alter table city add column name text' },
  { code: '42710', note: may, sql: 'create role app' },
  { code: '42702', note: may, sql: 'select id from city c join person p on p.city_id = c.id' },
  { code: '42803', note: may, sql: 'select name, count(*) from city' },
  { code: '42804', note: may, sql: 'update person set age = now() where id = 1' },
  { code: '42P10', note: may, sql: "insert into city values (1, 'x', 'y') on conflict (country) do nothing" },
  { code: '42704', note: may, sql: "select 'x'::no_such_type" },
  { code: '42846', note: may, sql: 'select now()::int' },
  { code: '42P18', note: may, sql: 'select array[]' },
  { code: '42P02', note: may, sql: 'select $1', isTextOnly: true },
  { code: '22007', note: may, sql: "select 'yesterday-ish'::date" },
  { code: '22008', note: may, sql: "select '2024-02-31'::date" },
  { code: '22023', note: may, sql: "set timezone = 'Nowhere/Never'" },
  { code: '2201B', note: may, sql: "select name ~ '(' from city" },
  { code: '26000', note: may, sql: 'execute never_prepared' },
  { code: '34000', note: may, sql: 'fetch from never_declared' },
  { code: '3F000', note: may, sql: 'create table no_such_schema.t (id int)' },
  { code: '2BP01', note: may, sql: 'drop table city' },
  { code: '25P01', note: may, sql: 'declare c cursor for select 1' },
  { code: 'ZZ001', note: may, sql: 'select warn_and_fail()' },
  { code: '23505', note: may, sql: 'insert into slot values (3, 1)' },
];

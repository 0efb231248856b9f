/** What the notes of each class say, and what holds for every one of them. */
import { describe, expect, it } from 'vitest';
import { errorCodesOf, type Flavour, readErrorCode } from '../../../../adapters/mysql/error-codes.js';
import { mariadbTemplates, mysqlTemplates } from '../../../../adapters/mysql/note-templates.js';
import { type FailureClass, failureClasses, isRecorded } from '../../../../src/core/failure/failure-class.js';
import { limits } from '../../../../src/core/limits.js';
import { renderNote } from '../../../../src/core/notes/render.js';
import { type Failure, inputFor, instructionFor, orders, products, users, watched } from './shop.js';

const constraint = (name: string) => ({ kind: 'constraint', name }) as const;
const column = (name: string) => ({ kind: 'column', name }) as const;
const token = (name: string) => ({ kind: 'token', name }) as const;
const message = (text: string) => ({ message: text });

type Case = readonly [failure: Failure, onMysql: string, onMariadb?: string];

function check(failureClass: FailureClass, cases: readonly Case[]): void {
  describe(failureClass, () => {
    it.each(cases.map((each) => ({ each })))('$each', ({ each: [failure, onMysql, onMariadb] }) => {
      expect(instructionFor('mysql', { class: failureClass, ...failure })).toContain(onMysql);
      expect(instructionFor('mariadb', { class: failureClass, ...failure })).toContain(onMariadb ?? onMysql);
    });
  });
}

const insert = { verb: 'insert', shape: 'insert into users ( email ) values ( ? )' } as const;
const duplicate = { code: '1062', object: constraint('users_email_key') } as const;

check('unique_violation', [
  [
    { ...duplicate, ...insert },
    'Use INSERT ... VALUES (...) AS new ON DUPLICATE KEY UPDATE c = new.c, or update the row that has this key (email).',
    'Use INSERT ... VALUES (...) ON DUPLICATE KEY UPDATE c = VALUES(c), or update the row that has this key (email).',
  ],
  [
    { ...duplicate, verb: 'insert', shape: 'insert into users ( email ) select email from old' },
    'SELECT * FROM (SELECT ...) AS new ON DUPLICATE KEY UPDATE c = new.c',
    'SELECT ... ON DUPLICATE KEY UPDATE c = VALUES(c)',
  ],
  [{ code: '1062', ...insert, object: constraint('PRIMARY') }, 'leave id out, if it is AUTO_INCREMENT'],
  [
    { ...duplicate, verb: 'insert', shape: `${insert.shape} on duplicate key update email = ?` },
    'a key (email) that a third row holds',
  ],
  [
    { ...duplicate, verb: 'update', shape: 'update users set email = ?' },
    'Another row holds this key (email): choose another value',
  ],
  [
    { code: '1062', object: constraint('PRIMARY'), verb: 'update', shape: 'update users set id = id + ?' },
    'ORDER BY that column, DESC where they grow',
  ],
  [
    { ...duplicate, verb: 'alter table', shape: 'alter table users add unique ( email )' },
    'HAVING COUNT(*) > 1',
  ],
  [{ ...duplicate, verb: 'create unique index' }, 'HAVING COUNT(*) > 1'],
  [{ ...duplicate, verb: 'load data', shape: 'load data infile ? into table users' }, 'staging table'],
  [
    { ...duplicate, verb: 'call', shape: 'call sign_up ( ? )' },
    'A trigger or routine may be what writes it.',
  ],
  // The error names another table than the one that is written.
  [
    {
      code: '1062',
      object: constraint('PRIMARY'),
      ...insert,
      error: { message: '', table: 'orders' },
      tables_: [users, orders],
    },
    'A row of orders has this key (id) already',
  ],
  // Without a table in the error, a trigger may have written elsewhere.
  [
    {
      code: '1062',
      object: constraint('PRIMARY'),
      verb: 'insert',
      shape: 'insert into watched values ( ? )',
      tables_: [watched],
    },
    'A trigger or routine may be what writes it.',
  ],
  [{ code: '1761', ...insert }, 'ON UPDATE CASCADE'],
]);

const ofChild = { message: '', schema: 'shop', table: 'orders' };
const broken = { object: constraint('orders_user_fk'), error: ofChild } as const;

check('foreign_key_violation', [
  [
    { ...broken, code: '1452', verb: 'insert', shape: 'insert into orders values ( ? )', tables_: [orders] },
    '(user_id) must match a row of users: insert that row first, or use a key that is there.',
  ],
  [
    { ...broken, code: '1451', verb: 'delete', shape: 'delete from users where id = ?' },
    'Rows of orders (user_id) still refer to this row: delete them or point them elsewhere first',
  ],
  [
    { ...broken, code: '1451', verb: 'replace', shape: 'replace into users values ( ? )' },
    'REPLACE deletes the old row first, and rows of orders (user_id) refer to it: use INSERT ... ON DUPLICATE KEY UPDATE',
  ],
  [{ ...broken, code: '1452', verb: 'alter table' }, 'WHERE the key of the parent IS NULL'],
  [
    { ...broken, code: '1701', verb: 'truncate' },
    'use DELETE FROM, which checks each row, after deleting the rows of orders',
  ],
  [{ ...broken, code: '3730', verb: 'drop table' }, 'ALTER TABLE orders DROP FOREIGN KEY orders_user_fk'],
  // MariaDB's message names nothing here.
  [
    { code: '1451', verb: 'drop table', shape: 'drop table users' },
    'drop orders first, or ALTER TABLE orders DROP FOREIGN KEY orders_user_fk, if that may go.',
  ],
  [
    { code: '1451', verb: 'drop table', tables_: [users, { ...orders, name: 'bills' }] },
    'Foreign keys of orders, bills refer to this table: drop those first',
  ],
  [
    { code: '1451', verb: 'drop table', tables_: [] },
    'A foreign key of the other table refers to this table',
  ],
  [{ code: '1216', ...insert }, 'The foreign key must match a row of the table it refers to'],
]);

check('not_null_violation', [
  [
    { code: '1048', ...insert, object: column('email') },
    'Give email a value that is not NULL; to get its default leave it out of the column list, or write DEFAULT. NOT NULL columns of users: id, email.',
  ],
  [
    { code: '1048', verb: 'update', shape: 'update users set email = ?', object: column('email') },
    'Set email to a value that is not NULL',
  ],
  [{ code: '1364', ...insert, object: column('email') }, 'email has no default: name it in the column list'],
  [{ code: '1364', ...insert, object: column('secret') }, 'The column the error names has no default'],
  [{ code: '1138', verb: 'alter table' }, 'UPDATE them to a value first, then make it NOT NULL'],
  [
    { code: '1263', verb: 'load data', object: column('email') },
    'LOAD DATA ... SET email = COALESCE(@v, value)',
  ],
]);

check('check_violation', [
  [
    { code: '3819', object: constraint('users_age_check'), ...insert },
    'Change the values so that users_age_check holds. Read its rule with SHOW CREATE TABLE users.',
  ],
  [
    {
      code: '4025',
      object: constraint('doc'),
      ...insert,
      error: { message: '', schema: 'shop', table: 'users' },
    },
    'doc takes valid JSON only',
  ],
  [
    {
      code: '4025',
      object: constraint('price'),
      verb: 'insert',
      shape: 'insert into products values ( ? )',
      tables_: [products],
      error: { message: '', schema: 'shop', table: 'products', column: 'price' },
    },
    'so that price holds',
    'so that the check of column price holds. Read its rule with SHOW CREATE TABLE products.',
  ],
  [
    { code: '3819', verb: 'alter table' },
    'or add the check as NOT ENFORCED.',
    'are in the table already: correct them first.',
  ],
  [{ code: '1369', ...insert }, 'WITH CHECK OPTION'],
  [{ code: '1526', ...insert }, 'ADD PARTITION'],
]);

check('rule_raised', [
  [{ code: '1644', verb: 'call' }, 'SHOW CREATE PROCEDURE'],
  [{ code: '1644', verb: 'insert' }, 'SHOW TRIGGERS'],
  [{ code: '1329', verb: 'call' }, 'HANDLER FOR NOT FOUND'],
]);

check('deadlock', [
  [
    { code: '1213', verb: 'update', isInTransaction: true },
    'The whole transaction was rolled back: re-run all of it from its first statement, after a short pause. Lock its rows in one fixed order',
  ],
  [{ code: '1213', verb: 'update' }, 'This statement was rolled back: re-run it after a short pause.'],
  [
    { code: '1213', verb: 'select', shape: 'select get_lock ( ? , ? )', isInTransaction: true },
    'RELEASE_ALL_LOCKS',
  ],
  [{ code: '3058' }, 'only this call was ended'],
  [{ code: '1614' }, 'XA ROLLBACK'],
]);

check('write_conflict', [
  [
    { code: '1020', verb: 'update', isInTransaction: true },
    're-run this statement',
    'The whole transaction was rolled back: re-run all of it from its first statement',
  ],
  [{ code: '1180', verb: 'commit', isInTransaction: true }, 'Another node committed'],
  [{ code: '3197' }, 'XA COMMIT'],
]);

check('lock_timeout', [
  [
    { code: '1205', verb: 'update', isInTransaction: true },
    'this transaction is still open, so re-run the statement after a pause, or ROLLBACK and re-run all.',
  ],
  [
    { code: '1205', verb: 'update' },
    'longer than innodb_lock_wait_timeout: re-run this statement after a pause.',
  ],
  [
    { code: '1205', verb: 'update' },
    'performance_schema.data_lock_waits',
    'information_schema.INNODB_LOCK_WAITS',
  ],
  [{ code: '1205', verb: 'alter table' }, 'A transaction that used the table is still open'],
  [{ code: '1205', verb: 'select', shape: 'select id from users for update nowait' }, 'NOWAIT does not wait'],
  [{ code: '3572', verb: 'select' }, 'SKIP LOCKED passes over such rows'],
]);

check('statement_timeout', [
  [
    { code: '3024', verb: 'select' },
    'SELECT /*+ MAX_EXECUTION_TIME(ms) */',
    'SET STATEMENT max_statement_time = seconds FOR',
  ],
  [{ code: '1969', verb: 'update' }, 'work in batches'],
  [{ code: '1969', verb: 'alter table' }, 'in a quiet hour'],
]);

const wrong = (type: string) =>
  message(`Incorrect ${type} value: 'string DOUBLE date' for column 'age' at row 1`);

check('type_mismatch', [
  [{ code: '1366', ...insert, error: wrong('integer') }, 'digits only for numbers'],
  [{ code: '1366', ...insert, error: wrong('integer') }, 'Types in users: id int, age int.'],
  [{ code: '1366', ...insert, error: wrong('string') }, 'utf8mb4 with ALTER TABLE'],
  [{ code: '1292', ...insert, error: wrong('datetime') }, 'Write dates as YYYY-MM-DD'],
  [
    { code: '1292', verb: 'delete', error: message("Truncated incorrect DOUBLE value: 'date'") },
    'compare text columns with text in quotes',
  ],
  [
    {
      code: '1292',
      verb: 'update',
      shape: 'update users set name = ? || ?',
      error: message("Truncated incorrect DOUBLE value: 'a'"),
    },
    'CONCAT(a, b): || is OR here',
  ],
  [{ code: '1265', ...insert, object: column('kind') }, 'kind takes only the labels it was declared with'],
  [{ code: '1265', ...insert, object: column('age') }, 'Send the bare value'],
  [{ code: '1265', verb: 'alter table', object: column('age') }, 'UPDATE them first, then ALTER'],
  [{ code: '1411', verb: 'select' }, 'STR_TO_DATE'],
  [
    {
      code: '1292',
      verb: 'update',
      shape: 'update users set name = ? and age = ? where id = ?',
      error: message("Truncated incorrect DOUBLE value: 'x'"),
    },
    'separated by commas',
  ],
]);

const outOfUnsigned = message("BIGINT UNSIGNED value is out of range in 'x'");

check('value_out_of_range', [
  [{ code: '1406', ...insert }, 'Types in users: email varchar(120), name varchar(10).'],
  [{ code: '1264', ...insert }, 'none below zero where it is unsigned'],
  [
    {
      code: '1690',
      verb: 'select',
      shape: 'select a - b from t',
      error: message("BIGINT UNSIGNED value is out of range in 'x'"),
    },
    'CAST(a AS SIGNED) - CAST(b AS SIGNED)',
  ],
  [
    {
      code: '1690',
      verb: 'update',
      shape: 'update products set stock = stock - ? where id = ?',
      tables_: [products],
      error: outOfUnsigned,
    },
    'change only rows that hold enough, as WHERE stock >= n',
  ],
  [
    {
      code: '1690',
      verb: 'update',
      shape: 'update products set price = ? , delta = stock - ?',
      tables_: [products],
      error: outOfUnsigned,
    },
    'CAST(a AS SIGNED) - CAST(b AS SIGNED)',
  ],
  [
    {
      code: '1690',
      verb: 'update',
      shape: 'update products set stock = ? where stock - ? > ?',
      tables_: [products],
      error: outOfUnsigned,
    },
    'or compare as a > b + n',
  ],
  [
    {
      code: '1690',
      verb: 'insert',
      shape: 'insert into products ( id , stock ) select id , stock - ? from products',
      tables_: [products],
      error: outOfUnsigned,
    },
    'change only rows that hold enough',
  ],
  [
    { code: '1690', verb: 'select', error: message("BIGINT value is out of range in 'a UNSIGNED'") },
    'too large for BIGINT',
  ],
  [
    { code: '1690', verb: 'select', error: message("DOUBLE value is out of range in 'pow(10,1000)'") },
    'too large for DOUBLE',
  ],
  [{ code: '1467', ...insert }, 'no form of the statement can change that'],
]);

check('invalid_argument', [
  [{ code: '1365', verb: 'insert' }, 'NULLIF(divisor, 0)'],
  [{ code: '1210', verb: 'execute' }, 'as many values as the prepared statement has parameters'],
  [{ code: '1231', object: { kind: 'name', name: 'sql_mode' } }, 'NO_AUTO_CREATE_USER'],
  [{ code: '1298' }, '+00:00'],
  [{ code: '1139', verb: 'select' }, 'balance its brackets'],
  [{ code: '4038', verb: 'select' }, 'An argument has a value', 'not valid JSON'],
  [{ code: '4042', verb: 'select' }, 'An argument has a value', 'A JSON path begins with $'],
  [{ code: '3140', ...insert }, 'not valid JSON'],
  [{ code: '3691', verb: 'select' }, 'balance its brackets', 'An argument has a value'],
]);

check('undefined_object', [
  [{ code: '1', verb: 'alter database' }, 'There is no such database'],
  [
    { code: '1054', verb: 'select', object: column('emial') },
    'There is no such column: use an existing one. Close names: email.',
  ],
  [{ code: '1054', verb: 'select', object: column('zzz') }, 'users has id, email, name, age, kind, doc.'],
  [{ code: '1054', verb: 'select', object: column('x.EMAIL') }, 'write the alias that FROM gives the table'],
  [
    {
      code: '1054',
      verb: 'select',
      object: column('total'),
      shape: 'select sum ( age ) as total from users where total > ?',
    },
    'put the condition into HAVING',
  ],
  [
    {
      code: '1054',
      verb: 'select',
      object: column('dbl'),
      shape: 'select age * ? dbl from users where dbl > ?',
    },
    'repeat the expression there, use HAVING',
  ],
  [
    {
      code: '1054',
      verb: 'select',
      object: column('rn'),
      shape: 'select id , row_number ( ) over ( order by id ) rn from users where rn = ?',
    },
    'window functions stand in no condition, so select from a subquery',
  ],
  // An alias of a table is none, nor is a column that is selected itself.
  [
    { code: '1054', verb: 'select', object: column('uu'), shape: 'select id from users uu where uu = ?' },
    'There is no such column: users has',
  ],
  [
    { code: '1054', verb: 'select', object: column('zzz'), shape: 'select zzz from users where zzz = ?' },
    'There is no such column: users has',
  ],
  [
    {
      code: '1146',
      verb: 'select',
      object: { kind: 'table', name: 'shop.t' },
      shape: 'with t ( n ) as ( select ? union all select n + ? from t ) select * from t',
      tables_: [],
    },
    'WITH RECURSIVE',
  ],
  [
    {
      code: '1146',
      verb: 'select',
      object: { kind: 'table', name: 'shop.b' },
      shape: 'with a as ( select * from b ) , b as ( select ? ) select * from a',
      tables_: [],
    },
    'put its query before those that use it',
  ],
  [
    {
      code: '1146',
      verb: 'select',
      object: { kind: 'table', name: 'shop.c' },
      shape: 'with a as ( select ? ) select * from c',
      tables_: [],
    },
    'look with SHOW TABLES',
  ],
  [{ code: '1054', verb: 'select', object: column('rownum') }, 'LIMIT n, or ROW_NUMBER()'],
  [
    { code: '1054', verb: 'select', object: column('$1'), shape: 'select id from users where id = $1' },
    'Parameters are written ?',
  ],
  [
    { code: '1146', verb: 'select', object: { kind: 'table', name: 'user' }, tables: ['user'], tables_: [] },
    'There is no such table or view here: use an existing one. Close names: users.',
  ],
  // What is dropped by mistake is gone: no close names there.
  [
    {
      code: '1051',
      verb: 'drop table',
      object: { kind: 'table', name: 'user' },
      tables: ['user'],
      tables_: [],
    },
    'use DROP ... IF EXISTS, or check the name and its database. A view goes with DROP VIEW.',
  ],
  [{ code: '1049', verb: 'use' }, 'SHOW DATABASES'],
  [{ code: '1305', verb: 'select', object: { kind: 'routine', name: 'string_agg' } }, 'GROUP_CONCAT('],
  [
    { code: '1305', verb: 'select', object: { kind: 'routine', name: 'generate_series' } },
    'WITH RECURSIVE',
    'seq_1_to_10',
  ],
  [{ code: '1305', verb: 'call', object: { kind: 'routine', name: 'nosuch' } }, 'no such procedure'],
  [
    { code: '1193', object: { kind: 'name', name: 'tx_isolation' } },
    'SET transaction_isolation',
    'tx_isolation before 11.1',
  ],
  [
    { code: '1193', object: { kind: 'name', name: 'max_execution_time' } },
    'SET max_execution_time',
    'SET max_statement_time = seconds',
  ],
  [
    { code: '1091', verb: 'alter table', shape: 'alter table users drop column x' },
    'There is no IF EXISTS here',
    'DROP COLUMN IF EXISTS',
  ],
  [{ code: '4091', verb: 'alter sequence' }, 'There is no such sequence here'],
  [{ code: '4161', verb: 'create function', object: { kind: 'name', name: 'trigger' } }, 'FOR EACH ROW'],
  [{ code: '1191', verb: 'select' }, 'ADD FULLTEXT'],
  [{ code: '1410', verb: 'grant' }, 'CREATE USER first'],
  [{ code: '1327', verb: 'create procedure' }, 'DECLARE it at the start'],
  [{ code: '1327', verb: 'select' }, 'CREATE TABLE t AS SELECT'],
]);

check('internal', [[{ code: '1025', verb: 'alter table' }, 'check that the database it goes to is there']]);

check('duplicate_object', [
  [{ code: '1050', verb: 'create table' }, 'CREATE TABLE IF NOT EXISTS'],
  [{ code: '1050', verb: 'create view' }, 'CREATE OR REPLACE VIEW'],
  [{ code: '1050', verb: 'rename table', shape: 'rename table a to b' }, 'The new name is taken'],
  [
    { code: '1060', verb: 'alter table' },
    'There is no ADD COLUMN IF NOT EXISTS.',
    'ADD COLUMN IF NOT EXISTS, or MODIFY',
  ],
  [
    { code: '1061', verb: 'create index' },
    'There is no IF NOT EXISTS for an index.',
    'CREATE INDEX IF NOT EXISTS',
  ],
  [{ code: '1304', verb: 'create procedure' }, 'DROP PROCEDURE IF EXISTS', 'CREATE OR REPLACE PROCEDURE'],
  [{ code: '1359', verb: 'create trigger' }, 'DROP TRIGGER IF EXISTS', 'CREATE OR REPLACE TRIGGER'],
  [{ code: '1060', verb: 'select', shape: 'select * from ( select ? a , ? a ) t' }, 'give each an alias'],
  [{ code: '1396', verb: 'create user' }, 'CREATE USER IF NOT EXISTS'],
]);

check('invalid_statement', [
  [{ code: '1055', verb: 'select' }, 'ANY_VALUE(column)', 'MIN(column)'],
  [{ code: '1052', verb: 'select', tables_: [users, orders] }, 'The tables share: id.'],
  [{ code: '1093', verb: 'delete' }, 'FROM (SELECT ...) AS x'],
  [{ code: '1136', ...insert }, 'Columns of users: id, email, name, age, kind, doc.'],
  [{ code: '1242', verb: 'select' }, 'more than one row'],
  [{ code: '1442', verb: 'insert' }, 'NEW.column'],
  [{ code: '1005', verb: 'create table' }, 'The foreign key does not fit'],
  [{ code: '3780', verb: 'create table' }, 'one type', 'definition contradicts itself'],
  [
    { code: '1067', verb: 'alter table', shape: 'alter table t add z int not null default null' },
    'DEFAULT NULL contradicts NOT NULL',
  ],
  [
    { code: '1067', verb: 'alter table', shape: 'alter table t add z int not null default ?' },
    'NULL only where the column may be null',
  ],
  [
    { code: '3770', verb: 'create table', shape: 'create table t ( a int default ( getdate ( ) ) )' },
    'There is no such function here: write NOW()',
    'The definition contradicts itself',
  ],
  [{ code: '1170', verb: 'create table' }, 'needs a length'],
  [{ code: '1418', verb: 'create function' }, 'DETERMINISTIC'],
  [{ code: '1503', verb: 'create table' }, 'Every primary and unique key'],
  [{ code: '3105', ...insert }, 'The column is generated'],
  [{ code: '1906', ...insert }, 'The column is generated'],
  [{ code: '1582', verb: 'select', object: { kind: 'routine', name: 'isnull' } }, 'IFNULL(x, y)'],
]);

check('permission', [
  [{ code: '1142', verb: 'select' }, 'no form of the statement can change that'],
  [{ code: '1290', verb: 'load data' }, 'secure_file_priv'],
  [{ code: '3948', verb: 'load data' }, 'local_infile'],
  [{ code: '1045' }, 'Ask for valid credentials'],
]);

check('resource_limit', [
  [{ code: '1071', verb: 'create table' }, 'index a prefix'],
  [{ code: '1118', verb: 'create table' }, '65535 bytes'],
  [{ code: '1390', verb: 'insert' }, '65535 parameters'],
  [
    { code: '3', verb: 'insert', error: message("Error writing file 'x' (OS errno 28 - No space)") },
    'no disk space',
  ],
  [{ code: '9999', verb: 'insert' }, 'A limit of the server is reached'],
]);

check('read_only', [
  [{ code: '1792', verb: 'insert' }, 'START TRANSACTION READ WRITE'],
  [{ code: '1290', verb: 'insert' }, 'Send it to the server that takes writes, or stop here.'],
]);

check('unsupported_feature', [
  [
    {
      code: '1235',
      error: message("This version of MySQL doesn't yet support 'LIMIT & IN/ALL/ANY/SOME subquery'"),
    },
    'LIMIT cannot stand in a subquery',
  ],
  [{ code: '1846', verb: 'alter table' }, 'ALGORITHM=COPY'],
  [{ code: '6037', verb: 'select' }, 'AS x WHERE rn = 1'],
  [
    {
      code: '1336',
      verb: 'create trigger',
      shape: 'create trigger a before insert on t for each row execute function f ( )',
    },
    'Write the body itself behind FOR EACH ROW',
  ],
  [{ code: '1295' }, 'send it as plain text'],
]);

check('session_state', [
  [{ code: '1046' }, 'USE database'],
  [{ code: '1100' }, 'UNLOCK TABLES'],
  [{ code: '1305' }, 'SAVEPOINT it first'],
  [{ code: '1568' }, 'SET TRANSACTION, then START TRANSACTION'],
]);

const near = (fragment: string) => message(`… right syntax to use near '${fragment}' at line 1`);

check('syntax', [
  [
    {
      code: '1064',
      shape: 'insert into t values ( ? ) on conflict ( id ) do nothing',
      object: { kind: 'name', name: 'conflict' },
    },
    'AS new ON DUPLICATE KEY UPDATE c = new.c',
    'ON DUPLICATE KEY UPDATE c = VALUES(c)',
  ],
  [
    { code: '1064', shape: 'update t set a = ? returning a', object: token('returning') },
    'There is no RETURNING',
    'RETURNING is for INSERT, REPLACE and DELETE here',
  ],
  [{ code: '1064', shape: 'select ? from ?', error: near('"users"') }, 'Names go in backticks'],
  [
    { code: '1064', shape: 'select ? from ?', error: near("'users'") },
    'Correct the statement where the message says near',
  ],
  [
    { code: '1064', shape: 'select id from users limit ?', error: near("'10'") },
    'LIMIT and OFFSET take whole numbers',
  ],
  [{ code: '1064', shape: 'select ?', object: token('select') }, 'One statement a call'],
  [{ code: '1064', shape: 'select id from t where order = ?', object: token('order') }, 'in backticks'],
  [
    { code: '1064', shape: 'create table t ( a jsonb )', object: { kind: 'name', name: 'jsonb' } },
    'write JSON.',
  ],
  [
    {
      code: '1064',
      shape: 'create index if not exists k on t ( a )',
      verb: 'create index',
      object: token('if'),
    },
    'An index has no IF [NOT] EXISTS here',
    'in backticks',
  ],
  [
    { code: '1064', shape: 'with x as ( select ? ) update t set a = ?', object: token('update') },
    'in backticks',
    'WITH does not stand before UPDATE and DELETE here',
  ],
  [
    { code: '1064', shape: 'select doc ->> ? from t', object: token('->>') },
    'Correct the statement',
    'There are no -> and ->> here',
  ],
  [{ code: '1065', shape: '' }, 'no statement'],
  [
    {
      code: '1064',
      shape: 'select id from users where not exists select ? from orders',
      object: token('select'),
      error: near('select 1 from orders'),
    },
    'A subquery stands in brackets',
  ],
  [
    {
      code: '1064',
      shape: 'select id from a union select ? from b',
      object: token('select'),
      error: near('select id from a union select 1'),
    },
    'One statement a call',
  ],
  [
    { code: '1064', shape: 'select id from users limit ? offset ?', object: token('-'), error: near('-1') },
    'LIMIT and OFFSET take whole numbers of zero or more',
  ],
  [
    { code: '1064', shape: 'select ? ?', error: near('```') },
    'The text has the backticks of a code block around it',
  ],
  [
    {
      code: '1064',
      shape: 'create table t ( a uuid default uuid ( ) )',
      object: { kind: 'name', name: 'uuid' },
    },
    'There is no such type here',
  ],
  [
    {
      code: '1064',
      shape: 'create table t ( a char ( 36 ) default uuid ( ) )',
      object: { kind: 'name', name: 'uuid' },
    },
    'as DEFAULT (UUID())',
  ],
  [
    {
      code: '1064',
      shape: 'create trigger a before insert or update on t for each row set @a = ?',
      object: token('or'),
    },
    'A trigger is for one event',
  ],
  // The same word in the body of one is no second event.
  [
    {
      code: '1064',
      shape: 'create trigger a before insert on t for each row set @a = ? or or ?',
      object: token('or'),
    },
    'put a reserved word',
  ],
  [
    { code: '1064', shape: 'select cast ( a as varchar ) from t', object: token('varchar') },
    'AS CHAR for texts',
  ],
]);

describe('a template', () => {
  it('offers INSERT IGNORE nowhere, nor the end of foreign key checks', () => {
    for (const { instruction } of allNotes) {
      expect(instruction).not.toMatch(/INSERT IGNORE|UPDATE IGNORE|foreign_key_checks/);
    }
  });
});

/** Every note there is: all numbers that are recorded, all kinds of statement, in and out of a transaction. */
function* everyInput(flavour: Flavour) {
  const extra: readonly (readonly [string, FailureClass])[] = [
    ['1005', 'duplicate_object'],
    ['1005', 'resource_limit'],
    ['1030', 'deadlock'],
    ['1030', 'lock_timeout'],
    ['1030', 'unique_violation'],
    ['1030', 'foreign_key_violation'],
    ['1180', 'write_conflict'],
    ['1290', 'permission'],
    ['1305', 'session_state'],
    ['1396', 'undefined_object'],
    ['1396', 'duplicate_object'],
    ['9999', 'unclassified'],
    ['9999', 'unsupported_translation'],
  ];
  const verbs: readonly (readonly [verb: string, shape: string])[] = [
    ['insert', 'insert into users ( email ) values ( ? )'],
    ['insert', 'insert into users ( email ) select email from old'],
    ['update', 'update users set email = ?'],
    ['delete', 'delete from users where id = ?'],
    ['replace', 'replace into users values ( ? )'],
    ['select', 'select id from users where email = ?'],
    ['load data', 'load data infile ? into table users'],
    ['call', 'call p ( ? )'],
    ['alter table', 'alter table users add column x int'],
    ['create table', 'create table x ( a int )'],
    ['create index', 'create index k on users ( email )'],
    ['create view', 'create view v as select ?'],
    ['drop table', 'drop table users'],
    ['truncate', 'truncate users'],
    ['set', 'set x = ?'],
    ['', ''],
  ];
  const objects = [
    null,
    constraint('users_email_key'),
    constraint('orders_user_fk'),
    column('users.email'),
    column('emial'),
    { kind: 'routine', name: 'nvl' } as const,
    token('limit'),
  ];
  const own = errorCodesOf(flavour).map((code) => [code, readErrorCode(code, flavour).class] as const);
  for (const [code, failureClass] of [...own, ...extra]) {
    if (!isRecorded(failureClass)) continue;
    for (const [verb, shape] of verbs) {
      const few = verb === 'insert' || /^(?:1062|145[12]|1048|1364|1054|1146|1064)$/.test(code);
      for (const object of few ? objects : objects.slice(0, 1)) {
        for (const isInTransaction of [false, true]) {
          const tables_ = shape.includes('users') ? [users] : [];
          yield inputFor(flavour, {
            class: failureClass,
            code,
            verb,
            shape,
            object,
            tables_,
            isInTransaction,
          });
        }
      }
    }
  }
}

const allNotes = (['mysql', 'mariadb'] as const).flatMap((flavour) => {
  const templates = flavour === 'mysql' ? mysqlTemplates : mariadbTemplates;
  const notes = new Map<
    string,
    { instruction: string; short: string; long: string; failureClass: FailureClass }
  >();
  for (const input of everyInput(flavour)) {
    const template = templates[input.record.class];
    const instruction = template(input);
    const { short, long } = renderNote(template, input);
    notes.set(instruction + long, { instruction, short, long, failureClass: input.record.class });
  }
  return [...notes.values()];
});

describe('every note', () => {
  it('has a template for each class', () => {
    expect(Object.keys(mysqlTemplates).sort()).toEqual([...failureClasses].sort());
    expect(new Set(allNotes.map(({ failureClass }) => failureClass)).size).toBe(failureClasses.length);
  });

  it('is made of safe characters before it is cleaned', () => {
    for (const { instruction } of allNotes) expect(instruction).toMatch(/^(?:(?!["'`\\%])[\x20-\x7e])+\.$/);
  });

  it('fits, with its first sentence whole in both forms', () => {
    for (const { instruction, short, long } of allNotes) {
      const [first = ''] = instruction.split(/(?<=[A-Za-z0-9)]\.)\s+(?=[A-Z])/);
      expect.soft(short, instruction).toContain(first);
      expect.soft(long, instruction).toContain(first);
      expect(short.length).toBeLessThanOrEqual(limits.maxShortNoteBytes);
      expect(long.length).toBeLessThanOrEqual(limits.maxLongNoteBytes);
    }
  });

  it('holds no phrase that drivers, pools and frameworks act on', () => {
    const phrases =
      /retry|retri|not master|doesn.t exist|does not exist|already exists|duplicate entry|deadlock|lock wait timeout|try restarting|connection|terminating|gone away|shut ?down|could not|recovery|timed out|timeout expired|too many connections|read.only|lost |broken pipe|not primary|access denied|unknown database|syntax error|packets out of order|\bSSL\b/i;
    expect(allNotes.map(({ instruction }) => instruction).filter((text) => phrases.test(text))).toEqual([]);
  });

  it('begins each sentence so that it can be told from the one before', () => {
    expect(
      allNotes.map(({ instruction }) => instruction).filter((text) => /[a-z0-9)]\. [^A-Z]/.test(text)),
    ).toEqual([]);
  });

  it('says no more than two or three things', () => {
    for (const { instruction } of allNotes) {
      expect(instruction.split(/(?<=[A-Za-z0-9)]\.)\s+(?=[A-Z])/).length).toBeLessThanOrEqual(4);
    }
  });

  it('never calls one product by the name of the other', () => {
    for (const flavour of ['mysql', 'mariadb'] as const) {
      const syntaxNote = instructionFor(flavour, {
        class: 'syntax',
        code: '1064',
        shape: 'select ? :: int',
        object: token('::'),
      });
      expect(syntaxNote).toContain(flavour === 'mysql' ? 'not MySQL syntax' : 'not MariaDB syntax');
    }
  });
});

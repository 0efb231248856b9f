// DO bodies, passwords in utility statements and cut statements came out in fingerprints (pg_query#266, libpg_query#255, collector#244).
import { expect, it } from 'vitest';
import { oneShape, postgres, shapes } from '../unit/core/shape/support.js';

const statements = [
  "DO $$ BEGIN PERFORM login('hunter2'); END $$",
  "CREATE ROLE x LOGIN PASSWORD 'hunter2'",
  "ALTER USER x WITH ENCRYPTED PASSWORD 'hunter2'",
  "CREATE USER MAPPING FOR x SERVER s OPTIONS (user 'x', password 'hunter2')",
  "CREATE SUBSCRIPTION s CONNECTION 'host=h password=hunter2' PUBLICATION p",
  "SELECT dblink_connect('host=h password=hunter2')",
  'ALTER USER app PASSWORD = hunter2',
  'ALTER USER app SET password TO hunter2',
  'CREATE USER u IDENTIFIED BY hunter2',
  'GRANT ALL ON t TO u IDENTIFIED BY "hunter2"',
  'SET PASSWORD FOR app = hunter2',
  'ALTER USER app PASSWORD : hunter2',
  'ALTER USER app PASSWD hunter2',
  'SET statement_timeout = hunter2',
  'ALTER USER x SET search_path = hunter2',
  'SELECT /*+ user password=hunter2 */ nope',
  'SELECT a FROM t WHERE b = \u2018my hunter2\u2019',
  'SELECT a FROM t WHERE pw = "hunter2"',
  'UPDATE t SET pw = "hunter2"',
  'SELECT add_user("John Smith", "hunter2")',
  "INSERT INTO t VALUES ('x ' hunter2 ' y')",
  "INSERT INTO t VALUES ('the ''big' hunter2 'x''')",
  "SELECT pgp_sym_decrypt(c, 'hunter2') FROM t",
];

it.each(statements)('%s keeps its secret, wherever it is cut', (sql) => {
  for (let cut = 0; cut <= sql.length; cut++) {
    for (const isTruncated of [false, true]) {
      const made = shapes(sql.slice(0, cut), postgres, isTruncated);
      expect(made.some((shape) => /hunte/.test(shape))).toBe(false);
    }
  }
});

it('gives text that is no statement a stable shape', () => {
  const broken = 'SELECT FROM (( WHERE ) x ==> 1 ';
  expect(oneShape(broken).shape).toBe(oneShape(broken.toLowerCase()).shape);
  expect(oneShape(broken).shape).toBe('select from ( ( where ) x ==> ?');
});

it('cuts 10 MB in bounded time', () => {
  expect(oneShape(`select ${'a, '.repeat(3_500_000)} b`).isTruncated).toBe(true);
});

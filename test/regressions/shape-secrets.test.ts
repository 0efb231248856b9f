// DO bodies, passwords in utility statements and cut statements came out in fingerprints (pg_query#266, libpg_query#255, collector#244).
import { expect, it } from 'vitest';
import { mariadb, mysql, oneShape, postgres, shapes } from '../unit/core/shape/support.js';

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

const mysqlStatements = [
  "CREATE USER 'u'@'%' IDENTIFIED BY 'hunter2'",
  "CREATE USER u IDENTIFIED WITH caching_sha2_password BY 'hunter2' REPLACE 'hunter2'",
  "ALTER USER u IDENTIFIED WITH mysql_native_password AS '*hunter2'",
  'CREATE USER u@localhost IDENTIFIED BY hunter2',
  "CREATE USER u IDENTIFIED VIA ed25519 USING PASSWORD('hunter2') OR unix_socket",
  "GRANT ALL ON d.* TO u IDENTIFIED BY PASSWORD '*hunter2'",
  "SET PASSWORD FOR 'u'@'h' = PASSWORD('hunter2')",
  'SET PASSWORD = hunter2',
  'SET PASSWORD FOR u@h = hunter2',
  "SET GLOBAL validate_password.policy = 'hunter2', x = hunter2",
  "CHANGE MASTER TO MASTER_USER='hunter2', MASTER_PASSWORD='hunter2'",
  'CHANGE REPLICATION SOURCE TO SOURCE_PASSWORD = hunter2',
  "START SLAVE USER='hunter2' PASSWORD='hunter2'",
  "CREATE SERVER s FOREIGN DATA WRAPPER mysql OPTIONS (USER 'u', PASSWORD 'hunter2')",
  "LOAD DATA INFILE '/home/hunter2' INTO TABLE t FIELDS TERMINATED BY 'hunter2'",
  "SELECT * INTO OUTFILE '/home/hunter2' FROM t",
  "CREATE TABLE t (a INT COMMENT 'hunter2') COMMENT = 'hunter2' CONNECTION = 'mysql://u:hunter2@h/d/t'",
  "SELECT AES_ENCRYPT(a, 'hunter2'), \"hunter2\", X'hunter2' FROM t",
  'SELECT a FROM t WHERE b = `hunter2` AND c IN (`hunter2`) AND d = u@hunter2.example',
  "SELECT /*+ SET_VAR(a = 'hunter2') */ /* hunter2 */ a FROM t -- hunter2",
  'SELECT a FROM t # hunter2',
  "SELECT /*!99999 hunter2 */ a /*! , 'hunter2*/ hunter2' */ FROM t",
  'CREATE PROCEDURE p() BEGIN DECLARE a CHAR(9) DEFAULT \'hunter2\'; SET a = "hunter2"; END',
  "PREPARE s FROM 'SELECT \\'hunter2\\''",
  "SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'hunter2'",
  "KILL USER 'hunter2'",
  "XA COMMIT 'hunter2','hunter2',1",
  "INSERT INTO t VALUES ('x ' hunter2 ' y'), (\"hunter2\", _utf8mb4'hunter2', N'hunter2')",
];

it.each(mysqlStatements)('%s keeps its secret in MySQL and MariaDB, wherever it is cut', (sql) => {
  for (const shaper of [mysql, mariadb]) {
    for (let cut = 0; cut <= sql.length; cut++) {
      for (const isTruncated of [false, true]) {
        const made = shapes(sql.slice(0, cut), shaper, isTruncated);
        expect(made.some((shape) => /hunte/.test(shape))).toBe(false);
      }
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

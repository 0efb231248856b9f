// Multi-byte text and escaped quotes leaked parts of literals into digests (proxysql#932).
import { expect, it } from 'vitest';
import { mariadb, mysql, oneShape, shapes } from '../unit/core/shape/support.js';

it.each([
  "'it''s secret'",
  "E'it\\'s secret'",
  "'\u79d8\u5bc6 secret'",
  "'\u4e00\\'",
  "E'\u8a31\\\\'",
  "'a\\'",
  "'\\''secret'''",
])('%s leaves nothing behind in PostgreSQL', (literal) => {
  expect(oneShape(`select ${literal}, b`).shape).toBe('select ? , b');
});

const literals = [
  "'it\\'s secret'",
  "'it''s secret'",
  '"it\'s \\" secret"',
  "'\u79d8\u5bc6 secret\\\\'",
  "'\u8a31\\\\\u529f secret'",
  "'\\\\\\'secret\\\\'",
  "N'secret\\'secret'",
  "_gbk'secret\\'secret'",
  "'a' 'secret' \"secret\"",
];
it.each(literals)('%s leaves nothing behind in MySQL and MariaDB, wherever it is cut', (literal) => {
  for (const shaper of [mysql, mariadb]) {
    const sql = `select ${literal}, b`;
    expect(oneShape(sql, {}, shaper).shape).toBe('select ? , b');
    for (let cut = 0; cut <= sql.length; cut++) {
      for (const isTruncated of [false, true]) {
        expect(shapes(sql.slice(0, cut), shaper, isTruncated).join()).not.toMatch(/secret/);
      }
    }
  }
});

it('follows NO_BACKSLASH_ESCAPES', () => {
  for (const shaper of [mysql, mariadb]) {
    const sql = "select 'a\\', b, 'secret'";
    expect(oneShape(sql, { isBackslashLiteral: true }, shaper).shape).toBe('select ? , b , ?');
    // taken for an escape by mistake, it ends the text and lets nothing out
    expect(oneShape(sql, {}, shaper).shape).toBe('select ?');
  }
});

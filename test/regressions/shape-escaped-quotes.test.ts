// Multi-byte text and escaped quotes leaked parts of literals into digests (proxysql#932).
import { expect, it } from 'vitest';
import { mysql, oneShape } from '../unit/core/shape/support.js';

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

it.each(["'it\\'s secret'", "'it''s secret'", '"it\'s \\" secret"', "'\u79d8\u5bc6 secret\\\\'"])(
  '%s leaves nothing behind in MySQL',
  (literal) => {
    expect(oneShape(`select ${literal}, b`, {}, mysql).shape).toBe('select ? , b');
  },
);

it('follows NO_BACKSLASH_ESCAPES', () => {
  expect(oneShape("select 'a\\', b, 'secret'", { isBackslashLiteral: true }, mysql).shape).toBe(
    'select ? , b , ?',
  );
});

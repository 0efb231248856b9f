// Numbers in scientific notation were not replaced, and the table of digests exploded (proxysql#3079).
import { expect, it } from 'vitest';
import { mariadb, mysql, oneShape } from '../unit/core/shape/support.js';

const forms = [
  '1',
  '1.2E3',
  '1e-7',
  '-1.5e+8',
  '0x1F',
  "X'1F'",
  "b'01'",
  '1.',
  '.5',
  '+.5e1',
  '12345678901234567890',
];

it.each(forms)('%s is one hole', (number) => {
  expect(oneShape(`select a from t where b = ${number} and c in (${number},${number})`).shape).toBe(
    'select a from t where b = ? and c in ( ?+ )',
  );
  for (const shaper of [mysql, mariadb]) {
    expect(oneShape(`select a from t where b=${number}`, {}, shaper).shape).toBe(
      'select a from t where b = ?',
    );
    expect(oneShape(`select a from t where b in (${number},${number})`, {}, shaper).shape).toBe(
      'select a from t where b in ( ?+ )',
    );
  }
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { limits } from '../../../../src/core/limits.js';
import { redactDetail } from '../../../../src/core/notes/redact.js';

describe('redactDetail', () => {
  it.each([
    [
      'duplicate key value violates unique constraint "users_email_key"',
      ['users_email_key'],
      'duplicate key value violates unique constraint "users_email_key"',
    ],
    ['invalid input syntax for type integer: "abc"', [], 'invalid input syntax for type integer: ?'],
    ['invalid input syntax for type integer: "a" b "c"', [], 'invalid input syntax for type integer: ?'],
    ['value too long for type character varying(10)', [], 'value too long for type character varying(?)'],
    ['value "99" is out of range for type smallint', [], 'value ? is out of range for type smallint'],
    ['operator does not exist: text = integer', [], 'operator does not exist: text = integer'],
    ['division by zero', [], 'division by zero'],
    ['Key (email)=(a@b.c) already exists.', [], 'Key ? already exists.'],
    ['Failing row contains (1, alice, null).', [], 'Failing row contains ?.'],
    [
      'permission denied for table user_accounts',
      ['user_accounts'],
      'permission denied for table user_accounts',
    ],
    ['permission denied for table user_accounts', [], 'permission denied for table ?'],
    ['account alice cannot pay 120.50', [], '? cannot ?'],
    ['syntax error at or near "\'s3cr3t"', [], 'syntax error at or near ?'],
    ['doppelter Schl\u00fcssel \u00bbusers_email_key\u00ab', ['users_email_key'], '? "users_email_key"'],
    ['invalid byte sequence for encoding "UTF8": 0xff', [], 'invalid byte sequence for encoding ?'],
    ['two\nlines\tand\u0000 more', [], 'two ? and more'],
    ['', [], ''],
  ] as const)('%j with %j', (message, names, expected) => {
    expect(redactDetail(message, names)).toBe(expected);
  });

  it('vouches only for plain names', () => {
    expect(redactDetail('relation "a b" is wrong', ['a b'])).toBe('relation ? is wrong');
  });

  it('lets no word through that is neither its own nor vouched for', () => {
    const secret = 's3kr1t';
    const around = fc.constantFrom(
      '"',
      "'",
      ' ',
      ': "',
      '(',
      ')=(',
      '\n',
      '\u00ab',
      '\u201e',
      ',',
      '=',
      'value ',
      ' "a" ',
    );
    fc.assert(
      fc.property(fc.array(around), fc.array(around), fc.string(), (before, after, noise) => {
        const message = `${before.join('')}${secret}${after.join('')}${noise}`;
        expect(redactDetail(message, ['email', 'a'])).not.toContain(secret);
      }),
    );
  });

  it('is one bounded line of ASCII, whatever comes in', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 4_000 }), (message) => {
        const detail = redactDetail(message);
        expect(detail).toMatch(/^[\x20-\x7e]*$/);
        expect(detail.length).toBeLessThanOrEqual(limits.maxDetailBytes);
        expect(detail).not.toMatch(/[0-9]/);
      }),
    );
    expect(redactDetail('value '.repeat(10_000)).length).toBeLessThanOrEqual(limits.maxDetailBytes);
  });
});

import { describe, expect, it } from 'vitest';
import { errorCodes, readErrorCode } from '../../../../adapters/mongodb/error-codes.js';
import { failureClasses } from '../../../../src/core/failure/failure-class.js';

function summary(code: string): string {
  const { class: verdict, isStructural, suggestsDrift } = readErrorCode(code);
  return [verdict, ...(isStructural ? ['structural'] : []), ...(suggestsDrift ? ['drift'] : [])].join(' ');
}

describe('readErrorCode', () => {
  it.each([
    [1, 'internal'],
    [2, 'invalid_argument'],
    [9, 'syntax structural'],
    [13, 'permission structural'],
    [14, 'type_mismatch'],
    [18, 'unavailable'],
    [24, 'lock_timeout'],
    [26, 'undefined_object structural drift'],
    [40, 'invalid_statement structural'],
    [43, 'session_state'],
    [48, 'duplicate_object structural drift'],
    [50, 'statement_timeout'],
    [52, 'invalid_statement structural'],
    [59, 'unsupported_feature structural'],
    [64, 'statement_timeout'],
    [66, 'invalid_statement'],
    [72, 'invalid_statement structural'],
    [73, 'invalid_statement structural'],
    [85, 'duplicate_object structural drift'],
    [86, 'duplicate_object structural drift'],
    [91, 'unavailable'],
    [96, 'internal'],
    [112, 'write_conflict'],
    [115, 'unsupported_feature structural'],
    [121, 'check_violation drift'],
    [175, 'schema_moved drift'],
    [189, 'unavailable'],
    [237, 'cancelled'],
    [251, 'consequence'],
    [261, 'resource_limit'],
    [263, 'session_state'],
    [292, 'resource_limit'],
    [371, 'read_only'],
    [10107, 'unavailable'],
    [11000, 'unique_violation'],
    [11001, 'unique_violation'],
    [11600, 'unavailable'],
    [11601, 'cancelled'],
    [11602, 'unavailable'],
    [12582, 'unique_violation'],
    [13435, 'unavailable'],
    [13436, 'unavailable'],
    [16020, 'syntax structural'],
    [17280, 'resource_limit'],
    [17419, 'resource_limit'],
    [31254, 'invalid_statement structural'],
    [40324, 'syntax structural'],
    [40353, 'syntax structural'],
    [46841, 'cancelled'],
    [51091, 'invalid_argument'],
  ])('%i: %s', (code, expected) => {
    expect(summary(String(code))).toBe(expected);
  });

  it.each(['9999', '0', '', '-1', '011000', '11000 ', '__proto__', 'toString', '1e3', 'SQL_JOIN'])(
    'a code that is not in the table, %j, is unclassified and neither structural nor drift',
    (code) => {
      expect(readErrorCode(code)).toEqual({
        name: null,
        class: 'unclassified',
        isStructural: false,
        suggestsDrift: false,
        wanted: null,
      });
    },
  );

  it('carries hundreds of codes, in ascending order and each once', () => {
    const numbers = errorCodes.map(Number);
    expect(numbers.length).toBeGreaterThan(700);
    expect(new Set(numbers).size).toBe(numbers.length);
    expect(numbers).toEqual([...numbers].sort((a, b) => a - b));
  });

  it('calls nothing structural that looks at documents, values or the session', () => {
    const never = [
      'deadlock',
      'write_conflict',
      'lock_timeout',
      'statement_timeout',
      'unique_violation',
      'check_violation',
      'value_out_of_range',
      'invalid_argument',
      'read_only',
      'session_state',
      'internal',
      'unavailable',
      'cancelled',
      'consequence',
      'schema_moved',
    ];
    const wrong = errorCodes.filter((code) => {
      const { class: verdict, isStructural } = readErrorCode(code);
      return isStructural && never.includes(verdict);
    });
    expect(wrong).toEqual([]);
  });

  it('reaches every class but those that no server of the protocol has a code for', () => {
    const reached = new Set(errorCodes.map((code) => readErrorCode(code).class));
    expect(failureClasses.filter((failureClass) => !reached.has(failureClass))).toEqual([
      'deadlock',
      'foreign_key_violation',
      'not_null_violation',
      'rule_raised',
      'unsupported_translation',
      'unclassified',
    ]);
  });

  it('has for each number of a place what that place wants, and for each name none', () => {
    for (const code of errorCodes) {
      const { name, wanted } = readErrorCode(code);
      expect(name === `Location${code}`, code).toBe(wanted !== null);
    }
  });
});

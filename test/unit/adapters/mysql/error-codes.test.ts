import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { errorCodesOf, type Flavour, readErrorCode } from '../../../../adapters/mysql/error-codes.js';
import { failureClasses } from '../../../../src/core/failure/failure-class.js';

const flavours: readonly Flavour[] = ['mysql', 'mariadb'];

function summary(code: number, flavour: Flavour): string {
  const { class: verdict, isStructural, suggestsDrift } = readErrorCode(String(code), flavour);
  return [verdict, ...(isStructural ? ['structural'] : []), ...(suggestsDrift ? ['drift'] : [])].join(' ');
}

describe('readErrorCode', () => {
  it.each([
    [1020, 'write_conflict'],
    [1040, 'unavailable'],
    [1044, 'permission structural'],
    [1045, 'permission'],
    [1046, 'session_state'],
    [1048, 'not_null_violation'],
    [1049, 'undefined_object structural drift'],
    [1050, 'duplicate_object structural drift'],
    [1052, 'invalid_statement structural'],
    [1053, 'unavailable'],
    [1054, 'undefined_object structural drift'],
    [1055, 'invalid_statement structural'],
    [1062, 'unique_violation'],
    [1064, 'syntax structural'],
    [1093, 'invalid_statement structural drift'],
    [1118, 'resource_limit structural'],
    [1136, 'invalid_statement structural'],
    [1138, 'not_null_violation'],
    [1142, 'permission structural'],
    [1146, 'undefined_object structural drift'],
    [1172, 'invalid_statement'],
    [1205, 'lock_timeout'],
    [1213, 'deadlock'],
    [1235, 'unsupported_feature structural'],
    [1242, 'invalid_statement'],
    [1264, 'value_out_of_range'],
    [1265, 'type_mismatch drift'],
    [1267, 'invalid_statement'],
    [1292, 'type_mismatch drift'],
    [1305, 'undefined_object structural drift'],
    [1317, 'cancelled'],
    [1364, 'not_null_violation structural drift'],
    [1365, 'invalid_argument'],
    [1366, 'type_mismatch drift'],
    [1406, 'value_out_of_range'],
    [1412, 'schema_moved structural drift'],
    [1451, 'foreign_key_violation'],
    [1452, 'foreign_key_violation'],
    [1615, 'schema_moved structural drift'],
    [1644, 'rule_raised'],
    [1690, 'value_out_of_range'],
    [1701, 'foreign_key_violation structural drift'],
    [1792, 'read_only'],
    [1836, 'read_only'],
  ])('%i on both products: %s', (code, expected) => {
    expect(flavours.map((flavour) => summary(code, flavour))).toEqual([expected, expected]);
  });

  it.each([
    [1906, 'unclassified', 'invalid_statement structural drift'],
    [1927, 'unclassified', 'unavailable'],
    [1969, 'unclassified', 'statement_timeout'],
    [3024, 'statement_timeout', 'unclassified'],
    [3105, 'invalid_statement structural drift', 'unclassified'],
    [3572, 'lock_timeout', 'unclassified'],
    [3730, 'foreign_key_violation structural drift', 'unclassified'],
    [3819, 'check_violation', 'unclassified'],
    [4025, 'unclassified', 'check_violation'],
    [4028, 'invalid_statement structural', 'invalid_statement'],
    [4031, 'unavailable', 'undefined_object structural drift'],
    [4092, 'unclassified', 'undefined_object structural drift'],
    [4163, 'invalid_argument', 'invalid_statement structural'],
  ])('%i means one thing to MySQL and another to MariaDB: %s, %s', (code, onMysql, onMariadb) => {
    expect([summary(code, 'mysql'), summary(code, 'mariadb')]).toEqual([onMysql, onMariadb]);
  });

  it.each(['9999', '0', '', '-1', '01062', '1062 ', '__proto__', 'toString', '23000'])(
    'a code that is not in the table, %j, is unclassified and neither structural nor drift',
    (code) => {
      for (const flavour of flavours) {
        expect(readErrorCode(code, flavour)).toEqual({
          name: null,
          class: 'unclassified',
          isStructural: false,
          suggestsDrift: false,
        });
      }
    },
  );

  it('carries hundreds of numbers of each product', () => {
    expect(errorCodesOf('mysql').length).toBeGreaterThan(800);
    expect(errorCodesOf('mariadb').length).toBeGreaterThan(650);
  });

  it.each(flavours)('calls nothing structural on %s that looks at rows, values or the session', (flavour) => {
    const never = [
      'deadlock',
      'write_conflict',
      'lock_timeout',
      'statement_timeout',
      'unique_violation',
      'check_violation',
      'rule_raised',
      'value_out_of_range',
      'invalid_argument',
      'read_only',
      'session_state',
      'internal',
      'unavailable',
      'cancelled',
      'unclassified',
    ];
    const wrong = errorCodesOf(flavour).filter((code) => {
      const { class: verdict, isStructural } = readErrorCode(code, flavour);
      return isStructural && never.includes(verdict);
    });
    expect(wrong).toEqual([]);
  });

  it.each(flavours)('reaches every class on %s but the one that no server has', (flavour) => {
    const reached = new Set(errorCodesOf(flavour).map((code) => readErrorCode(code, flavour).class));
    expect(failureClasses.filter((failureClass) => !reached.has(failureClass))).toEqual([
      'unsupported_translation',
    ]);
  });

  /** MariaDB's own list, as Debian installs it beside the server. */
  const shippedList = '/usr/share/mysql/errmsg-utf8.txt';
  it.skipIf(!existsSync(shippedList))('names each number as MariaDB does', () => {
    const names = namesIn(readFileSync(shippedList, 'utf8'));
    expect(names.size).toBeGreaterThan(1_000);
    for (const code of errorCodesOf('mariadb')) {
      const name = names.get(Number(code));
      // Below 1000 are the files' own; what is newer than the list on this machine is not in it.
      if (name === undefined || name.startsWith('UNUSED')) continue;
      expect.soft(readErrorCode(code, 'mariadb').name, code).toBe(name.toLowerCase());
    }
  });
});

function namesIn(list: string): Map<number, string> {
  const names = new Map<number, string>();
  let next = 0;
  for (const line of list.split('\n')) {
    const start = /^(?:start-error-number|skip-to-error-number)\s+(\d+)/.exec(line)?.[1];
    if (start !== undefined) next = Number(start);
    const name = /^(?:ER_)?([A-Z][A-Z0-9_]*)\b/.exec(line)?.[1];
    if (start === undefined && name !== undefined) names.set(next++, name);
  }
  return names;
}

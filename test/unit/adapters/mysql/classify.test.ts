import { describe, expect, it } from 'vitest';
import { classify } from '../../../../adapters/mysql/classify.js';
import type { Flavour } from '../../../../adapters/mysql/error-codes.js';
import { readErrorFields } from '../../../../adapters/mysql/error-fields.js';

function read(code: number, message: string, flavour: Flavour, sqlState = 'HY000') {
  const error = { code: String(code), sqlState, message, ...readErrorFields(String(code), message, flavour) };
  return classify({ error, phase: 'execute', isCancelRequested: false }, flavour);
}

describe('classify', () => {
  it('takes any number with SQLSTATE 45xxx for a rule of the schema, and no name from its text', () => {
    for (const code of [1234, 1644, 1062, 1213, 3024]) {
      expect(read(code, "Duplicate entry 'x' for key 'users.email'", 'mysql', '45000')).toEqual({
        class: 'rule_raised',
        isStructural: false,
        object: null,
        suggestsDrift: false,
      });
    }
    expect(read(1644, 'own rule', 'mariadb', '23000').class).toBe('rule_raised');
  });

  it.each([
    [
      1005,
      'Can\'t create table `shop`.`b` (errno: 150 "Foreign key constraint is incorrectly formed")',
      'invalid_statement',
      true,
    ],
    [
      1005,
      'Kann Tabelle `shop`.`b7` nicht erzeugen (Fehler: 150 "Foreign key constraint is incorrectly formed")',
      'invalid_statement',
      true,
    ],
    [
      1005,
      'Can\'t create table `shop`.`b` (errno: 121 "Duplicate key on write or update")',
      'duplicate_object',
      true,
    ],
    [1005, 'Can\'t create table `shop`.`b` (errno: 140 "Wrong create options")', 'unsupported_feature', true],
    [1005, 'Can\'t create table `shop`.`b` (errno: 28 "No space left on device")', 'resource_limit', false],
    [1005, 'Can\'t create table `shop`.`t150` (errno: 13 "Permission denied")', 'internal', false],
    [
      1025,
      "Error on rename of './shop/#sql-1' to './shop/t' (errno: 150 \"Foreign key\")",
      'invalid_statement',
      true,
    ],
    [
      1025,
      "Error on rename of './shop/#sql-150' to './shop/t' (errno: 2 \"No such file\")",
      'internal',
      false,
    ],
    [1026, "Error writing file '/tmp/x' (errno: 28 - No space left on device)", 'resource_limit', false],
    [1026, "Error writing file '/tmp/28' (errno: 5 - Input/output error)", 'internal', false],
    [3, "Error writing file '/tmp/x' (OS errno 28 - No space left on device)", 'resource_limit', false],
    [
      1,
      "Can't create/write to file '/x' (OS errno 2 - No such file or directory)",
      'invalid_argument',
      false,
    ],
    [
      1,
      "Can't create/write to file './nodb/db.opt' (Errcode: 2 \"No such file or directory\")",
      'undefined_object',
      true,
    ],
    [1, "Can't create/write to file '/x' (Errcode: 28 \"No space left on device\")", 'resource_limit', false],
    [1030, "Got error 28 - 'No space left on device' from storage engine", 'resource_limit', false],
    [1030, 'Got error 139 "Too big row" from storage engine InnoDB', 'resource_limit', false],
    [
      1030,
      'Got error 131 "Command not supported by the engine" from storage engine CSV',
      'unsupported_feature',
      true,
    ],
    [1030, "Got error 168 - 'Unknown (generic) error from engine' from storage engine", 'internal', false],
    [1180, 'Got error 149 "Lock deadlock; Retry transaction" during COMMIT', 'write_conflict', false],
    [1180, "Got error 5 - 'Input/output error' during COMMIT", 'internal', false],
    [
      1243,
      'Unknown prepared statement handler (4294967295) given to mysqld_stmt_execute',
      'consequence',
      false,
    ],
    [1243, 'Unknown prepared statement handler (7) given to mysqld_stmt_execute', 'session_state', false],
    [1243, 'Unknown prepared statement handler (nosuch) given to EXECUTE', 'session_state', false],
    [
      1290,
      'The MySQL server is running with the --read-only option so it cannot execute this statement',
      'read_only',
      false,
    ],
    [
      1290,
      'The MySQL server is running with the --super-read-only option so it cannot execute this statement',
      'read_only',
      false,
    ],
    [
      1290,
      'The MariaDB server is running with the --secure-file-priv option so it cannot execute this statement',
      'permission',
      false,
    ],
    [
      1290,
      'The MySQL server is running with the --skip-grant-tables option so it cannot execute this statement',
      'unsupported_feature',
      false,
    ],
    [1305, 'SAVEPOINT a does not exist', 'session_state', false],
    [1305, 'FUNCTION shop.f does not exist', 'undefined_object', true],
    [
      1396,
      "Operation CREATE USER failed for 'app'@'%' (User account already exists)",
      'duplicate_object',
      true,
    ],
    [1396, "Operation DROP USER failed for 'CREATE USER'@'%'", 'undefined_object', true],
    [1396, "Operation fehlgeschlagen für 'app'@'%'", 'invalid_statement', true],
  ] as const)('%i %s is %s, structural %s', (code, message, failureClass, isStructural) => {
    const { class: verdict, ...rest } = read(code, message, 'mariadb');
    expect([verdict, rest.isStructural]).toEqual([failureClass, isStructural]);
  });

  it.each([
    [
      1062,
      "Duplicate entry 'a' for key 'users.users_email_key'",
      { kind: 'constraint', name: 'users_email_key' },
    ],
    [1048, "Column 'email' cannot be null", { kind: 'column', name: 'email' }],
    [
      3105,
      "The value specified for generated column 'b' in table 'gen' is not allowed.",
      { kind: 'column', name: 'gen.b' },
    ],
    [1054, "Unknown column 'u.emial' in 'field list'", { kind: 'column', name: 'u.emial' }],
    [1146, "Table 'shop.nosuch' doesn't exist", { kind: 'table', name: 'nosuch' }],
    [1305, 'FUNCTION shop.nofunc does not exist', { kind: 'routine', name: 'nofunc' }],
    [1193, "Unknown system variable 'tx_x'", { kind: 'name', name: 'tx_x' }],
    [1064, "… near 'users' at line 1", null],
    [1213, 'Deadlock found when trying to get lock; try restarting transaction', null],
  ])('%i %s names %j', (code, message, object) => {
    expect(read(code, message, 'mysql').object).toEqual(object);
  });

  it('reads an error without SQLSTATE, and one of nothing', () => {
    const facts = { phase: 'execute', isCancelRequested: false } as const;
    expect(
      classify({ error: { code: '1040', message: 'Too many connections' }, ...facts }, 'mysql').class,
    ).toBe('unavailable');
    expect(classify({ error: { code: '', message: '' }, ...facts }, 'mariadb')).toEqual({
      class: 'unclassified',
      isStructural: false,
      object: null,
      suggestsDrift: false,
    });
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { classify } from '../../../../adapters/postgres/classify.js';
import { errorCodes } from '../../../../adapters/postgres/error-codes.js';
import type { Classification } from '../../../../src/core/failure/failure-class.js';
import type { ServerError } from '../../../../src/core/verdict.js';

function read(code: string, fields: Partial<ServerError> = {}, isCancelRequested = false): Classification {
  return classify({
    error: { code, message: '', severity: 'ERROR', ...fields },
    phase: 'execute',
    isCancelRequested,
  });
}

describe('classify, by class', () => {
  it('reads an operator that was not found as a mismatch of types, by routine or else by text', () => {
    expect(read('42883', { routine: 'op_error' })).toMatchObject({
      class: 'type_mismatch',
      isStructural: true,
    });
    expect(read('42883', { message: 'operator does not exist: text = integer' }).class).toBe('type_mismatch');
    expect(read('42883', { routine: 'ParseFuncOrColumn' }).class).toBe('undefined_object');
  });

  it.each(['23505', 'P0001', '1234F', '57014', '25P02', '40001'])('reads RAISE with %s as a rule', (code) => {
    expect(read(code, { routine: 'exec_stmt_raise' })).toMatchObject({
      class: 'rule_raised',
      isStructural: false,
    });
  });

  it('tells a plan that no longer fits from a feature that is not there', () => {
    expect(read('0A000', { routine: 'RevalidateCachedQuery' })).toMatchObject({
      class: 'schema_moved',
      suggestsDrift: true,
    });
    expect(read('0A000', { message: 'cached plan must not change result type' }).class).toBe('schema_moved');
    expect(read('0A000')).toMatchObject({ class: 'unsupported_feature', isStructural: true });
  });

  it.each([
    ['canceling statement due to user request', false, 'cancelled'],
    ['canceling statement due to user request', true, 'cancelled'],
    ['canceling statement due to statement timeout', false, 'statement_timeout'],
    ['canceling statement due to statement timeout', true, 'statement_timeout'],
    ['COPY from stdin failed: gone', false, 'cancelled'],
    ['storniere Anfrage', true, 'cancelled'],
    ['storniere Anfrage', false, 'statement_timeout'],
  ] as const)('reads 57014 %j, cancel relayed %s, as %s', (message, isCancelRequested, expected) => {
    expect(read('57014', { message }, isCancelRequested).class).toBe(expected);
  });

  it('reads a COPY the client gave up as cancelled in any language', () => {
    expect(read('57014', { message: 'COPY fehlgeschlagen', routine: 'CopyGetData' }).class).toBe('cancelled');
  });

  it.each(['FATAL', 'PANIC'])('reads what ends the session (%s) as unavailable', (severity) => {
    expect(read('57P01', { severity }).class).toBe('unavailable');
    expect(read('40001', { severity }).class).toBe('unavailable');
    expect(read('XX000', { severity }).class).toBe('unavailable');
  });

  it('records transaction_timeout although it ends the session', () => {
    expect(read('25P04', { severity: 'FATAL' }).class).toBe('statement_timeout');
  });

  it('never records what an earlier failure brought about', () => {
    expect(read('25P02').class).toBe('consequence');
  });

  it.each([
    ['42501', { routine: 'aclcheck_error' }, 'permission', true],
    ['42501', { routine: 'ExecWithCheckOptions' }, 'permission', false],
    ['42501', { message: 'new row violates row-level security policy for table "t"' }, 'permission', false],
    ['22023', { routine: 'cannotCastJsonbValue' }, 'type_mismatch', false],
    ['08P01', { routine: 'exec_bind_message' }, 'invalid_argument', false],
    ['08P01', { message: 'invalid message format' }, 'unclassified', false],
    ['55000', { routine: 'rewriteTargetView' }, 'invalid_statement', true],
    ['55000', { routine: 'error_view_not_updatable' }, 'invalid_statement', true],
    ['55000', { message: 'cannot insert into view "v"' }, 'invalid_statement', true],
    ['55000', { routine: 'currval_oid' }, 'session_state', false],
    ['55006', { routine: 'CheckTableNotInUse' }, 'session_state', false],
    ['55006', { routine: 'dropdb' }, 'lock_timeout', false],
    ['XX000', { message: 'tuple concurrently updated' }, 'write_conflict', false],
    ['XX000', { message: 'cache lookup failed for type 1' }, 'internal', false],
  ] as const)('reads %s with %j as %s', (code, fields, failureClass, isStructural) => {
    expect(read(code, fields)).toMatchObject({ class: failureClass, isStructural });
  });
});

describe('classify, structural', () => {
  it.each(['42703', '42P01', '42601', '42501', '0A000'])('%s is, when raised on the way in', (code) => {
    expect(read(code).isStructural).toBe(true);
  });

  it.each([
    { context: 'PL/pgSQL function f() line 3 at SQL statement' },
    { isInternalPosition: true },
    { routine: 'RangeVarGetRelidExtended', position: 8 },
    { routine: 'regclassin' },
    { routine: 'parseTypeString' },
  ])('42P01 is not, with %j: values had been looked at', (fields) => {
    expect(read('42P01', fields).isStructural).toBe(false);
  });

  it('a command on a table that is not there is', () => {
    expect(read('42P01', { routine: 'RangeVarGetRelidExtended' }).isStructural).toBe(true);
  });

  it('no failure about values is, whatever comes with it', () => {
    expect(read('22P02', { context: 'unnamed portal parameter $1' }).isStructural).toBe(false);
    expect(read('23505').isStructural).toBe(false);
  });
});

describe('classify, the named object', () => {
  it.each([
    [
      { constraint: 'users_email_key', table: 'users' },
      { kind: 'constraint', name: 'users_email_key' },
    ],
    [
      { column: 'email', table: 'users' },
      { kind: 'column', name: 'users.email' },
    ],
    [{ column: 'email' }, { kind: 'column', name: 'email' }],
    [
      { table: 'users', schema: 'public' },
      { kind: 'table', name: 'users' },
    ],
    [{ dataType: 'mood' }, { kind: 'type', name: 'mood' }],
    [
      { constraint: 'positive', dataType: 'mood' },
      { kind: 'constraint', name: 'positive' },
    ],
    [{ constraint: '' }, null],
    [{}, null],
  ] as const)('of %j is %j', (fields, expected) => {
    expect(read('23514', fields).object).toEqual(expected);
  });

  it('of a rule is the function and its line', () => {
    const context = 'PL/pgSQL function check_overdraft() line 5 at RAISE';
    expect(read('P0001', { context, routine: 'exec_stmt_raise' }).object).toEqual({
      kind: 'routine',
      name: 'check_overdraft:5',
    });
    expect(read('P0001', { routine: 'exec_stmt_raise' }).object).toBeNull();
    expect(read('27000', { table: 'accounts' }).object).toEqual({ kind: 'table', name: 'accounts' });
  });

  it('of a rule is never what RAISE ... USING computed', () => {
    expect(
      read('P0001', { routine: 'exec_stmt_raise', column: 's3kr1t', table: 'accounts' }).object,
    ).toBeNull();
  });

  it('is the function for rules only', () => {
    expect(read('23505', { context: 'PL/pgSQL function f() line 5 at SQL statement' }).object).toBeNull();
  });
});

describe('classify, any error', () => {
  it('never throws, and says nothing of the message', () => {
    const text = fc.string({ unit: 'grapheme' });
    const fields = fc.record(
      { message: text, routine: text, context: text, severity: text },
      { requiredKeys: ['message'] },
    );
    fc.assert(
      fc.property(
        fc.oneof(fc.constantFrom(...errorCodes), text),
        fields,
        fc.boolean(),
        (code, rest, isCancelled) => {
          const secret = 's3kr1t';
          const answer = read(code, { ...rest, message: `${rest.message} ${secret}` }, isCancelled);
          expect(JSON.stringify(answer)).not.toContain(secret);
        },
      ),
    );
  });
});

it('reads what the server cannot take at Bind as values that do not fit', () => {
  const error: ServerError = { code: '08P01', message: '', routine: 'pq_copymsgbytes' };
  const { class: failureClass } = classify({ error, phase: 'bind', isCancelRequested: false });
  expect(failureClass).toBe('invalid_argument');
});

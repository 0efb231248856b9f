/**
 * How one ErrorResponse of PostgreSQL is read: SQLSTATE first, then severity and the source routine (field R), which
 * are never translated. English text is the last resort, for servers and logs that leave the routine out. Invariant:
 * pure, never throws, and nothing of a message's prose gets into the result.
 */
import type { Classification, NamedObject } from '../../src/core/failure/failure-class.js';
import type { Phase, ServerError } from '../../src/core/verdict.js';
import { type ErrorCode, readErrorCode } from './error-codes.js';
import { raisingRoutine } from './raising-routine.js';

/** One error, the step it came at, and whether a cancel was on its way to this session. */
export interface FailureToClassify {
  readonly error: ServerError;
  readonly phase: Phase;
  readonly isCancelRequested: boolean;
}

type Verdict = Pick<ErrorCode, 'class' | 'isStructural' | 'suggestsDrift'>;

/** The class, the named object and the two facts of an error. */
export function classify({ error, phase, isCancelRequested }: FailureToClassify): Classification {
  const verdict = refine(error, phase, isCancelRequested) ?? readErrorCode(error.code);
  return {
    class: verdict.class,
    isStructural: verdict.isStructural && !isRaisedWhileRunning(error, phase),
    object: objectOf(error, verdict.class),
    suggestsDrift: verdict.suggestsDrift,
  };
}

function data(verdict: Verdict['class']): Verdict {
  return { class: verdict, isStructural: false, suggestsDrift: false };
}

function structural(verdict: Verdict['class']): Verdict {
  return { class: verdict, isStructural: true, suggestsDrift: true };
}

/** What severity, routine or text say where the code alone would mislead; null where the code stands. */
function refine(error: ServerError, phase: Phase, isCancelRequested: boolean): Verdict | null {
  const { code, routine, message } = error;
  // RAISE may carry any code: it is a rule of the schema all the same.
  if (isRaise(error)) return data('rule_raised');
  // The session is over. Only transaction_timeout says something of the statements in it.
  if (/^(?:FATAL|PANIC)$/.test(error.severity ?? '') && code !== '25P04') return data('unavailable');
  switch (code) {
    case '57014':
      return data(isTimeout(error, isCancelRequested) ? 'statement_timeout' : 'cancelled');
    case '0A000':
      return routine === 'RevalidateCachedQuery' || message.startsWith('cached plan must not change')
        ? structural('schema_moved')
        : null;
    case '42883':
      return routine === 'op_error' || message.startsWith('operator does not exist')
        ? structural('type_mismatch')
        : null;
    case '42501':
      // A policy looks at the row.
      return routine === 'ExecWithCheckOptions' || message.startsWith('new row violates row-level security')
        ? data('permission')
        : null;
    case '22023':
      return routine === 'cannotCastJsonbValue' ? { ...data('type_mismatch'), suggestsDrift: true } : null;
    case '08P01':
      // Values that do not fit what was prepared: their number, or the bytes of one.
      return phase === 'bind' ||
        routine === 'exec_bind_message' ||
        message.startsWith('bind message supplies')
        ? data('invalid_argument')
        : null;
    case '55000':
      return isViewNotUpdatable(error) ? structural('invalid_statement') : null;
    case '55006':
      return routine === 'CheckTableNotInUse' || /in this session|pending trigger events/.test(message)
        ? data('session_state')
        : null;
    case 'XX000':
      // Two sessions changed one catalog row; text of such internal errors is never translated.
      return message.startsWith('tuple concurrently') ? data('write_conflict') : null;
    default:
      return null;
  }
}

/**
 * 57014 has one code for three things. Timeouts name themselves in English; elsewhere a cancel relayed meanwhile, or a
 * COPY the client gave up itself, is the evidence that somebody asked.
 */
function isTimeout({ message, routine }: ServerError, isCancelRequested: boolean): boolean {
  if (message.includes('due to statement timeout')) return true;
  if (message.includes('due to user request') || routine === 'CopyGetData') return false;
  return !isCancelRequested && !message.startsWith('COPY from stdin failed');
}

const viewRoutines: ReadonlySet<string> = new Set([
  'rewriteTargetView',
  'error_view_not_updatable',
  'CheckValidResultRel',
  'CheckCmdReplicaIdentity',
]);

function isViewNotUpdatable({ message, routine }: ServerError): boolean {
  if (routine !== undefined) return viewRoutines.has(routine);
  return /^cannot (?:insert into|update|delete from|merge into) (?:view|table) /.test(message);
}

/** Routines that look a name up in a value: 'users'::regclass, nextval('ids'), to_tsquery('a b'), date_trunc('x', d). */
const valueRoutines: ReadonlySet<string> = new Set([
  'parseTypeString',
  'regprocin',
  'regprocedurein',
  'regoperin',
  'regoperatorin',
  'regclassin',
  'regcollationin',
  'regconfigin',
  'regdictionaryin',
  'regrolein',
  'regnamespacein',
  'get_ts_config_oid',
  'get_ts_dict_oid',
  'jsonpath_yyerror',
  'makepol',
  'parse_tsquery',
  'gettoken_tsvector',
  'prsd_yyerror',
  'lquery_in',
  'ltree_in',
  'cube_yyerror',
  'seg_yyerror',
  'timestamp_trunc',
  'timestamptz_trunc',
  'timestamptz_trunc_internal',
  'interval_trunc',
  'str_udeescape',
]);

/** Inside a function, on a line of a COPY, or in the reading of a value: rows and values have been looked at by then. */
function isRaisedWhileRunning(error: ServerError, phase: Phase): boolean {
  const { context, isInternalPosition, position, routine } = error;
  if (isInternalPosition === true) return true;
  if (context !== undefined && context !== '') return true;
  // Up to PostgreSQL 15 one routine serves commands, which give no position, and names in literals, which do.
  if (routine === 'RangeVarGetRelidExtended') return position !== undefined || phase === 'bind';
  return routine !== undefined && valueRoutines.has(routine);
}

function objectOf(error: ServerError, verdict: Verdict['class']): NamedObject | null {
  if (verdict !== 'rule_raised') return namedBy(error);
  const name = error.context === undefined ? null : raisingRoutine(error.context);
  if (name !== null) return { kind: 'routine', name };
  // What RAISE ... USING puts into the fields is whatever the function computed.
  return isRaise(error) ? null : namedBy(error);
}

function isRaise({ routine }: ServerError): boolean {
  return routine === 'exec_stmt_raise' || routine === 'exec_stmt_assert';
}

/** The object in the error's own fields, the narrowest first. */
function namedBy({ constraint, column, table, dataType }: ServerError): NamedObject | null {
  if (constraint) return { kind: 'constraint', name: constraint };
  if (column) return { kind: 'column', name: table ? `${table}.${column}` : column };
  if (table) return { kind: 'table', name: table };
  if (dataType) return { kind: 'type', name: dataType };
  return null;
}

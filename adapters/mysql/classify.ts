/**
 * How one ERR packet of MySQL or MariaDB is read: SQLSTATE 45xxx first, then the error number, and for a few numbers what
 * the server filled into its text: errors of the storage engine, names of options and commands, which no language
 * translates. Invariant: pure, never throws, and nothing of a message's prose gets into the result.
 */
import type { Classification, NamedObject } from '../../src/core/failure/failure-class.js';
import type { Phase, ServerError } from '../../src/core/verdict.js';
import { type ErrorCode, type Flavour, readErrorCode } from './error-codes.js';
import { namesInMessage } from './error-fields.js';

/** One error, the step it came at, and whether a kill of this session's statement was seen. */
export interface FailureToClassify {
  readonly error: ServerError;
  readonly phase: Phase;
  readonly isCancelRequested: boolean;
}

type Verdict = Pick<ErrorCode, 'class' | 'isStructural' | 'suggestsDrift'>;

/** The class, the named object and the two facts of an error, as `flavour` means it. */
export function classify({ error }: FailureToClassify, flavour: Flavour): Classification {
  const isRaised = error.sqlState?.startsWith('45') === true;
  const verdict = isRaised ? data('rule_raised') : (refine(error) ?? readErrorCode(error.code, flavour));
  return {
    class: verdict.class,
    isStructural: verdict.isStructural,
    object: verdict.class === 'rule_raised' ? null : objectOf(error, flavour),
    suggestsDrift: verdict.suggestsDrift,
  };
}

function data(verdict: Verdict['class']): Verdict {
  return { class: verdict, isStructural: false, suggestsDrift: false };
}

function structural(verdict: Verdict['class']): Verdict {
  return { class: verdict, isStructural: true, suggestsDrift: true };
}

/** What the text says where the number alone would mislead; null where the number stands. */
function refine({ code, message }: ServerError): Verdict | null {
  switch (code) {
    case '1':
      return isDatabaseOptions(message) ? structural('undefined_object') : diskFull(message);
    case '2':
    case '3':
    case '1004':
    case '1024':
    case '1026':
      return diskFull(message);
    case '1005':
      return tableError(systemError(message));
    case '1025':
      return [150, 152].includes(systemError(message)) ? structural('invalid_statement') : data('internal');
    case '1030':
      return engineError(firstNumber(message));
    case '1180':
      return firstNumber(message) === 149 ? data('write_conflict') : null;
    case '1243':
      return isNotPrepared(message) ? data('consequence') : null;
    case '1290':
      return optionError(message);
    case '1305':
      return /^SAVEPOINT /.test(message) ? data('session_state') : null;
    case '1396':
      return accountError(message);
    default:
      return null;
  }
}

function diskFull(message: string): Verdict | null {
  return systemError(message) === 28 ? data('resource_limit') : null;
}

/** What MariaDB answers to ALTER DATABASE of a database that is not there: no directory to write the file in. */
function isDatabaseOptions(message: string): boolean {
  return /[/\\]db\.opt\b/.test(message) && systemError(message) === 2;
}

/** The number in `(errno: 150 "…")`, at the end of the text whatever the language; names in the text come before. */
function systemError(message: string): number {
  const inBrackets = /\(([^()]*(?:\([^()]*\)[^()]*)*)\)\s*$/.exec(message)?.[1] ?? '';
  return firstNumber(inBrackets);
}

function firstNumber(text: string): number {
  const digits = /\d{1,6}/.exec(text)?.[0];
  return digits === undefined ? -1 : Number(digits);
}

/** 1005: the file system, or what the storage engine makes of a definition (include/my_base.h). */
function tableError(errno: number): Verdict {
  switch (errno) {
    case 150:
      return structural('invalid_statement');
    // A constraint of this name is in the database already.
    case 121:
      return structural('duplicate_object');
    case 138:
    case 140:
      return structural('unsupported_feature');
    case 28:
      return data('resource_limit');
    default:
      return data('internal');
  }
}

/** 1030: what the storage engine answered (include/my_base.h). */
function engineError(errno: number): Verdict | null {
  switch (errno) {
    case 28:
    case 135:
    case 136:
    case 139:
      return data('resource_limit');
    case 121:
      return data('unique_violation');
    case 131:
    case 138:
      return structural('unsupported_feature');
    case 146:
      return data('lock_timeout');
    case 149:
      return data('deadlock');
    case 151:
    case 152:
      return data('foreign_key_violation');
    default:
      return null;
  }
}

/** MariaDB's clients send an EXECUTE behind a PREPARE without waiting, for the statement prepared last: id -1. */
function isNotPrepared(message: string): boolean {
  return /\((?:4294967295|-1)\)/.test(message);
}

/** 1290: an option of the server, named as on its command line. */
function optionError(message: string): Verdict | null {
  if (/--(?:super-|innodb-|transaction-)?read[-_]only/.test(message)) return data('read_only');
  if (/--secure[-_]file[-_]priv/.test(message)) return data('permission');
  return /--skip[-_]/.test(message) ? data('unsupported_feature') : null;
}

/** 1396: the operation is a word of SQL, and stands before the account. */
function accountError(message: string): Verdict | null {
  const [before = ''] = message.split("'", 1);
  if (/\bCREATE (?:USER|ROLE)\b/.test(before))
    return { ...structural('duplicate_object'), suggestsDrift: false };
  return /\b(?:ALTER|DROP|RENAME|SET|GRANT|REVOKE)\b/.test(before)
    ? { ...structural('undefined_object'), suggestsDrift: false }
    : null;
}

/** The object in the error's fields, the narrowest first; then what no field is for. */
function objectOf(error: ServerError, flavour: Flavour): NamedObject | null {
  const { constraint, column, table, dataType } = error;
  if (constraint) return { kind: 'constraint', name: constraint };
  if (column) return { kind: 'column', name: table ? `${table}.${column}` : column };
  const named = namesInMessage(error.code, error.message, flavour).object;
  if (named !== null) return named;
  if (table) return { kind: 'table', name: table };
  return dataType ? { kind: 'type', name: dataType } : null;
}

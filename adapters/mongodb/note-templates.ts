/**
 * The instructions of MongoDB, one template a class (docs/error-classes.md); the texts are in templates/. Each says what to
 * do differently, the most important sentence first, and names only what the input has cleared to be shown.
 *
 * What only some versions take is left out; the oldest are MongoDB 4.4 and FerretDB 2. Drivers read errmsg: no text here
 * holds a phrase that one of them acts on, such as those for a primary that is gone or a name that is taken.
 */
import type { NoteTemplates } from '../../src/core/notes/templates.js';
import { deadlock, lockTimeout, statementTimeout, writeConflict } from './templates/concurrency.js';
import { undefinedObject } from './templates/naming.js';
import {
  internal,
  permission,
  readOnly,
  resourceLimit,
  sessionState,
  unclassified,
  unsupportedFeature,
} from './templates/session.js';
import { alsoForSql } from './templates/sql-statements.js';
import { invalidStatement } from './templates/statements.js';
import { syntax } from './templates/syntax.js';
import { duplicateObject } from './templates/taken.js';
import { unsupportedTranslation } from './templates/translation.js';
import { uniqueViolation } from './templates/unique.js';
import { checkViolation, foreignKeyViolation, notNullViolation, ruleRaised } from './templates/validation.js';
import { invalidArgument, typeMismatch, valueOutOfRange } from './templates/values.js';

export const noteTemplates: NoteTemplates = {
  deadlock,
  write_conflict: writeConflict,
  lock_timeout: lockTimeout,
  statement_timeout: statementTimeout,
  unique_violation: alsoForSql('unique_violation', uniqueViolation),
  foreign_key_violation: foreignKeyViolation,
  not_null_violation: notNullViolation,
  check_violation: checkViolation,
  rule_raised: ruleRaised,
  type_mismatch: alsoForSql('type_mismatch', typeMismatch),
  value_out_of_range: valueOutOfRange,
  invalid_argument: alsoForSql('invalid_argument', invalidArgument),
  syntax,
  undefined_object: undefinedObject,
  duplicate_object: duplicateObject,
  invalid_statement: invalidStatement,
  permission,
  resource_limit: resourceLimit,
  read_only: readOnly,
  unsupported_feature: unsupportedFeature,
  unsupported_translation: unsupportedTranslation,
  session_state: sessionState,
  internal,
  unclassified,
};

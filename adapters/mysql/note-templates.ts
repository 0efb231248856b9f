/**
 * The instructions of MySQL and MariaDB, one template a class (docs/error-classes.md); the texts are in templates/. Each
 * says what to do differently, the most important sentence first, and names only what the input has cleared to be shown.
 *
 * Both products share the templates: the record says of which it is, and where their languages differ a note is written
 * in its own. What only some versions take is either left out or named with its version; the oldest are MySQL 8.0 and
 * MariaDB 10.6. After an error a transaction stays open, so no note asks for ROLLBACK but those of concurrency.ts.
 */
import type { NoteTemplates } from '../../src/core/notes/templates.js';
import { deadlock, lockTimeout, statementTimeout, writeConflict } from './templates/concurrency.js';
import { foreignKeyViolation } from './templates/foreign-keys.js';
import { checkViolation, notNullViolation, ruleRaised } from './templates/integrity.js';
import { undefinedObject } from './templates/naming.js';
import { permission } from './templates/permission.js';
import {
  internal,
  readOnly,
  resourceLimit,
  sessionState,
  unclassified,
  unsupportedFeature,
  unsupportedTranslation,
} from './templates/session.js';
import { invalidStatement } from './templates/statements.js';
import { syntax } from './templates/syntax.js';
import { duplicateObject } from './templates/taken.js';
import { uniqueViolation } from './templates/unique.js';
import { invalidArgument, typeMismatch, valueOutOfRange } from './templates/values.js';

const templates: NoteTemplates = {
  deadlock,
  write_conflict: writeConflict,
  lock_timeout: lockTimeout,
  statement_timeout: statementTimeout,
  unique_violation: uniqueViolation,
  foreign_key_violation: foreignKeyViolation,
  not_null_violation: notNullViolation,
  check_violation: checkViolation,
  rule_raised: ruleRaised,
  type_mismatch: typeMismatch,
  value_out_of_range: valueOutOfRange,
  invalid_argument: invalidArgument,
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

export const mysqlTemplates: NoteTemplates = templates;
export const mariadbTemplates: NoteTemplates = templates;

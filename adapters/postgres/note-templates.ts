/**
 * The instructions of PostgreSQL, one template a class (docs/error-classes.md); the texts are in templates/. Each says
 * what to do differently, the most important sentence first, and names only what the input has cleared to be shown.
 */
import type { NoteTemplate, NoteTemplates, TemplateInput } from '../../src/core/notes/templates.js';
import { deadlock, lockTimeout, statementTimeout, writeConflict } from './templates/concurrency.js';
import { foreignKeyViolation } from './templates/foreign-keys.js';
import { checkViolation, notNullViolation, ruleRaised } from './templates/integrity.js';
import { duplicateObject, permission, undefinedObject } from './templates/naming.js';
import {
  internal,
  readOnly,
  resourceLimit,
  sessionState,
  unclassified,
  unsupportedFeature,
  unsupportedTranslation,
} from './templates/session.js';
import { invalidStatement, syntax } from './templates/statements.js';
import { uniqueViolation } from './templates/unique.js';
import { invalidArgument, typeMismatch, valueOutOfRange } from './templates/values.js';

/** An error inside a block leaves it good for nothing else; said last, so that it goes first where room is short. */
function withRollback(template: NoteTemplate): NoteTemplate {
  return (input) =>
    input.isInTransaction && !endsTransaction(input)
      ? `${template(input)} Send ROLLBACK first: the open transaction accepts nothing else.`
      : template(input);
}

/** After a refused COMMIT or transaction_timeout there is no block left to roll back. */
function endsTransaction({ record }: TemplateInput): boolean {
  return record.phase === 'commit' || record.verb === 'commit' || record.code === '25P04';
}

export const noteTemplates: NoteTemplates = {
  // These say themselves what to roll back and what to run again.
  deadlock,
  write_conflict: writeConflict,
  lock_timeout: lockTimeout,

  statement_timeout: withRollback(statementTimeout),
  unique_violation: withRollback(uniqueViolation),
  foreign_key_violation: withRollback(foreignKeyViolation),
  not_null_violation: withRollback(notNullViolation),
  check_violation: withRollback(checkViolation),
  rule_raised: withRollback(ruleRaised),
  type_mismatch: withRollback(typeMismatch),
  value_out_of_range: withRollback(valueOutOfRange),
  invalid_argument: withRollback(invalidArgument),
  syntax: withRollback(syntax),
  undefined_object: withRollback(undefinedObject),
  duplicate_object: withRollback(duplicateObject),
  invalid_statement: withRollback(invalidStatement),
  permission: withRollback(permission),
  resource_limit: withRollback(resourceLimit),
  read_only: withRollback(readOnly),
  unsupported_feature: withRollback(unsupportedFeature),
  unsupported_translation: withRollback(unsupportedTranslation),
  session_state: withRollback(sessionState),
  internal: withRollback(internal),
  unclassified: withRollback(unclassified),
};

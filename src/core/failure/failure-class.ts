/** The closed set of failure classes (docs/error-classes.md). Names are stable: they stand in stored records. */
export const failureClasses = [
  'deadlock',
  'write_conflict',
  'lock_timeout',
  'statement_timeout',
  'unique_violation',
  'foreign_key_violation',
  'not_null_violation',
  'check_violation',
  'rule_raised',
  'type_mismatch',
  'value_out_of_range',
  'invalid_argument',
  'syntax',
  'undefined_object',
  'duplicate_object',
  'invalid_statement',
  'permission',
  'resource_limit',
  'read_only',
  'unsupported_feature',
  'unsupported_translation',
  'session_state',
  'internal',
  'unclassified',
] as const;

export type FailureClass = (typeof failureClasses)[number];

/** Failures of a moment: the same statement is to be run again, once what stood in its way is over. */
export const retryableClasses = ['deadlock', 'write_conflict', 'lock_timeout'] as const;

/** True where running the same statement again is what a note asks for. */
export function isRetryable(failureClass: FailureClass): boolean {
  return (retryableClasses as readonly FailureClass[]).includes(failureClass);
}

/** True for a class that goes into the memory. */
export function isRecorded(verdict: FailureClass | UnrecordedClass): verdict is FailureClass {
  return (failureClasses as readonly string[]).includes(verdict);
}

/** Outcomes that look like errors and are never recorded, with the reason they are counted under. */
export const unrecordedClasses = [
  'cancelled',
  'unavailable',
  'consequence',
  'schema_moved',
  'not_an_error',
] as const;

export type UnrecordedClass = (typeof unrecordedClasses)[number];

/** The object a failure names, from the error's own fields or the token at its position; never from prose. */
export interface NamedObject {
  readonly kind: 'constraint' | 'column' | 'table' | 'type' | 'routine' | 'name' | 'token';
  readonly name: string;
}

/** How an adapter reads one error. */
export interface Classification {
  readonly class: FailureClass | UnrecordedClass;
  /** Raised before any value or row was looked at: only such records speak at once and are retracted by a success. */
  readonly isStructural: boolean;
  /** From the error's fields; null where they name none (the sink may then use the token at the error's position). */
  readonly object: NamedObject | null;
  /** The catalog we hold may be out of date: refresh it. */
  readonly suggestsDrift: boolean;
}

/**
 * Identity of a failure. Two processes that see the same failure of the same statement under the same schema compute
 * the same id, so replays, double deliveries and shared stores never make a second record.
 */
import { createHash } from 'node:crypto';
import type { FailureClass } from '../failure/failure-class.js';
import type { FailureFacts } from './record.js';

/** Everything the id is a hash of. */
export type RecordIdentity = Pick<
  FailureFacts,
  'scope' | 'backend' | 'engine' | 'shape' | 'fingerprint' | 'class' | 'code' | 'object'
>;

const constraintBound: ReadonlySet<FailureClass> = new Set([
  'unique_violation',
  'foreign_key_violation',
  'check_violation',
  'not_null_violation',
  'rule_raised',
]);

/** True for classes that hold only as long as the constraints and triggers of the statement's tables do. */
export function isConstraintBound(failureClass: FailureClass): boolean {
  return constraintBound.has(failureClass);
}

/**
 * 16 lower-case hex digits. Constraint-bound classes hash the constraints fingerprint too: otherwise a failure under
 * a changed rule would be an observation of the old rule's record, which the gate no longer lets speak.
 */
export function recordId(identity: RecordIdentity): string {
  const { scope, fingerprint, object } = identity;
  const parts = [
    scope.upstream,
    scope.database,
    identity.backend,
    identity.engine,
    identity.shape,
    fingerprint.tables,
    isConstraintBound(identity.class) ? fingerprint.constraints : null,
    identity.class,
    identity.code,
    object === null ? null : [object.kind, object.name],
  ];
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 16);
}

/** The event that a new record is written as: its facts and nothing of its later state. */
import type { FailureEvent, FailureFacts } from './record.js';

/** The event that declares these facts; written out, because spreading this many fields is slow. */
export function failureEventOf(facts: FailureFacts, at: string): FailureEvent {
  const event: FailureEvent = {
    v: 1,
    event: 'failure',
    id: facts.id,
    at,
    scope: facts.scope,
    backend: facts.backend,
    engine: facts.engine,
    shape: facts.shape,
    holes: facts.holes,
    tables: facts.tables,
    verb: facts.verb,
    fingerprint: facts.fingerprint,
    class: facts.class,
    code: facts.code,
    isStructural: facts.isStructural,
    object: facts.object,
    detail: facts.detail,
    phase: facts.phase,
    after: facts.after,
    evidence: facts.evidence,
  };
  return facts.isTruncated === true ? { ...event, isTruncated: true } : event;
}

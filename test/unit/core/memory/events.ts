/** Builders of records' facts and events for the tests of memory and recall. */

import { recordOf } from '../../../../src/core/memory/fold.js';
import type { FailureEvent, FailureFacts, MemoryRecord } from '../../../../src/core/memory/record.js';
import { recordId } from '../../../../src/core/memory/record-id.js';

const defaults: Omit<FailureFacts, 'id'> = {
  scope: { upstream: 'shop', database: 'shop' },
  backend: 'relational',
  engine: 'postgresql',
  shape: 'insert into users ( email , name ) values ( ? , ? )',
  holes: 'ss',
  tables: ['public.users'],
  verb: 'insert',
  fingerprint: { tables: '1111111111111111', constraints: '2222222222222222', database: '3333333333333333' },
  class: 'unique_violation',
  code: '23505',
  isStructural: false,
  object: { kind: 'constraint', name: 'users_email_key' },
  detail: 'duplicate key value violates unique constraint',
  phase: 'execute',
  after: 'idle',
  evidence: { session: 's1' },
};

/** Facts with their own id unless one is given. */
export function facts(over: Partial<FailureFacts> = {}): FailureFacts {
  const merged = { ...defaults, ...over };
  return { ...merged, id: over.id ?? recordId(merged) };
}

export function failureEvent(
  over: Partial<FailureFacts> = {},
  at = '2026-11-01T00:00:00.000Z',
): FailureEvent {
  return { v: 1, event: 'failure', at, ...facts(over) };
}

export function record(over: Partial<FailureFacts> = {}, state: Partial<MemoryRecord> = {}): MemoryRecord {
  return { ...recordOf(failureEvent(over)), ...state };
}

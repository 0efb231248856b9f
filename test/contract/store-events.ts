/** Events for tests of stores: small, valid, and told apart by a number. */
import type { FailureEvent, MemoryEvent } from '../../src/core/memory/record.js';

const start = Date.parse('2026-01-01T00:00:00.000Z');

export function at(second: number): string {
  return new Date(start + second * 1000).toISOString();
}

export function idOf(n: number): string {
  return n.toString(16).padStart(16, '0');
}

export function failure(n: number, fields: Partial<FailureEvent> = {}): FailureEvent {
  return {
    v: 1,
    event: 'failure',
    id: idOf(n),
    at: at(n),
    scope: { upstream: 'shop', database: 'shop' },
    backend: 'relational',
    engine: 'postgresql',
    shape: `insert into table_${n} ( email ) values ( ? )`,
    holes: 's',
    tables: [`public.table_${n}`],
    verb: 'insert',
    fingerprint: {
      tables: '00000000000000aa',
      constraints: '00000000000000bb',
      database: '00000000000000cc',
    },
    class: 'unique_violation',
    code: '23505',
    isStructural: false,
    object: { kind: 'constraint', name: `table_${n}_email_key` },
    detail: 'duplicate key value violates unique constraint',
    phase: 'execute',
    after: 'idle',
    evidence: { session: 's1', application: 'psql' },
    ...fields,
  };
}

export function observed(n: number, second: number, count = 1, successes?: number): MemoryEvent {
  return {
    v: 1,
    event: 'observed',
    id: idOf(n),
    at: at(second),
    count,
    ...(successes === undefined ? {} : { successes }),
  };
}

export function feedback(
  n: number,
  second: number,
  kind: 'ignored' | 'confirmed' | 'contradicted',
): MemoryEvent {
  return { v: 1, event: 'feedback', id: idOf(n), at: at(second), kind, count: 1 };
}

export function retracted(n: number, second: number): MemoryEvent {
  return { v: 1, event: 'retracted', id: idOf(n), at: at(second), reason: 'it ran', author: 'test' };
}

export function restored(n: number, second: number): MemoryEvent {
  return { v: 1, event: 'restored', id: idOf(n), at: at(second), reason: 'came back', author: 'test' };
}

export function review(n: number, second: number, reviewBy: string): MemoryEvent {
  return { v: 1, event: 'reviewed', id: idOf(n), at: at(second), verdict: 'keep', author: 'test', reviewBy };
}

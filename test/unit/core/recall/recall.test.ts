import { describe, expect, it } from 'vitest';
import { limits } from '../../../../src/core/limits.js';
import { MemoryIndex } from '../../../../src/core/memory/memory-index.js';
import type { FailureFacts, MemoryEvent } from '../../../../src/core/memory/record.js';
import {
  type FailureQuery,
  Recall,
  type RecallOptions,
  type StatementQuery,
} from '../../../../src/core/recall/recall.js';
import { facts, failureEvent } from '../memory/events.js';

const now = Date.parse('2026-11-10T00:00:00.000Z');
const known = 'select id , name from users where email = ? and nme = ? order by id';
const alike = 'select id , name from users where email = ? and nme = ? order by name';
const unlike = 'select count ( * ) from users group by nme having max ( id ) > ?';
const missing: Partial<FailureFacts> = {
  ...{
    shape: known,
    holes: 'ss',
    verb: 'select',
    class: 'undefined_object',
    code: '42703',
    isStructural: true,
  },
  object: { kind: 'name', name: 'nme' },
};

function query(over: Partial<FailureQuery> = {}): FailureQuery {
  const { shape, holes, verb, tables, fingerprint, class: failureClass, code, object } = facts(missing);
  return {
    shape,
    holes,
    verb,
    tables,
    fingerprint,
    class: failureClass,
    code,
    object,
    isTruncated: false,
    now,
    ...over,
  };
}

function memoryOf(...records: Partial<FailureFacts>[]) {
  const memory = new MemoryIndex();
  records.forEach((over, index) => {
    memory.apply(
      failureEvent({ ...missing, ...over }, `2026-11-01T00:00:${String(index).padStart(2, '0')}.000Z`),
    );
  });
  return memory;
}

const partitionOf = (memory: MemoryIndex) => memory.partition(facts().scope, 'postgresql', 'relational');
const recallAfter = (
  memory: MemoryIndex,
  over: Partial<FailureQuery> = {},
  options: Partial<RecallOptions> = {},
) => new Recall(options).afterError(partitionOf(memory), query(over));
const recallBefore = (memory: MemoryIndex, over: Partial<StatementQuery> = {}) =>
  new Recall().beforeRun(partitionOf(memory), query(over));
const only = (memory: MemoryIndex) => [...memory.records()][0]?.id ?? '';
const event = (memory: MemoryIndex, over: Partial<MemoryEvent>) =>
  memory.apply({ v: 1, id: only(memory), at: '2026-11-02T00:00:00.000Z', ...over } as MemoryEvent);

describe('after an error', () => {
  it('finds the exact shape', () => {
    expect(recallAfter(memoryOf({}))).toMatchObject({ how: 'exact', similarity: 1 });
  });

  it('finds a similar shape, the most similar first', () => {
    const found = recallAfter(memoryOf({ shape: `${alike} desc` }, { shape: alike }, { shape: unlike }));
    expect(found).toMatchObject({ how: 'similar', record: { shape: alike } });
    expect(found?.similarity).toBeGreaterThanOrEqual(limits.similarityThreshold);
  });

  it('prefers the newest of equals', () => {
    const found = recallAfter(memoryOf({ shape: `${known} asc` }, { shape: `${known} desc` }));
    expect(found?.record.shape).toBe(`${known} desc`);
  });

  it('does not find what is not similar enough', () => {
    expect(recallAfter(memoryOf({ shape: unlike }))).toBeNull();
  });

  it.each([
    ['verb', { verb: 'with' }],
    ['tables', { tables: ['public.orders'] }],
    ['tables fingerprint', { fingerprint: { ...facts().fingerprint, tables: '9'.repeat(16) } }],
    ['class', { class: 'invalid_statement' }],
    ['code', { code: '42P01' }],
    ['object', { object: { kind: 'name', name: 'emial' } }],
  ] as const)('does not find a similar shape of another %s', (_what, over) => {
    expect(recallAfter(memoryOf({ shape: alike }), over)).toBeNull();
  });

  it('lets an object that only one side names pass', () => {
    expect(recallAfter(memoryOf({ object: null }))).not.toBeNull();
    expect(recallAfter(memoryOf({}), { object: null })).not.toBeNull();
  });

  it('prefers the record that names the same object', () => {
    const found = recallAfter(memoryOf({}, { object: null }));
    expect(found?.record.object).not.toBeNull();
  });

  it('matches constraints only for classes bound to them', () => {
    const fingerprint = { ...facts().fingerprint, constraints: '9'.repeat(16) };
    expect(recallAfter(memoryOf({}), { fingerprint })).not.toBeNull();
    const unique = { class: 'unique_violation', code: '23505' } as const;
    expect(recallAfter(memoryOf(unique), unique)).not.toBeNull();
    expect(recallAfter(memoryOf(unique), { ...unique, fingerprint })).toBeNull();
  });

  it('matches short, truncated and very long shapes exactly or not at all', () => {
    const short = 'select nme from users ;';
    expect(recallAfter(memoryOf({ shape: short }), { shape: short })).toMatchObject({ how: 'exact' });
    expect(recallAfter(memoryOf({ shape: short }), { shape: `${short} ;` })).toBeNull();
    expect(recallAfter(memoryOf({ shape: alike, isTruncated: true }))).toBeNull();
    expect(recallAfter(memoryOf({ shape: alike }), { isTruncated: true })).toBeNull();
    const long = `${known} , a`.repeat(limits.maxSimilarityTokens);
    expect(recallAfter(memoryOf({ shape: `${long} b` }), { shape: long })).toBeNull();
  });

  it.each(['retracted', 'deleted'] as const)(
    'is silent where the exact record was %s, whatever is similar',
    (kind) => {
      const memory = memoryOf({}, { shape: alike });
      event(memory, { event: kind, reason: 'x', author: 'ann' });
      expect(recallAfter(memory)).toBeNull();
    },
  );

  it('is silent past the review date', () => {
    const memory = memoryOf({});
    event(memory, {
      event: 'reviewed',
      verdict: 'keep',
      author: 'ann',
      reviewBy: '2026-11-09T00:00:00.000Z',
    });
    expect(recallAfter(memory)).toBeNull();
    expect(recallAfter(memory, { now: Date.parse('2026-11-08T00:00:00.000Z') })).not.toBeNull();
  });

  it('looks through the newest of a crowded bucket only', () => {
    const crowd = Array.from({ length: limits.maxSimilarityScanned + 1 }, (_, index) => ({
      shape: `select ${'x '.repeat(40)} c${index} from users`,
    }));
    expect(recallAfter(memoryOf({ shape: alike }, ...crowd))).toBeNull();
    expect(recallAfter(memoryOf(...crowd, { shape: alike }))).not.toBeNull();
  });
});

describe('the ablations', () => {
  it('unigrams find what only has the same words', () => {
    const shuffled = known.split(' ').sort().join(' ');
    expect(recallAfter(memoryOf({ shape: shuffled }))).toBeNull();
    expect(recallAfter(memoryOf({ shape: shuffled }), {}, { measure: 'unigram' })).toMatchObject({
      similarity: 1,
    });
  });

  it('the whole database as fingerprint is silenced by any table', () => {
    const fingerprint = { ...facts().fingerprint, database: '9'.repeat(16) };
    expect(recallAfter(memoryOf({}), { fingerprint })).not.toBeNull();
    expect(recallAfter(memoryOf({}), { fingerprint }, { fingerprint: 'database' })).toBeNull();
  });

  it('without the code gate another error is taken for this one', () => {
    expect(recallAfter(memoryOf({}), { code: '23505', class: 'unique_violation' })).toBeNull();
    const found = recallAfter(
      memoryOf({}),
      { code: '23505', class: 'unique_violation' },
      { useCodeGate: false },
    );
    expect(found?.record.code).toBe('42703');
  });

  it('the threshold can be moved', () => {
    expect(recallAfter(memoryOf({ shape: alike }), {}, { threshold: 0.99 })).toBeNull();
  });
});

describe('before a statement runs', () => {
  const unique: Partial<FailureFacts> = { class: 'unique_violation', code: '23505', isStructural: false };

  it('speaks of a structural failure at once', () => {
    expect(recallBefore(memoryOf({}))).toMatchObject({ how: 'exact' });
    expect(recallBefore(memoryOf({ shape: alike }))).toMatchObject({ how: 'similar' });
  });

  it('does not where the literals are of another kind and could matter', () => {
    expect(recallBefore(memoryOf({}), { holes: 'sn' })).toBeNull();
    expect(recallBefore(memoryOf({}), { holes: 's' })).toBeNull();
    expect(recallBefore(memoryOf({}), { holes: 'pz' })).not.toBeNull();
    const table = { object: { kind: 'table', name: 'users' } } as const;
    expect(recallBefore(memoryOf(table), { holes: 'nn' })).not.toBeNull();
    expect(recallBefore(memoryOf({ class: 'permission', code: '42501' }), { holes: 'nn' })).not.toBeNull();
  });

  it('speaks of a data-dependent one while most runs failed', () => {
    const memory = memoryOf(unique);
    expect(recallBefore(memory)).not.toBeNull();
    event(memory, { event: 'observed', count: 0, successes: 1 });
    expect(recallBefore(memory)).not.toBeNull();
    event(memory, { event: 'observed', count: 0, successes: 1 });
    expect(recallBefore(memory)).toBeNull();
    event(memory, { event: 'observed', count: 1 });
    expect(recallBefore(memory)).not.toBeNull();
  });

  it('prefers what is certain to what is likely', () => {
    const found = recallBefore(memoryOf({}, unique));
    expect(found?.record.code).toBe('42703');
  });

  it('keeps behind the gate', () => {
    const fingerprint = { ...facts().fingerprint, tables: '9'.repeat(16) };
    expect(recallBefore(memoryOf({}), { fingerprint })).toBeNull();
  });

  it('is silent where the exact record is', () => {
    const memory = memoryOf({}, { shape: alike });
    event(memory, { event: 'deleted', reason: 'x', author: 'ann' });
    expect(recallBefore(memory)).toBeNull();
  });

  it('believes the records where no schema is at hand, for the exact shape only', () => {
    expect(recallBefore(memoryOf({}), { fingerprint: null })).not.toBeNull();
    expect(recallBefore(memoryOf({ shape: alike }), { fingerprint: null })).toBeNull();
  });
});

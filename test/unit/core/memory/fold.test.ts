import { describe, expect, it } from 'vitest';
import { EventFold, foldEvents } from '../../../../src/core/memory/fold.js';
import type { MemoryEvent } from '../../../../src/core/memory/record.js';
import { facts, failureEvent } from './events.js';

const id = facts().id;
const at = (minute: number): string => `2026-11-01T00:${String(minute).padStart(2, '0')}:00.000Z`;
const failure = failureEvent({}, at(0));
const retracted: MemoryEvent = { v: 1, event: 'retracted', id, at: at(5), reason: 'wrong', author: 'ann' };
const restored: MemoryEvent = { v: 1, event: 'restored', id, at: at(6), reason: 'right', author: 'ben' };

function folded(...events: MemoryEvent[]) {
  const record = foldEvents(events).get(id);
  if (record === undefined) throw new Error('no record');
  return record;
}

describe('folding events', () => {
  it('makes a live record of one failure', () => {
    expect(folded(failure)).toMatchObject({
      status: 'live',
      failures: 1,
      successes: 0,
      firstAt: at(0),
      lastAt: at(0),
    });
  });

  it('counts the same failure again as one more observation', () => {
    const again = failureEvent({}, at(3));
    expect(folded(failure, again)).toMatchObject({ failures: 2, firstAt: at(0), lastAt: at(3) });
    expect(foldEvents([failure, again]).size).toBe(1);
  });

  it('takes the earliest and the latest moment whatever the order', () => {
    expect(folded(failureEvent({}, at(3)), failure)).toMatchObject({
      firstAt: at(0),
      lastAt: at(3),
      validFrom: at(0),
    });
  });

  it('adds observed failures and successes', () => {
    const observed: MemoryEvent = { v: 1, event: 'observed', id, at: at(2), count: 4, successes: 7 };
    expect(folded(failure, observed)).toMatchObject({ failures: 5, successes: 7, lastAt: at(2) });
  });

  it('does not move the last failure by successes alone', () => {
    const observed: MemoryEvent = { v: 1, event: 'observed', id, at: at(2), count: 0, successes: 7 };
    expect(folded(failure, observed)).toMatchObject({ failures: 1, successes: 7, lastAt: at(0) });
  });

  it('keeps events that came before their failure', () => {
    const observed: MemoryEvent = { v: 1, event: 'observed', id, at: at(2), count: 4 };
    expect(folded(observed, retracted, failure)).toMatchObject({ failures: 5, status: 'retracted' });
  });

  it('never makes a record without a failure', () => {
    expect(foldEvents([retracted, restored]).size).toBe(0);
  });

  it('says by whom and why a record left, and when it stopped to hold', () => {
    expect(folded(failure, retracted)).toMatchObject({
      status: 'retracted',
      statusReason: 'wrong (ann)',
      validTo: at(5),
    });
  });

  it('brings a record back', () => {
    expect(folded(failure, retracted, restored)).toMatchObject({
      status: 'live',
      statusReason: null,
      validTo: null,
    });
  });

  it('decides a status by time, not by arrival', () => {
    expect(folded(failure, restored, retracted).status).toBe('live');
    expect(folded(restored, retracted, failure).status).toBe('live');
  });

  it('folds every kind of leaving', () => {
    expect(folded(failure, { ...retracted, event: 'deleted' }).status).toBe('deleted');
    const superseded = folded(failure, { v: 1, event: 'superseded', id, at: at(5), by: 'ffff' });
    expect(superseded).toMatchObject({ status: 'superseded', statusReason: 'superseded by ffff' });
  });

  it('reviews: out of sight, kept with a date, and never back from deletion', () => {
    const out: MemoryEvent = {
      v: 1,
      event: 'reviewed',
      id,
      at: at(5),
      verdict: 'under_review',
      author: 'ann',
    };
    const keep: MemoryEvent = {
      v: 1,
      event: 'reviewed',
      id,
      at: at(6),
      verdict: 'keep',
      author: 'ann',
      reviewBy: '2027-01-01T00:00:00.000Z',
    };
    const contradicted: MemoryEvent = {
      v: 1,
      event: 'feedback',
      id,
      at: at(1),
      kind: 'contradicted',
      count: 3,
    };
    expect(folded(failure, out).status).toBe('under_review');
    expect(folded(failure, contradicted, out, keep)).toMatchObject({
      status: 'live',
      reviewBy: '2027-01-01T00:00:00.000Z',
      contradicted: 0,
    });
    expect(folded(failure, { ...retracted, event: 'deleted' }, keep).status).toBe('deleted');
  });

  it('counts feedback by kind and keeps the resolution', () => {
    const resolution = { shape: 'insert …', tables: ['public.users'] };
    const record = folded(
      failure,
      { v: 1, event: 'feedback', id, at: at(1), kind: 'ignored', count: 2 },
      { v: 1, event: 'feedback', id, at: at(1), kind: 'confirmed', count: 1 },
      { v: 1, event: 'resolved', id, at: at(2), resolution },
    );
    expect(record).toMatchObject({ ignored: 2, confirmed: 1, contradicted: 0, resolution });
  });

  it('passes over events and versions of the future', () => {
    const future = { v: 1, event: 'embalmed', id, at: at(1) } as unknown as MemoryEvent;
    const nextVersion = { ...retracted, v: 2 } as unknown as MemoryEvent;
    const verdict = {
      v: 1,
      event: 'reviewed',
      id,
      at: at(1),
      verdict: 'maybe',
      author: 'x',
    } as unknown as MemoryEvent;
    expect(folded(failure, future, nextVersion, verdict)).toEqual(folded(failure));
  });

  it('reads a failure that lacks the newer fields', () => {
    const { holes, verb, evidence, isStructural, detail, ...old } = failure;
    expect([holes, verb, evidence, isStructural, detail]).toHaveLength(5);
    expect(foldEvents([old as unknown as MemoryEvent]).get(id)).toMatchObject({
      holes: '',
      isStructural: false,
    });
  });

  it('bounds what it holds for failures that never come', () => {
    const fold = new EventFold();
    for (let index = 0; index < 10_050; index++) fold.apply({ ...retracted, id: `id${index}` });
    expect(fold.heldCount).toBe(10_000);
  });
});

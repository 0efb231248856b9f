import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkEvent } from '../../../src/storage/event-check.js';
import {
  at,
  failure,
  feedback,
  idOf,
  observed,
  restored,
  retracted,
  review,
} from '../../contract/store-events.js';

const valid = [
  failure(1),
  failure(1, { object: null, isTruncated: true }),
  observed(1, 2),
  observed(1, 2, 0, 5),
  feedback(1, 2, 'ignored'),
  retracted(1, 2),
  restored(1, 2),
  review(1, 2, at(3)),
  { v: 1, event: 'reviewed', id: idOf(1), at: at(2), verdict: 'under_review', author: 'a' },
  { v: 1, event: 'superseded', id: idOf(1), at: at(2), by: idOf(2) },
  { v: 1, event: 'deleted', id: idOf(1), at: at(2), reason: 'r', author: 'a' },
  { v: 1, event: 'resolved', id: idOf(1), at: at(2), resolution: { shape: 's', tables: [] } },
];

describe('checkEvent', () => {
  it.each(valid.map((event) => [event.event, event] as const))('takes a whole %s', (_name, event) => {
    expect(checkEvent(event)).toEqual({ kind: 'event', event });
  });

  it.each(valid.map((event) => [event.event, event] as const))(
    'misses each required field of %s',
    (_name, event) => {
      const optional = new Set(['successes', 'isTruncated', 'reviewBy', 'verb', 'isStructural']);
      for (const field of Object.keys(event).filter((name) => !optional.has(name))) {
        const { [field as keyof typeof event]: _left, ...rest } = event;
        const checked = checkEvent(rest);
        expect(checked.kind, field).toBe('invalid');
        expect(checked.kind !== 'event' && checked.reason, field).toMatch(/expected/);
      }
    },
  );

  it('lets fields pass that it does not know', () => {
    const event = { ...failure(1), weather: 'fine', scope: { upstream: 'a', database: 'b', shard: 3 } };
    expect(checkEvent(event)).toEqual({ kind: 'event', event });
  });

  it.each([
    ['a newer schema version', { ...failure(1), v: 2 }],
    ['a newer kind of event', { v: 1, event: 'merged', id: idOf(1), at: at(1) }],
    ['a name every object has', { v: 1, event: 'toString', id: idOf(1), at: at(1) }],
    ['a newer class', { ...failure(1), class: 'full_moon' }],
    ['a newer engine', { ...failure(1), engine: 'sqlite' }],
    ['a newer backend', { ...failure(1), backend: 'graph' }],
  ])('leaves %s to a newer program', (_name, event) => {
    expect(checkEvent(event).kind).toBe('unknown');
  });

  it.each([
    ['an id of another form', { ...failure(1), id: 'XYZ' }],
    ['a time without a zone', { ...failure(1), at: '2026-01-01 00:00:00' }],
    ['a negative count', { ...observed(1, 2), count: -1 }],
    ['a count that is no number', { ...observed(1, 2), count: '3' }],
    ['tables that are no names', { ...failure(1), tables: [1] }],
    ['a feedback of another kind', { ...feedback(1, 2, 'ignored'), kind: 'loved' }],
    ['a list', []],
    ['a text', 'failure'],
    ['null', null],
  ])('refuses %s', (_name, event) => {
    expect(checkEvent(event).kind).toBe('invalid');
  });

  it('fills in what follows from the rest of a failure', () => {
    const {
      verb: _verb,
      isStructural: _isStructural,
      ...rest
    } = failure(1, {
      shape: 'select nope from t',
      code: '42703',
      class: 'undefined_object',
    });
    const checked = checkEvent(rest);
    expect(checked).toMatchObject({ kind: 'event', event: { verb: 'select', isStructural: true } });
  });

  it('never throws and never repeats a value in its reason', () => {
    fc.assert(
      fc.property(fc.anything(), (value) => {
        const checked = checkEvent(value);
        expect(['event', 'unknown', 'invalid']).toContain(checked.kind);
      }),
    );
    const secret = { ...failure(1), shape: 42, detail: 'hunter2', code: 'hunter2' };
    expect(JSON.stringify(checkEvent(secret))).not.toContain('hunter2');
  });
});

import { describe, expect, it } from 'vitest';
import { isLive } from '../../../../src/core/memory/views.js';
import { record } from './events.js';

const now = Date.parse('2026-11-10T00:00:00.000Z');

describe('isLive', () => {
  it('holds for a record nobody took out', () => {
    expect(isLive(record(), now)).toBe(true);
  });

  it.each(['retracted', 'superseded', 'under_review', 'deleted'] as const)(
    'does not hold for %s',
    (status) => {
      expect(isLive(record({}, { status }), now)).toBe(false);
    },
  );

  it('ends at the review date', () => {
    expect(isLive(record({}, { reviewBy: '2026-11-09T00:00:00.000Z' }), now)).toBe(false);
    expect(isLive(record({}, { reviewBy: '2026-11-11T00:00:00.000Z' }), now)).toBe(true);
  });

  it('follows the schema: stale is silent, back again is live again', () => {
    const known = record();
    let current = known.fingerprint.tables;
    const isCurrent = (candidate: typeof known) => candidate.fingerprint.tables === current;
    expect(isLive(known, now, isCurrent)).toBe(true);
    current = 'moved';
    expect(isLive(known, now, isCurrent)).toBe(false);
    current = known.fingerprint.tables;
    expect(isLive(known, now, isCurrent)).toBe(true);
  });
});

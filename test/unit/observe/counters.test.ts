import { describe, expect, it } from 'vitest';
import { type CounterName, counterNames } from '../../../src/core/counters.js';
import { limits } from '../../../src/core/limits.js';
import { CounterSet, labelNameOf } from '../../../src/observe/counters.js';

describe('CounterSet', () => {
  it('counts under a label and sums over labels', () => {
    const counters = new CounterSet();
    counters.count('notes_attached', 'syntax');
    counters.count('notes_attached', 'syntax', 2);
    counters.count('notes_attached', 'deadlock');
    expect(counters.value('notes_attached', 'syntax')).toBe(3);
    expect(counters.value('notes_attached')).toBe(4);
    expect(counters.value('recalls')).toBe(0);
  });

  it('keeps the number of labels bounded and loses no count', () => {
    const counters = new CounterSet();
    const labels = limits.maxLabelsPerCounter + 50;
    for (let i = 0; i < labels; i++) counters.count('failures_unclassified', `code${i}`);
    expect(counters.entries('failures_unclassified').size).toBe(limits.maxLabelsPerCounter + 1);
    expect(counters.value('failures_unclassified')).toBe(labels);
    expect(counters.value('failures_unclassified', 'other')).toBe(50);
  });
});

describe('labelNameOf', () => {
  it('is the word after "by" in the description', () => {
    expect(labelNameOf('statements_failed')).toBe('class');
    expect(labelNameOf('failures_unclassified')).toBe('code');
    expect(labelNameOf('recalls')).toBe('outcome');
    expect(labelNameOf('connections_accepted')).toBe('listener');
    expect(labelNameOf('resolutions')).toBeNull();
  });

  it('is never a word that a description uses in another sense', () => {
    const allowed = ['class', 'code', 'reason', 'outcome', 'kind', 'listener'];
    for (const name of Object.keys(counterNames) as CounterName[]) {
      const label = labelNameOf(name);
      if (label !== null) expect(allowed, name).toContain(label);
    }
  });
});

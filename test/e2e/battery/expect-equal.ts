/** The promise itself: what a client sees through the proxy is what it sees without, but for notes on repetitions. */
import { expect } from 'vitest';
import type { ProxiedRun } from './compare.js';
import { failingStatements } from './failing-statements.js';
import { stripNotes } from './notes.js';
import { type Entry, stepsWithNotes } from './transcript.js';

export function expectEqualButForNotes(direct: readonly Entry[], proxied: ProxiedRun): void {
  const stripped = stripNotes(proxied.entries) as Entry[];
  // Step by step first: a diff of one step can be read, one of six hundred cannot.
  for (const [index, entry] of direct.entries()) {
    expect(stripped[index], `step ${index} of ${direct.length}: ${entry.step}`).toEqual(entry);
  }
  expect(stripped.length).toBe(direct.length);
  expect(proxied.exit).toMatchObject({ code: 0, signal: null });
}

/**
 * Every kind that must be annotated is, on its repetitions; nothing is the first time it fails, and a failed
 * transaction's refusals never are. `isRepetition` tells a first step from a later one by its name.
 */
export function expectNotesOnRepetitions(entries: readonly Entry[]): void {
  const annotated = stepsWithNotes(entries);
  const codes = new Set(annotated.map((step) => step.split(' ')[0]));
  const missing = failingStatements.filter(({ note, code }) => note === 'must' && !codes.has(code));
  expect(
    missing.map(({ code }) => code),
    'kinds whose repetition carried no note',
  ).toEqual([]);
  const firsts = new Set(failingStatements.map(({ code }) => code));
  const early = annotated.filter(
    (step) => firsts.has(step.split(' ')[0] ?? '') && / 1 simple(?! prepare false)| 1 #/.test(step),
  );
  expect(early, 'first failures that carried a note').toEqual([]);
  expect(
    annotated.filter((step) => /^(25P02|cancelled|interrupted|3D000|28P01)/.test(step)),
    'never annotated',
  ).toEqual([]);
}

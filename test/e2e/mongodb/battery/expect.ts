/** The promise itself: what a client sees through the proxy is what it sees without, but for notes on repetitions. */
import { expect } from 'vitest';
import { type Entry, stepsWithNotes } from '../../battery/transcript.js';
import type { ProxiedMongoRun } from './compare.js';
import type { FailingCommand } from './failing-commands.js';
import { withoutMongoNotes } from './plain.js';

export function expectEqualButForNotes(direct: readonly Entry[], proxied: ProxiedMongoRun): void {
  const stripped = withoutMongoNotes(proxied.entries);
  // Step by step first: a diff of one step can be read, one of six hundred cannot.
  for (const [index, entry] of direct.entries()) {
    const step = `step ${index} of ${direct.length}: ${entry.step}`;
    expect(stripped[index], step).toEqual(entry);
    // The order of fields too.
    expect(JSON.stringify(stripped[index]), step).toBe(JSON.stringify(entry));
  }
  expect(stripped.length).toBe(direct.length);
  expect(proxied.exit).toMatchObject({ code: 0, signal: null });
}

/**
 * Every kind that must be annotated is, on its repetitions, and nothing is the first time it fails. Steps of failing
 * commands are named `<kind> #<time>`.
 */
export function expectNotesOnRepetitions(
  entries: readonly Entry[],
  commands: readonly FailingCommand[],
): void {
  const annotated = new Set(stepsWithNotes(entries));
  const failing = new Set(
    entries.filter((entry) => JSON.stringify(entry).includes('"code"')).map((entry) => entry.step),
  );
  const without = commands.filter(
    ({ kind, note }) => note === 'must' && failing.has(`${kind} #2`) && !annotated.has(`${kind} #2`),
  );
  expect(
    without.map(({ kind }) => kind),
    'kinds whose repetition carried no note',
  ).toEqual([]);
  const early = commands.filter(({ kind, isSimilar }) => isSimilar !== true && annotated.has(`${kind} #1`));
  expect(
    early.map(({ kind }) => kind),
    'first failures that carried a note',
  ).toEqual([]);
  const never = [...annotated].filter((step) => /^(login|cancelled|heartbeats)/.test(step));
  expect(never, 'never annotated').toEqual([]);
}

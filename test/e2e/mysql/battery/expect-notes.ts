/** Where notes must be and must not be in what a client saw through the proxy. */
import { expect } from 'vitest';
import type { MysqlFlavour } from '../../../servers/mysql-programs.js';
import { type Entry, stepsWithNotes } from '../../battery/transcript.js';
import { failingStatements } from './failing-statements.js';

/**
 * Every kind that must be annotated is, on its repetitions; nothing is the first time it fails. Steps of failing
 * statements are named `<code> <time> text …` where the statement is sent for the first time in this battery, and
 * those that must never be annotated start with `never`.
 */
export function expectNotesOnRepetitions(entries: readonly Entry[], flavour: MysqlFlavour): void {
  const annotated = stepsWithNotes(entries);
  const codes = new Set(annotated.map((step) => step.split(' ')[0]));
  const statements = failingStatements(flavour);
  const missing = statements.filter(({ note, code }) => note === 'must' && !codes.has(String(code)));
  expect(
    missing.map(({ code }) => code),
    'kinds whose repetition carried no note',
  ).toEqual([]);
  const firsts = new Set(statements.map(({ code }) => String(code)));
  const early = annotated.filter((step) => firsts.has(step.split(' ')[0] ?? '') && / 1 text /.test(step));
  expect(early, 'first failures that carried a note').toEqual([]);
  expect(
    annotated.filter((step) => step.startsWith('never')),
    'never annotated',
  ).toEqual([]);
}

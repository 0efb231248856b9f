import { expect, it } from 'vitest';
import { answersTo } from '../../../../src/core/shape/answers.js';

it.each([
  ['select', 'one'],
  ['', 'one'],
  ['begin', 'one'],
  ['call', 'until ok'],
  ['begin not atomic', 'until ok'],
  ['while', 'until ok'],
  ['execute', 'unknown'],
])('answers to %s: %s', (verb, answers) => {
  expect(answersTo(verb)).toBe(answers);
});

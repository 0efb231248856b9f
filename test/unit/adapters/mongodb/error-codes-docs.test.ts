import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { errorCodes, readErrorCode } from '../../../../adapters/mongodb/error-codes.js';
import { failureClasses, unrecordedClasses } from '../../../../src/core/failure/failure-class.js';

const page = readFileSync(new URL('../../../../docs/error-classes.md', import.meta.url), 'utf8');
const section = page.slice(page.indexOf('\n## MongoDB\n'));

function listedOnPage(name: string): string {
  const row = section.split('\n').find((line) => line.startsWith(`| ${name} |`));
  return (row ?? '| | |').split('|').slice(2, 3).join('').trim();
}

function listedInTable(name: string): string {
  return errorCodes
    .filter((code) => readErrorCode(code).class === name)
    .map((code) => (readErrorCode(code).isStructural ? `**${code}**` : code))
    .join(' ');
}

describe('docs/error-classes.md, MongoDB', () => {
  it.each([...failureClasses, ...unrecordedClasses].filter((name) => listedInTable(name) !== ''))(
    'lists %s with its codes, structural ones in bold',
    (name) => {
      expect(listedOnPage(name)).toBe(listedInTable(name));
    },
  );
});

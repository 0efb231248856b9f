import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { errorCodes, readErrorCode } from '../../../../adapters/postgres/error-codes.js';
import { failureClasses, unrecordedClasses } from '../../../../src/core/failure/failure-class.js';

const page = readFileSync(new URL('../../../../docs/error-classes.md', import.meta.url), 'utf8');

/** Codes as the page lists them for a class; null where the class has no row. */
function codesOnPage(name: string): string[] | null {
  const row = page.split('\n').find((line) => line.startsWith(`| \`${name}\` |`));
  if (row === undefined) return null;
  const codes = row.split('|').at(-2)?.trim() ?? '';
  return codes === '' ? [] : codes.split(' ');
}

describe('docs/error-classes.md', () => {
  it.each([...failureClasses, ...unrecordedClasses])(
    'lists %s with its codes, structural ones in bold',
    (name) => {
      const expected = errorCodes
        .filter((code) => readErrorCode(code).class === name)
        .map((code) => (readErrorCode(code).isStructural ? `**${code}**` : code));
      expect(codesOnPage(name)).toEqual(expected);
    },
  );

  it('lists no class that is gone', () => {
    const listed = [...page.matchAll(/^\| `([a-z_]+)` \|/gm)].map(([, name]) => name);
    expect(listed).toEqual([...failureClasses, ...unrecordedClasses]);
  });
});

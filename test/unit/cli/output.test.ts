import { afterEach, describe, expect, it, vi } from 'vitest';
import { explain } from '../../../src/cli/output.js';
import { TwiceshyError } from '../../../src/core/errors.js';

afterEach(() => vi.restoreAllMocks());

function explained(error: unknown): { code: number; text: string } {
  let text = '';
  vi.spyOn(process.stderr, 'write').mockImplementation((chunk) => {
    text += String(chunk);
    return true;
  });
  return { code: explain(error), text };
}

describe('explain', () => {
  it('says our own errors in their words, with their exit code', () => {
    expect(explained(new TwiceshyError('USAGE', 'Name the database.'))).toEqual({
      code: 2,
      text: 'Name the database.\n',
    });
    expect(explained(new TwiceshyError('MEMORY_LOCKED', 'Locked.')).code).toBe(1);
  });

  it('says of a defect where it happened, and not what it was about', () => {
    const { code, text } = explained(new TypeError('cannot read "hunter2"'));
    expect(code).toBe(1);
    expect(text).toContain('TypeError');
    expect(text).toContain('output.test.ts');
    expect(text).not.toContain('hunter2');
    expect(explained('hunter2').text).not.toContain('hunter2');
  });
});

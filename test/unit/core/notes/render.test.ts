import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { failureClasses } from '../../../../src/core/failure/failure-class.js';
import { limits } from '../../../../src/core/limits.js';
import { templateInput } from '../../../../src/core/notes/input.js';
import { renderNote } from '../../../../src/core/notes/render.js';
import { inputOf, recordOf } from './note-fixtures.js';

const first = 'Use INSERT ... ON CONFLICT (email) DO NOTHING, or update the row.';
const second = 'Look before you leap.';
const template = () => `${first} ${second}`;

describe('renderNote', () => {
  it('says how often, since when, what, and what to do', () => {
    const note = renderNote(template, inputOf());
    expect(note).toEqual({
      recordId: '9f2c51d07a3be844',
      short: `[twiceshy 9f2c51d0] ${first} ${second}`,
      long:
        '[twiceshy 9f2c51d0] This statement shape failed here 3 times since 2026-11-02 (unique_violation, ' +
        `users_email_key). ${first} ${second} Do not re-run it unchanged.`,
    });
  });

  it('does not count to one', () => {
    const { long } = renderNote(template, inputOf({ failures: 1 }));
    expect(long).toContain(
      'This statement shape failed here before, on 2026-11-02 (unique_violation, users_email_key).',
    );
  });

  it.each([
    [1, 'A similar statement failed here before, on 2026-11-02 (unique_violation, users_email_key).'],
    [3, 'A similar statement failed here 3 times since 2026-11-02 (unique_violation, users_email_key).'],
  ])('claims no history for a statement that is only similar (%i)', (failures, expected) => {
    const { long } = renderNote(template, inputOf({ failures }, undefined, { occasion: { how: 'similar' } }));
    expect(long).toContain(expected);
    expect(long).not.toContain('This statement shape');
  });

  it('leaves out a name the catalog does not know', () => {
    const { long } = renderNote(template, inputOf({ object: { kind: 'constraint', name: 'secret_key' } }));
    expect(long).toContain('(unique_violation).');
    expect(long).not.toContain('secret');
  });

  it.each(failureClasses)(
    '%s says not to re-run it unchanged, unless that is what is to be done',
    (failureClass) => {
      const { long } = renderNote(template, inputOf({ class: failureClass }));
      const isRetryable = ['deadlock', 'write_conflict', 'lock_timeout'].includes(failureClass);
      expect(long.includes('Do not re-run it unchanged')).toBe(!isRetryable);
    },
  );

  describe('the resolution', () => {
    const shown = 'insert into users ( email , name ) values ( ? , ? ) on conflict ( email ) do nothing';
    const resolved = (shape: string) =>
      renderNote(template, inputOf({ resolution: { shape, tables: ['public.users'] } })).long;

    it('is shown where every token of it is known', () => {
      expect(resolved(shown)).toMatch(
        new RegExp(`unchanged\\. A statement of this shape then ran: ${shown.replace(/[()?]/g, '\\$&')}$`),
      );
    });

    it('takes the place of what the instruction says after its first sentence', () => {
      const long = resolved(`${shown} returning id , email , name , age , id , email , name`);
      expect(long).toContain(first);
      expect(long).not.toContain(second);
      expect(long).toContain('returning id , email , name , age , id , email , name');
    });

    it.each([
      ['an alias of the client', 'select u . email from users u'],
      ['a table nobody declared', 'insert into secrets ( email ) values ( ? )'],
      ['a quoted name', 'insert into "users" ( email ) values ( ? )'],
      ['a percent sign', 'select age % ? from users'],
      ['a backslash', 'select email \\ from users'],
      ['a line break', 'select email\nfrom users'],
      ['a digit', 'select email from users order by 1'],
    ])('is left out with %s', (_what, shape) => {
      expect(resolved(shape)).not.toContain('then ran');
    });

    it('is left out rather than cut', () => {
      const long = resolved(`select ${Array.from({ length: 60 }, () => 'email').join(' , ')} from users`);
      expect(long).not.toContain('then ran');
      expect(long).toContain(second);
    });

    it('is left out before the catalog is known', () => {
      const record = recordOf({ resolution: { shape: shown, tables: [] } });
      expect(renderNote(template, templateInput(record, [], null, false)).long).not.toContain('then ran');
    });
  });

  it('drops whole sentences before it cuts', () => {
    const longSecond = `This one is ${'very '.repeat(40)}long.`;
    const note = renderNote(() => `${first} ${longSecond} ${second}`, inputOf());
    expect(note.short).toBe(`[twiceshy 9f2c51d0] ${first}`);
    expect(note.long).toContain(`${first} Do not re-run it unchanged.`);
  });

  it('cuts between words where one sentence is too long', () => {
    const words = Array.from({ length: 90 }, (_, index) => `word${index}`);
    const note = renderNote(() => `${words.join(' ')}.`, inputOf());
    expect(note.short).toMatch(/ word\d+ \.\.\.$/);
    expect(note.long).toMatch(/ word\d+ \.\.\. Do not re-run it unchanged\.$/);
    for (const text of [note.short, note.long]) {
      const shown = [...text.matchAll(/word\d+/g)].map(([word]) => word);
      expect(shown).toEqual(words.slice(0, shown.length));
    }
  });

  it('does not take the dots of an ellipsis for the end of a sentence', () => {
    const { short } = renderNote(() => `Use INSERT ... ON CONFLICT. ${'Then '.repeat(40)}go.`, inputOf());
    expect(short).toBe('[twiceshy 9f2c51d0] Use INSERT ... ON CONFLICT.');
  });

  it('is one line of plain ASCII within its bounds, whatever a template says', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme', maxLength: 900 }),
        fc.constantFrom(...failureClasses),
        fc.nat(),
        (instruction, failureClass, failures) => {
          const note = renderNote(() => instruction, inputOf({ class: failureClass, failures }));
          for (const [text, bound] of [
            [note.short, limits.maxShortNoteBytes],
            [note.long, limits.maxLongNoteBytes],
          ] as const) {
            expect(Buffer.byteLength(text)).toBeLessThanOrEqual(bound);
            expect(text).toMatch(/^\[twiceshy 9f2c51d0\] [\x20-\x7e]*$/);
            expect(text).not.toMatch(/["'`\\%]/);
          }
        },
      ),
    );
  });
});

/** One template a class. */
import { type FailureClass, failureClasses } from '../../src/core/failure/failure-class.js';
import type { NoteTemplate, NoteTemplates } from '../../src/core/notes/templates.js';

const general: NoteTemplate = () => 'Change the statement before you run it again.';

export const noteTemplates: NoteTemplates = Object.fromEntries(
  failureClasses.map((name: FailureClass) => [name, general]),
) as unknown as NoteTemplates;

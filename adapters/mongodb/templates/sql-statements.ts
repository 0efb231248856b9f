/**
 * What the server refused of a statement of SQL, in the words of SQL: its reader has no operators to write. Native commands
 * are offered by name, as the other surface.
 */
import type { FailureClass } from '../../../src/core/failure/failure-class.js';
import type { NoteTemplate, TemplateInput } from '../../../src/core/notes/templates.js';
import { keyFields } from './keys.js';

/** The template of a class for what was written as a command, and an answer of its own for what was SQL. */
export function alsoForSql(failureClass: FailureClass, template: NoteTemplate): NoteTemplate {
  const forSql = answers[failureClass];
  if (forSql === undefined) return template;
  return (input) => (isSql(input) ? forSql(input) : null) ?? template(input);
}

/** Commands begin with a brace. What our own compiler refuses has templates that speak of SQL already. */
function isSql({ record: { code }, shape }: TemplateInput): boolean {
  return !code.startsWith('SQL_') && /^(?:select|insert|update|delete)\b/.test(shape);
}

const answers: Readonly<Partial<Record<FailureClass, (input: TemplateInput) => string | null>>> = {
  unique_violation: (input) => {
    const fields = keyFields(input);
    const ofKey = fields === null ? '' : ` (${fields})`;
    return `Another document has this key${ofKey}: UPDATE that one, or choose another value. The native updateOne with upsert: true does either.`;
  },
  type_mismatch: ({ record: { code } }) =>
    code === '241'
      ? 'A value cannot be cast: leave such documents out in WHERE, or use the native aggregate with $convert and its onError.'
      : 'A value has another type than the operator or function takes: CAST it, or leave such documents out in WHERE.',
  invalid_argument: ({ error }) =>
    /zero/.test(error?.message ?? '')
      ? 'A divisor is 0: divide by NULLIF(d, 0), which gives null there.'
      : null,
};

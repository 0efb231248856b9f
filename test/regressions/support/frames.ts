/** What a test says of frames: types in a row, errors by their fields. */
import type { Frame } from '../../support/raw-postgres.js';

/** `12E[22012]Z`; notices, notifications and parameters by their letters like the rest. */
export function letters(frames: readonly Frame[]): string {
  return frames.map(({ type, body }) => (type === 'E' ? `E[${fieldsOf(body)['C']}]` : type)).join('');
}

/** Fields of the body of an ErrorResponse by their letter, each byte a character. */
export function fieldsOf(body: Buffer): Record<string, string> {
  const fields: Record<string, string> = {};
  for (const field of body.toString('latin1').split('\0')) {
    if (field !== '') fields[field.charAt(0)] = field.slice(1);
  }
  return fields;
}

/** The errors among the frames. */
export function errorsIn(frames: readonly Frame[]): Record<string, string>[] {
  return frames.filter(({ type }) => type === 'E').map(({ body }) => fieldsOf(body));
}

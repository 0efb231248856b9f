/** What a note says of a name that does not exist where it was written, if it is one that others have. */
import type { TemplateInput } from '../../../src/core/notes/templates.js';
import {
  type Instead,
  insteadOfCommands,
  insteadOfExpressions,
  insteadOfModifiers,
  insteadOfOptions,
  insteadOfQueryOperators,
  insteadOfStages,
} from './foreign-names.js';

/** `Write ... instead of $like.`, or null. The name shown is our own: one of the table, never the client's. */
export function insteadOf({ record }: TemplateInput, place: Instead): string | null {
  return record.object?.kind === 'name' ? insteadOfName(record.object.name, place) : null;
}

/** The same for a name that is not the object of the error, such as a verb. */
export function insteadOfName(name: string, place: Instead): string | null {
  const wanted = name.slice(name.lastIndexOf('.') + 1);
  const key = Object.hasOwn(place, wanted)
    ? wanted
    : Object.keys(place).find((candidate) => candidate.toLowerCase() === wanted.toLowerCase());
  return key === undefined ? null : `There is no ${key} here: write ${place[key]}.`;
}

export const placesOf = {
  filter: insteadOfQueryOperators,
  stage: insteadOfStages,
  expression: insteadOfExpressions,
  modifier: insteadOfModifiers,
  option: insteadOfOptions,
  command: insteadOfCommands,
} as const;

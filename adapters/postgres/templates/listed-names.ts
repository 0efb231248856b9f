/** Which names SQL takes as they stand, and what kinds of statements there are. */
import { listNames } from '../../../src/core/notes/listing.js';
import { isShownName } from '../../../src/core/notes/safe-name.js';
import { functionOrTypeKeywords, reservedKeywords } from '../keywords.js';

const mustBeQuoted: ReadonlySet<string> = new Set([...reservedKeywords, ...functionOrTypeKeywords]);

/** True for a name that SQL takes as it stands: notes hold no quotes, so no other name may stand in an example. */
export function isBareName(name: string): boolean {
  return isShownName(name) && name === name.toLowerCase() && !mustBeQuoted.has(name);
}

/** The columns for an `ON CONFLICT (…)`, or null where they cannot be written without quotes. */
export function bareColumnList(columns: readonly string[]): string | null {
  return columns.every(isBareName) ? listNames(columns) : null;
}

/** True for `create index`, `create unique index` and their like. */
export function isIndexBuild(verb: string): boolean {
  return verb === 'reindex' || (verb.startsWith('create') && verb.includes('index'));
}

/** Statements that declare things, for which rows and values are not the point. */
export function isSchemaChange(verb: string): boolean {
  return /^(?:create|alter|drop|reindex|cluster|vacuum|truncate|refresh|comment|grant|revoke)\b/.test(verb);
}

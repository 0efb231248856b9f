/**
 * 23503 and 23001: a parent is missing, or a child is still there. Both have one code, one routine and one table in
 * their fields, and either may come from any verb: from a CTE, a trigger, a function. What the message says in English
 * decides, then the key's own tables; where nothing does, the note gives both ways.
 */
import { listNames } from '../../../src/core/notes/listing.js';
import { isShownName } from '../../../src/core/notes/safe-name.js';
import type { NoteTemplate, TemplateInput } from '../../../src/core/notes/templates.js';
import { type ViolatedConstraint, violatedConstraint } from './violated.js';

type Direction = 'parent_missing' | 'still_referenced' | 'unknown';

export const foreignKeyViolation: NoteTemplate = (input) => {
  const { verb, phase } = input.record;
  const found = violatedConstraint(input);
  const direction = directionOf(input, found);
  const isSchemaChange = verb === 'alter table' || verb.startsWith('create');
  if (isSchemaChange && direction !== 'still_referenced') {
    return 'Rows without a parent are in the table already: find them with NOT EXISTS and correct them, or add the key as NOT VALID first.';
  }
  const isAtCommit = phase === 'commit' || verb === 'commit';
  const atCommit = isAtCommit ? 'The check ran at COMMIT and the whole transaction was rolled back. ' : '';
  const columns = listNames(input.constraintColumns);
  const key = columns === null ? 'The foreign key' : `(${columns})`;
  const parent = parentName(found?.constraint.references);
  const match = parent === null ? 'a row of the table it refers to' : `a row of ${parent}`;
  if (direction === 'still_referenced') {
    return isAtCommit
      ? `${atCommit}Other rows still refer to a row it took away: delete them or point them elsewhere before COMMIT.`
      : 'Other rows still refer to this row: delete them or point them elsewhere first, in the same transaction.';
  }
  if (direction === 'unknown') {
    return isAtCommit
      ? 'At COMMIT a key had no row to match, or a row taken away was still referred to, and all was rolled back: insert that row, or delete its referrers, before COMMIT.'
      : `${key} must match ${match}: insert that row first; or, if a row that goes away is still referred to, delete or re-point its referrers first.`;
  }
  return isAtCommit
    ? `${atCommit}${key} must match ${match}: insert that row before COMMIT.`
    : `${key} must match ${match}: insert that row first, or use a key that is there.`;
};

function directionOf(input: TemplateInput, found: ViolatedConstraint | null): Direction {
  const { code } = input.record;
  const message = input.error?.message ?? '';
  if (code === '23001' || /^(?:update or delete on table|removing partition) /.test(message)) {
    return 'still_referenced';
  }
  if (/^insert or update on table /.test(message)) return 'parent_missing';
  return directionOfVerb(input, found);
}

/** A row of the referring table alone can miss its parent, one of the table referred to alone can leave children. */
function directionOfVerb({ record, target }: TemplateInput, found: ViolatedConstraint | null): Direction {
  const { verb } = record;
  if (target === null || found === null) return 'unknown';
  const isParent = found.constraint.references === `${target.schema}.${target.name}`;
  if (isParent && found.table !== target) return 'still_referenced';
  if (found.table !== target) return 'unknown';
  if (isParent) return verb === 'delete' ? 'still_referenced' : 'unknown';
  return verb === 'insert' || verb === 'update' || verb === 'copy' ? 'parent_missing' : 'unknown';
}

function parentName(references: string | undefined): string | null {
  if (references === undefined) return null;
  const name = references.slice(references.lastIndexOf('.') + 1);
  return isShownName(name) ? name : null;
}

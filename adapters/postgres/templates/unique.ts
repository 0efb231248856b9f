/** 23505 and 23P01: the row is there already, or one that overlaps it. ON CONFLICT is advised only where it is taken. */
import { listNames } from '../../../src/core/notes/listing.js';
import { isShownName } from '../../../src/core/notes/safe-name.js';
import type { NoteTemplate, TemplateInput } from '../../../src/core/notes/templates.js';
import { bareColumnList, isIndexBuild } from './listed-names.js';
import { hasDeferrableKey, isDeferrable, isOwnRow, violatedConstraint } from './violated.js';

export const uniqueViolation: NoteTemplate = (input) => {
  const { verb, code } = input.record;
  if (code === '23P01') return exclusionViolation(input);
  if (input.error?.schema === 'pg_catalog' || (verb.startsWith('create') && !isIndexBuild(verb))) {
    return 'Another session created the same name at the same moment: use IF NOT EXISTS, and create it from one session only.';
  }
  if (isIndexBuild(verb) || verb === 'alter table') {
    return 'Rows with equal keys are in the table already: find them with GROUP BY ... HAVING count(*) > 1, then merge or delete them first.';
  }
  const key = listNames(input.constraintColumns);
  const ofKey = key === null ? '' : ` (${key})`;
  if (verb === 'refresh') {
    return `The query of the materialized view gives two rows with one key${ofKey}: correct the rows behind it, or make its query give one row a key, as with GROUP BY.`;
  }
  if (!isOwnRow(input)) return otherTable(input, ofKey);
  switch (verb) {
    case 'update':
      return `Another row holds this key${ofKey}: choose another value, or change or merge that row first.`;
    case 'copy':
      return copied(input);
    case 'merge':
      return merged(input, ofKey);
    case 'insert':
      return inserted(input, ofKey);
    default:
      return otherTable(input, ofKey);
  }
};

/** The row came from a trigger, a CTE or a function, or was written through a view: what wrote it is not known. */
function otherTable(input: TemplateInput, ofKey: string): string {
  const name = violatedConstraint(input)?.table.name;
  const row = name === undefined || !isShownName(name) ? 'A row' : `A row of ${name}`;
  return `${row} has this key${ofKey} already: use another key, or change that row first. A trigger, function or CTE may be what writes it.`;
}

function copied(input: TemplateInput): string {
  const clause = conflictClause(input);
  return clause === null
    ? 'COPY into a staging table, then INSERT from it one row for each key with SELECT DISTINCT ON (key) ... WHERE NOT EXISTS (a row with that key).'
    : `COPY into a staging table, then INSERT ... SELECT ... ${clause} DO NOTHING from it.`;
}

function merged(input: TemplateInput, ofKey: string): string {
  const target = conflictTarget(input);
  return target === null
    ? `Two source rows or another session bring the same key${ofKey}: give MERGE one source row for each key, and match on that key.`
    : `MERGE cannot guard a key against other sessions: use INSERT ... ON CONFLICT${target} DO UPDATE.`;
}

function inserted(input: TemplateInput, ofKey: string): string {
  if (/\bon conflict\b/.test(input.shape)) {
    return `The ON CONFLICT of this INSERT does not cover this key${ofKey}: choose another value, or change the row that holds it first.`;
  }
  const found = violatedConstraint(input);
  if (found !== null && isDeferrable(found.constraint)) {
    return 'Update the row that holds this key, or choose another key. The constraint is deferrable, so ON CONFLICT cannot name it.';
  }
  const clause = conflictClause(input);
  if (clause === null) return `Another row holds this key${ofKey}: choose another key, or update that row.`;
  const actions = conflictTarget(input) === null ? 'DO NOTHING' : 'DO NOTHING or DO UPDATE';
  return `Use INSERT ... ${clause} ${actions}, or update the existing row.${generatedKey(input)}`;
}

function exclusionViolation(input: TemplateInput): string {
  const { verb } = input.record;
  if (verb.startsWith('alter') || verb.startsWith('create')) {
    return 'Rows in the table overlap each other: change or delete one of each pair first.';
  }
  // Without a target ON CONFLICT takes exclusion constraints too, unless a key of the table is deferrable.
  const isTaken = verb === 'insert' && !/\bon conflict\b/.test(input.shape) && isOwnRow(input);
  return isTaken && input.target !== null && !hasDeferrableKey(input.target)
    ? 'The row overlaps an existing one: choose other values, change the existing row, or use INSERT ... ON CONFLICT DO NOTHING.'
    : 'The row overlaps an existing one: choose other values, or change the existing row first.';
}

/** `ON CONFLICT (email)`, or without a target where it cannot be written; null where the server refuses both. */
function conflictClause(input: TemplateInput): string | null {
  const target = conflictTarget(input);
  if (target !== null) return `ON CONFLICT${target}`;
  const table = violatedConstraint(input)?.table ?? input.errorTable ?? input.target;
  return hasDeferrableKey(table) ? null : 'ON CONFLICT';
}

/** ` (email)` where ON CONFLICT can infer the index from columns alone, else null. */
function conflictTarget(input: TemplateInput): string | null {
  const found = violatedConstraint(input);
  const columns = bareColumnList(input.constraintColumns);
  // A partial index needs its own WHERE in the target, a deferrable constraint cannot be a target.
  if (found === null || columns === null) return null;
  if (/\bWHERE\b/i.test(found.constraint.definition) || isDeferrable(found.constraint)) return null;
  return ` (${columns})`;
}

function generatedKey(input: TemplateInput): string {
  const [column, ...more] = input.constraintColumns;
  const isKey = violatedConstraint(input)?.constraint.kind === 'primary_key';
  return isKey && column !== undefined && more.length === 0 && isShownName(column)
    ? ` Leave ${column} out if it has a default.`
    : '';
}

/** Notes for what a constraint, a trigger or a rule of the schema refused. */
import { splitRoutine } from '../../../src/core/notes/input.js';
import { findConstraint, isPlainName } from '../../../src/core/notes/safe-name.js';
import type { NoteTemplate, TemplateInput } from '../../../src/core/notes/templates.js';
import { bareColumnList, isIndexBuild, listNames } from './listed-names.js';

/** 23505 and 23P01: the row is there already, or one that overlaps it. */
export const uniqueViolation: NoteTemplate = (input) => {
  const { verb, code } = input.record;
  const key = listNames(input.constraintColumns);
  if (code === '23P01') return exclusionViolation(verb);
  if (isIndexBuild(verb) || verb === 'alter table') {
    return 'Rows with equal keys are in the table already: find them with GROUP BY ... HAVING count(*) > 1, then merge or delete them first.';
  }
  if (verb.startsWith('create')) {
    return 'Another session created the same name at the same moment: use IF NOT EXISTS, and create it from one session only.';
  }
  const target = conflictTarget(input);
  switch (verb) {
    case 'update':
      return `Another row holds this key${key === null ? '' : ` (${key})`}: choose another value, or change or merge that row first.`;
    case 'copy':
      return `COPY into a staging table, then INSERT ... SELECT ... ON CONFLICT${target ?? ''} DO NOTHING from it.`;
    case 'merge':
      return `MERGE cannot guard a key against other sessions: use INSERT ... ON CONFLICT${target ?? ''} DO UPDATE.`;
    default:
      break;
  }
  if (isDeferrable(input)) {
    return 'Update the row that holds this key, or choose another key. The constraint is deferrable, so ON CONFLICT cannot name it.';
  }
  const instruction =
    target === null
      ? 'Use INSERT ... ON CONFLICT DO NOTHING, or update the existing row.'
      : `Use INSERT ... ON CONFLICT${target} DO NOTHING or DO UPDATE, or update the existing row.`;
  return `${instruction}${generatedKey(input)}`;
};

function exclusionViolation(verb: string): string {
  return verb === 'insert'
    ? 'The row overlaps an existing one: choose other values, change the existing row, or use INSERT ... ON CONFLICT DO NOTHING.'
    : 'The row overlaps an existing one: choose other values, or change the existing row first.';
}

/** ` (email)` where ON CONFLICT can infer the index from columns alone, else null. */
function conflictTarget(input: TemplateInput): string | null {
  const found = constraintOf(input);
  const columns = bareColumnList(input.constraintColumns);
  // A partial index needs its own WHERE in the target, a deferrable constraint cannot be a target.
  if (found === null || columns === null || /\bWHERE\b|\bDEFERRABLE\b/i.test(found.constraint.definition)) {
    return null;
  }
  return ` (${columns})`;
}

function isDeferrable(input: TemplateInput): boolean {
  return /(?<!NOT )\bDEFERRABLE\b/i.test(constraintOf(input)?.constraint.definition ?? '');
}

function generatedKey(input: TemplateInput): string {
  const [column, ...more] = input.constraintColumns;
  const isKey = constraintOf(input)?.constraint.kind === 'primary_key';
  return isKey && column !== undefined && more.length === 0 && isPlainName(column)
    ? ` Leave ${column} out if it has a default.`
    : '';
}

function constraintOf({ record, tables }: TemplateInput): ReturnType<typeof findConstraint> {
  return record.object?.kind === 'constraint' ? findConstraint(tables, record.object.name) : null;
}

/** 23503 and 23001: a parent is missing, or a child is still there. */
export const foreignKeyViolation: NoteTemplate = (input) => {
  const { verb, code, phase } = input.record;
  const found = constraintOf(input);
  const columns = listNames(input.constraintColumns);
  const parent = parentName(found?.constraint.references);
  if (verb === 'alter table' || verb.startsWith('create')) {
    return 'Rows without a parent are in the table already: find them with NOT EXISTS and correct them, or add the key as NOT VALID first.';
  }
  if (code === '23001' || verb === 'delete' || (verb === 'update' && found === null)) {
    return 'Other rows still refer to this row: delete them or point them elsewhere first, in the same transaction.';
  }
  const key = columns === null ? 'The foreign key' : `(${columns})`;
  const match = parent === null ? 'a row of the table it refers to' : `a row of ${parent}`;
  if (phase === 'commit' || verb === 'commit') {
    return `The check ran at COMMIT and the whole transaction was rolled back. ${key} must match ${match}: insert that row before COMMIT.`;
  }
  if (verb === 'update' || verb === 'merge' || verb === '') {
    return `${key} must match ${match}: insert that row first, use a key that is there, or first move the rows that still refer to the old key.`;
  }
  return `${key} must match ${match}: insert that row first, or use a key that is there.`;
};

function parentName(references: string | undefined): string | null {
  if (references === undefined) return null;
  const name = references.slice(references.lastIndexOf('.') + 1);
  return isPlainName(name) ? name : null;
}

/** 23502 names a column; 22004 is about an argument of a function. */
export const notNullViolation: NoteTemplate = (input) => {
  const { code, object, verb } = input.record;
  if (code === '22004') {
    return 'A NULL was passed where none is allowed: pass a value, or wrap the argument in COALESCE.';
  }
  const column = object?.kind === 'column' ? input.objectName : null;
  if (verb === 'alter table') {
    return `Rows with a NULL ${column === null ? 'in this column' : `in ${column}`} are in the table: fill them first, or add the column with a DEFAULT, then SET NOT NULL.`;
  }
  const instruction = `Give ${column ?? 'the column the error names'} a value that is not NULL; leave it out only if it has a default.`;
  return instruction + requiredColumns(input);
};

function requiredColumns(input: TemplateInput): string {
  const table = input.tables.find(({ name }) => input.record.object?.name.startsWith(`${name}.`) === true);
  if (table === undefined || !isPlainName(table.name)) return '';
  const list = listNames(
    table.columns.filter((column) => column.isNotNull).map((column) => column.name),
    80,
    12,
  );
  return list === null || !list.includes(',') ? '' : ` NOT NULL columns of ${table.name}: ${list}.`;
}

/** 23514, 44000: a condition on the row does not hold, or no partition takes it. */
export const checkViolation: NoteTemplate = (input) => {
  const { code, object, verb } = input.record;
  if (code === '44000') {
    return 'The row must satisfy the WHERE clause of the view (WITH CHECK OPTION): change the values so that the view can see the row.';
  }
  if (code === '23514' && object?.kind === 'table') {
    return 'No partition accepts this row: change the value of the partition key, or create the partition for it first.';
  }
  const constraint = object?.kind === 'constraint' ? input.objectName : null;
  if (verb === 'alter table') {
    return 'Rows that break this check are in the table already: correct them first, or add the check as NOT VALID.';
  }
  return constraint === null
    ? 'Change the values so that the check holds. Its rule can be read with pg_get_constraintdef.'
    : `Change the values so that ${constraint} holds. Its rule can be read with pg_get_constraintdef.`;
};

/** P0001 to P0004, 27000 and whatever RAISE raised: the schema's own rules. */
export const ruleRaised: NoteTemplate = (input) => {
  switch (input.record.code) {
    case 'P0002':
      return 'SELECT ... INTO STRICT in a function found no row: pass a key that is there, or insert the row first.';
    case 'P0003':
      return 'SELECT ... INTO STRICT in a function found several rows: pass a key that selects exactly one.';
    case '27000':
      return 'A BEFORE trigger has changed the same row already: change the row once, or leave that change to the trigger.';
    default:
      break;
  }
  const instruction = `${raiser(input)} refuses this: read its message, and change the values so that the rule holds.`;
  return `${instruction} The rule itself can be read with pg_get_functiondef.`;
};

function raiser({ record, objectName }: TemplateInput): string {
  if (record.object?.kind !== 'routine' || objectName === null) return 'A rule in a trigger or function';
  const { name, line } = splitRoutine(objectName);
  return line === null ? `The rule in function ${name}` : `The rule in function ${name} (line ${line})`;
}

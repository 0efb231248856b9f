/** Notes for what a check, a trigger or a rule of the schema refused. */

import { splitRoutine } from '../../../src/core/notes/input.js';
import { listNames } from '../../../src/core/notes/listing.js';
import { isShownName } from '../../../src/core/notes/safe-name.js';
import type { NoteTemplate, TemplateInput } from '../../../src/core/notes/templates.js';

/** 23502 names a column; 22004 is about an argument of a function. */
export const notNullViolation: NoteTemplate = (input) => {
  const { code, object, verb } = input.record;
  if (code === '22004') {
    return 'A NULL was passed where none is allowed: pass a value, or wrap the argument in COALESCE.';
  }
  const column = object?.kind === 'column' ? input.objectName : null;
  if (object?.kind === 'type') return domainNotNull(verb);
  if (verb.startsWith('alter')) {
    return `Rows with a NULL ${column === null ? 'in this column' : `in ${column}`} are in the table: fill them first, or add the column with a DEFAULT, then SET NOT NULL.`;
  }
  const instruction = `Give ${column ?? 'the column the error names'} a value that is not NULL; leave it out only if it has a default.`;
  return instruction + requiredColumns(input);
};

/** The error of a domain names the type and no column. */
function domainNotNull(verb: string): string {
  return verb.startsWith('alter')
    ? 'Rows with a NULL are in columns of this domain: fill them first, then SET NOT NULL.'
    : 'A domain takes no NULL: give each column and expression of that domain a value; leave a column out only if it has a default.';
}

function requiredColumns(input: TemplateInput): string {
  const table = input.tables.find(({ name }) => input.record.object?.name.startsWith(`${name}.`) === true);
  if (table === undefined || !isShownName(table.name)) return '';
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
  if (code === '23514' && object?.kind === 'table') return outsidePartition(input);
  const constraint = object?.kind === 'constraint' ? input.objectName : null;
  if (verb.startsWith('alter')) {
    return 'Rows that break this check are in the table already: correct them first, or add the check as NOT VALID.';
  }
  return constraint === null
    ? 'Change the values so that the check holds. Read its rule with SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE conname is its name.'
    : `Change the values so that ${constraint} holds. Read its rule with SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE conname is its name.`;
};

/** 23514 without a constraint is about the bounds of a partition. */
function outsidePartition({ record, error }: TemplateInput): string {
  const { verb } = record;
  const isDefault = error?.routine === 'check_default_partition_contents';
  if (isDefault || verb.startsWith('create')) {
    return 'The default partition holds rows that belong to the new partition: move them out of it first, and INSERT them into the parent table after that.';
  }
  if (verb.startsWith('alter')) {
    return 'Rows lie outside of the bounds given, or the default partition holds rows within them: move those rows first.';
  }
  switch (error?.routine) {
    case 'ExecFindPartition':
      return 'No partition accepts this row: change the value of the partition key, or create the partition for it first.';
    case 'ExecPartitionCheck':
    case 'ExecPartitionCheckEmitError':
      return 'The row lies outside of the bounds of this partition: write to the parent table, which finds the right partition, or change the partition key.';
    default:
      return 'No partition accepts this row here: write to the parent table, change the value of the partition key, or create the partition for it first.';
  }
}

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
  return `${instruction} Read the rule with SELECT pg_get_functiondef(oid) FROM pg_proc WHERE proname is the function.`;
};

function raiser({ record, objectName }: TemplateInput): string {
  if (record.object?.kind !== 'routine' || objectName === null) return 'A rule in a trigger or function';
  const { name, line } = splitRoutine(objectName);
  return line === null ? `The rule in function ${name}` : `The rule in function ${name} (line ${line})`;
}

/**
 * 1062 and its kin: the row is there already. INSERT IGNORE is never offered: it drops rows of any other fault as well,
 * cuts texts that are too long and stores what does not convert as zero, all without an error.
 */
import { listNames } from '../../../src/core/notes/listing.js';
import { isShownName } from '../../../src/core/notes/safe-name.js';
import type { NoteTemplate, TemplateInput } from '../../../src/core/notes/templates.js';
import { buildsKey, isMariadb } from './product.js';
import { isOwnRow, violatedConstraint } from './violated.js';

export const uniqueViolation: NoteTemplate = (input) => {
  const { code, verb } = input.record;
  switch (code) {
    case '1569':
      return 'The change renumbers a row whose AUTO_INCREMENT value is 0 onto one that is taken: give that row another value first, or add NO_AUTO_VALUE_ON_ZERO to sql_mode.';
    case '1761':
    case '1762':
      return 'ON UPDATE CASCADE would give a row of another table a key that is taken there: change or delete that row first, then this one.';
    case '1869':
      return 'The value collides with one that AUTO_INCREMENT hands out itself: leave that column out of the UPDATE.';
    default:
      break;
  }
  if (code === '1022' && verb !== 'insert' && buildsKey(verb)) {
    return 'Rows with equal keys, or a foreign key of this name, are there already: merge the rows first, or choose another name for the constraint.';
  }
  if (buildsKey(verb)) {
    return 'Rows with equal keys are in the table already: find them with GROUP BY ... HAVING COUNT(*) > 1, then merge or delete them first.';
  }
  const key = listNames(input.constraintColumns);
  const ofKey = key === null ? '' : ` (${key})`;
  if (verb === 'create table') {
    return `The SELECT behind the new table gives two rows with one key${ofKey}: make it give one row a key, as with GROUP BY.`;
  }
  if (verb === 'load data' || verb === 'load xml') {
    return 'LOAD the file into a staging table without keys, then INSERT ... SELECT ... ON DUPLICATE KEY UPDATE from it.';
  }
  if (!isOwnRow(input)) return otherTable(input, ofKey);
  if (verb === 'update') return updated(input, ofKey);
  return verb === 'insert' ? inserted(input, ofKey) : otherTable(input, ofKey);
};

/** The row came from a trigger or a routine: what wrote it is not known. */
function otherTable(input: TemplateInput, ofKey: string): string {
  const name = violatedConstraint(input)?.table.name ?? input.errorTable?.name;
  const row = name === undefined || !isShownName(name) ? 'A row' : `A row of ${name}`;
  return `${row} has this key${ofKey} already: use another key, or change that row first. A trigger or routine may be what writes it.`;
}

function updated({ shape }: TemplateInput, ofKey: string): string {
  const isShift = / set \S+ = \S+ [+-] \?/.test(shape) && !/\border by\b/.test(shape);
  return isShift
    ? `To move keys${ofKey} past each other add ORDER BY that column, DESC where they grow. Else another row holds the key: choose another value.`
    : `Another row holds this key${ofKey}: choose another value, or change or merge that row first.`;
}

function inserted(input: TemplateInput, ofKey: string): string {
  if (/\bon duplicate key update\b/.test(input.shape)) {
    return `The row that ON DUPLICATE KEY UPDATE changes takes a key${ofKey} that a third row holds: choose another value, or change that row first.`;
  }
  return `Use INSERT ... ${updateClause(input)}, or update the row that has this key${ofKey}.${generatedKey(input)}`;
}

/** MySQL has a name for the new row from 8.0.19 on, and is giving up VALUES(column) for it; MariaDB has VALUES(column) alone. */
function updateClause(input: TemplateInput): string {
  const isSelected = /\bselect\b/.test(input.shape);
  if (isMariadb(input)) {
    return isSelected
      ? 'SELECT ... ON DUPLICATE KEY UPDATE c = VALUES(c)'
      : 'VALUES (...) ON DUPLICATE KEY UPDATE c = VALUES(c)';
  }
  return isSelected
    ? 'SELECT * FROM (SELECT ...) AS new ON DUPLICATE KEY UPDATE c = new.c'
    : 'VALUES (...) AS new ON DUPLICATE KEY UPDATE c = new.c';
}

function generatedKey(input: TemplateInput): string {
  const [column, ...more] = input.constraintColumns;
  const isKey = violatedConstraint(input)?.constraint.kind === 'primary_key';
  return isKey && column !== undefined && more.length === 0 && isShownName(column)
    ? ` To add one more row leave ${column} out, if it is AUTO_INCREMENT.`
    : ' To keep the row as it is, set a column to itself there.';
}

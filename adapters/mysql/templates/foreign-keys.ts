/**
 * 1451 and 1452 with their kin: a child is still there, or a parent is missing; the number tells which, the message both
 * the child's table and the key. Switching foreign_key_checks off is no advice: it leaves rows that refer to nothing.
 */
import { listNames } from '../../../src/core/notes/listing.js';
import { isShownName } from '../../../src/core/notes/safe-name.js';
import type { NoteTemplate, TemplateInput } from '../../../src/core/notes/templates.js';
import { violatedConstraint } from './violated.js';

export const foreignKeyViolation: NoteTemplate = (input) => {
  switch (input.record.code) {
    case '1216':
    case '1452':
      return parentMissing(input);
    case '1701':
      return `TRUNCATE takes no table that others refer to: use DELETE FROM, which checks each row, after deleting the rows of ${childName(input)} that refer to it.`;
    case '3730':
      return stillDeclared(input);
    default:
      return stillReferenced(input);
  }
};

function childName(input: TemplateInput): string {
  const name = violatedConstraint(input)?.table.name ?? input.errorTable?.name;
  return name === undefined || !isShownName(name) ? 'the other table' : name;
}

/** The columns of the key, which are the child's: `user_id` of `orders`. */
function keyColumns(input: TemplateInput): string {
  const columns = listNames(input.constraintColumns);
  return columns === null ? '' : ` (${columns})`;
}

function parentMissing(input: TemplateInput): string {
  const { verb } = input.record;
  const references = violatedConstraint(input)?.constraint.references;
  const parent = references?.slice(references.lastIndexOf('.') + 1);
  const isShown = parent !== undefined && isShownName(parent);
  if (verb.startsWith('alter') || verb.startsWith('create')) {
    return 'Rows without a parent are in the table already: find them with LEFT JOIN the parent ... WHERE the key of the parent IS NULL, and correct them before adding the key.';
  }
  const key = keyColumns(input);
  return `${key === '' ? 'The foreign key' : key.trim()} must match a row of ${isShown ? parent : 'the table it refers to'}: insert that row first, or use a key that is there.`;
}

function stillReferenced(input: TemplateInput): string {
  const { verb } = input.record;
  const child = childName(input);
  if (verb.startsWith('drop') || verb === 'truncate') return stillDeclared(input);
  if (verb === 'replace') {
    return `REPLACE deletes the old row first, and rows of ${child}${keyColumns(input)} refer to it: use INSERT ... ON DUPLICATE KEY UPDATE, which keeps the row.`;
  }
  if (verb === 'load data') {
    return `REPLACE deletes the old row first, and rows of ${child}${keyColumns(input)} refer to it: LOAD into a staging table, then INSERT ... SELECT ... ON DUPLICATE KEY UPDATE.`;
  }
  return `Rows of ${child}${keyColumns(input)} still refer to this row: delete them or point them elsewhere first, in the same transaction.`;
}

/** About the declaration, whatever the rows; where the error is silent on the key, as MariaDB's is, the catalog tells. */
function stillDeclared(input: TemplateInput): string {
  return input.record.object === null && input.error?.table === undefined ? keysTo(input) : keyInError(input);
}

function keysTo({ schema, tables }: TemplateInput): string {
  const keys = tables.flatMap((parent) =>
    (schema?.referencing(parent) ?? []).flatMap(({ name: child, constraints }) =>
      constraints
        .filter(({ references }) => references === `${parent.schema}.${parent.name}` && child !== parent.name)
        .map(({ name }) => ({ child, name })),
    ),
  );
  const [only] = keys;
  if (only !== undefined && keys.length === 1 && isShownName(only.child)) {
    return dropKey(only.child, isShownName(only.name) ? only.name : 'key');
  }
  const children = listNames([...new Set(keys.map(({ child }) => child))]);
  return children === null
    ? dropKey(null, 'key')
    : `Foreign keys of ${children} refer to this table: drop those first, or ALTER TABLE ... DROP FOREIGN KEY for each, if they may go.`;
}

function dropKey(child: string | null, key: string): string {
  const table = child ?? 'the other table';
  return `A foreign key of ${table} refers to this table: drop ${table} first, or ALTER TABLE ${child ?? 'child'} DROP FOREIGN KEY ${key}, if that may go.`;
}

function keyInError(input: TemplateInput): string {
  const name = input.record.object?.kind === 'constraint' ? input.objectName : null;
  const child = childName(input);
  return dropKey(child === 'the other table' ? null : child, name ?? 'key');
}

/** Notes for a NULL where none may be, for what a check refused, and for rules of triggers and routines. */
import { listNames } from '../../../src/core/notes/listing.js';
import { isShownName } from '../../../src/core/notes/safe-name.js';
import type { NoteTemplate, TemplateInput } from '../../../src/core/notes/templates.js';
import type { TableModel } from '../../../src/core/schema/model.js';
import { isMariadb } from './product.js';
import { violatedConstraint } from './violated.js';

export const notNullViolation: NoteTemplate = (input) => {
  const { code, object, verb } = input.record;
  const column = object?.kind === 'column' ? input.objectName : null;
  switch (code) {
    case '1138':
      return verb.startsWith('alter') || verb.startsWith('create')
        ? 'Rows with a NULL are in the column: UPDATE them to a value first, then make it NOT NULL.'
        : 'A NULL was passed where none is allowed: pass a value, or wrap the argument in COALESCE.';
    case '1263':
    case '4154':
      return `The file has a NULL for ${column ?? 'a column'} that takes none: give it a value there, or LOAD DATA ... SET ${column === null ? 'c' : lastOf(column)} = COALESCE(@v, value).`;
    case '1364':
      return `${column ?? 'The column the error names'} has no default: name it in the column list and give it a value that is not NULL.${requiredColumns(input)}`;
    case '1423':
      return 'The table behind the view has a column without a default that the view does not show: insert into the table itself, with a value for it.';
    default:
      return verb === 'update'
        ? `Set ${column ?? 'the column the error names'} to a value that is not NULL, or leave it out of SET.`
        : `Give ${column ?? 'the column the error names'} a value that is not NULL; to get its default leave it out of the column list, or write DEFAULT.${requiredColumns(input)}`;
  }
};

function lastOf(name: string): string {
  return name.slice(name.lastIndexOf('.') + 1);
}

function requiredColumns({ errorTable, target, tables }: TemplateInput): string {
  const table = errorTable ?? target ?? (tables.length === 1 ? (tables[0] ?? null) : null);
  if (table === null || !isShownName(table.name)) return '';
  const list = listNames(
    table.columns.filter((column) => column.isNotNull).map((column) => column.name),
    80,
    12,
  );
  return list === null || !list.includes(',') ? '' : ` NOT NULL columns of ${table.name}: ${list}.`;
}

/** A condition on the row does not hold, or no partition takes it. */
export const checkViolation: NoteTemplate = (input) => {
  const { code, verb } = input.record;
  switch (code) {
    case '1369':
      return 'The row must satisfy the WHERE clause of the view (WITH CHECK OPTION): change the values so that the view can see the row.';
    case '1526':
    case '1591':
      return 'No partition takes this row: change the value of the partition key, or add a partition for it first with ALTER TABLE ... ADD PARTITION or REORGANIZE PARTITION.';
    case '1748':
      return 'The row does not belong to the partition that is named: leave PARTITION (...) out, or name the right one.';
    case '1737':
    case '1863':
      return 'A row lies outside of the bounds of the partition: move such rows out of the table first.';
    case '3934':
      return 'The document does not fit the JSON schema of the check: read the message, and change the document so that it does.';
    default:
      break;
  }
  if (verb.startsWith('alter') || verb.startsWith('create')) {
    return `Rows that break this check are in the table already: correct them first${isMariadb(input) ? '' : ', or add the check as NOT ENFORCED'}.`;
  }
  return brokenCheck(input);
};

const jsonCheck = /^CHECK \(+json_valid\([^()]+\)\)+(?: NOT ENFORCED)?$/i;

/** MariaDB has no JSON type: such a column is text with a check, which has the name of the column as all of its checks do. */
function brokenCheck(input: TemplateInput): string {
  const found = violatedConstraint(input);
  const name = input.record.object?.kind === 'constraint' ? input.objectName : null;
  if (found !== null && jsonCheck.test(found.constraint.definition)) {
    return `${name ?? 'The column'} takes valid JSON only: build the value with JSON_OBJECT, JSON_ARRAY or JSON_QUOTE, with double quotes around keys and texts.`;
  }
  const isOfColumn = isMariadb(input) && found?.table.columns.some((column) => column.name === name);
  const what = name === null ? 'the check' : isOfColumn ? `the check of column ${name}` : name;
  return `Change the values so that ${what} holds. Read its rule with SHOW CREATE TABLE ${shownTable(found?.table ?? input.errorTable ?? input.target)}.`;
}

function shownTable(table: TableModel | null): string {
  return table !== null && isShownName(table.name) ? table.name : 'of the table';
}

/** SIGNAL, whatever it raised, and what a routine did not handle. */
export const ruleRaised: NoteTemplate = ({ record: { code, verb } }) => {
  if (code === '1329') {
    return 'A FETCH in the routine found no more rows, and nothing handles that: DECLARE CONTINUE HANDLER FOR NOT FOUND in it, or pass it keys that are there.';
  }
  const where = verb === 'call' ? 'routine' : 'trigger or routine';
  const read = verb === 'call' ? 'SHOW CREATE PROCEDURE' : 'SHOW TRIGGERS and SHOW CREATE TRIGGER';
  return `A rule in a ${where} refuses this: read its message, and change the values so that the rule holds. Read the rule with ${read}.`;
};

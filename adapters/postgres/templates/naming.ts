/** Notes for names that are not there, are there already, or may not be used by this role. */
import { listNames, onlyTable } from '../../../src/core/notes/listing.js';
import type { NoteTemplate, TemplateInput } from '../../../src/core/notes/templates.js';
import { lastPart } from '../../../src/core/notes/written-table.js';
import { foreignFunction, foreignWord } from './foreign-functions.js';
import { foreignShow } from './foreign-syntax.js';
import { isKnownForeignType, missingType } from './foreign-types.js';
import { isBareName } from './listed-names.js';

export const undefinedObject: NoteTemplate = (input) => {
  const { code, verb } = input.record;
  // DROP OWNED is about a role and takes no IF EXISTS.
  if (verb.startsWith('drop') && verb !== 'drop owned' && code !== '42703') {
    return 'There is nothing of this name to drop: use DROP ... IF EXISTS, or check the name and its schema.';
  }
  switch (code) {
    case '42703':
      return undefinedColumn(input);
    case '42P01':
      return undefinedTable(input);
    case '42883':
      return foreignFunction(lastPart(input.record.object?.name ?? '')) ?? noSuchFunction;
    case '42P02':
      return 'A parameter is used that has no value: number them $1, $2 and so on, and pass one value for each.';
    case '3F000':
      return 'There is no such schema: check the name in pg_namespace, or CREATE SCHEMA first.';
    case '3D000':
      return 'There is no such database: check the name in pg_database, and connect to that database.';
    case '0P000':
      return 'There is no such role: check the name in pg_roles.';
    case '42704':
      return verb === 'drop owned' || verb === 'reassign'
        ? 'There is no such role: check the name in pg_roles.'
        : noSuchSettingOrType(input);
    case '58P01':
      if (verb !== 'copy') {
        return 'The server has no such file or library: check the name, and have it installed on the server if it is missing.';
      }
      return 'The server has no such file: COPY reads files of the server, so send data of the client with COPY ... FROM STDIN.';
    default:
      return noSuchObject;
  }
};

const noSuchObject =
  'There is no such type, setting, index, role or other object: check its name and schema in the catalog, or CREATE it first.';

const noSuchFunction =
  'No function of this name takes these argument types: check its name in pg_proc, and cast each argument to the declared type with CAST(x AS type).';

/** 42704 is of many kinds of objects; the routine tells settings and types, and else the word itself. */
function noSuchSettingOrType({ record: { verb, object }, shape, error }: TemplateInput): string {
  const name = lastPart(object?.name ?? '');
  const isSetting = /^(?:find_option|assignable_custom_variable_name)$/.test(error?.routine ?? '');
  if (isSetting || (verb === 'show' && error === null)) {
    return foreignShow(shape) ?? 'There is no such setting: look its name up in pg_settings.';
  }
  const isType = error === null ? isKnownForeignType(name) : error.routine === 'typenameType';
  return isType ? missingType(name) : noSuchObject;
}

/** True where SET assigns to a name with something before it, which is read as the field of a column. */
function isQualifiedTarget({ record: { object }, shape, error }: TemplateInput): boolean {
  const name = object?.name ?? '';
  if (!name.includes('.')) return false;
  if (error?.routine !== undefined && error.routine !== 'transformUpdateTargetList') return false;
  return shape.includes(` set ${name} =`) || shape.includes(` , ${name} =`);
}

/** A column that is there, but not where it is read. */
function isElsewhere({ record: { object }, tables }: TemplateInput): boolean {
  const name = lastPart(object?.name ?? '');
  return tables.some(({ columns }) => columns.some((column) => column.name === name));
}

function isNamedInSelect(name: string, shape: string): boolean {
  return name !== '' && !name.includes('.') && `${shape} `.includes(` as ${name} `);
}

function undefinedColumn(input: TemplateInput): string {
  const name = input.record.object?.name ?? '';
  if (isQualifiedTarget(input)) {
    return 'The columns that SET assigns take no alias or table name before them: write SET column = value.';
  }
  const foreign = foreignWord(name, input.shape);
  if (foreign !== null) return foreign;
  if (isNamedInSelect(name, input.shape)) {
    return 'A name that SELECT gives with AS is not known in WHERE, HAVING, ON or the select list itself: repeat the expression there, or select from a subquery that gives the name.';
  }
  if (isElsewhere(input)) {
    return 'A table of the statement has this column, but not the one it is read from here: write the alias of the table that has it, and let a subquery select it.';
  }
  const close = input.suggestionKind === 'column' ? closeNames(input) : '';
  if (close !== '') return `There is no such column: use an existing one. ${close}`;
  const table = onlyTable(input);
  const columns =
    table === null
      ? null
      : listNames(
          table.columns.map((column) => column.name),
          120,
          12,
        );
  const existing =
    table === null || columns === null
      ? 'There is no such column in these tables: look it up in information_schema.columns.'
      : `There is no such column: ${table.name} has ${columns}.`;
  return `${existing} Text values go in single quotes, double quotes make a name.`;
}

function undefinedTable(input: TemplateInput): string {
  const { object } = input.record;
  if (object?.name === 'dual') return 'There is no table dual: leave FROM dual out.';
  const isTable = input.error?.routine === 'parserOpenTable';
  if (object === null && !isTable && /\b(?:nextval|currval|setval) \(/.test(input.shape)) {
    return 'There is no such sequence: look up its name and schema in pg_sequences; of a serial or identity column pg_get_serial_sequence(table, column) tells it.';
  }
  const close = closeNames(input);
  if (input.suggestionKind === 'table' && close !== '') {
    return `There is no such table or view here: use an existing one. ${close}`;
  }
  const isAlias = input.tables.length > 0 && input.record.object?.name.includes('.') === true;
  return isAlias
    ? 'FROM names no table or alias of this name: write the alias exactly as FROM gives it, or add the table to FROM.'
    : 'There is no such table or view here: check the name and its schema in pg_tables, and write schema.table if it is not in search_path.';
}

function closeNames({ suggestions }: TemplateInput): string {
  if (suggestions.length === 0) return '';
  const isQuoted = suggestions.some((name) => !name.split('.').every(isBareName));
  const hint = isQuoted ? ' (names with capitals and reserved words need double quotes)' : '';
  return `Close names: ${suggestions.join(', ')}${hint}.`;
}

/** What CREATE OR REPLACE is there for, and what IF NOT EXISTS; the rest has neither. */
const replaceable = /^create (?:view|function|procedure|aggregate|trigger|rule|language|transform)$/;
const conditional =
  /^create (?:table|index|sequence|schema|materialized view|foreign table|extension|server|user mapping|collation|statistics)$/;

export const duplicateObject: NoteTemplate = ({ record: { code, verb }, shape }) => {
  const isRenaming = /\brename\b/.test(shape) || /\bset schema\b/.test(shape);
  if (verb.startsWith('alter') && isRenaming) return nameTaken;
  switch (code) {
    case '42701':
      return verb === 'alter table'
        ? 'The table has this column: use ADD COLUMN IF NOT EXISTS, or ALTER COLUMN to change it.'
        : 'A column is named twice: name each column once.';
    case '42P07':
      return verb === 'alter table' || verb.startsWith('alter') ? nameTaken : objectIsThere(verb, shape);
    case '42723':
      return `A routine of this name and these arguments is there: use CREATE OR REPLACE${verb.startsWith('create ') ? verb.slice(6).toUpperCase() : ''}.`;
    case '42P06':
      return 'A schema of this name is there: use CREATE SCHEMA IF NOT EXISTS, or another name.';
    case '42P04':
      return 'A database of this name is there: use it, or choose another name.';
    case '42P05':
      return 'A prepared statement of this name is open in this session: EXECUTE it, DEALLOCATE it first, or use another name.';
    case '42P03':
      return 'A cursor of this name is open: CLOSE it first, or use another name.';
    case '58P02':
      return 'A file of this name is on the server: choose another name.';
    default:
      return objectIsThere(verb, shape);
  }
};

const nameTaken = 'The new name is taken: choose another name, or rename what holds it first.';

function objectIsThere(verb: string, shape: string): string {
  const kind = verb.slice('create '.length).toUpperCase();
  const isConstraintTrigger = /\bconstraint trigger\b/.test(shape);
  if (replaceable.test(verb) && !isConstraintTrigger && !/\bor replace\b/.test(shape)) {
    return `An object of this name is there: use CREATE OR REPLACE ${kind} if it is one and may be changed, or choose another name.`;
  }
  if (conditional.test(verb)) {
    return `An object of this name is there: use CREATE ${kind} IF NOT EXISTS if its definition fits, else ALTER it or choose another name.`;
  }
  return 'An object of this name is there: look at it in the catalog, then use or ALTER it, DROP it first if it may go, or choose another name.';
}

/** Rights are not the statement's to change: the note says so and stops. */
export const permission: NoteTemplate = ({ record: { code, isStructural, verb }, shape, error }) => {
  const isOfFile = error?.routine === undefined || error.routine === 'DoCopy';
  if (code === '42501' && verb === 'copy' && isOfFile && /\b(?:to|from) (?:program )?\?/.test(shape)) {
    return 'Files and programs of the server are closed to this role: use COPY ... TO STDOUT or FROM STDIN, or the copy command of psql, with a file of the client.';
  }
  switch (code) {
    case '28000':
    case '28P01':
      return 'The server does not accept this login: no statement can change that. Ask for valid credentials.';
    case '0LP01':
    case '0L000':
      return 'This right cannot be granted in this form: grant a privilege that exists for the kind of object, as a role that holds it WITH GRANT OPTION.';
    default:
      return code === '42501' && !isStructural
        ? 'A row-level security policy refuses this row: write only rows that the policies in pg_policies allow to this role.'
        : 'This role has no right to do this, and no form of the statement can change that. Ask the owner for a GRANT, or stop here.';
  }
};

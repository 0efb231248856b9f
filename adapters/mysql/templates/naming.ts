/** Notes for names that are not there. */
import { listNames, onlyTable } from '../../../src/core/notes/listing.js';
import { isShownName } from '../../../src/core/notes/safe-name.js';
import type { NoteTemplate, TemplateInput } from '../../../src/core/notes/templates.js';
import { lastPart } from '../../../src/core/notes/written-table.js';
import { foreignFunction, foreignWord } from './foreign-functions.js';
import { triggerBody } from './foreign-routines.js';
import { fullJoin } from './foreign-syntax.js';
import { missingType } from './foreign-types.js';
import { forProduct, isMariadb } from './product.js';
import { foreignSetting } from './settings.js';

export const undefinedObject: NoteTemplate = (input) => {
  const { code, verb, object } = input.record;
  const name = lastPart(object?.name ?? '');
  switch (code) {
    case '1054':
      return undefinedColumn(input);
    case '1051':
      return nothingToDrop(input);
    case '4091':
    case '4092':
      return verb.startsWith('drop')
        ? nothingToDrop(input)
        : `There is no such ${code === '4091' ? 'sequence' : 'view'} here: check its name and database, or CREATE it first.`;
    case '1109':
      return verb === 'delete'
        ? 'DELETE of several tables names those it deletes from as FROM names them, by alias where there is one: DELETE a FROM users AS a JOIN ...'
        : undefinedTable(input);
    case '1146':
      return verb.startsWith('drop') ? nothingToDrop(input) : undefinedTable(input);
    case '1305':
    case '1630':
      return undefinedRoutine(input);
    case '1193': {
      const instead = foreignSetting(name, input);
      return instead === null
        ? 'There is no such setting or variable: look for its name with SHOW VARIABLES LIKE a part of it; variables of your own begin with @.'
        : `There is no such setting here. In its place: ${instead}.`;
    }
    case '4161':
      return (
        missingType(name, input) ??
        wordForType(name) ??
        'There is no such type: check its spelling, and use one that the manual lists.'
      );
    default:
      return verb.startsWith('drop') && ifExists.has(code)
        ? 'There is nothing of this name to drop: use DROP ... IF EXISTS, or check the name and its database.'
        : (missingAdvice(input) ?? noSuchObject);
  }
};

/** MariaDB takes any word for a type where one is to come. */
function wordForType(name: string): string | null {
  switch (name.toLowerCase()) {
    case 'in':
    case 'out':
    case 'inout':
      return 'IN, OUT and INOUT stand before the name: PROCEDURE p(IN a INT, OUT b INT).';
    case 'trigger':
      return triggerBody;
    default:
      return null;
  }
}

const ifExists: ReadonlySet<string> = new Set(['1008', '1360', '1539']);

const noSuchObject =
  'There is nothing of this name of this kind: check the name and its database with SHOW, or CREATE it first.';

/** No close names: what is dropped by mistake is gone. */
function nothingToDrop({ record: { verb } }: TemplateInput): string {
  const other =
    verb === 'drop table'
      ? ' A view goes with DROP VIEW.'
      : verb === 'drop view'
        ? ' A table goes with DROP TABLE.'
        : '';
  return `There is nothing of this name to drop: use DROP ... IF EXISTS, or check the name and its database.${other}`;
}

/** A column that is there, but not where it is read. */
function isElsewhere({ record: { object }, tables }: TemplateInput): boolean {
  const name = lastPart(object?.name ?? '').toLowerCase();
  return tables.some(({ columns }) => columns.some((column) => column.name.toLowerCase() === name));
}

const expectsExpression =
  /^(?:select|distinct|all|and|or|xor|not|in|is|like|between|by|case|when|then|else|interval|div|mod|[,(*/%+<>=!|&^~-]+)$/;

/** An alias in a select list, with AS or without: it stands behind a whole expression, and ends the item. */
function isNamedInSelect(name: string, shape: string): boolean {
  const wanted = name.toLowerCase();
  const isInList = [false];
  const tokens = shape.toLowerCase().split(' ', 4_000);
  return tokens.some((token, index) => {
    if (token === '(') isInList.push(false);
    else if (token === ')' && isInList.length > 1) isInList.pop();
    else if (token === 'select') isInList[isInList.length - 1] = true;
    else if (token === 'from') isInList[isInList.length - 1] = false;
    return (
      token === wanted &&
      isInList.at(-1) === true &&
      !expectsExpression.test(tokens[index - 1] ?? 'select') &&
      /^(?:,|from|\)|into)$/.test(tokens[index + 1] ?? ')')
    );
  });
}

function aliasAdvice(shape: string): string {
  if (/\bover \(|\bover [a-z_]/.test(shape)) {
    return 'A name that the select list gives is not known in WHERE or ON: window functions stand in no condition, so select from a subquery, FROM (SELECT ...) AS t WHERE name = 1.';
  }
  return /\b(?:sum|count|min|max|avg|group_concat) \(/.test(shape)
    ? 'A name that the select list gives is not known in WHERE or ON: put the condition into HAVING, behind GROUP BY, or select from a subquery that gives the name.'
    : 'A name that the select list gives is not known in WHERE, ON or the list itself: repeat the expression there, use HAVING, or select from a subquery that gives the name.';
}

function undefinedColumn(input: TemplateInput): string {
  const { record, shape } = input;
  const name = record.object?.name ?? '';
  if (/^\$\d+$/.test(name) || / = \$\d+\b/.test(shape)) {
    return 'Parameters are written ? here, without numbers: give one value for each, in their order.';
  }
  const foreign =
    foreignWord(lastPart(name)) ?? (/\bexcluded\./i.test(name) ? foreignWord('excluded') : null);
  if (foreign !== null) return foreign;
  if (/\bfull (?:outer )?join\b/.test(shape)) return fullJoin;
  if (isNamedInSelect(name, shape)) {
    return aliasAdvice(shape);
  }
  if (isElsewhere(input)) {
    return 'A table of the statement has this column, but not the one it is read from here: write the alias that FROM gives the table, and let a subquery select what is read outside of it.';
  }
  const close = input.suggestionKind === 'column' ? closeNames(input) : '';
  if (close !== '') return `There is no such column: use an existing one. ${close}`;
  return existingColumns(input);
}

function existingColumns(input: TemplateInput): string {
  const table = input.target ?? onlyTable(input);
  const columns =
    table === null || !isShownName(table.name)
      ? null
      : listNames(
          table.columns.map((column) => column.name),
          120,
          12,
        );
  const existing =
    table === null || columns === null
      ? 'There is no such column in these tables: look at them with SHOW COLUMNS FROM.'
      : `There is no such column: ${table.name} has ${columns}.`;
  return `${existing} Text values go in single quotes.`;
}

/** A name that WITH gives, used where it is not known: within itself, or before it. */
function ownQuery({ record: { object }, shape }: TemplateInput): string | null {
  const name = lastPart(object?.name ?? '').toLowerCase();
  const text = shape.toLowerCase();
  if (name === '' || !/\bwith\b/.test(text) || /\bwith recursive\b/.test(text)) return null;
  const given = [`with ${name} `, `, ${name} `].map((start) => text.indexOf(start)).filter((at) => at >= 0);
  const [at] = given.filter((start) => isQuery.test(text.slice(start)));
  if (at === undefined) return null;
  const used = ['from', 'join'].map((word) => text.indexOf(` ${word} ${name}`)).filter((use) => use >= 0);
  return Math.min(...used) < at
    ? 'WITH gives this name only further behind: put its query before those that use it.'
    : 'A query of WITH that names itself needs WITH RECURSIVE x AS (start UNION ALL step).';
}

const isQuery = /^(?:with|,) \S+ (?:\( [^()]* \) )?as \(/;

function undefinedTable(input: TemplateInput): string {
  const own = ownQuery(input);
  if (own !== null) return own;
  const close = closeNames(input);
  if (input.suggestionKind === 'table' && close !== '') {
    return `There is no such table or view here: use an existing one. ${close}`;
  }
  if (/^seq_\d/.test(lastPart(input.record.object?.name ?? '')) && !isMariadb(input)) {
    return 'MySQL has no tables of numbers: write WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10).';
  }
  return 'There is no such table or view here: look with SHOW TABLES, and write database.table if it is in another database. On most servers capitals matter.';
}

function closeNames({ suggestions }: TemplateInput): string {
  return suggestions.length === 0 ? '' : `Close names: ${suggestions.join(', ')}.`;
}

function undefinedRoutine(input: TemplateInput): string {
  const { verb, object } = input.record;
  const foreign = foreignFunction(object?.name ?? '', input);
  if (foreign !== null && verb !== 'call') return foreign;
  if (verb.startsWith('drop')) {
    return 'There is nothing of this name to drop: use DROP ... IF EXISTS, or check the name and its database.';
  }
  if (verb === 'uninstall' || /^PLUGIN /.test(input.error?.message ?? '')) {
    return 'There is no such plugin: look with SHOW PLUGINS.';
  }
  return verb === 'call' || /^PROCEDURE /.test(input.error?.message ?? '')
    ? 'There is no such procedure in this database: look with SHOW PROCEDURE STATUS, and write database.procedure if it is in another one; functions are called with SELECT.'
    : 'There is no such function: check its spelling, write no space before its bracket, and look for stored ones with SHOW FUNCTION STATUS; a procedure is called with CALL.';
}

function missingAdvice(input: TemplateInput): string | null {
  const { code, verb } = input.record;
  switch (code) {
    case '13':
    case '29':
    case '1017':
      return 'The server has no such file: without LOCAL it reads files of its own, so name one there, or send one of the client with LOAD DATA LOCAL INFILE.';
    case '22':
    case '1115':
    case '1273':
      return forProduct(
        input,
        'There is no such character set or collation: look with SHOW COLLATION; those of MariaDB alone, such as utf8mb4_uca1400_ai_ci, are utf8mb4_0900_ai_ci here.',
        'There is no such character set or collation: look with SHOW COLLATION; those of MySQL alone, such as utf8mb4_0900_ai_ci, are utf8mb4_unicode_520_ci here.',
      );
    case '1':
    case '1049':
    case '3503':
      return 'There is no such database, or this account may not see it: look with SHOW DATABASES, or CREATE DATABASE first.';
    case '1072':
    case '3734':
    case '3820':
      return `The key or constraint names a column that the table does not have: define the column first, or correct the name.${verb.startsWith('create table') ? '' : tableColumns(input)}`;
    case '1082':
    case '1176':
      return 'The table has no such index: look with SHOW INDEX FROM it, and correct the hint or leave it out.';
    case '1091':
      return nothingToRemove(input);
    case '1094':
    case '1957':
      return 'There is no such session any more: look with SHOW PROCESSLIST.';
    case '1133':
    case '1410':
    case '3162':
    case '1449':
    case '3523':
      return code === '1449'
        ? 'The account that the view or routine runs as is gone: CREATE that account, or create the object again with DEFINER = CURRENT_USER or SQL SECURITY INVOKER.'
        : 'There is no such account: CREATE USER first, then GRANT; the name is user@host, and the host counts.';
    case '1141':
    case '1147':
    case '1269':
    case '1403':
      return 'The account does not have this privilege in this place: look with SHOW GRANTS FOR it, and REVOKE exactly what it lists.';
    case '1191':
      return 'MATCH needs a FULLTEXT index over exactly these columns: ALTER TABLE ... ADD FULLTEXT (columns), or use LIKE.';
    case '1286':
      return 'There is no such storage engine: write ENGINE=InnoDB, or look with SHOW ENGINES.';
    case '1327':
      if (verb.startsWith('create')) {
        return 'The routine has no such variable: DECLARE it at the start of its BEGIN ... END, or write @name.';
      }
      return 'SELECT ... INTO puts values into variables: write CREATE TABLE t AS SELECT for a table, or @name for a variable.';
    case '1356':
      return 'The view refers to a table, column or function that is gone, or its definer may not use it: look with SHOW CREATE VIEW, and CREATE OR REPLACE VIEW.';
    case '1360':
      return 'There is no such trigger: look with SHOW TRIGGERS.';
    case '1363':
      return 'INSERT triggers have NEW only, DELETE triggers OLD only, UPDATE triggers both: use the row that is there.';
    case '1396':
    case '1974':
    case '1976':
      return verb.startsWith('drop')
        ? 'There is no such account to drop: use DROP USER IF EXISTS, or check user@host.'
        : 'There is no such account: CREATE USER first; the name is user@host, and the host counts.';
    case '1507':
    case '1735':
      return 'The table has no such partition: look at PARTITION_NAME in information_schema.PARTITIONS.';
    case '1524':
      return forProduct(
        input,
        'The server has no such plugin: use IDENTIFIED WITH caching_sha2_password, or another that SHOW PLUGINS lists.',
        'The server has no such plugin: use IDENTIFIED VIA mysql_native_password or ed25519, or another that SHOW PLUGINS lists.',
      );
    case '1824':
      return `The table that the foreign key refers to is not there: create it first, or correct its name.${input.suggestionKind === 'table' ? ` ${closeNames(input)}` : ''}`;
    case '1128':
    case '1122':
      return 'The loadable function is not there: CREATE FUNCTION ... SONAME installs one, if its library is on the server.';
    case '3579':
    case '4009':
      return 'The window is not defined: add WINDOW w AS (...) behind HAVING, or write it out in OVER (...).';
    case '3821':
    case '3940':
      return 'The table has no such constraint: look with SHOW CREATE TABLE.';
    default:
      return null;
  }
}

function tableColumns({ target, tables }: TemplateInput): string {
  const table = target ?? (tables.length === 1 ? (tables[0] ?? null) : null);
  if (table === null || !isShownName(table.name)) return '';
  const list = listNames(
    table.columns.map(({ name }) => name),
    90,
    12,
  );
  return list === null ? '' : ` Columns of ${table.name}: ${list}.`;
}

function nothingToRemove(input: TemplateInput): string {
  const { shape } = input.record;
  const isForeign = /\bdrop foreign key\b/.test(shape);
  const isIndex = /\bdrop (?:index|key)\b/.test(shape);
  const what = isForeign ? 'foreign key' : isIndex ? 'index' : 'column, index or constraint';
  const conditional = isMariadb(input)
    ? ` DROP ${isForeign ? 'FOREIGN KEY' : isIndex ? 'INDEX' : 'COLUMN'} IF EXISTS passes over it.`
    : ' There is no IF EXISTS here.';
  return `The table has no such ${what}: look at its names with SHOW CREATE TABLE.${conditional}`;
}

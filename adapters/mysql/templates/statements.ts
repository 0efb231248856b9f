/** Notes for statements that can be read and make no sense as written, whatever the values are. */
import { listNames, onlyTable } from '../../../src/core/notes/listing.js';
import { isShownName } from '../../../src/core/notes/safe-name.js';
import type { NoteTemplate, TemplateInput } from '../../../src/core/notes/templates.js';
import { definitionAdvice } from './definitions.js';
import { foreignArguments } from './foreign-functions.js';
import { forProduct, isMariadb } from './product.js';

export const invalidStatement: NoteTemplate = (input) =>
  statementAdvice(input) ?? definitionAdvice(input) ?? otherAdvice;

const otherAdvice =
  'The statement can be read but makes no sense as written: read the message, and rewrite the part it names.';

/** Queries and changes of rows; definitions of tables and routines are in definitions.ts. */
function statementAdvice(input: TemplateInput): string | null {
  const { code, verb } = input.record;
  switch (code) {
    case '1052':
      return ambiguousColumn(input);
    case '1055':
    case '1140':
    case '1463':
    case '3029':
      return grouping(input);
    case '1056':
    case '1111':
      return 'An aggregate may not stand here: conditions on aggregates go in HAVING, all else into a subquery that computes them first.';
    case '1058':
    case '1136':
    case '4099':
      return valueCount(input);
    case '1066':
      return 'A table name or alias stands twice in FROM or WITH: give each use its own alias.';
    case '1093':
      return 'A subquery may not read the table that is changed: put it one level deeper, (SELECT ... FROM (SELECT ...) AS x), or JOIN that.';
    case '1096':
      return 'SELECT * needs a table: add FROM, or name expressions.';
    case '1110':
    case '4140':
      return 'A column is named twice: name each column once in the list and in SET.';
    case '1137':
      return 'A TEMPORARY table can be named only once in a statement here: copy it into a second one, or use WITH.';
    case '1172':
      return 'SELECT ... INTO found several rows: make its WHERE select one, or add LIMIT 1 with an ORDER BY.';
    case '1175':
      return 'With sql_safe_updates on, UPDATE and DELETE need a WHERE over an indexed column, or a LIMIT: filter by a key.';
    case '1221':
      return wrongUsage(input);
    case '1222':
      return verb === 'call' || (verb === 'select' && / into /.test(input.shape))
        ? 'INTO needs one variable for each selected column; parts of a UNION need one number of columns.'
        : 'The parts of a UNION, EXCEPT or INTERSECT must select one number of columns: fill up with NULL AS name.';
    case '1241':
      return 'The two sides have other numbers of columns: x IN (SELECT one column), (x, y) IN (SELECT two columns), and one column where a value stands.';
    case '1242':
      return 'A subquery in the place of a value gives more than one row: make its WHERE select one, aggregate it, or use IN, EXISTS or a join.';
    case '1247':
      return 'An alias of the select list cannot be used like this: repeat the expression, or select from a subquery that gives the name.';
    case '1248':
    case '3667':
    case '4177':
      return 'Give each subquery and table function in FROM an alias: FROM (SELECT ...) AS t.';
    case '1250':
      return 'In ORDER BY of a UNION use a column name or alias of its first SELECT, without a table before it.';
    case '1253':
    case '1267':
    case '1270':
    case '1271':
      return collations(input);
    case '1288':
    case '1471':
    case '1348':
    case '1393':
    case '1394':
    case '1395':
      return 'This view cannot be written to like this: write to the tables behind it, one at a time, with a column list.';
    case '1318':
      return 'The routine takes another number of arguments: look with SHOW CREATE PROCEDURE or FUNCTION, and pass one for each, a variable for OUT.';
    case '1414':
      return 'Pass a variable such as @x for each OUT and INOUT argument.';
    case '1442':
      return 'A trigger or function may not change a table that the statement itself uses: in a BEFORE trigger assign to NEW.column, else do it in a statement of its own.';
    case '1582':
    case '1583':
    case '1584':
      return (
        foreignArguments(input.record.object?.name ?? '') ??
        'The function takes other arguments: look it up in the manual of this version, and pass as many as it names.'
      );
    case '1615':
      return otherAdvice;
    case '1706':
      return 'An UPDATE of several tables may not change the key of one that it also reads: update that column in a statement of its own.';
    case '1746':
      return 'The new table may not be read or written by the SELECT that fills it: create it first, then INSERT ... SELECT.';
    case '1228':
    case '1229':
    case '1230':
    case '1238':
    case '1621':
      return 'The setting is not of this scope, or cannot be set at all: SET GLOBAL is for the server and needs a privilege, SET SESSION for this session. Leave it out if it is neither.';
    case '1347':
    case '1965':
    case '4089':
    case '4090':
      return 'The object is of another kind than the command is for: use the command for its kind, as DROP VIEW for a view and DROP TABLE for a table.';
    default:
      return window(code, input) ?? commonTable(code, input) ?? oneProduct(code, input);
  }
}

/** Names the columns that several tables of the statement share; those are the ambiguous ones. */
function ambiguousColumn({ tables }: TemplateInput): string {
  const counts = new Map<string, number>();
  for (const { columns } of tables) {
    for (const { name } of columns) counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  const shared = listNames([...counts].filter(([, count]) => count > 1).map(([name]) => name));
  const also = shared === null ? '' : ` The tables share: ${shared}.`;
  return `More than one table has this column: write alias.column wherever it stands, in SET and ON DUPLICATE KEY UPDATE too.${also}`;
}

function grouping(input: TemplateInput): string {
  const any = isMariadb(input) ? 'MIN(column)' : 'ANY_VALUE(column)';
  return `Put each selected column that is not aggregated into GROUP BY, or wrap it in an aggregate, as ${any} where any of the values will do. A subquery that groups first may be joined for the rest.`;
}

function valueCount(input: TemplateInput): string {
  const table = input.target ?? onlyTable(input);
  const columns =
    table === null
      ? null
      : listNames(
          table.columns.map(({ name }) => name),
          110,
          12,
        );
  const also =
    table === null || columns === null || !isShownName(table.name)
      ? ''
      : ` Columns of ${table.name}: ${columns}.`;
  return `Give each row exactly one value for each column of the list; without a list, for each column of the table.${also}`;
}

/** 1221 names two words of SQL that do not go together. */
function wrongUsage({ record: { verb }, shape }: TemplateInput): string {
  if (/\b(?:update|delete)\b/.test(verb) && /\b(?:limit|order by)\b/.test(shape)) {
    return 'UPDATE and DELETE of several tables take no ORDER BY and LIMIT: choose the keys in a derived table with LIMIT, and join that.';
  }
  if (/\bunion\b/.test(shape)) {
    return 'Put brackets around each SELECT of the UNION that has its own ORDER BY or LIMIT; behind the last one they are for the whole.';
  }
  return verb === 'grant' || verb === 'revoke'
    ? 'Privileges of the whole server are granted ON *.*, those of a database ON database.*: grant each in its own statement.'
    : 'Two words of the statement do not go together: leave one of the two out that the message names.';
}

function collations(input: TemplateInput): string {
  return input.record.code === '1253'
    ? 'A collation belongs to one character set: name one of the same set, as utf8mb4_bin for utf8mb4, or CONVERT(x USING utf8mb4) first.'
    : 'Two collations meet: add COLLATE with one name to one side, as x COLLATE utf8mb4_bin = y, or CONVERT(x USING utf8mb4) where the character sets differ.';
}

/** Window functions: MySQL 3579 to 3602, MariaDB 4010 to 4023 and 4074. */
function window(code: string, input: TemplateInput): string | null {
  const number = Number(code);
  const isWindow = isMariadb(input)
    ? (number >= 4010 && number <= 4023) || number === 4074
    : number >= 3580 && number <= 3602;
  if (!isWindow) return null;
  switch (code) {
    case '3593':
    case '3594':
    case '3595':
    case '4015':
    case '4016':
    case '4074':
      return 'Window functions stand only in the select list and in ORDER BY: compute them in a subquery, and filter, group or aggregate outside of it.';
    case '3592':
      return 'In OVER (...) write column names or expressions, not their places in the select list.';
    case '3602':
      return 'GROUPING takes only columns of GROUP BY ... WITH ROLLUP.';
    case '4018':
    case '4019':
    case '3587':
      return 'Give the window an ORDER BY of one column.';
    default:
      return 'The window is not defined in a way that works: OVER (PARTITION BY a ORDER BY b ROWS BETWEEN 2 PRECEDING AND CURRENT ROW), its start before its end.';
  }
}

/** WITH: MySQL 3573 to 3577 and 4114, MariaDB 4002 to 4008. */
function commonTable(code: string, input: TemplateInput): string | null {
  if (code === '1353' || (isMariadb(input) && code === '4002')) {
    return 'The list of column names and the SELECT behind it have other numbers of columns: name exactly one for each.';
  }
  if (isMariadb(input) && code === '4004') return 'WITH gives one name twice: give each query its own.';
  const isRecursive = isMariadb(input) ? /^400[5-8]$/.test(code) : /^357[3-7]$|^4114$/.test(code);
  return isRecursive
    ? 'A recursive query is WITH RECURSIVE x AS (start UNION ALL step), where only step names x, once, in FROM, outside of aggregates, subqueries and the right side of LEFT JOIN.'
    : null;
}

function oneProduct(code: string, input: TemplateInput): string | null {
  switch (code) {
    case '3065':
    case '3066':
      return 'With SELECT DISTINCT, ORDER BY may use selected expressions only: select it too, or GROUP BY instead of DISTINCT.';
    case '3028':
      return 'ORDER BY of a UNION takes no aggregates: compute them in the SELECTs, and sort by their alias.';
    case '3105':
    case '1906':
      return `The column is generated: leave it out of the column list and of SET, or write DEFAULT for it.${generatedFrom(input)}`;
    case '3568':
    case '3569':
      return 'FOR UPDATE OF names tables as FROM names them, by alias where there is one, each once.';
    case '3942':
    case '4141':
      return 'Each ROW of VALUES needs at least one value.';
    case '3943':
    case '4100':
      return 'A VALUES list that is no INSERT takes neither DEFAULT nor columns: write the values themselves.';
    case '4048':
      return 'SET assigns to columns of the table only, not to the alias of the new row: write column = new.column.';
    case '4119':
    case '4123':
    case '4124':
      return forProduct(
        input,
        otherAdvice,
        'The table is or is not system-versioned: SET system_versioning_alter_history = KEEP to ALTER one that is, and ALTER TABLE ... ADD SYSTEM VERSIONING to make it one.',
      );
    case '4180':
      return 'WITH TIES needs an ORDER BY.';
    case '6036':
      return 'QUALIFY needs a window function in the query: use HAVING or WHERE otherwise.';
    default:
      return null;
  }
}

function generatedFrom({ target }: TemplateInput): string {
  return target !== null && isShownName(target.name)
    ? ` SHOW COLUMNS FROM ${target.name} says which are GENERATED.`
    : '';
}

/** Notes for statements that cannot be read or make no sense as written, whatever the values are. */
import { listNames, onlyTable } from '../../../src/core/notes/listing.js';
import { isShownName } from '../../../src/core/notes/safe-name.js';
import type { NoteTemplate, TemplateInput } from '../../../src/core/notes/templates.js';
import { functionOrTypeKeywords, reservedKeywords } from '../keywords.js';
import { foreignShow, foreignSyntax } from './foreign-syntax.js';
import { bareColumnList } from './listed-names.js';

const reserved: ReadonlySet<string> = new Set([...reservedKeywords, ...functionOrTypeKeywords]);

export const syntax: NoteTemplate = (input) => {
  const { code, verb, object } = input.record;
  if (code === '42602') {
    return 'The text is not a name: write it as name or schema.name, without spaces or empty parts.';
  }
  const token = object?.name.toLowerCase() ?? '';
  const rule = input.error?.routine;
  const brokenRule = rule === 'base_yyparse' ? null : ruleOfForm(input);
  if (brokenRule !== null) return brokenRule;
  const instead = foreignShow(input.shape);
  if (instead !== null) return instead;
  const advice = foreignSyntax(token, input.shape);
  if (advice !== null) return `This is not PostgreSQL syntax. ${advice}`;
  if (token === '(' && /(?:\bfrom|\bjoin|,) (?:lateral )?\( (?:select|values|with)\b/.test(input.shape)) {
    return 'Give each subquery in FROM an alias: write FROM (SELECT ...) AS t.';
  }
  if (rule === 'base_yyparse') return brokenForm;
  if (token === 'limit' && (verb === 'update' || verb === 'delete')) {
    return 'UPDATE and DELETE take no LIMIT: choose the rows with WHERE key IN (SELECT key ... LIMIT n).';
  }
  if (reserved.has(token)) {
    return 'A reserved word stands where PostgreSQL expects something else: correct the order of clauses, or put the word in double quotes if it is meant as a name.';
  }
  // An error at a value, or at no place at all, is mostly about the number of values.
  if (verb === 'insert' && object === null) return valueCount(input);
  return 'Correct the statement at the position that the error gives, in PostgreSQL syntax: nothing of it was run. Check commas, brackets, quotes and the order of clauses just before it.';
};

/** 42601 also stands for statements that were read and then broke a rule of their form; the routine tells. */
function ruleOfForm(input: TemplateInput): string | null {
  const { error, shape } = input;
  switch (error?.routine) {
    case 'transformSubLink':
      return 'The subquery gives another number of columns than stand on the other side: x IN (SELECT one column), (x, y) IN (SELECT two columns).';
    case 'transformOnConflictArbiter':
      return needsTarget(input);
    case 'transformInsertRow':
    case 'transformInsertStmt':
    case 'transformValuesClause':
      return valueCount(input);
    case undefined:
      return /\bon conflict do update\b/.test(shape) ? needsTarget(input) : null;
    case 'scanner_yyerror':
    case 'plpgsql_yyerror':
      return null;
    default:
      return brokenForm;
  }
}

const brokenForm =
  'The statement can be read but breaks a rule of its form: read the message, and correct the part at the position it gives.';

function needsTarget(input: TemplateInput): string {
  return `ON CONFLICT DO UPDATE must name a key: write ON CONFLICT (columns of one unique key) DO UPDATE.${uniqueKeys(input)}`;
}

function valueCount(input: TemplateInput): string {
  return `Correct the INSERT at the position that the error gives: it needs exactly one value for each column it names.${columnsOf(input)}`;
}

function columnsOf(input: TemplateInput): string {
  const table = input.target ?? onlyTable(input);
  const columns =
    table === null
      ? null
      : listNames(
          table.columns.map(({ name }) => name),
          110,
          12,
        );
  return table === null || columns === null ? '' : ` Columns of ${table.name}: ${columns}.`;
}

export const invalidStatement: NoteTemplate = (input) => {
  const { code, verb } = input.record;
  switch (code) {
    case '42702':
      return ambiguousColumn(input);
    case '42P10':
      return invalidColumnReference(input);
    case '42803':
      return grouping(input);
    case '42P13':
      return functionDefinition(input);
    case '21000':
      return cardinality(input);
    case '2BP01':
      return /^drop (?:role|user|owned)/.test(verb)
        ? 'The role still owns objects or holds rights: REASSIGN OWNED BY it, then DROP OWNED BY it, then drop it.'
        : 'Other objects depend on this one: drop or change those first, or use DROP ... CASCADE only if all of them may go.';
    default:
      return statementAdvice[code] ?? otherAdvice;
  }
};

const repeatedKey =
  'One INSERT ... ON CONFLICT DO UPDATE meets the same key twice: remove repeated keys from its rows first, as with SELECT DISTINCT ON (key).';
const repeatedMatch =
  'Two source rows of MERGE match the same row: make the source give one row for each key first, as with SELECT DISTINCT ON (key).';
const manyRows =
  'A subquery in the place of a value gives more than one row: make its WHERE select one row, aggregate it, or use IN, EXISTS or a join.';
const repeatedRow =
  'The new rows of the materialized view repeat each other: make its query give each row once, as with SELECT DISTINCT, or correct the rows behind it.';

/** 21000 has one code for four things; the routine tells them apart, then what the statement has at all. */
function cardinality({ record: { verb }, shape, error }: TemplateInput): string {
  switch (error?.routine) {
    case 'ExecOnConflictUpdate':
      return repeatedKey;
    case 'ExecMergeMatched':
    case 'ExecMergeNotMatched':
      return repeatedMatch;
    case 'ExecSetParamPlan':
    case 'ExecScanSubPlan':
      return manyRows;
    case 'refresh_by_match_merge':
      return repeatedRow;
    default:
      break;
  }
  if (verb === 'refresh') return repeatedRow;
  const isUpsert = /\bon conflict\b/.test(shape);
  if (!isUpsert && verb !== 'merge') return manyRows;
  return 'Source rows repeat a key, or a subquery in the place of a value gives several rows: use SELECT DISTINCT ON (key) for the rows, and let such a subquery select one.';
}

const otherAdvice =
  'The statement can be read but makes no sense as written: read the message, and rewrite the part it names.';

const statementAdvice: Readonly<Record<string, string>> = {
  '2F005': 'A function ended without RETURN: its body needs a RETURN on every path.',
  '38002':
    'A function that writes is declared as one that does not: call it elsewhere, or declare it VOLATILE.',
  '42611':
    'The column definition contradicts itself or its parent table: give each column one type, one default and one identity.',
  '42712': 'A table name or alias stands twice in FROM: give each use its own alias.',
  '42809':
    'The object is of another kind than the command is for: use the command for its kind (table, view, sequence, function, procedure with CALL).',
  '42830':
    'A foreign key must refer to a primary key or unique columns: add UNIQUE to the columns it refers to first, in equal number and types.',
  '428C9':
    'The column is generated: leave it out of the column list, or write DEFAULT for it. An identity column takes a value with OVERRIDING SYSTEM VALUE.',
  '42939': 'The name is reserved by PostgreSQL: choose one that does not begin with pg_.',
  '42P09': 'An alias fits more than one thing: give each table and column its own.',
  '42P11': 'The cursor is declared with options that exclude each other: leave one of them out.',
  '42P14':
    'PREPARE takes a SELECT, INSERT, UPDATE, DELETE, MERGE or VALUES only: send other statements directly.',
  '42P16':
    'The table definition contradicts itself or its parent: one primary key only, columns as the parent has them, and for CREATE OR REPLACE VIEW the old columns first.',
  '42P17':
    'The definition is not allowed: expressions in indexes and partition keys need IMMUTABLE functions, and rules and policies must not refer to themselves.',
  '42P19':
    'A recursive query is WITH RECURSIVE x AS (start UNION ALL step), where only step names x, once, in FROM and outside of an outer join or aggregate.',
  '42P20':
    'Window functions stand only in SELECT and ORDER BY: compute them in a subquery, and filter or group outside of it.',
  '42P21': 'Two collations meet: name one with COLLATE on both sides.',
  '42P22': 'The collation cannot be told: add COLLATE and a name to the expression.',
  // PostgreSQL has one code for this and for missing prerequisites; classify.ts tells them apart.
  '55000': 'This view or table cannot be written to: write to the tables behind it.',
};

/** Names the columns that several tables of the statement share; those are the ambiguous ones. */
function ambiguousColumn({ record: { verb }, tables, shape, error }: TemplateInput): string {
  if (error?.routine === 'findTargetlistEntrySQL92') {
    return 'The select list has this name twice: give each its own alias, or sort and group by table.column.';
  }
  if (verb === 'insert' && /\bon conflict\b/.test(shape)) {
    return 'Both the table and excluded have this column: where it is read, write table.column or excluded.column. The column that SET assigns stays without a table.';
  }
  const counts = new Map<string, number>();
  for (const { columns } of tables) {
    for (const { name } of columns) counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  const shared = listNames([...counts].filter(([, count]) => count > 1).map(([name]) => name));
  const also = shared === null ? '' : ` The tables share: ${shared}.`;
  return `More than one table has this column: write alias.column wherever it is read, not where SET assigns it.${also}`;
}

/** ON CONFLICT without a matching unique key, or ORDER BY and DISTINCT that do not fit each other. */
function invalidColumnReference(input: TemplateInput): string {
  const { record, shape, error } = input;
  const isConflict =
    error?.routine === undefined
      ? record.verb === 'insert' && /\bon conflict\b/.test(shape)
      : error.routine === 'infer_arbiter_indexes';
  return isConflict
    ? `ON CONFLICT must name exactly the columns of one unique key; CREATE UNIQUE INDEX first if there is none.${uniqueKeys(input)}`
    : 'With SELECT DISTINCT, ORDER BY may use selected expressions only, and DISTINCT ON must begin like ORDER BY; a position must be one of the select list.';
}

/** Keys of the table that is written, as ON CONFLICT takes them. */
function uniqueKeys({ target }: TemplateInput): string {
  const keys = (target?.constraints ?? [])
    .filter(
      ({ kind, definition }) =>
        /^(?:primary_key|unique|unique_index)$/.test(kind) &&
        !/\bWHERE\b|(?<!NOT )\bDEFERRABLE\b/i.test(definition),
    )
    .map(({ columns }) => bareColumnList(columns))
    .filter((columns) => columns !== null)
    .map((columns) => `(${columns})`);
  const list = [...new Set(keys)].join(', ');
  return target !== null && isShownName(target.name) && list !== '' && list.length <= 80
    ? ` Unique keys of ${target.name}: ${list}.`
    : '';
}

/** 42803: a plain column beside aggregates, or an aggregate where none may stand. */
function grouping({ record: { verb }, error }: TemplateInput): string {
  if (verb === 'delete' || verb === 'update') {
    return 'Aggregates may not stand here: compute them in a subquery, as WHERE key IN (SELECT key ... GROUP BY key HAVING count(*) > 1).';
  }
  return error?.routine === 'check_agglevels_and_constraints'
    ? 'An aggregate may not stand here: conditions on aggregates go in HAVING, all else into a subquery that computes them first.'
    : 'Put each selected column that is not aggregated into GROUP BY, or wrap it in an aggregate. Conditions on aggregates go in HAVING, not in WHERE.';
}

/** 42P13: a definition at odds with itself, or with the function it is to replace. */
function functionDefinition({ record: { verb }, shape, error }: TemplateInput): string {
  const kind = verb === 'create procedure' ? 'PROCEDURE' : 'FUNCTION';
  const isReplaced =
    error?.routine === 'ProcedureCreate' || (error?.routine === undefined && /\bor replace\b/.test(shape));
  return isReplaced
    ? `OR REPLACE keeps the result type, the argument names and defaults: to change them DROP ${kind} name(types) first, then CREATE it. Else check the definition for contradictions.`
    : 'The function is declared in a way that contradicts itself: check its arguments, its result and its last statement.';
}

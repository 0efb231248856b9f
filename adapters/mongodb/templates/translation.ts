/**
 * What our own compiler of SQL refuses (sql/refusals.ts, docs/sql-on-documents.md). A note offers a way on this surface only
 * where there is one that answers the same question. Where there is none it says so, names the native command as the other
 * surface, and asks for a report: a reader who drops a collection from the question gets an answer to another one.
 */
import type { NoteTemplate, TemplateInput } from '../../../src/core/notes/templates.js';

/** By what the canonical statement has in it: the first that fits. */
type ByShape = readonly (readonly [part: RegExp, advice: string])[];

const report = 'Else report that it cannot be asked here: do not drop a collection from it.';
const reportAlone = 'Else report that it cannot be asked here.';

const upsert = `An upsert has no form here: use the native updateOne with upsert: true, and $setOnInsert for what only a new document gets. ${reportAlone}`;
const join = `No single-collection statement answers this: the native aggregate with $lookup does. ${report}`;

const refusals: Readonly<Record<string, string>> = {
  SQL_JOIN: join,
  SQL_SEVERAL_TABLES: join,
  SQL_DISTINCT:
    'Use GROUP BY: SELECT a, b FROM c GROUP BY a, b gives each combination once, and may have a HAVING and an ORDER BY as well.',
  SQL_SUBQUERY: `No single SQL statement answers this here: the native aggregate with $lookup and its own pipeline does. ${report}`,
  SQL_SET_OPERATION: `No single SQL statement puts two results together here: the native aggregate with $unionWith does. ${report}`,
  SQL_CTE: `WITH has no form here: the stages of one native aggregate, each fed by the one before, have. ${report}`,
  SQL_WINDOW: `OVER has no form here: the native aggregate with $setWindowFields has. Else report that it cannot be asked here: GROUP BY answers another question.`,
  SQL_DDL:
    'SQL does not declare collections here: use the native commands create, collMod, createIndexes and drop. A first INSERT makes a collection by itself.',
  SQL_FUNCTION: `This function has no form here: use an expression or accumulator of the native aggregate, or compute it in the client. ${reportAlone}`,
  SQL_EXPRESSION: `This form of expression has none here: use $expr or a stage of the native aggregate. ${reportAlone}`,
  SQL_CLAUSE: `This clause has no form here: use the native command that does the same. ${reportAlone}`,
  SQL_STATEMENT:
    'There is no such statement here: SELECT, INSERT, UPDATE and DELETE are there. Transactions, rights, plans and settings belong to the driver and to native commands.',
  SQL_SEVERAL_STATEMENTS: 'Send one statement at a time.',
  SQL_PARAMETER:
    'Pass exactly one value for each parameter of the statement, in one style, and a value that can be compared or stored there.',
};

/** $lookup reads: a write that asks a second collection takes more. */
const writesOfSeveral: ByShape = [
  [
    /^update\b/,
    `No single-collection statement does this: the native aggregate with $lookup does, $merge its last stage. ${report}`,
  ],
  [
    /^delete\b/,
    `No single-collection statement does this: read each _id by the native aggregate with $lookup, then delete by _id. ${report}`,
  ],
];

/** Where a form of the statement says more than its code. */
const byShape: Readonly<Record<string, ByShape>> = {
  SQL_JOIN: writesOfSeveral,
  SQL_SEVERAL_TABLES: writesOfSeveral,
  SQL_DISTINCT: [
    [
      /\bdistinct on\b/,
      `DISTINCT ON has no form here: the native aggregate with $sort, then $group with $first, has. ${reportAlone}`,
    ],
  ],
  SQL_SUBQUERY: [
    [
      /^insert into [^()]*(?:\([^()]*\) )?\(? ?select\b/,
      `INSERT takes VALUES alone here: the native aggregate with $merge or $out as its last stage fills a collection from a query. ${reportAlone}`,
    ],
    ...writesOfSeveral,
  ],
  SQL_STATEMENT: [
    [/^\(/, 'Write the statement without parentheses around it.'],
    [
      /^(?:select|insert|update|delete)\b/,
      'The statement is too long: give a list as one parameter, as in a = ANY($1), and insert fewer rows at a time.',
    ],
    [/^(?:replace|merge|upsert)\b/, upsert],
  ],
  SQL_DDL: [
    [
      /^truncate\b/,
      'Use DELETE FROM the collection without WHERE: it deletes all documents, and keeps the indexes.',
    ],
    [
      /^(?:grant|revoke)\b/,
      'Rights are given by the native commands createRole, grantRolesToUser and revokeRolesFromUser.',
    ],
  ],
  SQL_CLAUSE: [
    [/\bselect top\b/, 'Use LIMIT n at the end of the statement instead of TOP n.'],
    [
      /^select (?!.* from )/,
      'A SELECT asks a collection here: add FROM, or compute the value in the client.',
    ],
    [
      /^(?:update|delete)\b.* limit\b/,
      `A write takes no LIMIT or ORDER BY here: use the native updateOne or deleteOne, or name the documents by _id IN (...). ${reportAlone}`,
    ],
    [/\bon (?:conflict|duplicate)\b/, upsert],
    [
      /^insert ignore\b/,
      `IGNORE has no form here: use the native insertMany with ordered: false, which lets all others in. ${reportAlone}`,
    ],
    [/ limit \S+ , \S+/, 'Use LIMIT n OFFSET m in place of LIMIT m, n.'],
    [
      /^select (?!.* group by ).* having /,
      'HAVING stands behind GROUP BY here: put conditions on documents into WHERE, and judge the one row of an aggregate in the client.',
    ],
    [
      /\breturning\b/,
      `RETURNING has no form here: use the native findOneAndUpdate, findOneAndDelete, or the answer of insertMany. ${reportAlone}`,
    ],
    [
      /\bfor (?:no key )?(?:update|key|share)\b/,
      `Nothing is locked by reading here: use a transaction of the driver, and findOneAndUpdate to hold a document. ${reportAlone}`,
    ],
    [
      /\btablesample\b/,
      `TABLESAMPLE has no form here: use the native aggregate with a $sample stage. ${reportAlone}`,
    ],
    [
      /\b(?:rollup|cube|grouping sets)\b/,
      `Subtotals have no form here: use the native aggregate with $facet and a $group in each of its pipelines. ${reportAlone}`,
    ],
  ],
  SQL_EXPRESSION: [
    [
      /(?:::|\bcast \(.* as) [a-z]+(?: [a-z]+)? \( /,
      'Cast without a length or precision, as in CAST(a AS text), and use SUBSTRING or ROUND for the rest.',
    ],
    [
      / (?:~|~\*|!~|!~\*|rlike|regexp) /,
      `Regular expressions have no form here: use LIKE where it says the same, else the native find with $regex. ${reportAlone}`,
    ],
    [/ (?:->|->>|#>|#>>) /, 'Name the field of a document with a dot, as in address.city.'],
  ],
  SQL_FUNCTION: [
    [
      /\btrim \( (?:both|leading|trailing)\b/,
      'Use BTRIM(a), LTRIM(a) or RTRIM(a), with the characters as a second argument.',
    ],
    [/\b(?:ifnull|nvl|isnull) \(/, 'Use COALESCE(a, b).'],
    [/\b(?:len|length_b|datalength) \(/, 'Use LENGTH(a).'],
    [/\bucase \(/, 'Use UPPER(a).'],
    [/\blcase \(/, 'Use LOWER(a).'],
    [/\b(?:left|mid) \(/, 'Use SUBSTRING(a FROM 1 FOR n).'],
    [/\b(?:position|locate|instr|charindex) \(/, 'Use STRPOS(text, part).'],
    [
      /\b(?:year|month|day|hour|minute|second) \(/,
      'Use EXTRACT(YEAR FROM a), with MONTH, DAY, HOUR, MINUTE or SECOND alike.',
    ],
    [/\b(?:curdate|current_date|getutcdate) \(/, 'Use CURRENT_DATE.'],
    [/\b(?:getdate|sysdate|sysdatetime|localtimestamp) \(/, 'Use NOW().'],
    [/\b(?:if|iif) \(/, 'Use CASE WHEN condition THEN a ELSE b END.'],
    [
      /\b(?:string_agg|group_concat|array_agg|json_agg|jsonb_agg|listagg) \(/,
      `No aggregate here makes a list: use the native aggregate with $group and $push. ${reportAlone}`,
    ],
    [
      /\b(?:random|rand) \(/,
      `Nothing is random here: use the native aggregate with $sample or $rand. ${reportAlone}`,
    ],
  ],
};

const otherRefusal =
  'This SQL has no form on documents: send the native command instead, or report that it cannot be asked.';

export const unsupportedTranslation: NoteTemplate = ({ record: { code }, shape }: TemplateInput) =>
  byShape[code]?.find(([part]) => part.test(shape))?.[1] ?? refusals[code] ?? otherRefusal;

/**
 * What our own compiler of SQL refuses (sql/refusals.ts). A note offers a way on this surface only where there is one that
 * answers the same question. Where there is none it says so, names the native command as the other surface, and asks for
 * a report: a reader who drops a collection from the question gets an answer to another one.
 */
import type { NoteTemplate } from '../../../src/core/notes/templates.js';

const report = 'Else report that it cannot be asked here: do not drop a collection from it.';

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
  SQL_FUNCTION:
    'This function has no form here: COUNT, SUM, AVG, MIN and MAX have. For others use an expression of the native aggregate, or compute it in the client.',
  SQL_EXPRESSION:
    'This form of expression has none here: use $expr or a stage of the native aggregate. Else report that it cannot be asked here.',
  SQL_STATEMENT:
    'There is no such statement here: SELECT, INSERT, UPDATE and DELETE are there. Transactions, rights and settings belong to the driver and to native commands.',
  SQL_SEVERAL_STATEMENTS: 'Send one statement at a time.',
  SQL_PARAMETER:
    'Pass exactly one value for each parameter that the statement names, and parameters only where a value may stand.',
};

/** Each is one command of the other surface, that does the same and no less. */
const clauses: readonly (readonly [clause: RegExp, native: string])[] = [
  [/\bon conflict\b/, 'updateOne with upsert: true, and $setOnInsert for what only a new document gets'],
  [/\breturning\b/, 'findOneAndUpdate, findOneAndDelete, or what insertMany answers'],
  [
    /\bfor (?:no key )?(?:update|key|share)\b/,
    'a transaction, with findOneAndUpdate where the document is to be held',
  ],
  [/\btablesample\b/, 'aggregate with a $sample stage'],
  [/\b(?:rollup|cube|grouping sets)\b/, 'aggregate with $facet, a $group in each of its pipelines'],
];

function clauseAdvice(shape: string): string {
  const native =
    clauses.find(([clause]) => clause.test(shape))?.[1] ?? 'the native command that does the same';
  return `This clause has no form here: use ${native}. Else report that it cannot be asked here.`;
}

const otherRefusal =
  'This SQL has no form on documents: send the native command instead, or report that it cannot be asked.';

export const unsupportedTranslation: NoteTemplate = ({ record, shape }) =>
  record.code === 'SQL_CLAUSE' ? clauseAdvice(shape) : (refusals[record.code] ?? otherRefusal);

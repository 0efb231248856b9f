/**
 * Notes for what other sessions and the clock did. After any error inside a block PostgreSQL accepts nothing but a
 * rollback, so what is to be run again there is the whole transaction; outside a block it is the statement alone.
 */
import type { NoteTemplate, TemplateInput } from '../../../src/core/notes/templates.js';
import { isIndexBuild, isSchemaChange } from './listed-names.js';

const again = ({ isInTransaction }: TemplateInput) =>
  isInTransaction
    ? 'send ROLLBACK, then re-run the whole transaction from its first statement'
    : 're-run this statement alone';

export const deadlock: NoteTemplate = (input) =>
  input.isInTransaction
    ? 'The whole transaction was rolled back: send ROLLBACK, then re-run it from its first statement, locking rows in one fixed order. Lock them with SELECT ... ORDER BY the primary key FOR UPDATE, and touch fewer rows per transaction.'
    : 'This statement was rolled back: re-run it after a short pause, locking rows in one fixed order. Lock them first with SELECT ... ORDER BY the primary key FOR UPDATE, in smaller batches.';

export const writeConflict: NoteTemplate = (input) => {
  if (input.record.code === 'XX000') {
    return `Another session changed the same catalog entry: ${again(input)}. Run such DDL and GRANT statements from one session at a time.`;
  }
  if (input.record.code === '72000') {
    return `The snapshot became too old: ${again(input)}. Read less in one transaction.`;
  }
  return `Another transaction changed the same rows: ${again(input)}, reading afresh what it builds on. Keep it short, and lock rows before changing them with SELECT ... FOR UPDATE.`;
};

export const lockTimeout: NoteTemplate = (input) => {
  const { code, verb } = input.record;
  if (code === '55006') {
    return `Other sessions still use the object: let them end, then ${again(input)}.`;
  }
  const advice = isSchemaChange(verb)
    ? 'Choose a quiet moment, and do one table per transaction.'
    : 'Lock rows in one fixed order and COMMIT soon; FOR UPDATE SKIP LOCKED passes over rows that others hold.';
  return `Another transaction holds the lock: wait a moment, then ${again(input)}. ${advice}`;
};

export const statementTimeout: NoteTemplate = ({ record, shape }) => {
  if (record.code === '25P04') {
    return 'The transaction ran longer than transaction_timeout and its session was ended: do less in one transaction and COMMIT sooner.';
  }
  if (isIndexBuild(record.verb) || isSchemaChange(record.verb)) {
    // CONCURRENTLY takes longer still, and what it leaves behind when it is stopped is an index that is not valid.
    const leftover = /\bconcurrently\b/.test(shape) ? ' DROP the index that is not valid now before.' : '';
    return `This takes longer than statement_timeout allows: SET statement_timeout higher, or to 0, in this session first.${leftover}`;
  }
  return record.verb === 'select' || record.verb === 'with'
    ? 'Make it smaller: look at EXPLAIN, filter on indexed columns, select fewer rows, and page by key instead of OFFSET.'
    : 'Make it smaller: look at EXPLAIN, filter on indexed columns, and work in batches of some thousand rows by key range.';
};

/**
 * Notes for what other sessions and the clock did. InnoDB takes back the whole transaction after 1213 and, on MariaDB,
 * after 1020; after 1205 and NOWAIT the statement alone, and the transaction stays open with what it did before.
 */
import type { NoteTemplate, TemplateInput } from '../../../src/core/notes/templates.js';
import { forProduct, isMariadb, isSchemaChange } from './product.js';

const inOneOrder =
  'Lock its rows in one fixed order, as with SELECT ... ORDER BY the primary key FOR UPDATE, and touch fewer rows.';

/** Nothing is left to roll back. */
function afterRollback({ isInTransaction }: TemplateInput): string {
  return isInTransaction
    ? 'The whole transaction was rolled back: re-run all of it from its first statement, after a short pause.'
    : 'This statement was rolled back: re-run it after a short pause.';
}

export const deadlock: NoteTemplate = (input) => {
  const { code } = input.record;
  // MariaDB has the number of InnoDB's for it; there too the transaction stays.
  if (code === '3058' || code === '3132' || /\bget_lock \(/.test(input.shape)) {
    return 'Two sessions wait for each other in GET_LOCK, and only this call was ended: RELEASE_ALL_LOCKS, then take the locks again, always in the same order.';
  }
  if (code === '1614') return xaRolledBack;
  return `${afterRollback(input)} ${inOneOrder}`;
};

const xaRolledBack =
  'The XA branch was rolled back: send XA END and XA ROLLBACK for it, then re-run all of its work as a new branch.';

export const writeConflict: NoteTemplate = (input) => {
  switch (input.record.code) {
    case '1020':
      return isMariadb(input)
        ? `${afterRollback(input)} Another transaction changed a row after this one had first read: read rows that will be changed with SELECT ... FOR UPDATE, early.`
        : 'Another session changed the row meanwhile: read it again, then re-run this statement.';
    case '1402':
      return xaRolledBack;
    case '3197':
      return 'The XA branch cannot be committed at this moment: send the same XA COMMIT again after a short pause.';
    case '1297':
      return 'The storage engine did not manage this at the moment: send ROLLBACK, then re-run the whole transaction after a short pause.';
    default:
      return `${afterRollback(input)} Another node committed a change of the same rows first: keep transactions short, and write such rows through one node.`;
  }
};

export const lockTimeout: NoteTemplate = (input) => {
  const { record, shape, isInTransaction } = input;
  if (record.code === '1613') return xaRolledBack;
  if (isSchemaChange(record.verb) || record.verb === 'lock') {
    return `A transaction that used the table is still open: let it end, then re-run this. ${forProduct(input, 'See performance_schema.metadata_locks for whose it is.', 'SHOW PROCESSLIST shows whose it may be; lock_wait_timeout is how long this waits.')}`;
  }
  const isNowait = record.code === '3572' || /\bnowait\b/.test(shape);
  const why = isNowait
    ? 'Another transaction holds the row, and NOWAIT does not wait'
    : 'Another transaction holds the lock';
  const look = forProduct(
    input,
    'See performance_schema.data_lock_waits for who holds it.',
    'See information_schema.INNODB_LOCK_WAITS for who holds it.',
  );
  const more = `${isNowait ? '' : ` ${look}`} FOR UPDATE SKIP LOCKED passes over such rows.`;
  return isInTransaction
    ? `${why}: this transaction is still open, so re-run the statement after a pause, or ROLLBACK and re-run all.${more}`
    : `${why}${isNowait ? '' : ' longer than innodb_lock_wait_timeout'}: re-run this statement after a pause.${more}`;
};

export const statementTimeout: NoteTemplate = (input) => {
  const { verb } = input.record;
  const limit = forProduct(
    input,
    'SELECT /*+ MAX_EXECUTION_TIME(ms) */ sets the limit of one SELECT.',
    'SET STATEMENT max_statement_time = seconds FOR ... sets the limit of one statement.',
  );
  if (isSchemaChange(verb)) {
    return `This takes longer than the limit allows: run it with a higher one, in a quiet hour. ${limit}`;
  }
  const isRead = verb === 'select' || verb === 'with' || verb === '';
  return isRead
    ? `Make it smaller: look at EXPLAIN, filter on indexed columns, select fewer rows, and page by key instead of OFFSET. ${limit}`
    : `Make it smaller: look at EXPLAIN, filter on indexed columns, and work in batches of some thousand rows by key range. ${limit}`;
};

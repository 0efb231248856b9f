/**
 * Notes for what other sessions and the clock did. A write conflict takes the whole transaction with it; outside of one the
 * server retries by itself. What may be retried the server says in labels, and those decide where there are any.
 */
import type { NoteTemplate, TemplateInput } from '../../../src/core/notes/templates.js';

function hasLabel({ error }: TemplateInput, label: string): boolean {
  return error?.labels?.includes(label) === true;
}

const commitOnly =
  'Whether the commit took effect is not known: send commitTransaction alone again, in the same session and with the same txnNumber. Do not re-run the operations.';

const wholeTransaction =
  'The whole transaction is gone: start a new one and run all of its operations again, after a short pause.';

function isTransient(input: TemplateInput): boolean {
  return input.isInTransaction || hasLabel(input, 'TransientTransactionError');
}

export const writeConflict: NoteTemplate = (input) => {
  if (hasLabel(input, 'UnknownTransactionCommitResult')) return commitOnly;
  if (isTransient(input) || input.record.code === '112') {
    return isTransient(input)
      ? `${wholeTransaction} Keep it short and write shared documents in one fixed order; withTransaction of the driver retries by itself.`
      : 'Another operation changed the same document first: run this one again after a short pause. In a transaction run the whole of it again.';
  }
  return 'The data moved while this ran: run the operation again after a short pause, the whole transaction where there is one.';
};

export const deadlock: NoteTemplate = (input) =>
  isTransient(input)
    ? `${wholeTransaction} Write shared documents in one fixed order.`
    : 'Two operations waited for each other: run this one again after a short pause, and write shared documents in one fixed order.';

export const lockTimeout: NoteTemplate = (input) => {
  switch (input.record.code) {
    case '12586':
    case '12587':
    case '285':
      return 'An index is being built or a background operation runs on this collection: wait until currentOp no longer shows it, then run this again.';
    case '215':
      return 'The database is being dropped: wait a moment, then run this again.';
    case '314':
    case '319':
    case '117':
      return 'Another operation of the kind runs on the same object: wait until currentOp no longer shows it, then run this again.';
    default:
      return isTransient(input)
        ? `${wholeTransaction} Another operation held the lock: run index builds and drops outside of busy hours.`
        : 'Another operation holds the lock: run this again after a short pause. currentOp shows which one it is.';
  }
};

export const statementTimeout: NoteTemplate = ({ record: { code, verb } }) => {
  if (code === '64') {
    return 'The write was made, only its acknowledgements came too late: do not write it again, read it to make sure. Ask for w: majority, or a longer wtimeout.';
  }
  if (code === '290') {
    return 'The transaction was open longer than transactionLifetimeLimitSeconds: start a new one, with fewer operations and nothing slow between them.';
  }
  if (verb === 'getMore') {
    return 'Fetching took longer than maxTimeMS: begin again with a narrower filter, an index for it or a smaller batchSize.';
  }
  return isWrite(verb)
    ? 'It took longer than maxTimeMS: narrow the filter to an indexed field and write in batches by _id. explain shows a COLLSCAN where an index is missing.'
    : 'It took longer than maxTimeMS: add an index for the filter and sort, put $match first, or return less. explain shows a COLLSCAN where an index is missing.';
};

function isWrite(verb: string): boolean {
  return /^(?:insert|update|delete|findAndModify|bulkWrite)$/.test(verb);
}

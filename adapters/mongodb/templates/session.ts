/** Notes for what the session, the account and the server allow. */
import type { NoteTemplate, TemplateInput } from '../../../src/core/notes/templates.js';
import { readErrorCode } from '../error-codes.js';
import { nameInMessage } from '../error-fields.js';
import { insteadOfName, placesOf } from './habit.js';

export const sessionState: NoteTemplate = ({ record: { code, verb } }) => {
  switch (code) {
    case '43':
      return 'The cursor is gone: it idles out after 10 minutes, ends with its session, and lives on one server. Run the query again, fetch at once, or sort by _id and go on from the last one.';
    case '136':
      return 'The collection is capped, and its end overran the cursor: open a new one, and read faster.';
    case '143':
      return 'Another getMore reads this cursor: one at a time, or a cursor for each.';
    case '206':
    case '213':
      return 'The session has ended: start a new one with the driver, and use one for each unit of work.';
    case '217':
    case '225':
    case '356':
      return 'A later transaction of the session has begun: run this one again in a new session, and one transaction at a time in each.';
    case '227':
      return 'A transaction does not make collections here: create it outside of the transaction first.';
    case '256':
      return 'The transaction is committed already: start a new one for further operations.';
    case '263':
      return inTransaction(verb);
    case '283':
      return 'A change of the shard key needs a transaction or retryable writes: set retryWrites, or run it in a transaction.';
    case '50768':
    case '358':
    case '57986':
      return 'This command is not one that can be retried or be part of a transaction: send it without txnNumber, or turn retryWrites off for it.';
    case '222':
    case '234':
    case '260':
    case '280':
    case '286':
    case '346':
    case '348':
    case '351':
      return 'The change stream cannot go on from there: open a new one without a resume token, or with startAtOperationTime, and read the collection once in full.';
    default:
      return (
        readErrorCode(code).wanted ??
        'The session is in another state than this needs: begin a new session, and then run it again.'
      );
  }
};

function inTransaction(verb: string): string {
  if (verb === 'count')
    return 'count does not run in a transaction: use aggregate with $match and $count, as countDocuments does.';
  return /^(?:create|createIndexes|drop|dropIndexes|dropDatabase|renameCollection|collMod)$/.test(verb)
    ? 'Collections and indexes are not changed in a transaction: run this outside, before it begins.'
    : 'This does not run in a transaction: commit first, and run it outside.';
}

export const permission: NoteTemplate = ({ record: { code, verb } }) => {
  switch (code) {
    case '411':
      return 'An administrator has blocked this form of query: narrow it, or ask for querySettings to be changed.';
    case '8000':
      return 'The hosted service does not allow this to the user: ask for the role in its own console, no command here can give it.';
    default:
      return isAdministration(verb)
        ? 'The user may not administer this database: log in as one with the role, or ask for it; connectionStatus shows the roles of this one.'
        : 'The user may not do this here: ask for the role, as grantRolesToUser with { role: readWrite, db: }; connectionStatus shows the roles of this one.';
  }
};

function isAdministration(verb: string): boolean {
  return /^(?:(?:create|update|drop|grant|revoke)\w*(?:User|Role|Roles|Privileges)\w*|(?:set|get)Parameter|serverStatus|listDatabases|replSet\w+|fsync|profile)$/.test(
    verb,
  );
}

export const resourceLimit: NoteTemplate = (input) => {
  const { code, verb } = input.record;
  switch (code) {
    case '10334':
    case '17419':
    case '17420':
      return 'A document may have 16 MB: keep arrays short and move their elements into documents of their own; large files go into GridFS.';
    case '292':
    case '146':
      return readErrorCode('16819').wanted ?? otherLimit;
    case '34':
      return 'The index of the array is too far beyond its end: append with $push, or use a document with such keys.';
    case '116':
    case '10003':
      return 'A capped collection keeps documents at their size and below its own: insert anew, or use an ordinary collection.';
    case '165':
    case '195':
    case '232':
      return 'Views or pipelines are nested too deep: view over the collection itself, or flatten the pipeline.';
    case '257':
    case '388':
      return 'The transaction writes too much: split it into several of some hundred documents each.';
    case '17280':
      return 'The value is too long for an index: use a hashed index or index a shorter field made from it.';
    case '261':
      return 'There are too many sessions: end each when its work is done, and reuse the client instead of connecting anew.';
    case '14031':
      return 'The disk of the server is full: no form of the command can change that; tell whoever runs it.';
    default:
      return readErrorCode(code).wanted ?? bySize(input, verb);
  }
};

const otherLimit = 'The command needs more than the server gives to one: do less at a time.';

function bySize({ error }: TemplateInput, verb: string): string {
  if (verb === 'aggregate' || /sort|memory/i.test(error?.message ?? '')) {
    return readErrorCode('16819').wanted ?? otherLimit;
  }
  return verb === 'insert' || verb === 'update' || verb === 'bulkWrite'
    ? 'The command or a document in it is too large: send fewer documents at a time, each below 16 MB.'
    : otherLimit;
}

export const readOnly: NoteTemplate = () =>
  'This server takes no writes now: connect to one that does, or let whoever blocked them end that.';

const needsReplicaSet =
  'This needs a replica set or a sharded cluster: connect to one, or do without transactions, retryWrites and change streams.';
const elsewhere =
  'This server cannot do this: leave out the option, operator or command that the message names, or do that part in the client.';

const noSuchCommand =
  'The server has no such command: check its spelling, the first key of the document is the command. It may be of another version, or of the shell or the driver.';

export const unsupportedFeature: NoteTemplate = (input) => {
  const { code } = input.record;
  switch (code) {
    case '59':
      return insteadOfCommand(input) ?? noSuchCommand;
    // The name is known; what is missing is the command, or this use of it, as explain of a delete.
    case '238':
      return insteadOfCommand(input) ?? elsewhere;
    case '20':
      return /replica set|mongos|sharded/.test(input.error?.message ?? '') ? needsReplicaSet : elsewhere;
    case '76':
    case '123':
      return needsReplicaSet;
    case '148':
      return 'The server has majority reads turned off: use readConcern local.';
    case '166':
    case '167':
      return 'A view takes reads alone: run this on the collection that it is made of, as listCollections shows in viewOn.';
    case '322':
    case '323':
    case '324':
    case '347':
      return 'The Stable API version that the client declares has no such command or option: leave apiStrict out, or use what the version has.';
    case '352':
      return 'The client speaks the old OP_QUERY protocol: use a driver of this decade.';
    case '31082':
      return 'This server has no search: use $text with a text index, or $regex.';
    default:
      return readErrorCode(code).wanted ?? elsewhere;
  }
};

function insteadOfCommand({ record: { verb }, error }: TemplateInput): string | null {
  if (verb === 'commitTransaction' || verb === 'abortTransaction') {
    return 'This server has no transactions: write what belongs together into one document, or so that it may be run again.';
  }
  // The verb of a part of bulkWrite is that of the part.
  const name = nameInMessage(error?.message ?? '')?.name ?? verb;
  return insteadOfName(name, placesOf.command);
}

export const internal: NoteTemplate = ({ record: { verb } }) =>
  verb === 'aggregate' || verb === 'find'
    ? 'The server failed by itself: take the query apart to find the stage or operator that it fails on, and write that one another way.'
    : 'The server failed by itself: no form of the command is sure to help; read its log, or do it in smaller parts.';

export const unclassified: NoteTemplate = () =>
  'Read the message, and change the command where it points; if it says nothing of the command, ask whoever runs the server.';

/** Notes for the state of the session and the means of the server: mostly nothing that the statement could change. */
import type { NoteTemplate } from '../../../src/core/notes/templates.js';

export const sessionState: NoteTemplate = ({ record: { code, verb } }) => {
  switch (code) {
    case '25001':
      return /^set\b/.test(verb)
        ? 'The mode of a transaction is set before its first query: begin with BEGIN ISOLATION LEVEL ... or SET TRANSACTION right after BEGIN.'
        : 'Run this outside of a transaction block: end the block first, then send it alone, not in one text with other statements.';
    case '25P01':
      return 'This needs a transaction block: send BEGIN first, then this statement, then COMMIT.';
    case '26000':
      return 'This session has no prepared statement of this name: PREPARE it here first, after each new connect.';
    case '34000':
      return 'No cursor of this name is open: DECLARE it in the same transaction before FETCH, or WITH HOLD to keep it after COMMIT.';
    case '24000':
      return 'The cursor stands on no row or cannot do this: FETCH a row first, and use a plain cursor FOR UPDATE on one table.';
    case '3B001':
    case '3B000':
      return 'There is no such savepoint in this transaction: SAVEPOINT it first, and mind that ROLLBACK TO an earlier one removes it.';
    case '2D000':
      return 'COMMIT and ROLLBACK are not possible here: CALL the procedure outside of a transaction block, and not from a function.';
    case '55000':
      return /^(?:refresh|select|with)\b/.test(verb)
        ? 'A prerequisite is missing: call nextval before currval in this session, and REFRESH a materialized view before it is read.'
        : 'The object is not in the state that this needs: read the message, and bring it into that state first.';
    case '55006':
      return 'This session itself still uses the table: close its cursors and COMMIT pending changes, then run this on its own.';
    case '55P04':
      return 'A new enum label can be used only after its transaction: COMMIT the ALTER TYPE ... ADD VALUE, then use it.';
    default:
      return 'The session is in a state that does not allow this: end the open transaction or cursor first, then run it again.';
  }
};

export const readOnly: NoteTemplate = () =>
  'This session or server takes no writes, and no form of the statement can change that. Write in a READ WRITE transaction on the server that takes writes, or stop here.';

export const resourceLimit: NoteTemplate = ({ record: { code } }) => {
  switch (code) {
    case '53100':
      return 'The server has no disk space left, and no form of the statement can change that. Tell whoever runs the server.';
    case '53200':
      return 'The server ran out of memory: work in smaller batches, with fewer locks per transaction and fewer rows per statement.';
    case '54001':
      return 'The statement is nested or long beyond the limit: use fewer levels, end the recursion, and pass long lists as one array with = ANY($1).';
    case '54011':
      return 'A table takes 1600 columns and a result 1664: split them over tables, or select fewer.';
    case '54023':
      return 'A function takes 100 arguments and a statement 65535 parameters: pass one array or several smaller statements.';
    case '42622':
    case '58P03':
      return 'The name is too long: use one of at most 63 bytes.';
    case '2203D':
    case '2203E':
      return 'The JSON value has more elements than its limit: split it.';
    default:
      return 'A limit of the server is reached: the same work needs smaller values or several smaller statements. Where neither is possible there is no other way.';
  }
};

export const unsupportedFeature: NoteTemplate = ({ record: { verb } }) => {
  switch (verb) {
    case 'truncate':
      return 'Foreign keys refer to this table: TRUNCATE it together with the tables that refer to it, in one command, or use DELETE.';
    case 'refresh':
    case 'refresh materialized view':
      return 'REFRESH it once without CONCURRENTLY, and give it a unique index, before it can be refreshed with CONCURRENTLY.';
    case 'alter table':
      return 'This change is not possible in this form while other objects use the column or table: drop those first and create them again after it, or stop here.';
    default:
      return 'This server does not support what is asked in this form, and no other spelling of it will pass. Leave out the part that the message names, or stop here.';
  }
};

export const unsupportedTranslation: NoteTemplate = () =>
  'This statement cannot be translated for this database. Write it in the language of the database itself, or stop here.';

export const internal: NoteTemplate = ({ record: { code } }) => {
  switch (code) {
    case 'XX001':
    case 'XX002':
      return 'The server found damaged data, and no form of the statement can change that. Stop here, and tell whoever runs the server.';
    case '58030':
      return 'The server failed to read or write its files, and no form of the statement can change that. Tell whoever runs the server.';
    default:
      return /^(?:38|39|2F)/.test(code)
        ? 'A function called here failed by itself: read its message, and pass it other arguments.'
        : code.startsWith('HV')
          ? 'The server behind a foreign table refused: read its message, and check the options of the foreign table.'
          : 'The server failed by itself, and no other form of the statement is known to pass. Tell whoever runs the server.';
  }
};

export const unclassified: NoteTemplate = () =>
  'Read the message and the hint, and change the statement or its values before the next try.';

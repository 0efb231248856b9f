/** Notes for the state of the session and the means of the server: mostly nothing that the statement could change. */
import type { NoteTemplate, TemplateInput } from '../../../src/core/notes/templates.js';
import { triggerBody } from './foreign-routines.js';
import { noQualify } from './foreign-syntax.js';
import { forProduct } from './product.js';

export const sessionState: NoteTemplate = (input) => {
  switch (input.record.code) {
    case '1046':
      return 'No database is chosen in this session: send USE database first, or write database.table.';
    case '1099':
      return 'This session holds a READ lock on the table: UNLOCK TABLES first, or LOCK TABLES with WRITE.';
    case '1100':
      return 'While LOCK TABLES holds, only the tables it names can be used, each alias and each table behind a foreign key among them: name this one too, or UNLOCK TABLES.';
    case '1179':
    case '1192':
      return 'Run this outside of a transaction and without table locks: COMMIT or ROLLBACK, and UNLOCK TABLES, then send it alone.';
    case '1223':
      return 'This session holds a read lock itself: UNLOCK TABLES first.';
    case '1243':
      return 'This session has no prepared statement of this name: PREPARE it here first, after each new connect and reset.';
    case '1305':
      return 'There is no such savepoint in this transaction: SAVEPOINT it first, and mind that COMMIT, DDL and ROLLBACK TO an earlier one remove it.';
    case '1325':
      return 'The cursor is open already: CLOSE it before it is opened again.';
    case '1326':
    case '1421':
      return 'The cursor is not open: OPEN it before FETCH, and CLOSE it once.';
    case '1397':
    case '1398':
    case '1399':
    case '1400':
    case '1401':
    case '1440':
      return 'The XA transaction is not in the state for this: the order is XA START, work, XA END, XA PREPARE, XA COMMIT, with one xid and nothing else in between.';
    case '1422':
      return 'A trigger or function must not commit: leave out COMMIT, ROLLBACK, DDL and LOCK TABLES, or make it a procedure and CALL it.';
    case '1444':
      return 'A prepared statement cannot run itself through a routine: call the routine directly.';
    case '1445':
      return 'A trigger or function cannot set autocommit: set it in the session before.';
    case '1568':
      return 'Isolation and access mode are set before the transaction: COMMIT or ROLLBACK first, then SET TRANSACTION, then START TRANSACTION.';
    case '1645':
    case '3004':
      return 'RESIGNAL and GET STACKED DIAGNOSTICS work only inside of a handler: use SIGNAL or GET DIAGNOSTICS elsewhere.';
    case '1766':
      return 'This setting cannot be changed inside of a transaction: COMMIT or ROLLBACK first.';
    case '3748':
      return 'With GTIDs a temporary table is created and dropped outside of a transaction: COMMIT first, or create it before START TRANSACTION.';
    case '4059':
    case '4060':
    case '4061':
    case '4062':
      return 'MyRocks does not allow this in such a transaction: ROLLBACK, then begin without WITH CONSISTENT SNAPSHOT.';
    default:
      return 'The session is in a state that does not allow this: end the open transaction, locks or cursor first, then run it again.';
  }
};

export const readOnly: NoteTemplate = ({ record: { code } }) => {
  switch (code) {
    case '1792':
      return 'This transaction was begun as one that takes no writes: COMMIT or ROLLBACK it, then write in START TRANSACTION READ WRITE.';
    case '1036':
      return 'The table takes no writes, and no form of the statement can change that. Write to another table, or stop here.';
    case '1207':
      return 'At this isolation level the transaction takes no locks for writing: use REPEATABLE READ or READ COMMITTED.';
    case '3989':
      return 'The database was set to take no writes, and no form of the statement can change that. Write to another one, or stop here.';
    default:
      return 'This server takes no writes, and no form of the statement can change that. Send it to the server that takes writes, or stop here.';
  }
};

export const resourceLimit: NoteTemplate = (input) => resourceAdvice[input.record.code] ?? limitOf(input);

function limitOf(input: TemplateInput): string {
  const { code } = input.record;
  switch (code) {
    case '1153':
      return 'The statement is larger than max_allowed_packet: send long values in pieces, and rows in smaller batches.';
    case '1206':
      return 'The whole transaction was rolled back, for it held more locks than there is room for: re-run it in smaller batches, over indexed columns.';
    case '1461':
      return 'All prepared statements of the server are taken: DEALLOCATE those no longer used, prepare each text once and keep it.';
    case '1931':
      return 'The statement looked at more rows than LIMIT ROWS EXAMINED allows: filter on indexed columns, or raise that limit.';
    case '3636':
      return 'The recursion goes deeper than cte_max_recursion_depth: end it with a WHERE in its recursive part, or SET cte_max_recursion_depth higher.';
    default:
      return isDiskFull(input)
        ? 'The server has no disk space left, and no form of the statement can change that. Tell whoever runs the server.'
        : 'A limit of the server is reached: the same work needs smaller values or several smaller statements. Where neither is possible there is no other way.';
  }
}

function isDiskFull({ record: { code }, error }: TemplateInput): boolean {
  return /^(?:1|2|3|20|1004|1005|1021|1024|1026|3675)$/.test(code) || /\b28\b/.test(error?.message ?? '');
}

const recursion =
  'Routines or triggers call each other too deep: end the recursion, or SET max_sp_recursion_depth for procedures; functions and triggers cannot recurse.';
const outOfMemory =
  'The server ran out of memory for this: sort and join fewer rows and columns, over indexed ones, in smaller batches.';

const resourceAdvice: Readonly<Record<string, string>> = {
  '5': outOfMemory,
  '1037': outOfMemory,
  '1038':
    'The sort has no room: select fewer and shorter columns (no TEXT, BLOB or JSON), sort by an indexed one, or SET sort_buffer_size higher.',
  '1041': outOfMemory,
  '1059': 'The name is too long: use one of at most 64 characters.',
  '1069': 'A table takes 64 keys: drop some that others cover.',
  '1070': 'A key takes 16 columns in MySQL and 32 in MariaDB: leave some out.',
  '1071':
    'The key is longer than 3072 bytes: index a prefix, as KEY (c(191)), shorten the columns, or make a hash of them the key.',
  '1074':
    'A CHAR takes 255 characters and a VARCHAR what fits in 65535 bytes, 16383 in utf8mb4: use TEXT or MEDIUMTEXT.',
  '1104':
    'The SELECT would look at more rows than max_join_size: give the join conditions and filters on indexed columns, or SET sql_big_selects = 1.',
  '1114':
    'The table has no room left: for a MEMORY or temporary table select less or SET tmp_table_size higher; else the disk is full.',
  '1116': 'A join takes 61 tables: split the statement, or put a part into a temporary table.',
  '1117':
    'A table takes 4096 columns, 1017 in InnoDB: split them over tables, or keep some in one JSON column.',
  '1118':
    'A row takes 65535 bytes, and about half a page of 16 KB in InnoDB: make long VARCHAR columns TEXT, or split the table.',
  '1119':
    'The statement is nested too deep for the stack: use fewer levels of brackets, subqueries or routine calls.',
  '1197':
    'The transaction is larger than max_binlog_cache_size: work in smaller batches, with COMMIT after each.',
  '1226':
    'The account has used up what it may do in an hour, and no form of the statement can change that. Stop here, or wait for the next hour.',
  '1390': 'A prepared statement takes 65535 parameters: send rows in smaller batches.',
  '1425': 'The scale is too large: DECIMAL takes at most 30 digits behind the point in MySQL, 38 in MariaDB.',
  '1426': 'The precision is too large: DECIMAL takes 65 digits, times 6 behind the point.',
  '1436': recursion,
  '1456': recursion,
  '1628': 'The comment is too long: a table takes 2048 characters.',
  '1629': 'The comment is too long: a column takes 1024 characters.',
  '1688': 'The comment is too long: an index takes 1024 characters.',
  '1709':
    'A column in the key is longer than its row format takes: use ROW_FORMAT=DYNAMIC, or a prefix as KEY (c(191)).',
  '3150': 'The JSON document is larger than max_allowed_packet: split it.',
  '3157': 'The JSON document is nested deeper than 100 levels: flatten it.',
  '3699': 'The regular expression takes too long on this text: make it simpler, without nested repetitions.',
  '4040': 'The JSON document or path is nested too deep: flatten it.',
  '4043': 'The JSON document or path is nested too deep: flatten it.',
};

export const unsupportedFeature: NoteTemplate = (input) => {
  const { code } = input.record;
  if (/^18(?:4[5-9]|5[0-7]|61)$|^3060$|^4083$/.test(code)) {
    return 'The change cannot be made with this ALGORITHM and LOCK: leave both out, or use what the message offers, as ALGORITHM=COPY, LOCK=SHARED.';
  }
  switch (code) {
    case '1235':
      return notYetSupported(input);
    case '1289':
    case '3167':
      return 'The server was built or started without this feature, and no form of the statement can change that. Stop here.';
    case '1295':
      return 'This statement cannot be prepared: send it as plain text, not through a prepared statement.';
    case '6037':
      return noQualify;
    case '1314':
    case '1336':
      if (/\btrigger\b.* for each row execute\b/.test(input.shape)) return triggerBody;
      return 'This statement is not allowed in a routine, function or trigger of this kind: run it outside, and dynamic SQL only in procedures.';
    case '1970':
      return 'A CHECK takes no subqueries and stored functions: check it in a BEFORE trigger that SIGNALs.';
    case '1335':
    case '1338':
      return 'A subquery cannot stand here: SELECT it INTO a variable first.';
    case '1424':
      return 'Functions and triggers cannot call themselves: use a procedure with max_sp_recursion_depth, or WITH RECURSIVE.';
    case '1506':
      return 'Partitioned tables take no foreign keys: leave the key or the partitions out.';
    case '1785':
    case '1786':
      return 'With GTIDs one statement or transaction writes tables of one kind: keep tables without transactions (MyISAM) apart from InnoDB ones.';
    case '3098':
      return 'Every table here needs a primary key: add one to the table first.';
    case '3152':
      return 'A JSON column cannot be indexed itself: index a generated column, or an expression as ((CAST(doc ->> path AS CHAR(64)))).';
    case '1031':
    case '1163':
    case '1164':
    case '1178':
    case '1214':
    case '1464':
    case '1478':
    case '3161':
      return 'The storage engine of the table cannot do this: use ENGINE=InnoDB, which does, or leave the option out.';
    case '1126':
      return noLibrary;
    default:
      return 'This server does not support what is asked in this form, and no other spelling of it will pass. Leave out the part that the message names, or stop here.';
  }
};

const noLibrary =
  'The server has no such library, and no form of the statement can change that. Have it installed in plugin_dir, or stop here.';

/** 1235 has one text for several things; what it names is never translated. */
function notYetSupported(input: TemplateInput): string {
  const message = input.error?.message ?? '';
  const isLimit = /\bLIMIT\b/.test(message) || (input.error === null && /\blimit\b/.test(input.shape));
  if (isLimit) {
    return 'LIMIT cannot stand in a subquery of IN, ANY or ALL: put it one level deeper, IN (SELECT id FROM (SELECT ... LIMIT n) AS x), or join that.';
  }
  if (/\btrigger/i.test(message)) {
    return 'A table takes one trigger of this kind here: put both actions into one trigger.';
  }
  return forProduct(
    input,
    'MySQL does not have this: leave out the part that the message names, or stop here.',
    'MariaDB does not have this: leave out the part that the message names, or stop here.',
  );
}

export const unsupportedTranslation: NoteTemplate = () =>
  'This statement cannot be translated for this database. Write it in the language of the database itself, or stop here.';

export const internal: NoteTemplate = ({ record: { code } }) => {
  switch (code) {
    case '1025':
      return 'The table was not renamed, or its change did not get its name at the end: check that the database it goes to is there, and that the old table is as it was.';
    case '1034':
    case '1035':
    case '1194':
    case '1195':
    case '1712':
    case '1728':
    case '1812':
    case '1877':
    case '1932':
      return 'The server found a damaged or missing table file, and no form of the statement can change that. Stop here, and tell whoever runs the server.';
    case '2':
    case '3':
    case '1004':
    case '1024':
    case '1026':
    case '1810':
    case '1811':
      return 'The server failed to read or write its files, and no form of the statement can change that. Tell whoever runs the server.';
    case '1429':
    case '1430':
    case '1296':
      return 'The server behind this table refused: read the message, and check the options of the table.';
    default:
      return 'The server failed by itself, and no other form of the statement is known to pass. Tell whoever runs the server.';
  }
};

export const unclassified: NoteTemplate = () =>
  'Read the message, and change the statement or its values before the next try.';

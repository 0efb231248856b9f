import { describe, expect, it } from 'vitest';
import {
  changeUser,
  closeStatement,
  execute,
  fetch,
  fieldList,
  initDb,
  ping,
  prepare,
  processKill,
  query,
  quit,
  resetConnection,
  resetStatement,
  sendLongData,
  setOption,
  statistics,
} from '../../support/mysql-client-packets.js';
import { status } from '../../support/mysql-protocol.js';
import {
  authMoreData,
  authSwitch,
  columnDefinition,
  endOfRows,
  eof,
  error,
  fastAuthOk,
  localInfileRequest,
  ok,
  prepareOk,
  resultSet,
  textRow,
} from '../../support/mysql-server-packets.js';
import { eventsOf, type Options, run, type Step, withEof } from './scripted-session.js';

const inTransaction = status.autocommit | status.inTransaction;
const more = status.autocommit | status.moreResults;
const rows = resultSet(['a'], [['1'], ['2']]);
const rowsWithMore = resultSet(['a'], [['1']], { end: { status: more } });
const noSuchColumn = error(1054, "Unknown column 'nope' in 'field list'", '42S22');
const duplicate = error(1062, "Duplicate entry '1' for key 't.PRIMARY'", '23000');
const deadlock = error(1213, 'Deadlock found when trying to get lock; try restarting transaction', '40001');

/** Name, script, events, options: adding a case is adding an entry. */
type Script = readonly [string, readonly Step[], readonly string[], Options?];

const queries: readonly Script[] = [
  [
    'a query that fails is settled at once',
    [
      ['c', query('select nope')],
      ['s', noSuchColumn],
    ],
    ['failed 1054 <select nope> execute k=0 idle', 'settled idle'],
  ],
  [
    'queries that run, with rows and without',
    [
      ['c', query('select a from t')],
      ['s', ...rows],
      ['c', query('insert into t values (1)')],
      ['s', ok({ affectedRows: 1 })],
    ],
    ['ok <select a from t> 0', 'ok <insert into t values (1)> 0'],
  ],
  [
    'an ERR in the middle of rows ends the command',
    [
      ['c', query('select f(a) from t')],
      ['s', ...rows.slice(0, -1), error(1242, 'Subquery returns more than 1 row', '21000')],
      ['c', query('select 1')],
      ['s', ...rows],
    ],
    ['failed 1242 <select f(a) from t> execute k=0 idle', 'settled idle', 'ok <select 1> 0'],
  ],
  [
    'an ERR in place of a definition',
    [
      ['c', query('select a, b from t')],
      ['s', Buffer.from([2]), columnDefinition({ name: 'a' }), noSuchColumn],
      ['c', ping],
      ['s', ok()],
    ],
    ['failed 1054 <select a, b from t> execute k=0 idle', 'settled idle'],
  ],
  [
    'statement k of a multi-statement text; what ran before it stays done',
    [
      ['c', query('update t set id = 2; select nope')],
      ['s', ok({ status: more }), noSuchColumn],
      ['c', ping],
      ['s', ok()],
    ],
    [
      'ok <update t set id = 2; select nope> 0',
      'failed 1054 <update t set id = 2; select nope> execute k=1 idle',
      'settled idle',
    ],
  ],
  [
    'three result sets of one text',
    [
      ['c', query('select 1; select 2; select 3')],
      ['s', ...rowsWithMore, ...rowsWithMore, ...rows],
      ['c', query('select nope')],
      ['s', noSuchColumn],
    ],
    [
      'ok <select 1; select 2; select 3> 0',
      'ok <select 1; select 2; select 3> 1',
      'ok <select 1; select 2; select 3> 2',
      'failed 1054 <select nope> execute k=0 idle',
      'settled idle',
    ],
  ],
  [
    'a CALL with two result sets and its OK is one statement of a text',
    [
      ['c', query('select 0; call p(); select nope')],
      ['s', ...rowsWithMore, ...rowsWithMore, ...rowsWithMore, ok({ status: more }), noSuchColumn],
    ],
    [
      'ok <select 0; call p(); select nope> 0',
      'ok <select 0; call p(); select nope> 1',
      'failed 1054 <select 0; call p(); select nope> execute k=2 idle',
      'settled idle',
    ],
  ],
  [
    'a CALL that fails after two result sets is what fails',
    [
      ['c', query('select 0; call p(1); select 1')],
      ['s', ...rowsWithMore, ...rowsWithMore, ...rowsWithMore, error(1644, 'stop', '45000')],
    ],
    [
      'ok <select 0; call p(1); select 1> 0',
      'failed 1644 <select 0; call p(1); select 1> execute k=1 idle',
      'settled idle',
    ],
  ],
  [
    'a CALL alone is one success',
    [
      ['c', query('call p()')],
      ['s', ...rowsWithMore, ...rowsWithMore, ok()],
    ],
    ['ok <call p()> 0'],
  ],
  [
    'a prepared CALL is one success too',
    [
      ['c', prepare('call p()')],
      ['s', prepareOk(1, 0, 0)],
      ['c', execute(1)],
      ['s', ...rowsWithMore, ...rowsWithMore, ok()],
    ],
    ['ok <call p()> 0'],
  ],
  [
    'commands sent without waiting keep their order',
    [
      ['c', query('insert 1'), query('insert 2'), query('insert 3'), ping, query('select 1')],
      ['s>', ok()],
      ['s>', ok()],
      ['s>', duplicate],
      ['s>', ok()],
      ['s>', ...rows],
    ],
    [
      'ok <insert 1> 0',
      'ok <insert 2> 0',
      'failed 1062 <insert 3> execute k=0 idle',
      'settled idle',
      'ok <select 1> 0',
    ],
  ],
  [
    'warnings of statements are counted, those that other commands repeat are not',
    [
      ['c', query("insert into t values ('12x')")],
      ['s', ok({ warnings: 3 })],
      ['c', ping],
      ['s', ok({ warnings: 3 })],
      ['c', query('show warnings')],
      ['s', ...resultSet(['Level'], [], { end: { warnings: 3 } })],
      ['c', query('insert into t values (1) returning a')],
      ['s', ...resultSet(['a'], [['1']], { end: { warnings: 1 } })],
    ],
    [
      'warned 3',
      "ok <insert into t values ('12x')> 0",
      'ok <show warnings> 0',
      'warned 1',
      'ok <insert into t values (1) returning a> 0',
    ],
  ],
  [
    'an unknown set of columns: 251 of them, and a row that begins with NULL',
    [
      ['c', query('select many')],
      [
        's',
        Buffer.from([0xfc, 251, 0]),
        ...Array.from({ length: 251 }, (_, index) => columnDefinition({ name: `c${index}` })),
        textRow(Array.from({ length: 251 }, () => null)),
        endOfRows(),
      ],
      ['c', query('select nope')],
      ['s', noSuchColumn],
    ],
    ['ok <select many> 0', 'failed 1054 <select nope> execute k=0 idle', 'settled idle'],
  ],
];

const transactions: readonly Script[] = [
  [
    'the state before comes from the flags, and most failures leave it',
    [
      ['c', query('begin')],
      ['s', ok({ status: inTransaction })],
      ['c', query('insert into t values (1)')],
      ['s', duplicate],
      ['c', query('update t set a = 1')],
      ['s', error(1205, 'Lock wait timeout exceeded; try restarting transaction')],
    ],
    [
      'ok <begin> 0',
      'failed 1062 <insert into t values (1)> execute k=0 open',
      'settled open',
      'failed 1205 <update t set a = 1> execute k=0 open',
      'settled open',
    ],
  ],
  [
    'a deadlock takes the transaction with it',
    [
      ['c', query('begin')],
      ['s', ok({ status: inTransaction })],
      ['c', query('update t set a = 1')],
      ['s', deadlock],
      ['c', query('select nope')],
      ['s', noSuchColumn],
    ],
    [
      'ok <begin> 0',
      'failed 1213 <update t set a = 1> execute k=0 open',
      'settled idle',
      'failed 1054 <select nope> execute k=0 idle',
      'settled idle',
    ],
  ],
  [
    'DDL commits before it fails, unless the parser refuses it or its table is a temporary one',
    [
      ['c', query('begin')],
      ['s', ok({ status: inTransaction })],
      ['c', query('create tabl t (a int)')],
      ['s', error(1064, 'You have an error', '42000')],
      ['c', query('create temporary table t (a int, a int)')],
      ['s', error(1060, "Duplicate column name 'a'", '42S21')],
      ['c', query('create table t (a int)')],
      ['s', error(1050, "Table 't' already exists", '42S01')],
    ],
    [
      'ok <begin> 0',
      'failed 1064 <create tabl t (a int)> execute k=0 open',
      'settled open',
      'failed 1060 <create temporary table t (a int, a int)> execute k=0 open',
      'settled open',
      'failed 1050 <create table t (a int)> execute k=0 open',
      'settled idle',
    ],
  ],
  [
    'a killed connection is closed',
    [
      ['c', query('begin')],
      ['s', ok({ status: inTransaction })],
      ['c', query('select sleep(9)')],
      ['s', error(1927, 'Connection was killed', '70100')],
    ],
    ['ok <begin> 0', 'failed 1927 <select sleep(9)> execute k=0 open', 'settled closed'],
    { engine: 'mariadb' },
  ],
  [
    'DDL that ran is announced; that of temporary tables, and what only looks like it, is not',
    [
      ['c', query('/* a */ -- b\n CREATE TABLE t (a int)')],
      ['s', ok()],
      ['c', query('create temporary table x (a int)')],
      ['s', ok()],
      ['c', query('drop prepare s')],
      ['s', ok()],
      ['c', query('insert into t select 1; alter table t add b int')],
      ['s', ok({ status: more }), ok()],
      ['c', prepare('drop table t')],
      ['s', prepareOk(4, 0, 0)],
      ['c', execute(4)],
      ['s', ok()],
      ['c', query('/*!50100 truncate table t */')],
      ['s', ok()],
    ],
    ['schema changed', 'schema changed', 'schema changed', 'schema changed'],
    { wantsSuccess: false },
  ],
];

const preparedStatements: readonly Script[] = [
  [
    'failures of PREPARE and EXECUTE belong to their text',
    [
      ['c', prepare('select nope')],
      ['s', noSuchColumn],
      ['c', prepare('insert into t values (?)')],
      ['s', prepareOk(1, 0, 1), columnDefinition({ name: '?' })],
      ['c', execute(1, ['1'])],
      ['s', duplicate],
      ['c', execute(1, ['2'])],
      ['s', ok({ affectedRows: 1 })],
    ],
    [
      'failed 1054 <select nope> parse k=0 idle',
      'settled idle',
      'failed 1062 <insert into t values (?)> execute k=0 idle',
      'settled idle',
      'ok <insert into t values (?)> 0',
    ],
  ],
  [
    'binary rows, and an ERR at their end',
    [
      ['c', prepare('select a from t')],
      ['s', prepareOk(1, 1, 0), columnDefinition({ name: 'a' })],
      ['c', execute(1)],
      ['s', ...resultSet(['a'], [['1'], [null]], { isBinary: true })],
      ['c', execute(1)],
      [
        's',
        ...resultSet(['a'], [['1']], { isBinary: true }).slice(0, -1),
        error(3024, 'Query execution was interrupted, maximum statement execution time exceeded'),
      ],
    ],
    ['ok <select a from t> 0', 'failed 3024 <select a from t> execute k=0 idle', 'settled idle'],
  ],
  [
    'CLOSE and LONG_DATA get no answer, and CLOSE takes effect in its turn',
    [
      ['c', prepare('insert into t values (?)')],
      ['s', prepareOk(1, 0, 1), columnDefinition({ name: '?' })],
      ['c', sendLongData(1, 0, Buffer.from('x'.repeat(5_000))), execute(1, [undefined])],
      ['s>', duplicate],
      ['c', execute(1, ['1']), closeStatement(1), execute(1, ['1']), ping],
      ['s>', duplicate],
      ['s>', error(1243, 'Unknown prepared statement handler (1) given to mysqld_stmt_execute')],
      ['s>', ok()],
      ['c', sendLongData(1, 0, Buffer.from('x')), closeStatement(1), ping],
      ['s>', ok()],
    ],
    [
      'failed 1062 <insert into t values (?)> execute k=0 idle',
      'settled idle',
      'failed 1062 <insert into t values (?)> execute k=0 idle',
      'settled idle',
      'bypassed statement_text_unknown',
      'failed 1243 <?> execute k=0 idle',
      'settled idle',
    ],
  ],
  [
    'a statement that the server does not know any more is not blamed',
    [
      ['c', prepare('select 1')],
      ['s', prepareOk(1, 1, 0), columnDefinition({ name: '1' })],
      ['c', execute(1)],
      ['s', error(1243, 'Unknown prepared statement handler (1) given to mysqld_stmt_execute')],
      ['c', resetStatement(1)],
      ['s', error(1243, 'Unknown prepared statement handler (1) given to mysqld_stmt_reset')],
    ],
    [
      'bypassed statement_text_unknown',
      'failed 1243 <?> execute k=0 idle',
      'settled idle',
      'bypassed statement_text_unknown',
      'failed 1243 <?> call k=0 idle',
      'settled idle',
    ],
  ],
  [
    'RESET and a statement prepared before the session was watched',
    [
      ['c', resetStatement(9)],
      ['s', ok()],
      ['c', execute(9)],
      ['s', duplicate],
    ],
    ['bypassed statement_text_unknown', 'failed 1062 <?> execute k=0 idle', 'settled idle'],
  ],
  [
    'a cursor: EXECUTE ends with its definitions, each FETCH is a command of its own',
    [
      ['c', prepare('select a from t')],
      ['s', prepareOk(1, 1, 0), columnDefinition({ name: 'a' })],
      ['c', execute(1, [], { flags: 1 })],
      [
        's',
        Buffer.from([1]),
        columnDefinition({ name: 'a' }),
        endOfRows({ status: status.autocommit | status.cursorExists }),
      ],
      ['c', fetch(1, 2)],
      ['s', Buffer.from([0, 0, 1, 0x61]), endOfRows({ status: status.autocommit | status.cursorExists })],
      ['c', fetch(1, 2)],
      ['s', Buffer.from([0, 0, 1, 0x61]), endOfRows({ status: status.autocommit | status.lastRowSent })],
      ['c', fetch(1, 2)],
      ['s', error(1421, 'The statement (1) has no open cursor.')],
    ],
    ['ok <select a from t> 0', 'failed 1421 <select a from t> execute k=0 idle', 'settled idle'],
  ],
  [
    'PREPARE as SQL: its text is to blame, and known by its name',
    [
      ['c', query("prepare s from 'selec 1'")],
      ['s', error(1064, 'You have an error', '42000')],
      ['c', query("PREPARE `S` FROM 'insert into t values (''1'', ?)'")],
      ['s', ok()],
      ['c', query('execute s using @a')],
      ['s', duplicate],
      ['c', query('execute S using @a')],
      ['s', ok()],
      ['c', query('deallocate prepare s')],
      ['s', ok()],
      ['c', query('execute s using @a')],
      ['s', error(1243, 'Unknown prepared statement handler (s) given to EXECUTE')],
    ],
    [
      'failed 1064 <selec 1> parse k=0 idle',
      'settled idle',
      "ok <PREPARE `S` FROM 'insert into t values (''1'', ?)'> 0",
      "failed 1062 <insert into t values ('1', ?)> execute k=0 idle",
      'settled idle',
      "ok <insert into t values ('1', ?)> 0",
      'ok <deallocate prepare s> 0',
      'failed 1243 <execute s using @a> execute k=0 idle',
      'settled idle',
    ],
  ],
  [
    'PREPARE from a variable: EXECUTE stands for what is not known, the failing PREPARE for nothing',
    [
      ['c', query("prepare s from 'select 1'")],
      ['s', ok()],
      ['c', query('prepare s from @text')],
      ['s', ok()],
      ['c', query('execute s')],
      ['s', duplicate],
      ['c', query('prepare s from @text')],
      ['s', error(1064, 'You have an error', '42000')],
      ['c', query("execute immediate 'drop table t'")],
      ['s', error(1051, "Unknown table 't'", '42S02')],
    ],
    [
      "ok <prepare s from 'select 1'> 0",
      'ok <prepare s from @text> 0',
      'failed 1062 <execute s> execute k=0 idle',
      'settled idle',
      'bypassed statement_text_unknown',
      'failed 1064 <?> parse k=0 idle',
      'settled idle',
      'failed 1051 <drop table t> execute k=0 idle',
      'settled idle',
    ],
  ],
  [
    'EXECUTE of a CALL in a multi-statement text is one statement of it',
    [
      ['c', query("prepare s from 'call p()'")],
      ['s', ok()],
      ['c', query('execute s; select nope')],
      ['s', ...rowsWithMore, ...rowsWithMore, ok({ status: more }), noSuchColumn],
    ],
    [
      "ok <prepare s from 'call p()'> 0",
      'ok <call p()> 0',
      'failed 1054 <execute s; select nope> execute k=1 idle',
      'settled idle',
    ],
  ],
];

const otherCommands: readonly Script[] = [
  [
    'commands that are no statements have one made for them, or none',
    [
      ['c', initDb('nope`x')],
      ['s', error(1049, "Unknown database 'nope`x'", '42000')],
      ['c', fieldList('nope')],
      ['s', error(1146, "Table 'shop.nope' doesn't exist", '42S02')],
      ['c', fieldList('t', '%')],
      ['s', columnDefinition({ name: 'a' }), columnDefinition({ name: 'b' }), endOfRows()],
      ['c', processKill(99)],
      ['s', error(1094, 'Unknown thread id: 99')],
      ['c', setOption(0)],
      ['s', endOfRows()],
      ['c', statistics],
      ['s', Buffer.from('Uptime: 432  Threads: 2')],
      ['c', ping],
      ['s', error(1053, 'Server shutdown in progress', '08S01')],
    ],
    [
      'failed 1049 <use `nope``x`> call k=0 idle',
      'settled idle',
      'failed 1146 <show columns from `nope`> call k=0 idle',
      'settled idle',
      'failed 1094 <kill 99> call k=0 idle',
      'settled idle',
      'bypassed statement_text_unknown',
      'failed 1053 <?> call k=0 idle',
      'settled closed',
    ],
  ],
  [
    'what a COM_STATISTICS answer begins with means nothing',
    [
      ['c', statistics],
      ['s', Buffer.from([0xff, 0x1e, 0x04])],
      ['c', query('select nope')],
      ['s', noSuchColumn],
    ],
    ['failed 1054 <select nope> execute k=0 idle', 'settled idle'],
  ],
  [
    'COM_CHANGE_USER: packets of the authentication are no commands; statements are forgotten',
    [
      ['c', prepare('select 1')],
      ['s', prepareOk(1, 0, 0)],
      ['c', changeUser({ user: 'b', authData: Buffer.alloc(20, 3), database: 'other', plugin: 'x' })],
      ['s', authSwitch('caching_sha2_password')],
      ['c+', Buffer.alloc(32, 0x03)],
      ['s', fastAuthOk, ok()],
      ['c', execute(1)],
      ['s', error(1243, 'Unknown prepared statement handler (1) given to mysqld_stmt_execute')],
    ],
    ['bypassed statement_text_unknown', 'failed 1243 <?> execute k=0 idle', 'settled idle'],
  ],
  [
    'COM_CHANGE_USER that is refused is nobody’s failure; MariaDB lets the session live',
    [
      ['c', prepare('select 1')],
      ['s', prepareOk(1, 0, 0)],
      ['c', changeUser({ user: 'b', authData: Buffer.alloc(0), database: '', plugin: 'x' })],
      ['s', authSwitch('x')],
      ['c+', Buffer.from([0x03, 0x03])],
      ['s', authMoreData(Buffer.from('prompt'))],
      ['c+', Buffer.alloc(0)],
      ['s', error(1045, "Access denied for user 'b'@'localhost'", '28000')],
      ['c', execute(1)],
      ['s', duplicate],
    ],
    ['bypassed statement_text_unknown', 'failed 1062 <?> execute k=0 idle', 'settled idle'],
    { engine: 'mariadb' },
  ],
  [
    'COM_RESET_CONNECTION forgets statements',
    [
      ['c', prepare('select 1')],
      ['s', prepareOk(1, 0, 0)],
      ['c', query("prepare s from 'select 2'")],
      ['s', ok()],
      ['c', resetConnection],
      ['s', ok()],
      ['c', execute(1)],
      ['s', duplicate],
      ['c', query('execute s')],
      ['s', duplicate],
    ],
    [
      "ok <prepare s from 'select 2'> 0",
      'bypassed statement_text_unknown',
      'failed 1062 <?> execute k=0 idle',
      'settled idle',
      'failed 1062 <execute s> execute k=0 idle',
      'settled idle',
    ],
  ],
  [
    'LOCAL INFILE: the file is not read as commands; what follows it is the verdict',
    [
      ['c', query("load data local infile 'x' into table t")],
      ['s', localInfileRequest('x')],
      ['c+', Buffer.from('\x03select nope\n'), Buffer.from([0x01]), Buffer.alloc(0)],
      ['s', ok({ affectedRows: 1, warnings: 2 })],
      ['c', query("load data local infile 'y' into table t")],
      ['s', localInfileRequest('y')],
      ['c+', Buffer.from('1\n'), Buffer.alloc(0)],
      ['s', duplicate],
      ['c', query("load data local infile 'missing' into table t; select nope")],
      ['s', localInfileRequest('missing')],
      ['c+', Buffer.alloc(0)],
      ['s', ok({ status: more }), noSuchColumn],
    ],
    [
      'warned 2',
      "ok <load data local infile 'x' into table t> 0",
      "failed 1062 <load data local infile 'y' into table t> execute k=0 idle",
      'settled idle',
      "ok <load data local infile 'missing' into table t; select nope> 0",
      "failed 1054 <load data local infile 'missing' into table t; select nope> execute k=1 idle",
      'settled idle',
    ],
  ],
  [
    'LOCAL INFILE with so many packets that the numbers wrap',
    [
      ['c', query("load data local infile 'x' into table t")],
      ['s', localInfileRequest('x')],
      ['c+', ...Array.from({ length: 600 }, () => Buffer.from('1\n')), Buffer.alloc(0)],
      ['s', duplicate],
      ['c', query('select 1')],
      ['s', ...rows],
    ],
    [
      "failed 1062 <load data local infile 'x' into table t> execute k=0 idle",
      'settled idle',
      'ok <select 1> 0',
    ],
  ],
  ['QUIT gets no answer', [['c', quit]], []],
];

const eofPackets: readonly Script[] = [
  [
    'result sets and their ends, definitions of a prepared statement',
    [
      ['c', query('select 1; select 2')],
      [
        's',
        ...resultSet(['a'], [['1']], { isEofDeprecated: false, end: { status: more } }),
        ...resultSet(['a'], [['1']], { isEofDeprecated: false }),
      ],
      ['c', prepare('select a from t where a = ?')],
      [
        's',
        prepareOk(1, 1, 1),
        columnDefinition({ name: '?' }),
        eof(),
        columnDefinition({ name: 'a' }),
        eof(),
      ],
      ['c', execute(1, ['1'])],
      ['s', ...resultSet(['a'], [['1']], { isEofDeprecated: false, isBinary: true }).slice(0, -1), duplicate],
      ['c', fieldList('t')],
      ['s', columnDefinition({ name: 'a' }), eof()],
      ['c', setOption(1)],
      ['s', eof()],
      ['c', query('select nope')],
      ['s', noSuchColumn],
    ],
    [
      'ok <select 1; select 2> 0',
      'ok <select 1; select 2> 1',
      'failed 1062 <select a from t where a = ?> execute k=0 idle',
      'settled idle',
      'failed 1054 <select nope> execute k=0 idle',
      'settled idle',
    ],
  ],
  [
    'a cursor ends with the EOF of its definitions',
    [
      ['c', prepare('select a from t')],
      ['s', prepareOk(1, 1, 0), columnDefinition({ name: 'a' }), eof()],
      ['c', execute(1, [], { flags: 1 })],
      ['s', Buffer.from([1]), columnDefinition({ name: 'a' }), eof(status.autocommit | status.cursorExists)],
      ['c', fetch(1, 5)],
      ['s', Buffer.from([0, 0, 1, 0x61]), eof(status.autocommit | status.lastRowSent)],
      ['c', ping],
      ['s', ok()],
    ],
    ['ok <select a from t> 0'],
  ],
  [
    'OUT parameters of MySQL, whose end forgets that an OK follows',
    [
      ['c', prepare('call p(?)')],
      ['s', prepareOk(1, 0, 1), columnDefinition({ name: '?' }), eof()],
      ['c', execute(1, ['1'])],
      [
        's',
        Buffer.from([1]),
        columnDefinition({ name: 'b' }),
        eof(0x100a),
        Buffer.from([0, 0, 3, 0, 0, 0]),
        eof(),
        ok(),
      ],
      ['c', query('select nope')],
      ['s', noSuchColumn],
    ],
    ['ok <call p(?)> 0', 'failed 1054 <select nope> execute k=0 idle', 'settled idle'],
  ],
];

const cases = (scripts: readonly Script[]) =>
  scripts.map(([name, steps, events, options = {}]) => [name, steps, events, options] as const);

describe('session', () => {
  it.each(cases(queries))('queries: %s', (_name, steps, events, options) => {
    expect(eventsOf(steps, options)).toEqual(events);
  });

  it.each(cases(transactions))('transactions: %s', (_name, steps, events, options) => {
    expect(eventsOf(steps, options)).toEqual(events);
  });

  it.each(cases(preparedStatements))('prepared statements: %s', (_name, steps, events, options) => {
    expect(eventsOf(steps, options)).toEqual(events);
  });

  it.each(cases(otherCommands))('other commands: %s', (_name, steps, events, options) => {
    expect(eventsOf(steps, options)).toEqual(events);
  });

  it.each(cases(eofPackets))('with EOF packets: %s', (_name, steps, events, options) => {
    expect(eventsOf(steps, { capabilities: withEof, ...options })).toEqual(events);
  });

  it('with EOF packets: a row that begins like one is a row', () => {
    const big = Buffer.alloc(0x1000000, 0x61);
    const row = textRow([big]);
    for (const isEofDeprecated of [true, false]) {
      const [count, definition, ...ends] = resultSet(['a'], [], { isEofDeprecated });
      const steps: Step[] = [
        ['c', query('select big')],
        ['s', count as Buffer, definition as Buffer, ...ends.slice(0, -1), row, row, ends.at(-1) as Buffer],
        ['c', query('select nope')],
        ['s', noSuchColumn],
      ];
      const events = ['ok <select big> 0', 'failed 1054 <select nope> execute k=0 idle', 'settled idle'];
      expect(row[0]).toBe(0xfe);
      // In one piece, and cut where the network cuts: byte by byte 32 MiB would take minutes.
      for (const chunking of ['all at once', 65_536] as const) {
        const options = isEofDeprecated ? {} : { capabilities: withEof };
        expect(run(steps, { ...options, chunking }).events).toEqual(events);
      }
    }
  });

  it('reports no success that nobody wants', () => {
    const steps: Step[] = [
      ['c', query('select 1')],
      ['s', ...rows],
    ];
    expect(eventsOf(steps, { wantsSuccess: false })).toEqual([]);
  });

  it('says whether everything is answered, and whether a file is being sent', () => {
    const load: Step[] = [
      ['c', query('load data local')],
      ['s', localInfileRequest('x')],
    ];
    const sent: Step = ['c+', Buffer.from('1'), Buffer.alloc(0)];
    const stateOf = (steps: readonly Step[]): readonly boolean[] => {
      const { isIdle, isSendingFile } = run(steps);
      return [isIdle, isSendingFile];
    };
    expect(stateOf([])).toEqual([true, false]);
    expect(stateOf([['c', ping]])).toEqual([false, false]);
    expect(stateOf(load)).toEqual([false, true]);
    expect(stateOf([...load, ['c+', Buffer.from('1')]])).toEqual([false, true]);
    expect(stateOf([...load, sent])).toEqual([false, false]);
    expect(stateOf([...load, sent, ['s', ok()]])).toEqual([true, false]);
    expect(stateOf([['c', ping, Buffer.from([0x7f])]])).toEqual([true, false]);
  });
});

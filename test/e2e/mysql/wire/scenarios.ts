/**
 * Exchanges at the level of packets on one session: what is sent in one write, and which answers come. Most of them are
 * orders of commands or shapes of answers that proxies are known to have lost their place in. Every scenario leaves
 * session and tables as it found them, so that it can be repeated.
 */
import type { MysqlFlavour } from '../../../servers/mysql-programs.js';
import {
  bulkExecute,
  closeStatement,
  debug,
  execute,
  fetch,
  fieldList,
  initDb,
  ping,
  prepare,
  processInfo,
  processKill,
  resetConnection,
  resetStatement,
  sendLongData,
  setOption,
  statistics,
} from '../../../support/mysql-client-packets.js';
import { capability, command, mariadbCapability } from '../../../support/mysql-protocol.js';
import { batterySchema } from '../battery/schema.js';
import {
  attributed,
  bytes,
  databaseOf,
  inTurn,
  longData,
  prepared,
  prepareOn,
  type Run,
  readOnlyCursor,
  run,
  text,
  texts,
  together,
  withFiles,
} from './exchanges.js';

export interface WireScenario {
  readonly name: string;
  readonly run: Run;
  /** A repetition must carry a note. */
  readonly isNoted?: true;
  readonly only?: MysqlFlavour;
  /** Left out where the login did not agree on it. */
  readonly needs?: Partial<Record<'capabilities' | 'extendedCapabilities', number>>;
  /** The answer tells of the server as it is at that moment: only the numbers and kinds of its packets are compared. */
  readonly isVarying?: true;
  /** Would take minutes byte by byte. */
  readonly isLarge?: true;
}

export const wireSchema = `${batterySchema}
create procedure out_value(in a int, out b int) begin select a; set b = a + 1; end;
${['behind_rows', 'among_others', 'prepared']
  .map(
    (name) => `create procedure fails_${name}() begin
      select id from city order by id;
      insert into city values (1, 'Bergen', 'NO');
      select 'never' as word;
    end;`,
  )
  .join('\n')}
${[1406, 1690]
  .map(
    (errno) => `create function late_${errno}(value int) returns int deterministic begin
      if value > 2 then signal sqlstate '22003' set message_text = 'late', mysql_errno = ${errno}; end if;
      return value;
    end;`,
  )
  .join('\n')}
create procedure nothing_at_all() begin end;
`;

const noted = { isNoted: true } as const;
const load = "load data local infile 'any.tsv' into table copied (word)";
const columns = Array.from({ length: 251 }, (_, index) => `${index}`).join(', ');

const textScenarios: readonly WireScenario[] = [
  { name: 'a result set', run: texts('select * from city order by id') },
  { name: 'no rows', run: texts('select * from copied') },
  { name: 'an update', run: texts('update city set country = country where id = 1') },
  { name: 'a first value NULL', run: texts('select null', 'select null, 1') },
  { name: 'a first value empty', run: texts("select ''", "select '', 1") },
  { name: 'values that look like headers', run: texts("select x'ff0000', x'fe00', x'fb', x'00'") },
  { name: '251 columns', run: texts(`select ${columns}`) },
  { name: 'a view', run: texts('select * from city_names order by id') },
  { name: 'warnings', run: texts("select 1 / 0, cast('1x' as signed)", 'show warnings') },
  {
    name: 'two sets of CHECK and ANALYZE',
    run: texts('check table city, person', 'checksum table city, nowhere'),
  },
  { name: 'nothing to run', run: texts('', ';', ' ; ', '-- nothing', '/* nothing */') },
  { ...noted, name: 'an unknown column', run: texts('select nope from city') },
  { ...noted, name: 'an unknown table', run: texts('select 1 from nowhere') },
  { ...noted, name: 'a syntax error', run: texts('selec id from city') },
  { ...noted, name: 'a duplicate', run: texts("insert into person (id, email) values (9, 'a@example.org')") },
  { ...noted, name: 'a foreign key', run: texts('delete from city where id = 1') },
  { ...noted, name: 'a trigger', run: texts('update account set balance = -1 where id = 1') },
  { ...noted, name: 'an error after rows', run: texts('select id, checked(id) from city order by id') },
  { name: 'a statement that ends itself', run: texts('kill query connection_id()', 'select 1') },
  {
    name: 'several statements',
    run: texts('select 1; update city set country = country where id = 1; select 2, 3'),
  },
  {
    ...noted,
    name: 'several statements, the second fails',
    run: texts('select 1; select nope, id from city; select 2'),
  },
  {
    ...noted,
    name: 'several statements, the last fails',
    run: texts("update city set country = country where id = 1; do 0; select 3 from nowhere where x = 'y'"),
  },
  { name: 'a CALL of two sets', run: texts('call two_sets()') },
  { name: 'a CALL of nothing', run: texts('call nothing_at_all()') },
  { name: 'a CALL between statements', run: texts('select 1; call two_sets(); select 2') },
  { ...noted, name: 'a CALL that fails behind rows', run: texts('call fails_behind_rows()') },
  { ...noted, name: 'a CALL that fails among others', run: texts('do 1; call fails_among_others(); do 2') },
  {
    ...noted,
    name: 'a CALL and then a failure',
    run: texts('call two_sets(); select nope2 from city; select 1'),
  },
  {
    name: 'a transaction',
    run: texts('begin', 'update held set v = 7 where id = 2', 'select v from held where id = 2', 'rollback'),
  },
  {
    ...noted,
    name: 'a failure in a transaction',
    run: texts('begin', 'update held set v = 8 where id = 2', 'select nope3 from city', 'rollback'),
  },
  { name: 'an XA branch', run: texts("xa start 'b'", 'select 1', "xa end 'b'", "xa rollback 'b'") },
  {
    ...noted,
    name: 'five texts in one write, the third fails',
    run: together(...['1', '2', 'nope4 from city', '4', '5'].map((one) => text(`select ${one}`))),
  },
  {
    name: 'results and file requests are told apart',
    run: together(text('select null'), text(`select ${columns}`), text("select ''")),
  },
  {
    ...noted,
    name: 'PREPARE, EXECUTE and DEALLOCATE as texts',
    run: texts(
      "prepare p from 'select nope5 from city where id = ?'",
      "prepare p from 'select id, late_1406(id + ?) from city order by id'",
      'set @one = 1',
      'execute p using @one',
      'deallocate prepare p',
      'execute p',
    ),
  },
  {
    name: 'settings and what is told of them',
    run: texts(
      'set names latin1',
      "select 'é'",
      "set sql_mode = concat(@@sql_mode, ',NO_BACKSLASH_ESCAPES')",
      "select '\\\\'",
      'set sql_mode = default',
      'set autocommit = 0',
      'select 1',
      'set autocommit = 1',
      'set names utf8mb4',
    ),
  },
];

const preparedScenarios: readonly WireScenario[] = [
  { name: 'a statement without parameters', run: prepared('select * from city order by id', run(), run()) },
  {
    name: 'a statement with parameters',
    run: prepared('select ?, ? + 1', run(['a', '1']), run([null, null])),
  },
  { name: 'a statement without a result', run: prepared('do ?', run(['1']), run(['2'])) },
  { ...noted, name: 'an error at prepare', run: prepared('select nope6 from city where id = ?') },
  {
    ...noted,
    name: 'an error at execute',
    run: prepared('update person set email = ? where id = 2', run(['a@example.org'])),
  },
  {
    ...noted,
    name: 'an error after binary rows',
    run: prepared('select id, name, late_1690(id) from city order by id', run()),
  },
  {
    name: 'a cursor',
    run: prepared(
      'select * from city order by id',
      run([], readOnlyCursor),
      (id) => fetch(id, 2),
      (id) => fetch(id, 2),
    ),
  },
  {
    name: 'a cursor over nothing',
    run: prepared('select * from copied where id > ?', run(['0'], readOnlyCursor), (id) => fetch(id, 2)),
  },
  {
    name: 'a cursor asked for where there are no rows',
    run: prepared('do 1', run([], readOnlyCursor), (id) => fetch(id, 1)),
  },
  {
    name: 'a cursor that is closed early and read again',
    run: prepared(
      'select id from city order by id',
      run([], readOnlyCursor),
      (id) => fetch(id, 1),
      resetStatement,
      (id) => fetch(id, 1),
    ),
  },
  {
    name: 'a cursor over what fails',
    run: prepared('select id, checked(id) + 0 from city order by id', run([], readOnlyCursor), (id) =>
      fetch(id, 1),
    ),
  },
  { name: 'a prepared CALL', run: prepared('call two_sets()', run(), run()) },
  { ...noted, name: 'a prepared CALL that fails', run: prepared('call fails_prepared()', run()) },
  { name: 'OUT parameters', run: prepared('call out_value(?, ?)', run(['4', null])) },
  {
    name: 'long data',
    run: prepared(
      'select length(?), ?',
      longData('abc'),
      longData(''),
      longData('d'.repeat(5000)),
      run([undefined, 'x']),
      run(['q', 'y']),
    ),
  },
  {
    name: 'long data forgotten by a reset',
    run: prepared('select length(?), ?', longData('abc'), resetStatement, run(['zz', 'x'])),
  },
  { name: 'long data and the end of its statement', run: prepared('select ?', longData('abc')) },
  {
    name: 'commands about a statement that is not there',
    run: together(
      bytes(sendLongData(4711, 0, Buffer.from('x'))),
      bytes(execute(4711)),
      bytes(resetStatement(4711)),
      bytes(fetch(4711, 1)),
      bytes(closeStatement(4711)),
      bytes(ping),
    ),
  },
  {
    name: 'long data for a parameter that is not there',
    run: prepared('select ?', (id) => sendLongData(id, 9, Buffer.from('x')), run(['a'])),
  },
  {
    only: 'mariadb',
    name: 'the last statement prepared, in one write',
    run: together(bytes(prepare('select id from city order by id')), bytes(execute(0xffffffff)), bytes(ping)),
  },
  {
    only: 'mariadb',
    ...noted,
    name: 'the last statement prepared, which could not be',
    run: together(bytes(prepare('select nope7 from city')), bytes(execute(0xffffffff)), bytes(ping)),
  },
  {
    only: 'mariadb',
    needs: { extendedCapabilities: mariadbCapability.bulkExecute },
    name: 'many executions in one command',
    run: prepared(
      'insert into copied (id, word) values (?, ?)',
      (id) =>
        bulkExecute(id, [
          ['1', 'one'],
          ['2', null],
          ['3', 'three'],
        ]),
      (_, session) => text('delete from copied')(session),
    ),
  },
  {
    only: 'mariadb',
    ...noted,
    needs: { extendedCapabilities: mariadbCapability.bulkExecute },
    name: 'many executions, one of which fails',
    run: prepared(
      'insert into copied (id, word) values (?, ?)',
      (id) =>
        bulkExecute(id, [
          ['1', 'one'],
          ['2', null],
          ['1', 'three'],
        ]),
      (_, session) => text('delete from copied')(session),
    ),
  },
];

const commandScenarios: readonly WireScenario[] = [
  { name: 'COM_PING', run: inTurn(bytes(ping)) },
  { name: 'three in one write', run: together(bytes(ping), text('select 1'), bytes(ping)) },
  { name: 'COM_STATISTICS', isVarying: true, run: inTurn(bytes(statistics)) },
  { name: 'COM_DEBUG', run: inTurn(bytes(debug)) },
  { name: 'COM_PROCESS_KILL of no session', run: inTurn(bytes(processKill(0x7fffffff)), bytes(ping)) },
  { only: 'mysql', name: 'COM_PROCESS_INFO', run: inTurn(bytes(processInfo), bytes(ping)) },
  {
    only: 'mariadb',
    name: 'COM_REFRESH',
    run: inTurn(bytes(Buffer.from([command.refresh, 4])), bytes(ping)),
  },
  {
    name: 'COM_INIT_DB',
    run: async (session) => {
      const here = bytes(initDb(await databaseOf(session)));
      const elsewhere = [bytes(initDb('mysql')), bytes(initDb('no_such_database'))];
      return together(...elsewhere, text('select database()'), here)(session);
    },
  },
  { name: 'COM_FIELD_LIST', run: inTurn(bytes(fieldList('city')), bytes(fieldList('person', '%n%'))) },
  { name: 'COM_FIELD_LIST of no table', run: inTurn(bytes(fieldList('nowhere')), bytes(ping)) },
  {
    name: 'COM_SET_OPTION',
    run: async (session) => [
      ...(await session.run(setOption(1))),
      ...(await session.query('select 1; select 2')),
      ...(await session.run(setOption(0))),
      ...(await session.query('select 1; select 2')),
    ],
  },
  {
    name: 'COM_RESET_CONNECTION forgets statements',
    run: async (session) => {
      const { id, answer } = await prepareOn(session, 'select 1');
      const rest = await together(bytes(resetConnection), bytes(execute(id)), text('select 2'))(session);
      return [...answer, ...rest];
    },
  },
];

const fileScenarios: readonly WireScenario[] = [
  { name: 'a local file', run: withFiles(load, ['one\ntwo\n', 'th', 'ree\n']) },
  { name: 'a local file of nothing', run: withFiles(load, []) },
  { name: 'a local file whose lines do not fit', run: withFiles(load, [`${'x'.repeat(200)}\n`, 'a\tb\n']) },
  {
    ...noted,
    name: 'a local file for no table',
    run: withFiles("load data local infile 'any.tsv' into table nowhere"),
  },
  {
    name: 'local files among other statements',
    run: withFiles(`select 1; ${load}; select 2; ${load}; select count(*) from copied`, ['a\n'], ['b\nc\n']),
  },
  {
    ...noted,
    name: 'a failure behind a local file',
    run: withFiles(`${load}; select nope8 from city; select 2`, ['a\nb\n']),
  },
];

const capabilityScenarios: readonly WireScenario[] = [
  {
    needs: { capabilities: capability.queryAttributes },
    name: 'query attributes',
    run: inTurn(
      attributed('select id from city order by id'),
      attributed("select mysql_query_attribute_string('trace')"),
    ),
    only: 'mysql',
  },
  {
    ...noted,
    needs: { capabilities: capability.queryAttributes },
    name: 'query attributes before a text that fails',
    run: inTurn(attributed('select nope9 from city')),
  },
  {
    needs: { capabilities: capability.optionalMetadata },
    name: 'results without definitions',
    run: async (session) => [
      ...(await texts(
        'set resultset_metadata = none',
        'select * from city order by id',
        'select 1; select 2',
      )(session)),
      ...(await prepared('select id, ? from city order by id', run(['x']), run(['y'], readOnlyCursor), (id) =>
        fetch(id, 5),
      )(session)),
      ...(await texts(
        'select id, checked(id), 1 from city order by id',
        'set resultset_metadata = full',
      )(session)),
    ],
  },
  {
    needs: { extendedCapabilities: mariadbCapability.cacheMetadata },
    name: 'definitions the client has already',
    run: prepared('select id, name from city order by id', run(), run(), run()),
  },
  {
    needs: { extendedCapabilities: mariadbCapability.extendedMetadata },
    name: 'types in extended metadata',
    run: async (session) =>
      texts(
        'create temporary table typed (u uuid, i inet6, j json, p point)',
        "insert into typed values (null, '::1', '[1]', point(1, 2))",
        'select * from typed',
        'drop temporary table typed',
      )(session),
  },
  {
    needs: { capabilities: capability.sessionTrack },
    name: 'everything the server can tell of the session',
    run: async (session) => {
      const here = await databaseOf(session);
      return texts(
        "set session_track_system_variables = 'lc_time_names, sql_mode, last_insert_id'",
        'set session_track_state_change = on',
        "set session_track_transaction_info = 'CHARACTERISTICS'",
        'set lc_time_names = fi_FI',
        'use mysql',
        `use ${here}`,
        'begin',
        'update held set v = v + 1 where id = 3',
        'select nope from held',
        'rollback',
        'set session_track_transaction_info = default',
        'set session_track_state_change = default',
        'set session_track_system_variables = default',
      )(session);
    },
  },
  {
    only: 'mariadb',
    ...noted,
    name: 'a block',
    run: texts(
      "begin not atomic select 1; select id from city; signal sqlstate '45000' set message_text = 'odd'; end",
    ),
  },
  {
    only: 'mariadb',
    name: 'rows of an INSERT',
    run: texts(
      "insert into copied (id, word) values (5, 'five'), (6, 'six') returning id, word",
      'delete from copied',
    ),
  },
  {
    only: 'mysql',
    ...noted,
    name: 'a statement that takes too long, after its definitions',
    run: prepared('select /*+ max_execution_time(20) */ id, sleep(30) from city', run()),
  },
];

/** Rows and statements that end close to the sizes in which bytes are read. */
const sizeScenarios: readonly WireScenario[] = [
  ...[4096, 8192, 16_384, 65_536].flatMap((edge) =>
    [-9, -1, 0, 1].map((offset, index) => ({
      name: `a row that ends near ${edge} (${offset})`,
      isLarge: true as const,
      isNoted: true as const,
      run: together(
        text(`select repeat('x', ${edge + offset - 39}) as x`),
        text(`select nope${edge}_${index} from city`),
      ),
    })),
  ),
  {
    name: 'a statement of 200 KB',
    isLarge: true,
    run: texts(`select length('${'y'.repeat(200_000)}')`),
  },
  {
    ...noted,
    name: 'a statement of 200 KB that fails',
    isLarge: true,
    run: texts(`insert into city (id, name) values (1, '${'y'.repeat(200_000)}')`),
  },
  {
    name: 'a row of 300 KB, whose header a segment cuts',
    isLarge: true,
    run: texts("select repeat('z', 300000), 'end'"),
  },
];

export const wireScenarios: readonly WireScenario[] = [
  ...textScenarios,
  ...preparedScenarios,
  ...commandScenarios,
  ...fileScenarios,
  ...capabilityScenarios,
  ...sizeScenarios,
];

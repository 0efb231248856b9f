/** Errors that need a second session, an account with few rights, or a packet of its own. */
import { type Connection, createConnection } from 'mysql2/promise';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { classify } from '../../../adapters/mysql/classify.js';
import { readErrorFields } from '../../../adapters/mysql/error-fields.js';
import type { TestDatabase } from '../../servers/database.js';
import { asAccount, createMysqlDatabase, runMysql } from '../../servers/mysql-database.js';
import { execute, prepare } from '../../support/mysql-client-packets.js';
import { readError } from '../../support/mysql-server-packets.js';
import { type AvailableMysql, describeEachMysql } from '../../support/mysql-servers.js';
import { RawMysql } from '../../support/raw-mysql.js';
import { until } from '../../support/until.js';
import { type RaisedError, raisedBy } from './raise.js';

const waitMs = 20_000;

describeEachMysql('errors between sessions', (server: AvailableMysql) => {
  const { flavour } = server;
  const isMysql = flavour === 'mysql';
  let database: TestDatabase;
  let a: Connection;
  let b: Connection;

  beforeAll(async () => {
    database = await createMysqlDatabase(server.url, 'create table t (id int primary key, v int)');
  });
  beforeEach(async () => {
    await runMysql(database.url, 'truncate t; insert into t values (1, 1), (2, 2)');
    [a, b] = await Promise.all([open(), open()]);
  });
  afterEach(() => {
    a.destroy();
    b.destroy();
  });
  afterAll(() => database.drop());

  const open = () => createConnection({ uri: database.url, multipleStatements: true });
  const classOf = (error: RaisedError) =>
    classify(
      {
        error: { ...error, ...readErrorFields(error.code, error.message, flavour) },
        phase: 'execute',
        isCancelRequested: false,
      },
      flavour,
    ).class;
  const count = async (connection: Connection, id: number): Promise<number> => {
    const [rows] = await connection.query('select count(*) n from t where id = ?', [id]);
    return (rows as { n: number }[])[0]?.n ?? -1;
  };
  /** Resolves once the session waits for a row lock. */
  const waitsForLock = (connection: Connection) =>
    until(
      async () => {
        const rows = await runMysql(
          server.url,
          `select 1 from information_schema.innodb_trx where trx_mysql_thread_id = ${connection.threadId} and trx_state = 'LOCK WAIT'`,
        );
        return rows.length > 0;
      },
      waitMs,
      'a lock wait',
    );
  const isBusy = (connection: Connection, state: string) =>
    until(
      async () => {
        const rows = await runMysql(
          server.url,
          `select 1 from information_schema.processlist where id = ${connection.threadId} and (state like '${state}' or info like '${state}')`,
        );
        return rows.length > 0;
      },
      waitMs,
      state,
    );

  it('1205 leaves the transaction open with what it did', async () => {
    await a.query('start transaction; update t set v = 5 where id = 1');
    await b.query('set innodb_lock_wait_timeout = 1; start transaction; insert into t values (50, 0)');
    const error = await raisedBy(b, 'update t set v = 6 where id = 1');
    expect([error.code, classOf(error)]).toEqual(['1205', 'lock_timeout']);
    expect(await count(b, 50)).toBe(1);
  });

  it('NOWAIT does not wait', async () => {
    await a.query('start transaction; update t set v = 5 where id = 1');
    const error = await raisedBy(b, 'select * from t where id = 1 for update nowait');
    expect([error.code, classOf(error)]).toEqual([isMysql ? '3572' : '1205', 'lock_timeout']);
  });

  it('1213 takes the whole transaction back', async () => {
    await a.query('start transaction; insert into t values (50, 0); update t set v = 5 where id = 1');
    // The one that changed less is chosen to end.
    await b.query(
      'start transaction; insert into t values (60, 0), (61, 0), (62, 0); update t set v = 5 where id = 2',
    );
    const victim = raisedBy(a, 'update t set v = 6 where id = 2');
    await waitsForLock(a);
    await b.query('update t set v = 6 where id = 1');
    const error = await victim;
    expect([error.code, classOf(error)]).toEqual(['1213', 'deadlock']);
    expect(await count(a, 50)).toBe(0);
  });

  it('GET_LOCK in a circle takes nothing back', async () => {
    const [x, y] = [`${database.name}x`, `${database.name}y`];
    await a.query(`start transaction; insert into t values (50, 0); select get_lock('${x}', 10)`);
    await b.query(`start transaction; insert into t values (60, 0); select get_lock('${y}', 10)`);
    const asked = (connection: Connection, name: string) =>
      raisedBy(connection, `select get_lock('${name}', 10)`).then(
        (error) => ({ error, connection }),
        () => new Promise<never>(() => {}),
      );
    const first = asked(a, y);
    await isBusy(a, 'User lock');
    const { error, connection: victim } = await Promise.race([first, asked(b, x)]);
    expect([error.code, classOf(error)]).toEqual([isMysql ? '3058' : '1213', 'deadlock']);
    expect(await count(victim, victim === a ? 50 : 60)).toBe(1);
    await victim.query('do release_all_locks()');
  });

  it('KILL QUERY is cancelled, and a limit of time is a timeout', async () => {
    const killed = raisedBy(
      a,
      isMysql ? 'select * from t where benchmark(1000000000, sha2(v, 256)) = 1' : 'select sleep(60)',
    );
    await isBusy(a, isMysql ? 'select * from t where benchmark%' : 'User sleep');
    await runMysql(server.url, `kill query ${a.threadId}`);
    const error = await killed;
    expect([error.code, classOf(error)]).toEqual(['1317', 'cancelled']);
    const slow = isMysql
      ? 'select /*+ MAX_EXECUTION_TIME(50) */ * from t where benchmark(1000000000, sha2(v, 256)) = 1'
      : 'set statement max_statement_time = 0.05 for select sleep(60)';
    const timeout = await raisedBy(b, slow);
    expect([timeout.code, classOf(timeout)]).toEqual([isMysql ? '3024' : '1969', 'statement_timeout']);
  });

  it('1412 is the schema, not the statement', async () => {
    await a.query('start transaction with consistent snapshot');
    await b.query(
      'alter table t add column w int, algorithm = copy; alter table t drop column w, algorithm = copy',
    );
    const error = await raisedBy(a, 'select * from t');
    expect([error.code, classOf(error)]).toEqual(['1412', 'schema_moved']);
  });

  it.runIf(!isMysql)('1020 under innodb_snapshot_isolation takes the whole transaction back', async () => {
    await a.query(
      'set innodb_snapshot_isolation = on; start transaction; insert into t values (50, 0); select * from t',
    );
    await b.query('update t set v = 9 where id = 1');
    const error = await raisedBy(a, 'update t set v = 8 where id = 1');
    expect([error.code, classOf(error)]).toEqual(['1020', 'write_conflict']);
    expect(await count(a, 50)).toBe(0);
  });

  it('1243 behind a PREPARE that failed is its consequence', async () => {
    const session = await RawMysql.open(database.url);
    const failed = await session.run(prepare('select nosuch from t'));
    expect(readError(failed[0]!.payload).code).toBe(1054);
    // MariaDB's clients send this without waiting for the answer to the PREPARE.
    const [answer] = await session.run(execute(0xffffffff, []));
    const { code, sqlState, message } = readError(answer!.payload);
    session.close();
    expect(code).toBe(1243);
    expect(classOf({ code: String(code), sqlState: sqlState ?? '', message })).toBe('consequence');
  });
});

describeEachMysql('errors about rights', (server: AvailableMysql) => {
  const { flavour } = server;
  let database: TestDatabase;
  let account: { name: string; password: string };
  let limited: Connection;

  beforeAll(async () => {
    database = await createMysqlDatabase(
      server.url,
      `create table t (id int); create table u (id int, secret int);
       create function f () returns int deterministic return 1`,
    );
    account = { name: `${database.name}_l`, password: 'Lim1ted!pw' };
    await runMysql(
      database.url,
      `create user ${account.name} identified by '${account.password}';
       grant select on ${database.name}.t to ${account.name}; grant select (id) on ${database.name}.u to ${account.name}`,
    );
    limited = await createConnection(asAccount(database.url, account));
  });
  afterAll(async () => {
    limited.destroy();
    await runMysql(server.url, `drop user ${account.name}`);
    await database.drop();
  });

  it.each([
    ['1142', 'insert into t values (1)', 't'],
    // A table that is not there is not told apart from one that may not be read: nothing to suggest.
    ['1142', 'select * from nosuch', 'nosuch'],
    ['1143', 'select secret from u', 'u'],
    // Nor is a column: whoever is told of an unknown one may see all of the table.
    ['1143', 'select nosuch from u', 'u'],
    ['1044', 'create database nope', undefined],
    ['1227', 'set global max_connections = 7', undefined],
    ['1370', 'select f()', undefined],
  ])('%s: %s', async (code, statement, table) => {
    const error = await raisedBy(limited, statement);
    expect(error.code).toBe(code);
    const fields = readErrorFields(error.code, error.message, flavour);
    expect(fields.table).toBe(table);
    const read = classify(
      { error: { ...error, ...fields }, phase: 'execute', isCancelRequested: false },
      flavour,
    );
    expect([read.class, read.isStructural]).toEqual(['permission', true]);
  });
});

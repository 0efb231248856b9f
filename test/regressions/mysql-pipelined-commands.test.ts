// A client that sends several commands without waiting (MariaDB's Connector/J, in batches) was dropped
// (sysown/proxysql#3887, #3880).
import * as mariadb from 'mariadb';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { stopProxies } from '../integration/proxy/scripted-ends.js';
import type { TestDatabase } from '../servers/database.js';
import { createMysqlDatabase, runMysql } from '../servers/mysql-database.js';
import {
  closeStatement,
  execute,
  initDb,
  ping,
  prepare,
  query,
  sendLongData,
  statistics,
} from '../support/mysql-client-packets.js';
import { packets } from '../support/mysql-protocol.js';
import { describeEachMysql } from '../support/mysql-servers.js';
import { RawMysql } from '../support/raw-mysql.js';
import { failuresOf, outcome, watchMysql } from './support/mysql-sessions.js';
import { noteMark } from './support/watched-proxy.js';

afterEach(stopProxies);

describeEachMysql('commands that are not waited for', (server) => {
  let database: TestDatabase;

  beforeAll(async () => {
    database = await createMysqlDatabase(
      server.url,
      'create table t (id int primary key); insert into t values (3)',
    );
  });

  afterAll(() => database.drop());

  async function open(pieceBytes?: number) {
    const proxy = await watchMysql(database.url);
    const options = pieceBytes === undefined ? {} : { pieceBytes };
    const session = await RawMysql.open(proxy.through(database.url), options);
    /** Sends them all at once and gives how each was answered. */
    const exchange = async (...commands: readonly Buffer[]): Promise<string[]> => {
      await session.send(...commands.map((one) => packets(one)));
      const outcomes: string[] = [];
      for (const one of commands) outcomes.push(outcome(await session.answer(Number(one[0]))));
      return outcomes;
    };
    return { proxy, session, exchange };
  }

  it.each([undefined, 1])(
    'are answered in order, the note on the one that failed (pieces of %s)',
    async (pieceBytes) => {
      const { proxy, session, exchange } = await open(pieceBytes);
      const inserts = [1, 2, 3, 4, 5].map((id) => query(`insert into t values (${id})`));
      expect(await exchange(...inserts)).toEqual(['OK', 'OK', 'E[1062]', 'OK', 'OK']);
      await session.query('delete from t where id <> 3');
      expect(await exchange(...inserts)).toEqual(['OK', 'OK', 'E[1062] noted', 'OK', 'OK']);
      await session.query('delete from t where id <> 3');
      const failed = failuresOf(proxy.sessions[0]).filter((event) => event.startsWith('failed'));
      expect(failed).toEqual(Array(2).fill('failed 1062 <insert into t values (3)> execute k=0 idle'));
      expect(proxy.blind).toEqual([]);
      session.close();
    },
  );

  it('of every kind, with those that have no answer among them', async () => {
    const { proxy, session, exchange } = await open();
    const [first] = await session.run(prepare('insert into t values (?)'));
    const id = Number(first?.payload.readUInt32LE(1));
    const batch = [
      ...[ping, query('select id from t'), sendLongData(id, 0, Buffer.from('3')), execute(id, [undefined])],
      ...[statistics, query('select 1; select nope; select 2'), prepare('selec'), closeStatement(id)],
      ...[execute(id, ['4']), initDb('no_such_database'), query('do 1'), query('select nope')],
    ];
    const expected = (isAgain: boolean): string[] => {
      const noted = isAgain ? ' noted' : '';
      return [
        ...['OK', '4 packets', 'nothing', `E[1062]${noted}`],
        ...['OK', `E[1054]${noted}`, `E[1064]${noted}`, 'nothing'],
        ...[`E[1243]${noted}`, `E[1049]${noted}`, 'OK', `E[1054]${noted}`],
      ];
    };
    const answers = await exchange(...batch);
    expect(answers).toEqual(expected(false));
    const [again] = await session.run(prepare('insert into t values (?)'));
    const second = Number(again?.payload.readUInt32LE(1));
    const renewed = batch.map((one) => {
      if (one.length < 5 || one.readUInt32LE(1) !== id) return one;
      const copy = Buffer.from(one);
      copy.writeUInt32LE(second, 1);
      return copy;
    });
    expect(await exchange(...renewed)).toEqual(expected(true));
    const failed = failuresOf(proxy.sessions[0]).filter((event) => event.startsWith('failed'));
    const each = [
      'failed 1062 <insert into t values (?)> execute k=0 idle',
      'failed 1054 <select 1; select nope; select 2> execute k=1 idle',
      'failed 1064 <selec> parse k=0 idle',
      'failed 1243 <?> execute k=0 idle',
      'failed 1049 <use `no_such_database`> call k=0 idle',
      'failed 1054 <select nope> execute k=0 idle',
    ];
    expect(failed).toEqual([...each, ...each]);
    expect(proxy.blind).toEqual([]);
    session.close();
  });

  it('by MariaDB’s connector for Node, which sends ahead, and in bulk where the server can', async () => {
    const proxy = await watchMysql(database.url);
    const connection = await mariadb.createConnection({
      ...connectionOf(proxy.through(database.url)),
      pipelining: true,
      allowPublicKeyRetrieval: true,
    });
    const notes: boolean[] = [];
    for (let time = 1; time <= 2; time += 1) {
      const results = await Promise.allSettled(
        [11, 12, 3, 14, 15].map((id) => connection.query('insert into t values (?)', [id])),
      );
      expect(results.map(({ status }) => status)).toEqual(
        [11, 12, 3, 14, 15].map((id) => (id === 3 ? 'rejected' : 'fulfilled')),
      );
      const failed = results.find(({ status }) => status === 'rejected') as PromiseRejectedResult;
      notes.push(String(failed.reason.message).includes(noteMark));
      await runMysql(database.url, 'delete from t where id <> 3');
      const batch = connection.batch('insert into t values (?)', [[21], [22], [3], [24], [25]]);
      await expect(batch).rejects.toMatchObject({ errno: 1062 });
      await runMysql(database.url, 'delete from t where id <> 3');
    }
    expect(notes).toEqual([false, true]);
    expect(proxy.blind).toEqual([]);
    await connection.end();
  });
});

function connectionOf(url: string): mariadb.ConnectionConfig {
  const { hostname, port, username, password, pathname } = new URL(url);
  return { host: hostname, port: Number(port), user: username, password, database: pathname.slice(1) };
}

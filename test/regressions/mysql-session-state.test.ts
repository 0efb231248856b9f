// The flag of changed session state was set with nothing behind it (sysown/proxysql#2915, mysql-net/MySqlConnector#603,
// vitessio/vitess#11795), or with a kind not known, which was read past its end (sidorares/node-mysql2#989).
import { createConnection } from 'mysql2/promise';
import { afterEach, describe, expect, it } from 'vitest';
import { stopProxies } from '../integration/proxy/scripted-ends.js';
import { createMysqlDatabase } from '../servers/mysql-database.js';
import { initDb, ping, query, resetConnection } from '../support/mysql-client-packets.js';
import { capability, lenencString, type Packet, status, uint } from '../support/mysql-protocol.js';
import { endOfRows, error, ok, resultSet, usualRequest } from '../support/mysql-server-packets.js';
import { describeEachMysql } from '../support/mysql-servers.js';
import { RawMysql } from '../support/raw-mysql.js';
import { openScriptedMysql, outcome, plain, watchMysql } from './support/mysql-sessions.js';

afterEach(stopProxies);

describeEachMysql('session state in OK packets', (server) => {
  it.each([
    ['tracked', usualRequest],
    ['not tracked', usualRequest & ~capability.sessionTrack],
    ['tracked, with EOF packets', usualRequest & ~capability.deprecateEof],
    ['not tracked, with EOF packets', usualRequest & ~capability.deprecateEof & ~capability.sessionTrack],
  ])('%s, is relayed and in nobody’s way', async (_kind, capabilities) => {
    const database = await createMysqlDatabase(
      server.url,
      'create table t (id int primary key, v int); insert into t values (1, 0)',
    );
    const proxy = await watchMysql(database.url);
    const session = await RawMysql.open(proxy.through(database.url), { capabilities });
    const direct = await RawMysql.open(database.url, { capabilities });
    const isMysql = server.flavour === 'mysql';
    const texts = [
      "set session_track_system_variables = '*'",
      'set session_track_state_change = on',
      'set session_track_schema = on',
      "set session_track_transaction_info = 'CHARACTERISTICS'",
      ...(isMysql ? ["set session_track_gtids = 'OWN_GTID'"] : []),
      `use ${database.name}`,
      'set names latin1',
      'set autocommit = 0',
      'update t set v = v + 0',
      'start transaction with consistent snapshot',
      'select v from t',
      'select nope',
      'rollback',
      'set autocommit = 1, @a = 1',
      'select nope',
      'prepare p from "select 1"',
      'deallocate prepare p',
      'create temporary table tt (id int)',
      'set names utf8mb4',
    ];
    const commands = [
      ...texts.map((text) => query(text)),
      ...[initDb(database.name), ping, resetConnection, query('select nope')],
    ];
    const run = async (one: RawMysql): Promise<Packet[][]> => {
      const answers: Packet[][] = [];
      for (const payload of commands) answers.push([...(await one.run(payload))]);
      return answers;
    };
    const answers = await run(session);
    // MySQL counts the statements of all its sessions.
    const comparable = (answer: readonly Packet[]): string[] =>
      plain(answer).map((line) => line.replace(/statement_id.\d+/, 'statement_id'));
    expect(answers.map(comparable)).toEqual((await run(direct)).map(comparable));
    const oks = answers.flat().filter(({ payload }) => payload[0] === 0 && payload.length >= 7);
    const changed = oks.filter(({ payload }) => (payload.readUInt16LE(3) & status.sessionStateChanged) !== 0);
    const isTracked = (capabilities & capability.sessionTrack) !== 0;
    expect(changed.length > 0).toBe(isTracked);
    const failures = proxy.sessions[0]?.events.filter((event) => event.startsWith('failed'));
    expect(failures).toEqual([
      'failed 1054 <select nope> execute k=0 open',
      'failed 1054 <select nope> execute k=0 idle',
      'failed 1054 <select nope> execute k=0 idle',
    ]);
    expect(proxy.blind).toEqual([]);
    session.close();
    direct.close();
    await database.drop();
  });

  it('through mysql2', async () => {
    const proxy = await watchMysql(server.url);
    const connection = await createConnection(proxy.through(server.url));
    for (const text of [
      "set session_track_system_variables = '*'",
      'set session_track_state_change = on',
      'set names latin1',
      'use mysql',
      'set autocommit = 0',
      'commit',
    ])
      await connection.query(text);
    expect((await connection.query('select 1 as one'))[0]).toEqual([{ one: 1 }]);
    expect(proxy.sessions[0]?.context.scope.database).toBe('mysql');
    expect(proxy.blind).toEqual([]);
    await connection.end();
  });
});

describe('a scripted OK', () => {
  const changed = 2 | status.sessionStateChanged;
  const entry = (kind: number, data: Buffer): Buffer => Buffer.concat([uint(kind, 1), lenencString(data)]);
  const state = (...entries: Buffer[]): Buffer =>
    Buffer.concat([lenencString(''), lenencString(Buffer.concat(entries))]);
  const schema = entry(1, lenencString('elsewhere'));

  const rests: readonly (readonly [name: string, rest: Buffer, database: string])[] = [
    ['with nothing behind the flag', Buffer.alloc(0), 'shop'],
    ['with an empty info alone', lenencString(''), 'shop'],
    ['with an info that is no length', Buffer.from('Rows matched: 1'), 'shop'],
    ['with an info that goes beyond the packet', Buffer.from([0xfe, 1, 2]), 'shop'],
    ['with no entries', state(), 'shop'],
    [
      'of kinds not known, with what is known behind them',
      state(entry(6, Buffer.alloc(9, 0xff)), entry(200, Buffer.alloc(0)), schema),
      'elsewhere',
    ],
    [
      'whose entry goes beyond the packet',
      Buffer.concat([lenencString(''), Buffer.from([50, 1, 200, 9])]),
      'shop',
    ],
    [
      'whose entries go beyond their length',
      Buffer.concat([lenencString(''), Buffer.from([2]), schema]),
      'shop',
    ],
    ['of a variable without value', state(entry(0, lenencString('sql_mode'))), 'shop'],
    ['of GTIDs', state(entry(3, Buffer.concat([Buffer.from([0]), lenencString('3E11FA47:1-5')]))), 'shop'],
    ['with bytes behind the entries', Buffer.concat([state(schema), Buffer.alloc(30, 0xfe)]), 'elsewhere'],
  ];

  it.each(rests)(
    '%s is relayed as it is, and the next failure gets its note',
    async (_name, rest, database) => {
      const { upstream, proxy, end, session } = await openScriptedMysql();
      const outcomes: string[] = [];
      for (const payloads of [
        [ok({ status: changed, rest })],
        [...resultSet(['a'], [['1']]).slice(0, -1), endOfRows({ status: changed, rest })],
        [error(1054, 'x')],
        [error(1054, 'x')],
      ]) {
        await session.sendPacket(query('select nope'));
        await end.command();
        end.reply(...payloads);
        const answer = await session.answer(3);
        expect(plain(answer)).toEqual(
          payloads.map((payload, index) => `${index + 1} ${payload.toString('latin1')}`),
        );
        outcomes.push(outcome(answer.slice(-1)));
      }
      expect(outcomes).toEqual(['OK', 'OK', 'E[1054]', 'E[1054] noted']);
      expect(proxy.sessions[0]?.context.scope.database).toBe(database);
      expect(proxy.blind).toEqual([]);
      session.close();
      await upstream.close();
    },
  );
});

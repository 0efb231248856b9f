// Numbers of packets were not reset or advanced (sidorares/node-mysql2#528, #1162, #1198, #1252), or went 1, 3, 5 in the
// answers to one text (sysown/proxysql#2359); strict clients end the connection then.
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { stopProxies } from '../integration/proxy/scripted-ends.js';
import type { TestDatabase } from '../servers/database.js';
import { createMysqlDatabase } from '../servers/mysql-database.js';
import {
  execute,
  fieldList,
  initDb,
  ping,
  prepare,
  processKill,
  query,
  resetConnection,
  setOption,
  statistics,
} from '../support/mysql-client-packets.js';
import { command, type Packet } from '../support/mysql-protocol.js';
import { readOk } from '../support/mysql-server-packets.js';
import { describeEachMysql } from '../support/mysql-servers.js';
import { RawMysql } from '../support/raw-mysql.js';
import { outcome, plain, watchMysql } from './support/mysql-sessions.js';

afterEach(stopProxies);

const numbers = (answer: readonly Packet[]): number[] => answer.map(({ sequence }) => sequence);
const following = (count: number): number[] =>
  Array.from({ length: count }, (_, index) => (index + 1) & 0xff);

describeEachMysql('every packet has the number it was sent with', (server) => {
  let database: TestDatabase;

  beforeAll(async () => {
    database = await createMysqlDatabase(
      server.url,
      `create table t (id int primary key); insert into t values (1);
       create table digits (d int primary key);
       insert into digits values (0), (1), (2), (3), (4), (5), (6), (7), (8), (9);
       create function checked(value int) returns int deterministic begin
         if value > 700 then signal sqlstate '45000' set message_text = 'out of bounds'; end if;
         return value;
       end`,
    );
  });

  afterAll(() => database.drop());

  const late =
    'select checked(100 * a.d + 10 * b.d + c.d) from digits a, digits b, digits c order by a.d, b.d, c.d';

  // MySQL 9 has done away with the command.
  const noThread = server.flavour === 'mysql' ? 'E[1047]' : 'E[1094]';

  /** Each with how it ends; where two outcomes are given, those of its first time and of every other. */
  const commands: readonly (readonly [name: string, payload: Buffer, ...outcomes: string[]])[] = [
    ['a query', query('select 1')],
    ['rows beyond 255 packets', query('show variables')],
    ['a failure', query('select nope'), 'E[1054]', 'E[1054] noted'],
    ['a failure beyond 255 packets', query(late), 'E[1644]', 'E[1644] noted'],
    ['PREPARE that fails', prepare('select nope from t'), 'E[1054]', 'E[1054] noted'],
    ['EXECUTE of no statement', execute(999), 'E[1243]', 'E[1243] noted'],
    ['COM_INIT_DB of no database', initDb('no_such_database'), 'E[1049]', 'E[1049] noted'],
    ['COM_FIELD_LIST', fieldList('t')],
    ['COM_FIELD_LIST of no table', fieldList('nowhere'), 'E[1146]', 'E[1146] noted'],
    ['COM_PING', ping, 'OK'],
    ['COM_STATISTICS', statistics, 'OK'],
    ['COM_SET_OPTION', setOption(0), 'OK'],
    ['COM_PROCESS_KILL of no thread', processKill(0x7fffffff), noThread, `${noThread} noted`],
    ['COM_RESET_CONNECTION', resetConnection, 'OK'],
    ['a query again', query('select id from t')],
  ];

  it('in answers to commands of every kind, noted or not', async () => {
    const proxy = await watchMysql(database.url);
    const session = await RawMysql.open(proxy.through(database.url));
    const direct = await RawMysql.open(database.url);
    for (let time = 0; time < 3; time += 1) {
      for (const [name, payload, ...outcomes] of commands) {
        const [answer, expected] = [await session.run(payload), await direct.run(payload)];
        expect(numbers(answer), name).toEqual(following(answer.length));
        expect(numbers(answer), name).toEqual(numbers(expected));
        if (payload[0] !== command.statistics && !name.startsWith('rows'))
          expect(plain(answer), name).toEqual(plain(expected));
        const wanted = outcomes[Math.min(time, outcomes.length - 1)];
        if (wanted !== undefined) expect(outcome(answer), name).toBe(wanted);
      }
    }
    expect(proxy.blind).toEqual([]);
    session.close();
    direct.close();
  });

  it('in the answers to a text of several statements, the last of which is the error', async () => {
    const proxy = await watchMysql(database.url);
    const session = await RawMysql.open(proxy.through(database.url));
    await session.run(setOption(0));
    const good = 'update t set id = 1';
    const text = `${good}; ${good}; ${good}; ${good}; insert into t values (1); ${good}; ${good}`;
    for (let time = 1; time <= 2; time += 1) {
      const answer = await session.query(text);
      expect(numbers(answer)).toEqual([1, 2, 3, 4, 5]);
      const moreResults = answer.slice(0, 4).map(({ payload }) => readOk(payload).status & 8);
      expect(moreResults).toEqual([8, 8, 8, 8]);
      expect(outcome(answer)).toBe(time === 1 ? 'E[1062]' : 'E[1062] noted');
      expect(numbers(await session.query(`${good}; ${good}`))).toEqual([1, 2]);
    }
    const failed = proxy.sessions[0]?.events.filter((event) => event.startsWith('failed'));
    expect(failed).toEqual(Array(2).fill(`failed 1062 <${text}> execute k=4 idle`));
    session.close();
  });
});

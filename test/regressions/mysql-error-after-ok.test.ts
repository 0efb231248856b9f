// An ERR behind an OK of the same text was taken for the death of the connection (vitessio/vitess#20383).
import { createConnection } from 'mysql2/promise';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { stopProxies } from '../integration/proxy/scripted-ends.js';
import type { TestDatabase } from '../servers/database.js';
import { createMysqlDatabase } from '../servers/mysql-database.js';
import { capability } from '../support/mysql-protocol.js';
import { usualRequest } from '../support/mysql-server-packets.js';
import { describeEachMysql } from '../support/mysql-servers.js';
import { RawMysql } from '../support/raw-mysql.js';
import { failuresOf, outcome, plain, watchMysql } from './support/mysql-sessions.js';
import { noteMark } from './support/watched-proxy.js';

afterEach(stopProxies);

describeEachMysql('an error behind what has run', (server) => {
  let database: TestDatabase;

  beforeAll(async () => {
    database = await createMysqlDatabase(
      server.url,
      'create table t (id int primary key, v int); insert into t values (1, 0), (2, 0)',
    );
  });

  afterAll(() => database.drop());

  const texts: readonly (readonly [text: string, code: number, completed: number])[] = [
    ['update t set v = v; select nope', 1054, 1],
    ['select 1; select nope', 1054, 1],
    ['select 1; insert into t values (1, 1); select 2', 1062, 1],
    ['do 1; do 2; do 3; selec', 1064, 3],
    ['begin; update t set v = v where id = 1; select nope; commit', 1054, 2],
    ['select * from t; update t set v = v; call no_such_procedure()', 1305, 2],
  ];

  it.each([
    ['with EOF packets', usualRequest & ~capability.deprecateEof],
    ['without', usualRequest],
  ])('is that of its statement, %s', async (_kind, capabilities) => {
    const proxy = await watchMysql(database.url);
    const session = await RawMysql.open(proxy.through(database.url), { capabilities });
    const direct = await RawMysql.open(database.url, { capabilities });
    const expected: string[] = [];
    for (const [text, code, completed] of texts) {
      for (let time = 1; time <= 2; time += 1) {
        const answer = await session.query(text);
        await session.query('rollback');
        expect(plain(answer), text).toEqual(plain(await direct.query(text)));
        await direct.query('rollback');
        expect(outcome(answer), text).toBe(`E[${code}]${time === 1 ? '' : ' noted'}`);
        const isInBlock = text.startsWith('begin');
        const state = isInBlock ? 'open' : 'idle';
        expected.push(`failed ${code} <${text}> execute k=${completed} ${state}`, `settled ${state}`);
        if (time === 2) expected.push('note');
      }
    }
    expect(failuresOf(proxy.sessions[0])).toEqual(expected);
    expect(proxy.blind).toEqual([]);
    session.close();
    direct.close();
  });

  it('leaves mysql2’s connection alive', async () => {
    const proxy = await watchMysql(database.url);
    const connection = await createConnection({
      uri: proxy.through(database.url),
      multipleStatements: true,
    });
    const errors: (Error & { errno?: number; fatal?: boolean })[] = [];
    for (let time = 1; time <= 2; time += 1) {
      await connection
        .query(`update t set v = ${time} where id = 2; select nope`)
        .catch((error: Error) => errors.push(error));
      expect((await connection.query('select v from t where id = 2'))[0]).toEqual([{ v: time }]);
    }
    expect(errors.map(({ errno }) => errno)).toEqual([1054, 1054]);
    expect(errors.some(({ fatal }) => fatal === true)).toBe(false);
    // Two statements of different values are two texts to the handler that stands in for the memory here.
    expect(errors.map(({ message }) => message.includes(noteMark))).toEqual([false, false]);
    await connection.end();
  });
});

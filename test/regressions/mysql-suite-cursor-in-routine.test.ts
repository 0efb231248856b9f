// A routine that opens a cursor leaves SERVER_STATUS_CURSOR_EXISTS in the status of the results that follow, and no client asked
// for a cursor: the rows came as ever, and the proxy waited for a COM_STMT_FETCH (the servers' own test main.sp, bug8757).
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { stopProxies } from '../integration/proxy/scripted-ends.js';
import type { TestDatabase } from '../servers/database.js';
import { createMysqlDatabase } from '../servers/mysql-database.js';
import { execute, prepare } from '../support/mysql-client-packets.js';
import { capability, status } from '../support/mysql-protocol.js';
import { usualRequest } from '../support/mysql-server-packets.js';
import { describeEachMysql } from '../support/mysql-servers.js';
import { RawMysql } from '../support/raw-mysql.js';
import { failuresOf, plain, watchMysql } from './support/mysql-sessions.js';

afterEach(stopProxies);

describeEachMysql('a cursor inside a routine', (server) => {
  let database: TestDatabase;

  beforeAll(async () => {
    database = await createMysqlDatabase(server.url, 'create table t (id int); insert into t values (7)');
    const session = await RawMysql.open(database.url);
    await session.query(`create procedure p() begin
      declare c cursor for select id from t;
      open c; select 2; select 3 union select 4; close c; select 5;
    end`);
    await session.query(`create function f() returns int deterministic begin
      declare x int; declare c cursor for select id from t;
      open c; fetch c into x; close c; return x;
    end`);
    session.close();
  });

  afterAll(() => database.drop());

  describe.each([
    ['with EOF packets', usualRequest & ~capability.deprecateEof],
    ['without', usualRequest],
  ])('%s', (_kind, capabilities) => {
    it.each(['call p()', 'select f()', 'select f() from t where id = f()'])(
      '%s: followed as text, prepared, and with a cursor asked for',
      async (text) => {
        const proxy = await watchMysql(database.url);
        const session = await RawMysql.open(proxy.through(database.url), { capabilities });
        const direct = await RawMysql.open(database.url, { capabilities });
        const isLeftBehind = ({ payload }: { readonly payload: Buffer }): boolean =>
          payload[0] === 0xfe && (payload.readUInt16LE(3) & status.cursorExists) !== 0;

        const answer = await session.query(text);
        if (text === 'call p()') expect(answer.filter(isLeftBehind)).not.toEqual([]);
        expect(plain(answer)).toEqual(plain(await direct.query(text)));
        const ids = [await prepared(session, text), await prepared(direct, text)] as const;
        for (const flags of [0, 1]) {
          const proxied = await session.run(execute(ids[0], [], { flags }));
          expect(plain(proxied)).toEqual(plain(await direct.run(execute(ids[1], [], { flags }))));
        }
        await session.query('select nope');
        expect(plain(await session.query('do 1'))).toEqual(plain(await direct.query('do 1')));

        const events = proxy.sessions[0]?.events ?? [];
        const isCursor = text !== 'call p()';
        expect(events.filter((event) => event === `ok <${text}> 0`).length).toBe(isCursor ? 2 : 3);
        expect(failuresOf(proxy.sessions[0])).toContain('failed 1054 <select nope> execute k=0 idle');
        expect(proxy.blind).toEqual([]);
        session.close();
        direct.close();
      },
    );
  });
});

async function prepared(session: RawMysql, text: string): Promise<number> {
  const [first] = await session.run(prepare(text));
  return Number(first?.payload.readUInt32LE(1));
}

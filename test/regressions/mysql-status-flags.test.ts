// The status flags of OK and EOF were not passed on (sysown/proxysql#1738): a client that does not hear of
// NO_BACKSLASH_ESCAPES escapes values wrongly, which opens the way to injections.
import { afterEach, expect, it } from 'vitest';
import { stopProxies } from '../integration/proxy/scripted-ends.js';
import { createMysqlDatabase } from '../servers/mysql-database.js';
import { execute, initDb, ping, prepare, query, resetConnection } from '../support/mysql-client-packets.js';
import { capability, type Packet, status } from '../support/mysql-protocol.js';
import { ok, readOk, usualRequest } from '../support/mysql-server-packets.js';
import { describeEachMysql } from '../support/mysql-servers.js';
import { RawMysql } from '../support/raw-mysql.js';
import { openScriptedMysql, plain, watchMysql } from './support/mysql-sessions.js';

afterEach(stopProxies);

const modes = [
  ['with EOF packets', usualRequest & ~capability.deprecateEof],
  ['without', usualRequest],
] as const;

describeEachMysql('status flags', (server) => {
  it.each(modes)('are the server’s after every command, %s', async (_mode, capabilities) => {
    const database = await createMysqlDatabase(
      server.url,
      'create table t (id int primary key, v varchar(20)); insert into t values (1, "a")',
    );
    const proxy = await watchMysql(database.url);
    const session = await RawMysql.open(proxy.through(database.url), { capabilities });
    const direct = await RawMysql.open(database.url, { capabilities });
    const flagsOf = (answer: readonly Packet[]): number => {
      const last = answer.at(-1)?.payload as Buffer;
      if (last[0] === 0xff) return -1;
      return last.length === 5 ? last.readUInt16LE(3) : readOk(last).status;
    };
    const flags: Record<string, number> = {};
    for (const text of [
      'select 1',
      "set sql_mode = 'NO_BACKSLASH_ESCAPES'",
      "select 'a\\\\'",
      'select id from t where v = "x"',
      'begin',
      'select * from t',
      'select nope',
      'commit',
      'set autocommit = 0',
      "set sql_mode = ''",
      "select 'a\\''",
      'start transaction read only',
      'select * from t',
      'rollback',
      'set autocommit = 1',
      'select 1; do 1; select nope',
    ]) {
      const answer = await session.query(text);
      expect(plain(answer), text).toEqual(plain(await direct.query(text)));
      flags[text] = flagsOf(answer);
    }
    const has = (text: string, flag: number): boolean => (Number(flags[text]) & flag) !== 0;
    expect(has('select id from t where v = "x"', status.noBackslashEscapes)).toBe(true);
    expect(has('commit', status.noBackslashEscapes)).toBe(true);
    expect(has("select 'a\\''", status.noBackslashEscapes)).toBe(false);
    expect(has('begin', status.inTransaction)).toBe(true);
    expect(has('set autocommit = 0', status.autocommit)).toBe(false);
    await Promise.all([session, direct].map((one) => one.query("set sql_mode = 'NO_BACKSLASH_ESCAPES'")));
    const [first, second] = [await session.run(prepare('select 1')), await direct.run(prepare('select 1'))];
    for (const payload of [initDb(database.name), ping]) {
      const answer = await session.run(payload);
      expect(plain(answer)).toEqual(plain(await direct.run(payload)));
      expect(flagsOf(answer) & status.noBackslashEscapes).not.toBe(0);
    }
    const executed = await session.run(execute(Number(first?.[0]?.payload.readUInt32LE(1))));
    expect(plain(executed)).toEqual(
      plain(await direct.run(execute(Number(second?.[0]?.payload.readUInt32LE(1))))),
    );
    const reset = await session.run(resetConnection);
    expect(plain(reset)).toEqual(plain(await direct.run(resetConnection)));
    expect(flagsOf(reset) & status.noBackslashEscapes).toBe(0);
    expect(proxy.blind).toEqual([]);
    session.close();
    direct.close();
    await database.drop();
  });
});

it('every flag of a scripted OK arrives as it was sent, and is no reason to lose the place', async () => {
  const { upstream, proxy, end, session } = await openScriptedMysql();
  for (let bit = 0; bit < 16; bit += 1) {
    // That more results follow is the one flag an OK cannot have by itself.
    if (1 << bit === status.moreResults) continue;
    await session.sendPacket(query('do 1'));
    await end.command();
    end.reply(ok({ status: 1 << bit }));
    const [answer] = await session.answer(3);
    expect(readOk(answer?.payload as Buffer).status).toBe(1 << bit);
  }
  expect(proxy.blind).toEqual([]);
  session.close();
  await upstream.close();
});

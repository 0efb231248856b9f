// COM_CHANGE_USER begins an authentication of its own, whose 0xFE is no EOF (sysown/proxysql#3504, #4618,
// pingcap/tiproxy#132).
import { createConnection } from 'mysql2/promise';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { stopProxies } from '../integration/proxy/scripted-ends.js';
import type { TestDatabase } from '../servers/database.js';
import { mysqlAccounts } from '../servers/mysql-accounts.js';
import { asAccount, coolAccounts, createMysqlDatabase } from '../servers/mysql-database.js';
import { changeUser, execute, prepare, query } from '../support/mysql-client-packets.js';
import {
  authMoreData,
  authSwitch,
  error,
  fullAuthRequired,
  ok,
  prepareOk,
  readError,
} from '../support/mysql-server-packets.js';
import { describeEachMysql } from '../support/mysql-servers.js';
import { type LoginRefused, RawMysql } from '../support/raw-mysql.js';
import { failuresOf, openScriptedMysql, outcome, watchMysql } from './support/mysql-sessions.js';
import { noteMark } from './support/watched-proxy.js';

afterEach(stopProxies);

describeEachMysql('a change of user', (server) => {
  let database: TestDatabase;

  beforeAll(async () => {
    database = await createMysqlDatabase(server.url, 'create table t (id int primary key)');
  });

  afterAll(() => database.drop());

  const accounts = mysqlAccounts(server.flavour).filter(
    ({ plugin, isTlsOnly, rights }) => plugin !== 'ed25519' && isTlsOnly !== true && rights !== 'none',
  );

  it.each(accounts)('to $name with the right password', async (account) => {
    const proxy = await watchMysql(database.url);
    const steps: string[][] = [];
    const numbers: number[][] = [];
    for (const url of [database.url, proxy.through(database.url)]) {
      const session = await RawMysql.open(url);
      const [stepsBefore, packetsBefore] = [session.authentication.length, session.packets.length];
      // MySQL: none of this user's logins is remembered, so that each is a full one.
      if (server.flavour === 'mysql') await coolAccounts(server.url);
      await session.changeUser(asAccount(url, account));
      steps.push(session.authentication.slice(stepsBefore));
      numbers.push(session.packets.slice(packetsBefore).map(({ sequence }) => sequence));
      expect(outcome(await session.query('select nope from t'))).toBe('E[1054]');
      if (url !== database.url)
        expect(outcome(await session.query('select nope from t'))).toBe('E[1054] noted');
      session.close();
    }
    expect(steps[1]).toEqual(steps[0]);
    expect(numbers[1]).toEqual(numbers[0]);
    if (account.plugin?.includes('sha')) expect(steps[1]).toContain('full by RSA');
    expect(proxy.sessions[0]?.context.user).toBe(account.name);
    expect(failuresOf(proxy.sessions[0]).filter((event) => event.startsWith('failed'))).toEqual(
      Array(2).fill('failed 1054 <select nope from t> execute k=0 idle'),
    );
    expect(proxy.blind).toEqual([]);
  });

  it('with a wrong password: 1045 is relayed without a note, each time', async () => {
    const proxy = await watchMysql(database.url);
    for (let time = 1; time <= 3; time += 1) {
      const refusals: LoginRefused[] = [];
      for (const url of [proxy.through(database.url), database.url]) {
        const session = await RawMysql.open(url);
        const wrong = asAccount(url, { name: 'reader', password: 'wrong' });
        await session.changeUser(wrong).catch((refusal: LoginRefused) => refusals.push(refusal));
        session.close();
      }
      expect(refusals.map(({ code }) => code)).toEqual([1045, 1045]);
      expect(refusals[0]?.message).toBe(refusals[1]?.message);
    }
    expect(proxy.sessions.flatMap(failuresOf)).toEqual([]);
    expect(proxy.blind).toEqual([]);
  });

  it('leaves no prepared statement behind, and no setting', async () => {
    const proxy = await watchMysql(database.url);
    const session = await RawMysql.open(proxy.through(database.url));
    const [first] = await session.run(prepare('select id from t'));
    const id = Number(first?.payload.readUInt32LE(1));
    await session.query("set sql_mode = 'ANSI_QUOTES,NO_BACKSLASH_ESCAPES', names latin1");
    await session.changeUser(database.url);
    for (let time = 1; time <= 2; time += 1)
      expect(outcome(await session.run(execute(id)))).toBe(`E[1243]${time === 1 ? '' : ' noted'}`);
    const events = failuresOf(proxy.sessions[0]);
    expect(events.filter((event) => event.startsWith('failed'))).toEqual(
      Array(2).fill('failed 1243 <?> execute k=0 idle'),
    );
    const { lexical, scope } = proxy.sessions[0]?.context ?? {};
    expect([lexical?.isAnsiQuotes, lexical?.isBackslashLiteral]).toEqual([false, false]);
    expect(scope?.database).toBe(database.name);
    session.close();
  });

  it('by mysql2, right and wrong, and then a query', async () => {
    const proxy = await watchMysql(database.url);
    const connection = await createConnection(proxy.through(database.url));
    const user = { user: 'reader', password: 'readerpw', database: database.name };
    for (let time = 1; time <= 2; time += 1) {
      await connection.changeUser(user);
      const [rows] = await connection.query("select substring_index(user(), '@', 1) as name");
      expect(rows).toEqual([{ name: 'reader' }]);
      const failed = connection.query('select nope from t');
      await expect(failed).rejects.toMatchObject({ errno: 1054 });
      expect(await failed.catch((one: Error) => one.message.includes(noteMark))).toBe(time === 2);
    }
    await expect(connection.changeUser({ ...user, password: 'wrong' })).rejects.toMatchObject({
      errno: 1045,
    });
    expect(proxy.blind).toEqual([]);
    connection.destroy();
  });
});

it('a scripted change through a switch, more data and back to commands', async () => {
  const { upstream, proxy, end, session } = await openScriptedMysql();
  const outcomes: string[] = [];
  for (let time = 1; time <= 2; time += 1) {
    const command = changeUser({
      user: 'ann',
      authData: Buffer.alloc(20, 1),
      database: 'lib',
      plugin: 'caching_sha2_password',
    });
    await session.sendPacket(command);
    expect(await end.command()).toEqual(command);
    // Each answer of the client looks like a command: COM_QUIT, COM_STMT_CLOSE, an unknown one, an empty packet.
    for (const [question, answer] of [
      [authSwitch('dialog'), Buffer.from([0x01])],
      [authMoreData(Buffer.from('\xffPassword:', 'latin1')), Buffer.from([0x19, 1, 0, 0, 0])],
      [fullAuthRequired, Buffer.from([0x7f, 2])],
      [authSwitch('mysql_clear_password', Buffer.alloc(0)), Buffer.alloc(0)],
    ] as const) {
      end.reply(question);
      const asked = await session.packet();
      expect(asked.payload).toEqual(question);
      await session.sendPacket(answer, asked.sequence + 1);
      expect((await end.packet()).payload).toEqual(answer);
    }
    const last = time === 1 ? ok() : error(1045, "Access denied for user 'ann'", '28000');
    end.reply(last);
    expect((await session.packet()).payload).toEqual(last);
    await session.sendPacket(query('select nope'));
    await end.command();
    end.reply(error(1054, 'x'));
    outcomes.push(outcome(await session.answer(3)));
  }
  expect(outcomes).toEqual(['E[1054]', 'E[1054] noted']);
  expect(proxy.sessions[0]?.context.scope.database).toBe('lib');
  expect(readError(session.packets.at(-1)?.payload as Buffer).code).toBe(1054);
  expect(proxy.blind).toEqual([]);
  session.close();
  await upstream.close();
});

it.each([
  ['that succeeds', ok()],
  ['that fails', error(1045, "Access denied for user 'ann'", '28000')],
])('a scripted change %s leaves no text under the ids of before', async (_how, answer) => {
  const { upstream, proxy, end, session } = await openScriptedMysql();
  const exchange = async (command: Buffer, reply: Buffer): Promise<void> => {
    await session.sendPacket(command);
    await end.command();
    end.reply(reply);
    await session.packet();
  };
  await exchange(prepare('select secret'), prepareOk(1, 0, 0));
  await exchange(execute(1), error(1054, 'x'));
  const plugin = 'caching_sha2_password';
  await exchange(changeUser({ user: 'ann', authData: Buffer.alloc(20), database: 'lib', plugin }), answer);
  await exchange(execute(1), error(1054, 'x'));
  const failed = failuresOf(proxy.sessions[0]).filter((event) => event.startsWith('failed'));
  expect(failed).toEqual([
    'failed 1054 <select secret> execute k=0 idle',
    'failed 1054 <?> execute k=0 idle',
  ]);
  expect(proxy.blind).toEqual([]);
  session.close();
  await upstream.close();
});

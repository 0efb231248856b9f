// MariaDB's extended metadata, kept on one leg alone, gave malformed definitions (sysown/proxysql#3996, #3992, #4047,
// MariaDB/server#1756, sidorares/node-mysql2#4373). The same for every capability: both legs have the same ones, also
// CLIENT_DEPRECATE_EOF (sysown/proxysql#3756).
import { createConnection } from 'mysql2/promise';
import { afterEach, describe, expect, it } from 'vitest';
import { stopProxies } from '../integration/proxy/scripted-ends.js';
import { createMysqlDatabase } from '../servers/mysql-database.js';
import { execute, prepare, query } from '../support/mysql-client-packets.js';
import { capability, mariadbCapability } from '../support/mysql-protocol.js';
import { mariadbGreeting, mysqlGreeting, usualRequest } from '../support/mysql-server-packets.js';
import { describeEachMysql, describeMariadb } from '../support/mysql-servers.js';
import { RawMysql } from '../support/raw-mysql.js';
import { openScriptedMysql, outcome, plain, watchMysql } from './support/mysql-sessions.js';
import { noteMark } from './support/watched-proxy.js';

afterEach(stopProxies);

const everyExtended = Object.values(mariadbCapability).reduce((all, one) => all | one, 0);
const wanted = {
  'of today': usualRequest | capability.optionalMetadata | capability.queryAttributes,
  'without DEPRECATE_EOF, as of 5.6': usualRequest & ~capability.deprecateEof & ~capability.sessionTrack,
  'of the least': capability.protocol41 | capability.secureConnection | capability.pluginAuth,
};

describe.each(Object.entries(wanted))('a client %s', (_name, capabilities) => {
  it.each([
    ['MySQL', mysqlGreeting, 0],
    ['MariaDB', mariadbGreeting, everyExtended],
    [
      'MariaDB, with what is not known yet',
      { ...mariadbGreeting, extendedCapabilities: 0x7fffffff },
      0x55555555,
    ],
  ] as const)('sees the capabilities of %s, which sees the client’s', async (_server, greeting, extended) => {
    const { upstream, proxy, end, session } = await openScriptedMysql({
      server: { greeting },
      client: { capabilities, extendedCapabilities: extended },
    });
    expect(session.greeting?.capabilities).toBe((greeting.capabilities ?? 0) >>> 0);
    expect(session.greeting?.extendedCapabilities).toBe(greeting.extendedCapabilities ?? 0);
    expect(Number(end.client?.capabilities) >>> 0).toBe(session.capabilities);
    expect(end.client?.extendedCapabilities).toBe(session.extendedCapabilities);
    expect(proxy.blind).toEqual([]);
    session.close();
    await upstream.close();
  });
});

describeEachMysql('capabilities', (server) => {
  it('offered through the proxy are those of the server, but for TLS and compression', async () => {
    const proxy = await watchMysql(server.url);
    const [direct, session] = [
      await RawMysql.open(server.url),
      await RawMysql.open(proxy.through(server.url)),
    ];
    const ours = capability.tls | capability.compress | capability.zstdCompression;
    expect(Number(session.greeting?.capabilities) & ours).toBe(0);
    expect(Number(session.greeting?.capabilities)).toBe(
      (Number(direct.greeting?.capabilities) & ~ours) >>> 0,
    );
    expect(session.greeting?.extendedCapabilities).toBe(direct.greeting?.extendedCapabilities);
    session.close();
    direct.close();
  });

  it.each(Object.entries(wanted))(
    'of a client %s: answers as the server gives them',
    async (_name, capabilities) => {
      const proxy = await watchMysql(server.url);
      const both = [
        await RawMysql.open(proxy.through(server.url), { capabilities }),
        await RawMysql.open(server.url, { capabilities }),
      ] as const;
      const hasAttributes = (both[0].capabilities & capability.queryAttributes) !== 0;
      const outcomes: string[] = [];
      for (let time = 1; time <= 2; time += 1) {
        for (const text of ['select 1', 'select 1 from mysql.user where 1 = 0', 'select nope', 'do 1']) {
          const [answer, expected] = [await both[0].query(text), await both[1].query(text)];
          expect(plain(answer), text).toEqual(plain(expected));
          if (text === 'select nope') outcomes.push(outcome(answer));
        }
        for (const one of both) {
          const attributes = hasAttributes ? { trace: 'x'.repeat(300), n: '1' } : undefined;
          expect(outcome(await one.run(query('select nope /* a */', attributes)))).toMatch(/^E\[1054\]/);
        }
      }
      expect(outcomes).toEqual(['E[1054]', 'E[1054] noted']);
      const failed = proxy.sessions[0]?.events.filter((event) => event.startsWith('failed'));
      const each = [
        'failed 1054 <select nope> execute k=0 idle',
        'failed 1054 <select nope /* a */> execute k=0 idle',
      ];
      expect(failed).toEqual([...each, ...each]);
      expect(proxy.blind).toEqual([]);
      for (const one of both) one.close();
    },
  );
});

describeMariadb('columns of types that say more of themselves', (server) => {
  const setup = `
    create table wide (id int primary key, j json, u uuid, a inet6, g geometry, p point);
    insert into wide values (1, '{"a": 1}', uuid(), '::1', st_geomfromtext('POINT(1 2)'), point(3, 4))`;
  const text = 'select * from wide';

  it.each([
    ['extended', everyExtended],
    ['without', 0],
    ['cached', mariadbCapability.cacheMetadata],
  ])('%s metadata, as text and as binary rows', async (_name, extendedCapabilities) => {
    const database = await createMysqlDatabase(server.url, setup);
    const proxy = await watchMysql(database.url);
    const session = await RawMysql.open(proxy.through(database.url), { extendedCapabilities });
    const direct = await RawMysql.open(database.url, { extendedCapabilities });
    expect(session.extendedCapabilities).toBe(direct.extendedCapabilities);
    for (let time = 1; time <= 2; time += 1) {
      expect(plain(await session.query(text))).toEqual(plain(await direct.query(text)));
      const failed = await session.query('select nope from wide');
      expect(outcome(failed)).toBe(`E[1054]${time === 1 ? '' : ' noted'}`);
    }
    const ids = await Promise.all([session, direct].map((one) => prepared(one, text)));
    for (let time = 1; time <= 3; time += 1) {
      const answer = await session.run(execute(Number(ids[0])));
      expect(plain(answer)).toEqual(plain(await direct.run(execute(Number(ids[1])))));
    }
    const types = (await session.query(text)).map(({ payload }) => payload.toString('latin1')).join();
    expect(types.includes('\x00\x04uuid')).toBe(extendedCapabilities === everyExtended);
    expect(proxy.blind).toEqual([]);
    session.close();
    direct.close();
    await database.drop();
  });

  it('through mysql2', async () => {
    const database = await createMysqlDatabase(server.url, setup);
    const proxy = await watchMysql(database.url);
    const connection = await createConnection(proxy.through(database.url));
    const direct = await createConnection(database.url);
    expect((await connection.query(text))[0]).toEqual((await direct.query(text))[0]);
    expect((await connection.execute(text))[0]).toEqual((await direct.execute(text))[0]);
    const messages: string[] = [];
    for (let time = 1; time <= 2; time += 1)
      await connection.query('select nope').catch((failure: Error) => messages.push(failure.message));
    expect(messages.map((message) => message.includes(noteMark))).toEqual([false, true]);
    await connection.end();
    await direct.end();
    await database.drop();
  });
});

async function prepared(session: RawMysql, text: string): Promise<number> {
  const [first] = await session.run(prepare(text));
  return Number(first?.payload.readUInt32LE(1));
}

// Compression was agreed on and not spoken (sidorares/node-mysql2#242), or agreed on past a proxy that then hung
// (mickamy/sql-tap#2).
import * as mariadb from 'mariadb';
import { createConnection } from 'mysql2/promise';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { mariadbPlain, mysqlPlain } from '../e2e/mysql/clients/command-line.js';
import { stopProxies } from '../integration/proxy/scripted-ends.js';
import type { TestDatabase } from '../servers/database.js';
import { createMysqlDatabase } from '../servers/mysql-database.js';
import { debianMariadb, sidMysql } from '../servers/mysql-programs.js';
import { loginPacket, query } from '../support/mysql-client-packets.js';
import { capability, packet } from '../support/mysql-protocol.js';
import { error, mysqlGreeting, mysqlOffer, readError } from '../support/mysql-server-packets.js';
import { describeEachMysql } from '../support/mysql-servers.js';
import { RawMysql } from '../support/raw-mysql.js';
import { ScriptedMysqlServer } from '../support/scripted-mysql-server.js';
import { runClient } from './support/command-line.js';
import { failuresOf, outcome, watchMysql } from './support/mysql-sessions.js';
import { noteMark } from './support/watched-proxy.js';

afterEach(stopProxies);

const compressed = capability.compress | capability.zstdCompression;
const programs = [await sidMysql(false), await debianMariadb()].flatMap((found) =>
  'client' in found ? [found] : [],
);

describeEachMysql('a client that would compress', (server) => {
  let database: TestDatabase;

  beforeAll(async () => {
    database = await createMysqlDatabase(server.url, 'create table big (id int primary key, body longtext)');
  });

  afterAll(() => database.drop());

  const policies = ['clear', 'relay'] as const;

  const optionsOf = {
    mysql: [
      ['--compression-algorithms=zlib'],
      ['--compression-algorithms=zlib,uncompressed'],
      ['--compression-algorithms=zstd'],
      ['--compression-algorithms=zstd,zlib,uncompressed', '--zstd-compression-level=7'],
      ['--compression-algorithms=uncompressed'],
      ['--compress'],
    ],
    mariadb: [['--compress']],
  } as const;

  describe.each(policies)('compression: %s', (compression) => {
    const cases = programs.flatMap((program) =>
      optionsOf[program.flavour].map(
        (options) => [program.name, options.join(' '), options, program] as const,
      ),
    );

    it.each(cases)('%s with %s works, or is told why not', async (_name, _text, options, program) => {
      const proxy = await watchMysql(database.url, { policy: { compression } });
      const { port } = new URL(proxy.through(database.url));
      const { username, password } = new URL(database.url);
      const login = {
        host: '127.0.0.1',
        port: Number(port),
        user: username,
        password,
        database: database.name,
      };
      const plain = program.flavour === 'mysql' ? mysqlPlain : mariadbPlain;
      const big = 'b'.repeat(300_000);
      const script = [
        `insert into big values (1, '${big}') on duplicate key update body = body;`,
        'select body from big;',
        'select nope;',
        'select nope;',
        'select 7;',
      ].join('\n');
      const args = [...plain, ...options, '--force', '-BN'];
      const { stdout, stderr } = await runClient(program.client, login, args, script);
      const isRefused = options.every((option) => /=(zlib|zstd)$/.test(option)) && compression === 'clear';
      const hasNoSuch = server.flavour === 'mariadb' && options[0]?.endsWith('=zstd');
      if (isRefused || hasNoSuch) {
        // The client insists, and says itself that the server does not offer it.
        expect(stderr).toMatch(/^ERROR 2066/);
        return;
      }
      expect(stdout).toBe(`${big}\n7\n`);
      const said = stderr.split(/^(?=ERROR )/m).filter((part) => part.startsWith('ERROR'));
      expect(said.map((part) => part.slice(0, 10))).toEqual(['ERROR 1054', 'ERROR 1054']);
      const isPlain = compression === 'clear' || options[0]?.endsWith('=uncompressed') === true;
      expect(said.map((part) => part.includes(noteMark))).toEqual([false, isPlain]);
      expect(proxy.blind).toEqual(isPlain ? [] : ['not_followed']);
    });

    it('by mysql2 and MariaDB’s connector', async () => {
      const proxy = await watchMysql(database.url, { policy: { compression } });
      const uri = proxy.through(database.url);
      const { port, username: user, password } = new URL(uri);
      const one = await createConnection({ uri, compress: true } as Parameters<typeof createConnection>[0]);
      const two = await mariadb.createConnection({
        ...{ host: '127.0.0.1', port: Number(port), user, password, database: database.name },
        ...{ compress: true, allowPublicKeyRetrieval: true },
      });
      const big = 'b'.repeat(300_000);
      const messages: boolean[] = [];
      for (const run of [
        async (sql: string) => ((await one.query(sql))[0] as Record<string, string>[])[0]?.['a'],
        async (sql: string) => (await two.query(sql))[0]?.a,
      ]) {
        expect(await run(`select '${big}' as a`)).toBe(big);
        for (let time = 1; time <= 2; time += 1)
          await run('select nope').catch((failure: Error) =>
            messages.push(failure.message.includes(noteMark)),
          );
      }
      const isNoted = compression === 'clear';
      expect(messages).toEqual([false, isNoted, false, isNoted]);
      await one.end();
      await two.end();
    });
  });

  it('is not offered it, on MySQL and MariaDB alike', async () => {
    const proxy = await watchMysql(server.url);
    const [direct, session] = [
      await RawMysql.open(server.url),
      await RawMysql.open(proxy.through(server.url)),
    ];
    expect(Number(direct.greeting?.capabilities) & capability.compress).not.toBe(0);
    expect(Number(session.greeting?.capabilities) & compressed).toBe(0);
    for (let time = 1; time <= 2; time += 1)
      expect(outcome(await session.query('select nope'))).toBe(`E[1054]${time === 1 ? '' : ' noted'}`);
    direct.close();
    session.close();
  });
});

describe('a client that compresses without being offered it', () => {
  it.each([
    ['zlib', capability.compress],
    ['zstd, with its level behind everything', capability.zstdCompression],
  ])('%s: it is told so, or it is relayed; no hang', async (_name, flag) => {
    const server = await ScriptedMysqlServer.listen(
      async (session) => {
        await session.login().catch(() => undefined);
        if (session.client !== null) session.reply(error(1047, 'x'));
        session.end();
      },
      { greeting: { ...mysqlGreeting, capabilities: mysqlOffer | compressed } },
    );
    const proxy = await watchMysql(server.port);
    const session = await RawMysql.dial(proxy.through());
    await session.packet();
    const login = loginPacket({
      capabilities: (mysqlOffer & ~capability.connectWithDb) | flag,
      user: 'ann',
      authData: Buffer.alloc(20, 1),
      plugin: 'caching_sha2_password',
      attributes: { a: 'b' },
    });
    await session.send(packet(login, 1));
    await session.sendPacket(query('select 1'));
    const packets = await session.ended();
    expect(packets.length).toBeGreaterThan(0);
    const first = packets[0]?.payload as Buffer;
    if (first[0] === 0xff) expect(readError(first).message).not.toBe('');
    expect(proxy.sessions.flatMap(failuresOf)).toEqual([]);
    session.close();
    await server.close();
  });
});

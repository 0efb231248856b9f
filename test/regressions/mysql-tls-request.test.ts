// The 32 bytes that ask for TLS were taken for a whole login packet (sidorares/node-mysql2#1249).
import { connect as openTls } from 'node:tls';
import { createConnection } from 'mysql2/promise';
import { afterEach, describe, expect, it } from 'vitest';
import { mariadbPlain, mysqlPlain } from '../e2e/mysql/clients/command-line.js';
import { makeCertificates } from '../integration/proxy/certificates.js';
import { stopProxies } from '../integration/proxy/scripted-ends.js';
import { debianMariadb, type MysqlFlavour, sidMysql } from '../servers/mysql-programs.js';
import { loginPacket, tlsRequest } from '../support/mysql-client-packets.js';
import { capability, packet } from '../support/mysql-protocol.js';
import { usualRequest } from '../support/mysql-server-packets.js';
import { describeEachMysql } from '../support/mysql-servers.js';
import { RawMysql } from '../support/raw-mysql.js';
import { ScriptedMysqlServer } from '../support/scripted-mysql-server.js';
import { runClient } from './support/command-line.js';
import { watchMysql } from './support/mysql-sessions.js';
import { noteMark } from './support/watched-proxy.js';

const certificates = makeCertificates();
const clientTls = { ...certificates.local, isRequired: false };

afterEach(stopProxies);

const modes = ['disable', 'require'] as const;

describeEachMysql('a request for TLS', (server) => {
  it.each(modes)('by mysql2, and none by it; upstream %s', async (mode) => {
    const proxy = await watchMysql(server.url, { policy: { clientTls, upstreamTls: { mode } } });
    for (const ssl of [{ rejectUnauthorized: false }, undefined]) {
      const connection = await createConnection({
        uri: proxy.through(server.url),
        ...(ssl === undefined ? {} : { ssl }),
      });
      const messages: string[] = [];
      for (let time = 1; time <= 2; time += 1)
        await connection.query('select nope').catch((error: Error) => messages.push(error.message));
      expect(messages.map((message) => message.includes(noteMark))).toEqual([false, true]);
      await connection.end();
    }
    expect(proxy.blind).toEqual([]);
  });

  it.each(modes)('by the programs in each of their modes; upstream %s', async (mode) => {
    const proxies = [
      await watchMysql(server.url, { policy: { clientTls, upstreamTls: { mode } } }),
      await watchMysql(server.url, { policy: { clientTls: null, upstreamTls: { mode } } }),
    ];
    for (const [offers, proxy] of [
      [true, proxies[0]],
      [false, proxies[1]],
    ] as const) {
      const { hostname, port, username, password } = new URL(proxy?.through(server.url) ?? '');
      const login = { host: hostname, port: Number(port), user: username, password };
      for (const [program, optionsOf] of [
        [await sidMysql(false), mysqlModes],
        [await debianMariadb(), mariadbModes],
      ] as const) {
        if (!('client' in program)) continue;
        for (const [options, needs] of optionsOf(server.flavour)) {
          const { stdout, stderr } = await runClient(program.client, login, [...options, '-BNe', 'select 1']);
          const isServed = offers || needs !== 'TLS';
          expect([options.join(' '), stdout, isServed ? stderr : '']).toEqual([
            options.join(' '),
            isServed ? '1\n' : '',
            '',
          ]);
          if (!isServed) expect(stderr).toMatch(/^ERROR 20(02|26)/);
        }
      }
    }
  });

  it('cut at each of its bytes, with the numbers going on behind it', async () => {
    const proxy = await watchMysql(server.url, { policy: { clientTls } });
    const request = packet(
      tlsRequest({ capabilities: (usualRequest & ~capability.connectWithDb) | capability.tls }),
      1,
    );
    for (let cut = 1; cut < request.length; cut += 1) {
      const session = await RawMysql.dial(proxy.through(server.url));
      await session.packet();
      session.socket.write(request.subarray(0, cut));
      await new Promise((resolve) => setImmediate(resolve));
      session.socket.write(request.subarray(cut));
      session.socket.removeAllListeners('data');
      const secure = openTls({ socket: session.socket, rejectUnauthorized: false });
      await new Promise<void>((resolve, reject) => {
        secure.once('secureConnect', resolve);
        secure.once('error', reject);
      });
      const answer = new Promise<Buffer>((resolve) => secure.once('data', resolve));
      secure.write(
        packet(
          loginPacket({
            capabilities: (usualRequest & ~capability.connectWithDb) | capability.tls,
            user: 'nobody',
            authData: Buffer.alloc(20, 1),
            plugin: session.greeting?.plugin ?? 'mysql_native_password',
          }),
          2,
        ),
      );
      expect((await answer)[3]).toBe(3);
      secure.destroy();
    }
  });
});

describe('a scripted server', () => {
  it.each([
    ['without TLS of its own', false, 1],
    ['with TLS', true, 2],
  ] as const)('%s sees the numbers of its own leg, whatever the client’s', async (_kind, isTls, number) => {
    for (const isClientTls of [false, true]) {
      const numbers: number[] = [];
      const server = await ScriptedMysqlServer.listen(
        async (session) => {
          await session.login();
          numbers.push(...session.received.map(({ sequence }) => sequence));
          await session.serve(() => []);
        },
        isTls ? { tls: certificates.local } : {},
      );
      const proxy = await watchMysql(server.port, {
        policy: { clientTls, upstreamTls: { mode: isTls ? 'require' : 'disable' } },
      });
      const session = await RawMysql.open(proxy.through(server.url), { isTls: isClientTls });
      expect(session.packets.map(({ sequence }) => sequence)).toEqual([0, isClientTls ? 3 : 2]);
      expect(numbers.at(-1)).toBe(number);
      session.close();
      await server.close();
    }
  });
});

type Mode = readonly [options: readonly string[], needs: 'TLS' | 'nothing'];

const mysqlModes = (): Mode[] => [
  [mysqlPlain, 'nothing'],
  [['--ssl-mode=PREFERRED', '--get-server-public-key'], 'nothing'],
  [['--ssl-mode=REQUIRED'], 'TLS'],
];

/** What MariaDB's program is to do without TLS it does with MariaDB only. */
const mariadbModes = (flavour: MysqlFlavour): Mode[] => [
  ...(flavour === 'mariadb' ? [[mariadbPlain, 'nothing'] as const] : []),
  [['--ssl', '--skip-ssl-verify-server-cert'], 'nothing'],
];

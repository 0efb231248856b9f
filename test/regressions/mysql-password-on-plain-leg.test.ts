// TLS ended at the proxy with a plain upstream: the client, which trusts TLS, sends its password in clear
// (envoyproxy/envoy#44089).
import { connect, createServer, type Socket } from 'node:net';
import * as mariadb from 'mariadb';
import { createConnection } from 'mysql2/promise';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { makeCertificates } from '../integration/proxy/certificates.js';
import { stopProxies } from '../integration/proxy/scripted-ends.js';
import type { TestDatabase } from '../servers/database.js';
import { mysqlAccounts } from '../servers/mysql-accounts.js';
import { asAccount, coolAccounts, createMysqlDatabase } from '../servers/mysql-database.js';
import { sidMysql } from '../servers/mysql-programs.js';
import { describeEachMysql } from '../support/mysql-servers.js';
import { RawMysql } from '../support/raw-mysql.js';
import { runClient } from './support/command-line.js';
import { watchMysql } from './support/mysql-sessions.js';

const certificates = makeCertificates();

afterEach(stopProxies);

/** A relay to the server of `url` that keeps every byte of the plain leg. */
async function tap(url: string): Promise<{ port: number; seen(): Buffer; close(): Promise<void> }> {
  const { hostname, port } = new URL(url);
  const chunks: Buffer[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect({ host: hostname, port: Number(port) });
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from);
      from.on('data', (chunk) => chunks.push(chunk));
      from.on('error', () => to.destroy());
      from.pipe(to);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    seen: () => Buffer.concat(chunks),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

interface Target {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  readonly database: string;
}

/** Each resolves to who it is, or to the number of the server's error. */
const clients: Record<string, (target: Target) => Promise<string | number>> = {
  raw: async ({ host, port, user, password, database }) => {
    const url = `mysql://${user}:${password}@${host}:${port}/${database}`;
    try {
      const session = await RawMysql.open(url, { isTls: true });
      const [, , row] = await session.query("select substring_index(user(), '@', 1)");
      session.close();
      return String(row?.payload.subarray(1).toString());
    } catch (error) {
      return Number((error as { code?: number }).code);
    }
  },
  mysql2: (target) =>
    createConnection({ ...target, ssl: { rejectUnauthorized: false } }).then(
      async (connection) => {
        const [rows] = await connection.query("select substring_index(user(), '@', 1) as name");
        await connection.end();
        return (rows as { name: string }[])[0]?.name ?? '';
      },
      ({ errno }: { errno: number }) => errno,
    ),
  'mariadb (npm)': (target) =>
    mariadb.createConnection({ ...target, ssl: { rejectUnauthorized: false } }).then(
      async (connection) => {
        const [row] = await connection.query("select substring_index(user(), '@', 1) as name");
        await connection.end();
        return String(row.name);
      },
      ({ errno }: { errno: number }) => errno,
    ),
};

const program = await sidMysql(false);
if ('client' in program)
  clients['the mysql program'] = async (target) => {
    const options = ['--ssl-mode=REQUIRED', '-BNe', "select substring_index(user(), '@', 1)"];
    const { stdout, stderr } = await runClient(program.client, target, options);
    return stdout.trim() || Number(/^ERROR (\d+)/.exec(stderr)?.[1]);
  };

describeEachMysql('behind a client’s TLS', (server) => {
  let database: TestDatabase;

  beforeAll(async () => {
    database = await createMysqlDatabase(server.url);
  });

  afterAll(() => database.drop());

  const accounts = mysqlAccounts(server.flavour).filter(
    ({ plugin, isTlsOnly, rights }) => plugin !== 'ed25519' && isTlsOnly !== true && rights !== 'none',
  );

  it.each(
    accounts.flatMap((account) =>
      Object.entries(clients).map(([name, client]) => [account.name, name, account, client] as const),
    ),
  )(
    'the password of %s by %s is never in clear on the plain leg',
    async (_account, _client, account, client) => {
      const leg = await tap(server.url);
      const proxy = await watchMysql(leg.port, {
        policy: { clientTls: { ...certificates.local, isRequired: true } },
      });
      const wrongPassword = 'wrong-but-secret';
      for (const password of [account.password, wrongPassword, account.password]) {
        // The first and second login are full ones, the third, where the server remembers, is not.
        if (server.flavour === 'mysql' && password !== wrongPassword) await coolAccounts(server.url);
        const target = {
          host: '127.0.0.1',
          port: proxy.proxy.port,
          user: account.name,
          database: database.name,
        };
        const got = await client({ ...target, password });
        expect(got).toBe(password === wrongPassword ? 1045 : account.name);
      }
      const seen = leg.seen();
      expect(seen.includes(account.name)).toBe(true);
      expect(seen.includes(account.password)).toBe(false);
      expect(seen.includes(wrongPassword)).toBe(false);
      await leg.close();
    },
  );

  it('with TLS on both legs nothing at all is in clear', async () => {
    const account = accounts.find(({ plugin }) => plugin?.includes('sha2') || plugin?.includes('native'));
    const leg = await tap(server.url);
    const proxy = await watchMysql(leg.port, {
      policy: { clientTls: { ...certificates.local, isRequired: true }, upstreamTls: { mode: 'require' } },
    });
    if (server.flavour === 'mysql') await coolAccounts(server.url);
    const url = proxy.through(asAccount(database.url, account ?? { name: '', password: '' }));
    const session = await RawMysql.open(url, { isTls: true });
    expect(session.authentication.at(-1)).toBe(
      server.flavour === 'mysql' ? 'full over TLS' : 'plugin mysql_native_password',
    );
    session.close();
    expect(leg.seen().includes(account?.name ?? '?')).toBe(false);
    expect(leg.seen().includes(account?.password ?? '?')).toBe(false);
    await leg.close();
  });
});

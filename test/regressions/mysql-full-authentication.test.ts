// Packets of a full authentication were numbered wrongly (sysown/proxysql#5193), or the request for the server's public key
// was not answered (sysown/proxysql#5985).
import * as mariadb from 'mariadb';
import { createConnection } from 'mysql2/promise';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { makeCertificates } from '../integration/proxy/certificates.js';
import { stopProxies } from '../integration/proxy/scripted-ends.js';
import type { TestDatabase } from '../servers/database.js';
import {
  asAccount,
  coolAccounts,
  createColdAccount,
  createMysqlDatabase,
  type FreshAccount,
} from '../servers/mysql-database.js';
import { sidMysql } from '../servers/mysql-programs.js';
import { makeCertificate } from '../support/certificate.js';
import { readError } from '../support/mysql-server-packets.js';
import { describeMysql } from '../support/mysql-servers.js';
import { LoginRefused, RawMysql } from '../support/raw-mysql.js';
import { runClient } from './support/command-line.js';
import { failuresOf, outcome, watchMysql } from './support/mysql-sessions.js';
import { startApp } from './support/running-app.js';

const certificates = makeCertificates();

afterEach(stopProxies);

describeMysql('a first login of caching_sha2_password', (server) => {
  let database: TestDatabase;
  let account: FreshAccount;

  beforeAll(async () => {
    database = await createMysqlDatabase(server.url);
    account = await createColdAccount(database.url);
  });

  afterAll(async () => {
    await account.drop();
    await database.drop();
  });

  const wrong = () => asAccount(account.url, { name: account.name, password: 'not the password' });

  /** The numbers and first bytes of what the server's side sent, up to the end of the login. */
  async function login(
    url: string,
    isTls: boolean,
  ): Promise<{ steps: readonly string[]; packets: string[] }> {
    await coolAccounts(server.url);
    const session = await RawMysql.dial(url, { isTls });
    const refusal = await session.login(url).catch((error: unknown) => error);
    if (refusal !== undefined && !(refusal instanceof LoginRefused)) throw refusal;
    const packets = session.packets.map(({ sequence, payload }) =>
      payload[0] === 0xff ? `${sequence} ${JSON.stringify(readError(payload))}` : `${sequence} ${payload[0]}`,
    );
    session.close();
    return { steps: session.authentication, packets };
  }

  describe.each([
    ['plain', false],
    ['TLS', true],
  ] as const)('over %s', (_leg, isTls) => {
    it.each(['disable', 'require'] as const)(
      'has the server’s numbers, let in or not; upstream %s',
      async (mode) => {
        const proxy = await watchMysql(server.url, {
          policy: {
            clientTls: isTls ? { ...certificates.local, isRequired: true } : null,
            upstreamTls: { mode },
          },
        });
        for (const url of [account.url, wrong()]) {
          const direct = await login(url, isTls);
          expect(await login(proxy.through(url), isTls)).toEqual(direct);
          expect(direct.steps.at(-1)).toBe(isTls ? 'full over TLS' : 'full by RSA');
          expect(direct.packets.at(-1)).toMatch(url === account.url ? /^\d 0$/ : /"code":1045/);
        }
      },
    );
  });

  it('by clients that ask for the public key', async () => {
    const proxy = await watchMysql(server.url);
    const { hostname, port } = new URL(proxy.through(server.url));
    const target = { host: hostname, port: Number(port), user: account.name, database: database.name };
    const program = await sidMysql(false);
    for (const password of [account.password, 'not the password']) {
      const outcomes: unknown[] = [];
      const answer = { one: 'yes' };
      await coolAccounts(server.url);
      outcomes.push(
        await createConnection({ ...target, password }).then(
          async (connection) => {
            const [[row]] = (await connection.query("select 'yes' as one")) as unknown as [[unknown]];
            await connection.end();
            return row;
          },
          ({ errno }: { errno: number }) => errno,
        ),
      );
      await coolAccounts(server.url);
      outcomes.push(
        await mariadb.createConnection({ ...target, password, allowPublicKeyRetrieval: true }).then(
          async (connection) => {
            const [row] = await connection.query("select 'yes' as one");
            await connection.end();
            return row;
          },
          ({ errno }: { errno: number }) => errno,
        ),
      );
      if ('client' in program) {
        await coolAccounts(server.url);
        const options = ['--ssl-mode=DISABLED', '--get-server-public-key', '-BNe', "select 'yes'"];
        const { stdout, stderr } = await runClient(program.client, { ...target, password }, options);
        outcomes.push(stdout === 'yes\n' ? answer : Number(/^ERROR (\d+)/.exec(stderr)?.[1]));
      }
      const expected = password === account.password ? answer : 1045;
      expect(outcomes).toEqual(outcomes.map(() => expected));
      expect(outcomes.length).toBeGreaterThanOrEqual(2);
    }
    // The mysql program itself asks whether `select $$` is a statement.
    const failed = proxy.sessions.flatMap(failuresOf).filter((event) => event.startsWith('failed'));
    expect(failed.filter((event) => !event.includes('<select $$>'))).toEqual([]);
  });

  it('leaves nothing of the password in logs and memory', async () => {
    for (const tls of [false, true]) {
      const files = await makeCertificate();
      const listener = tls ? { tls: { cert: files.cert, key: files.key } } : {};
      const app = await startApp(database.url, { listener });
      files.remove();
      const words = [account.password, 'not the password'];
      for (const url of [account.url, wrong()]) {
        await coolAccounts(server.url);
        const session = await RawMysql.open(app.through(url), { isTls: tls }).catch(() => null);
        if (session === null) continue;
        expect(outcome(await session.query('select nope'))).toBe('E[1054]');
        session.close();
      }
      const events = await app.stop();
      const said = `${app.log()}${JSON.stringify(events)}`;
      expect(events.length).toBeGreaterThan(0);
      for (const word of words) {
        for (const form of [word, Buffer.from(word).toString('hex'), Buffer.from(word).toString('base64')])
          expect(said.includes(form)).toBe(false);
      }
    }
  });
});

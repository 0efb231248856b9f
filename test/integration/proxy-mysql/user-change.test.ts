/** COM_CHANGE_USER on every pair of legs: outcomes as of the same client connected directly, on real servers. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { mysqlAdapter } from '../../../adapters/mysql/adapter.js';
import { mysqlAccounts } from '../../servers/mysql-accounts.js';
import {
  asAccount,
  coolAccounts,
  createColdAccount,
  createMysqlDatabase,
} from '../../servers/mysql-database.js';
import { query } from '../../support/mysql-client-packets.js';
import { PayloadReader, packets } from '../../support/mysql-protocol.js';
import { type AvailableMysql, describeEachMysql, describeMysql } from '../../support/mysql-servers.js';
import { LoginRefused, RawMysql } from '../../support/raw-mysql.js';
import { makeCertificates } from '../proxy/certificates.js';
import { startProxy, stopProxies } from '../proxy/scripted-ends.js';

const certificates = makeCertificates();
const legs = [
  ['plain', 'disable'],
  ['plain', 'require'],
  ['TLS', 'disable'],
  ['TLS', 'require'],
] as const;

describeEachMysql('COM_CHANGE_USER', (server) => {
  let database: Awaited<ReturnType<typeof createMysqlDatabase>>;
  const accounts = mysqlAccounts(server.flavour).filter(
    // The raw client has no plugin for ed25519.
    ({ rights, isTlsOnly, plugin }) => rights === 'databases' && isTlsOnly !== true && plugin !== 'ed25519',
  );
  beforeAll(async () => {
    database = await createMysqlDatabase(server.url);
  });
  afterAll(async () => {
    await stopProxies();
    await database.drop();
  });

  test.each(legs)('client %s, upstream %s', async (leg, mode) => {
    const isTls = leg === 'TLS';
    const url = new URL(database.url);
    const proxy = await proxyFor(server, isTls, mode);
    url.host = `127.0.0.1:${proxy.port}`;
    for (const account of accounts) {
      for (const password of [account.password, 'wrong']) {
        for (const temperature of server.flavour === 'mysql' ? ['cold', 'warm'] : ['warm']) {
          const changed = async (at: string): Promise<unknown> => {
            const session = await RawMysql.open(at, { isTls, attributes: { program_name: 'probe' } });
            if (temperature === 'cold') await coolAccounts(server.url);
            try {
              return await change(session, at, { ...account, password });
            } finally {
              session.close();
            }
          };
          const expected = await changed(database.url);
          expect(await changed(url.href), `${account.name} ${temperature}`).toEqual(expected);
          expect(expected).toMatchObject(password === 'wrong' ? { code: 1045 } : { user: account.name });
        }
      }
    }
    expect(proxy.blindSessions()).toBe(0);
  });
});

describeMysql('COM_CHANGE_USER to an account that has never logged in', (server) => {
  test.each(legs)('goes the way of its own leg: client %s, upstream %s', async (leg, mode) => {
    const isTls = leg === 'TLS';
    const database = await createMysqlDatabase(server.url);
    const account = await createColdAccount(database.url);
    try {
      const url = new URL(database.url);
      url.host = `127.0.0.1:${(await proxyFor(server, isTls, mode)).port}`;
      const session = await RawMysql.open(url.href, { isTls });
      expect(await change(session, url.href, account)).toEqual({ user: account.name });
      expect(session.authentication.at(-1)).toBe(isTls ? 'full over TLS' : 'full by RSA');
      session.close();
    } finally {
      await stopProxies();
      await account.drop();
      await database.drop();
    }
  });
});

/** Changes to the account, then asks who it is in one write with a statement before it. */
async function change(
  session: RawMysql,
  at: string,
  account: { readonly name: string; readonly password: string },
): Promise<unknown> {
  try {
    await session.changeUser(asAccount(at, account));
  } catch (error) {
    if (!(error instanceof LoginRefused)) throw error;
    return {
      code: error.code,
      sqlState: error.sqlState,
      message: error.message,
    };
  }
  const text = "select substring_index(user(), '@', 1)";
  await session.send(packets(query('do 1')), packets(query(text)));
  await session.answer(0x03);
  const answer = await session.answer(0x03);
  const row = answer.at(-2);
  return { user: new PayloadReader(row!.payload).lenencString() };
}

async function proxyFor(
  server: AvailableMysql,
  isTls: boolean,
  mode: 'disable' | 'require',
): Promise<{ readonly port: number; blindSessions(): number }> {
  const { hostname, port } = new URL(server.url);
  const address = { host: hostname, port: Number(port), user: '', password: '', database: '' };
  const ca = server.ca === null ? {} : { ca: readFileSync(server.ca, 'utf8') };
  let blindSessions = 0;
  const proxy = await startProxy(0, {
    counters: {
      count: (name) => {
        if (name === 'blind_sessions') blindSessions += 1;
      },
    },
    adapter: mysqlAdapter,
    upstream: { name: 'up', address },
    policy: {
      clientTls: isTls ? { ...certificates.local, isRequired: true } : null,
      upstreamTls: { mode, ...ca },
      compression: 'clear',
    },
  });
  return { port: proxy.port, blindSessions: () => blindSessions };
}

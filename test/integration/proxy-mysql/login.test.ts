/**
 * Logins of every kind of account through the proxy, on every pair of legs: the outcome is that of the same client
 * connected to the server directly, with TLS or without as on its own leg.
 */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import * as mariadb from 'mariadb';
import * as mysql2 from 'mysql2/promise';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createHandshake } from '../../../adapters/mysql/handshake.js';
import { type MysqlAccount, mysqlAccounts } from '../../servers/mysql-accounts.js';
import {
  asAccount,
  coolAccounts,
  createColdAccount,
  createMysqlDatabase,
} from '../../servers/mysql-database.js';
import { type AvailableMysql, describeEachMysql, describeMysql } from '../../support/mysql-servers.js';
import { LoginRefused, RawMysql } from '../../support/raw-mysql.js';
import { makeCertificates } from '../proxy/certificates.js';
import { startProxy, stopProxies } from '../proxy/scripted-ends.js';

const certificates = makeCertificates();

/** What a client got: who and where it is, or the server's error; number 0 is an error of the client itself. */
type Outcome =
  | { readonly user: string; readonly database: string }
  | { readonly errno: number; readonly message: string };

interface Target {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  readonly database: string;
  readonly isTls: boolean;
}

type Client = (target: Target) => Promise<Outcome>;

const question = "select substring_index(user(), '@', 1) as user, database() as `database`";

function failure(error: unknown): Outcome {
  const { errno = 0, sqlMessage = '' } = error as { errno?: number; sqlMessage?: string | null };
  return { errno, message: sqlMessage ?? '' };
}

const clients: Readonly<Record<string, Client>> = {
  mysql2: async ({ isTls, ...target }) => {
    try {
      const connection = await mysql2.createConnection({
        ...target,
        ...(isTls ? { ssl: { rejectUnauthorized: false } } : {}),
      });
      const [rows] = await connection.query(question);
      await connection.end();
      return (rows as Extract<Outcome, { user: string }>[])[0]!;
    } catch (error) {
      return failure(error);
    }
  },
  'mariadb (npm)': async ({ isTls, ...target }) => {
    try {
      const connection = await mariadb.createConnection({
        ...target,
        allowPublicKeyRetrieval: true,
        ...(isTls ? { ssl: { rejectUnauthorized: false } } : {}),
      });
      const [row] = await connection.query(question);
      await connection.end();
      return { user: row.user, database: row.database };
    } catch (error) {
      return failure(error);
    }
  },
  'the mariadb program': ({ isTls, ...target }) => mariadbProgram(target, [isTls ? '--ssl' : '--skip-ssl']),
};

function mariadbProgram(target: Omit<Target, 'isTls'>, options: readonly string[]): Promise<Outcome> {
  const { host, port, user, password, database } = target;
  const login = [`-h${host}`, `-P${port}`, `-u${user}`, `--password=${password}`, ...options];
  const args = ['--no-defaults', ...login, '-N', '-B', '-e', question, database];
  return new Promise((resolve) => {
    execFile('mariadb', args, { timeout: 30_000 }, (_error, out, err) => {
      const [name, chosen] = out.trim().split('\t');
      if (name !== undefined && chosen !== undefined) resolve({ user: name, database: chosen });
      else {
        const [, errno = '0', message = ''] = /ERROR (\d+) \(\w+\): (.*)/.exec(err) ?? [];
        resolve({ errno: Number(errno), message });
      }
    });
  });
}

const legs = [
  ['plain', 'disable'],
  ['plain', 'require'],
  ['TLS', 'disable'],
  ['TLS', 'require'],
] as const;

describeEachMysql('logins', (server) => {
  const address = new URL(server.url);
  let database: Awaited<ReturnType<typeof createMysqlDatabase>>;
  beforeAll(async () => {
    database = await createMysqlDatabase(server.url);
  });
  afterAll(async () => {
    await stopProxies();
    await database.drop();
  });

  describe.each(legs)('client %s, upstream %s', (leg, mode) => {
    const isTls = leg === 'TLS';
    let port = 0;
    beforeAll(async () => {
      port = await proxyFor(server, isTls, mode);
    });

    for (const account of mysqlAccounts(server.flavour).filter(({ rights }) => rights !== 'none')) {
      test.each(Object.entries(clients))(`${account.name} with %s`, async (name, client) => {
        for (const password of [account.password, 'wrong', '']) {
          const login = { user: account.name, password, database: database.name, isTls };
          const direct = { ...login, host: address.hostname, port: Number(address.port) };
          for (const temperature of server.flavour === 'mysql' ? ['cold', 'warm'] : ['warm']) {
            const outcomeAt = async (target: Target): Promise<Outcome> => {
              if (temperature === 'cold') await coolAccounts(server.url);
              return client(target);
            };
            const expected = await outcomeAt(expectedAt(direct, account, mode));
            if (password === account.password && isLetIn(account, name, mode)) {
              expect(expected).toEqual({ user: account.name, database: database.name });
            }
            const proxied = await outcomeAt({ ...login, host: '127.0.0.1', port });
            expect(proxied, `${temperature}, password ${password}`).toEqual(expected);
          }
        }
      });
    }
  });
});

describeMysql('an account of caching_sha2_password', (server) => {
  test.each(legs)('goes the way of its own leg, cold and warm: client %s, upstream %s', async (leg, mode) => {
    const isTls = leg === 'TLS';
    const database = await createMysqlDatabase(server.url);
    const account = await createColdAccount(database.url);
    try {
      const url = new URL(account.url);
      url.host = `127.0.0.1:${await proxyFor(server, isTls, mode)}`;
      const steps = async (): Promise<readonly string[]> => {
        const session = await RawMysql.open(url.href, { isTls });
        session.close();
        return session.authentication;
      };
      const plugin = 'plugin caching_sha2_password';
      const full = isTls ? 'full over TLS' : 'full by RSA';
      expect(await steps()).toEqual([plugin, full]);
      // Another file may have emptied the server's cache meanwhile.
      const [, again] = await steps();
      expect(['fast', full]).toContain(again);
    } finally {
      await stopProxies();
      await account.drop();
      await database.drop();
    }
  });
});

describeMysql('a login packet that begins with another plugin than the greeting names', (server) => {
  const accounts = mysqlAccounts('mysql').filter(({ plugin }) => plugin !== undefined);
  const plugins = ['sha256_password', 'caching_sha2_password', 'mysql_native_password', 'no_such'];

  test.each(legs)('client %s, upstream %s', async (leg, mode) => {
    const isTls = leg === 'TLS';
    const url = new URL(server.url);
    url.host = `127.0.0.1:${await proxyFor(server, isTls, mode)}`;
    const way = async (at: string, account: MysqlAccount, plugin: string): Promise<unknown> => {
      await coolAccounts(server.url);
      try {
        const session = await RawMysql.open(asAccount(at, account), { isTls, plugin });
        session.close();
        // Its last plugin. Whether it is fast is the server's affair, whose cache all tests share.
        return session.authentication.findLast((step) => step.startsWith('plugin'));
      } catch (error) {
        if (error instanceof LoginRefused) return { code: error.code, message: error.message };
        throw error;
      }
    };
    try {
      for (const account of accounts) {
        for (const plugin of plugins) {
          const expected = await way(server.url, account, plugin);
          expect(expected).toBe(`plugin ${account.plugin}`);
          // The plugin nobody knows passes because the server is on this machine.
          expect(await way(url.href, account, plugin), `${account.name} by ${plugin}`).toEqual(expected);
          const wrong = { ...account, password: 'wrong' };
          expect(await way(url.href, wrong, plugin)).toEqual(await way(server.url, wrong, plugin));
        }
      }
    } finally {
      await stopProxies();
    }
  });
});

describeMysql(
  'the mariadb program, which says its password in clear where it is offered no TLS',
  (server) => {
    test.each(['disable', 'require'] as const)('gets in, cold: upstream %s', async (mode) => {
      const database = await createMysqlDatabase(server.url);
      const account = await createColdAccount(database.url);
      try {
        const login = {
          host: '127.0.0.1',
          port: await proxyFor(server, false, mode),
          database: database.name,
        };
        const { name: user, password } = account;
        expect(await mariadbProgram({ ...login, user, password: 'wrong' }, [])).toMatchObject({
          errno: 1045,
        });
        expect(await mariadbProgram({ ...login, user, password }, [])).toEqual({
          user,
          database: database.name,
        });
      } finally {
        await stopProxies();
        await account.drop();
        await database.drop();
      }
    });
  },
);

/** mysql2 has no plugin for ed25519. */
function isLetIn(account: MysqlAccount, client: string, mode: string): boolean {
  if (account.plugin === 'ed25519' && client === 'mysql2') return false;
  return account.isTlsOnly !== true || mode === 'require';
}

/** An account that the server lets in over TLS alone sees the proxy's leg, not the client's. */
function expectedAt(direct: Target, account: MysqlAccount, mode: string): Target {
  return account.isTlsOnly === true ? { ...direct, isTls: mode === 'require' } : direct;
}

async function proxyFor(
  server: AvailableMysql,
  isTls: boolean,
  mode: 'disable' | 'require',
): Promise<number> {
  const { hostname, port } = new URL(server.url);
  const address = { host: hostname, port: Number(port), user: '', password: '', database: '' };
  const ca = server.ca === null ? {} : { ca: readFileSync(server.ca, 'utf8') };
  const proxy = await startProxy(0, {
    createHandshake,
    upstream: { name: 'up', address },
    policy: {
      clientTls: isTls ? { ...certificates.local, isRequired: true } : null,
      upstreamTls: { mode, ...ca },
      compression: 'clear',
    },
  });
  return proxy.port;
}

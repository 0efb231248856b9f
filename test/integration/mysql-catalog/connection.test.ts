import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CatalogConnection, connectCatalog } from '../../../adapters/mysql/catalog-connection.js';
import type { UpstreamTls } from '../../../src/core/adapter.js';
import { mysqlAccounts } from '../../servers/mysql-accounts.js';
import {
  coolAccounts,
  createColdAccount,
  createMysqlDatabase,
  runMysql,
} from '../../servers/mysql-database.js';
import { type Certificate, makeCertificate } from '../../support/certificate.js';
import { authSwitch, error } from '../../support/mysql-server-packets.js';
import { describeEachMysql, describeMariadb, describeMysql } from '../../support/mysql-servers.js';
import { ScriptedMysqlServer } from '../../support/scripted-mysql-server.js';
import { within } from '../../support/until.js';
import { addressOf, authorityOf, plain } from './support.js';

async function only(connection: CatalogConnection, text: string): Promise<string | null | undefined> {
  const rows: (readonly (string | null)[])[] = [];
  await connection.query(text, (row) => rows.push(row));
  expect(rows).toHaveLength(1);
  return rows[0]?.at(-1);
}

async function isSecured(connection: CatalogConnection): Promise<boolean> {
  return (await only(connection, "show session status like 'Ssl_cipher'")) !== '';
}

let certificate: Certificate;
beforeAll(async () => {
  certificate = await makeCertificate();
});
afterAll(() => certificate.remove());

describeEachMysql('the catalog connection', (server) => {
  const address = addressOf(server.url);

  it.each<[string, () => UpstreamTls, boolean]>([
    ['disable', () => ({ mode: 'disable' }), false],
    ['allow', () => ({ mode: 'allow' }), false],
    ['prefer', () => ({ mode: 'prefer' }), true],
    ['require', () => ({ mode: 'require' }), true],
    [
      'require with the CA',
      () => ({ mode: 'require', ca: authorityOf(server), serverName: 'other.example' }),
      true,
    ],
    ['verify-full', () => ({ mode: 'verify-full', ca: authorityOf(server) }), true],
    [
      'verify-full by name',
      () => ({ mode: 'verify-full', ca: authorityOf(server), serverName: 'localhost' }),
      true,
    ],
  ])('is secured as asked: %s', async (_, tls, expected) => {
    const connection = await connectCatalog(address, tls());
    expect(await isSecured(connection)).toBe(expected);
    await connection.close();
    await expect(only(connection, 'select 1')).rejects.toThrow();
  });

  it.each<[string, () => UpstreamTls]>([
    ['an unknown CA', () => ({ mode: 'verify-full' })],
    [
      'a certificate for another name',
      () => ({ mode: 'verify-full', ca: authorityOf(server), serverName: 'other.example' }),
    ],
    [
      'an unknown CA where one was given',
      () => ({ mode: 'require', ca: readFileSync(certificate.cert, 'utf8') }),
    ],
  ])('refuses %s', async (_, tls) => {
    await expect(connectCatalog(address, tls())).rejects.toThrow(/certificate|altnames/i);
  });

  const plugins = mysqlAccounts(server.flavour).filter(({ name }) => name !== 'ed25519_user');
  it.each(
    plugins.flatMap((account) => [
      [account.name, 'disable', account] as const,
      [account.name, 'require', account] as const,
    ]),
  )('logs in as %s with TLS %s', async (_, mode, account) => {
    const connecting = connectCatalog(addressOf(server.url, account), { mode });
    if (account.isTlsOnly === true && mode === 'disable') {
      await expect(connecting).rejects.toMatchObject({ errno: 1045 });
      return;
    }
    const connection = await connecting;
    expect(await only(connection, 'select user()')).toMatch(`${account.name}@`);
    await connection.close();
  });

  it('takes TLS where the server lets the account in no other way (allow)', async () => {
    const account = { name: 'tls_user', password: 'tlspw' };
    const connection = await connectCatalog(addressOf(server.url, account), { mode: 'allow' });
    expect(await isSecured(connection)).toBe(true);
    await connection.close();
  });

  it.each<UpstreamTls['mode']>(['disable', 'allow', 'prefer'])(
    'says what the server says (%s)',
    async (mode) => {
      const wrong = { ...address, password: 'wrong' };
      await expect(connectCatalog(wrong, { mode })).rejects.toMatchObject({ errno: 1045 });
    },
  );

  it('says whose password is missing, and where to put it', async () => {
    const connecting = connectCatalog({ ...address, password: '' }, plain);
    await expect(connecting).rejects.toThrow(/password of app, .* MYSQL_PWD/);
  });

  it('gives text as the server prints it, and NULL', async () => {
    const connection = await connectCatalog(address, plain);
    const rows: (readonly (string | null)[])[] = [];
    await connection.query(
      "select 1, null, '', 'ümläut 🐘', 1.50, cast('x' as binary), repeat('y', 70000) union all select 2, 'z', null, null, null, null, null",
      (row) => rows.push(row),
    );
    expect(rows).toEqual([
      ['1', null, '', 'ümläut 🐘', '1.50', 'x', 'y'.repeat(70_000)],
      ['2', 'z', null, null, null, null, null],
    ]);
    await connection.query('do 1', (row) => rows.push(row));
    expect(rows).toHaveLength(2);
    await connection.close();
  });

  it('is usable after a statement that failed', async () => {
    const connection = await connectCatalog(address, plain);
    await expect(only(connection, 'select nothing')).rejects.toMatchObject({ errno: 1054 });
    expect(await only(connection, 'select 1')).toBe('1');
    await connection.close();
  });

  it('rejects what is asked when the server ends it, and can still be closed', async () => {
    const connection = await connectCatalog(address, plain);
    const id = await only(connection, 'select connection_id()');
    const ended = expect(only(connection, 'select sleep(60)')).rejects.toThrow();
    await runMysql(server.url, `kill ${id}`);
    await ended;
    await expect(only(connection, 'select 1')).rejects.toThrow();
    await connection.close();
  });

  it('can be closed while the server is silent', async () => {
    const connection = await connectCatalog(address, plain);
    const sleeping = only(connection, 'select sleep(60)').catch(() => 'rejected');
    await within(connection.close(), 10_000, 'close');
    expect(await sleeping).toBe('rejected');
  });
});

describeMysql('the catalog connection', (server) => {
  it('logs in in full, by RSA without TLS', async () => {
    const database = await createMysqlDatabase(server.url);
    const account = await createColdAccount(database.url);
    try {
      for (const mode of ['disable', 'require'] as const) {
        await coolAccounts(server.url);
        const connection = await connectCatalog(addressOf(account.url), { mode });
        expect(await only(connection, 'select user()')).toMatch(account.name);
        await connection.close();
      }
    } finally {
      await account.drop();
      await database.drop();
    }
  });
});

describeMariadb('the catalog connection', (server) => {
  it('says that it does not log in by ed25519, and what to do', async () => {
    const account = { name: 'ed25519_user', password: 'ed25519pw' };
    const connecting = connectCatalog(addressOf(server.url, account), plain);
    await expect(connecting).rejects.toThrow(/^ed25519_user, .* client_ed25519, .* caching_sha2_password/);
  });
});

describe('a catalog connection to a scripted server', () => {
  let server: ScriptedMysqlServer;
  const tls = () => ({
    cert: readFileSync(certificate.cert, 'utf8'),
    key: readFileSync(certificate.key, 'utf8'),
  });

  it('takes TLS where the server lets nobody in without (allow)', async () => {
    server = await ScriptedMysqlServer.listen(
      async (session) => {
        const isFirst = session === server.sessions[0];
        await session.login(
          ...(isFirst ? [error(3159, 'Connections using insecure transport are prohibited')] : []),
        );
        await session.ended();
        session.end();
      },
      { tls: tls() },
    );
    const connection = await connectCatalog(addressOf(server.url), { mode: 'allow' });
    await connection.close();
    expect(server.sessions).toHaveLength(2);
    await server.close();
  });

  it('says what the server said first where TLS is no way either (allow)', async () => {
    server = await ScriptedMysqlServer.listen(async (session) => {
      await session.login(error(1045, 'Access denied', '28000')).catch(() => undefined);
    });
    const connecting = connectCatalog(addressOf(server.url), { mode: 'allow' });
    await expect(connecting).rejects.toMatchObject({ errno: 1045 });
    await server.close();
  });

  it('goes on without TLS where it is only preferred and there is none', async () => {
    server = await ScriptedMysqlServer.listen(async (session) => {
      // Who wants nothing but TLS leaves without a word.
      await session.login().catch(() => undefined);
      await session.ended();
      session.end();
    });
    const connection = await connectCatalog(addressOf(server.url), { mode: 'prefer' });
    await connection.close();
    const connecting = connectCatalog(addressOf(server.url), { mode: 'require' });
    await expect(connecting).rejects.toMatchObject({ code: 'HANDSHAKE_NO_SSL_SUPPORT' });
    await server.close();
  });

  it('takes no password of a server that asks for it in clear', async () => {
    server = await ScriptedMysqlServer.listen(async (session) => {
      await session.login(authSwitch('mysql_clear_password', Buffer.alloc(0)));
      await session.ended();
      session.end();
      expect(session.received).toHaveLength(1);
    });
    const connecting = connectCatalog(addressOf(server.url), { mode: 'disable' });
    await expect(connecting).rejects.toThrow(/^app, .* mysql_clear_password/);
    await server.close();
  });

  it('is in no database, and tells who it is', async () => {
    server = await ScriptedMysqlServer.listen(async (session) => {
      const { database } = await session.login();
      expect(database).toBe('');
      expect(session.received[0]?.payload.includes('twiceshy catalog')).toBe(true);
      await session.ended();
      session.end();
    });
    await (await connectCatalog(addressOf(server.url), { mode: 'disable' })).close();
    await server.close();
  });

  it('gives up on a server that says nothing', async () => {
    server = await ScriptedMysqlServer.listen((session) => session.ended(), { greeting: null });
    const connecting = connectCatalog(addressOf(server.url), { mode: 'prefer' });
    await expect(connecting).rejects.toThrow(/ETIMEDOUT/);
    await server.close();
  });
});

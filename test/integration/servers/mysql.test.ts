import { readFileSync } from 'node:fs';
import { type ConnectionConfig, createConnection, type SqlError } from 'mariadb';
import { expect, it } from 'vitest';
import { mysqlAccounts } from '../../servers/mysql-accounts.js';
import {
  asAccount,
  coolAccounts,
  createColdAccount,
  createMysqlDatabase,
  runMysql,
} from '../../servers/mysql-database.js';
import { describeEachMysql, describeMysql } from '../../support/mysql-servers.js';
import { RawMysql } from '../../support/raw-mysql.js';

describeEachMysql('a provisioned server', (server) => {
  it('lets every test account in, over TLS and plain, with the rights it is listed with', async () => {
    const database = await createMysqlDatabase(server.url, 'create table own (id int)');
    try {
      for (const account of mysqlAccounts(server.flavour)) {
        for (const isTls of [true, false]) {
          const outcome = login(asAccount(database.url, account), {
            ssl: isTls ? encryption(server.ca) : false,
            ...(account.rights === 'none' ? { database: '' } : {}),
          });
          if (account.isTlsOnly === true && !isTls)
            await expect(outcome, account.name).rejects.toMatchObject({ errno: 1045 });
          else expect(await outcome, account.name).toEqual({ isTls, name: account.name });
        }
      }
      const reader = asAccount(database.url, { name: 'reader', password: 'readerpw' });
      expect(await runMysql(reader, 'select count(*) as n from own')).toEqual([{ n: 0 }]);
      await expect(runMysql(reader, 'insert into own values (1)')).rejects.toMatchObject({ errno: 1142 });
      const stranger = asAccount(database.url, { name: 'no_rights', password: 'norightspw' });
      await expect(runMysql(stranger, 'select 1')).rejects.toMatchObject({ errno: 1044 });
    } finally {
      await database.drop();
    }
    await expect(runMysql(database.url, 'select 1')).rejects.toMatchObject({ errno: 1049 });
  });

  it('has the settings tests rely on', async () => {
    const names = [
      'local_infile',
      'max_allowed_packet',
      'event_scheduler',
      'log_bin',
      'innodb_flush_log_at_trx_commit',
    ];
    const list = names.map((name) => `'${name}'`).join();
    const rows = await runMysql(server.url, `show global variables where variable_name in (${list})`);
    expect(Object.fromEntries(rows.map((row) => [row['Variable_name'], row['Value']]))).toEqual({
      local_infile: 'ON',
      max_allowed_packet: '1073741824',
      event_scheduler: 'OFF',
      log_bin: 'ON',
      innodb_flush_log_at_trx_commit: '0',
    });
  });
});

describeMysql('an account of caching_sha2_password', (server) => {
  it('logs in in full while cold, over TLS and by RSA, and fast while warm', async () => {
    const database = await createMysqlDatabase(server.url);
    const account = await createColdAccount(database.url);
    try {
      const steps = async (isTls: boolean): Promise<readonly string[]> => {
        const session = await RawMysql.open(account.url, { isTls });
        session.close();
        return session.authentication;
      };
      const plugin = 'plugin caching_sha2_password';
      expect(await steps(false)).toEqual([plugin, 'full by RSA']);
      expect(await steps(false)).toEqual([plugin, 'fast']);
      await coolAccounts(server.url);
      expect(await steps(true)).toEqual([plugin, 'full over TLS']);
      expect(await steps(true)).toEqual([plugin, 'fast']);
    } finally {
      await account.drop();
      await database.drop();
    }
  });
});

async function login(
  url: string,
  options: Partial<ConnectionConfig>,
): Promise<{ name: string; isTls: boolean }> {
  const { hostname, port, username, password, pathname } = new URL(url);
  const connection = await createConnection({
    host: hostname,
    port: Number(port),
    user: username,
    password,
    database: pathname.slice(1),
    allowPublicKeyRetrieval: true,
    ...options,
  }).catch((error: SqlError) => {
    throw error;
  });
  const [row] = await connection.query<{ name: string; Value: string }[]>(
    "select substring_index(user(), '@', 1) as name",
  );
  const [tls] = await connection.query<{ Value: string }[]>("show session status like 'Ssl_cipher'");
  await connection.end();
  return { name: row?.name ?? '', isTls: tls?.Value !== '' };
}

function encryption(ca: string | null): NonNullable<ConnectionConfig['ssl']> {
  return ca === null ? { rejectUnauthorized: false } : { ca: readFileSync(ca, 'utf8') };
}

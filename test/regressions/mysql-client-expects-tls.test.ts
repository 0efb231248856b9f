/**
 * A listener without a certificate took TLS out of the greeting, and clients that send a password under TLS only (the
 * `mysql` program, for every caching_sha2_password account whose password the server has not cached) could not log in.
 */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { TestDatabase } from '../servers/database.js';
import { createColdAccount, createMysqlDatabase } from '../servers/mysql-database.js';
import { sidMysql } from '../servers/mysql-programs.js';
import { capability } from '../support/mysql-protocol.js';
import { describeEachMysql, describeMysql } from '../support/mysql-servers.js';
import { RawMysql } from '../support/raw-mysql.js';
import { type RunningProxy, startProxy } from '../support/start-proxy.js';

const run = promisify(execFile);

describeEachMysql('TLS without a certificate given', (server) => {
  let proxy: RunningProxy;

  beforeAll(async () => {
    proxy = await startProxy({ upstreamUrl: server.url });
  });

  afterAll(() => proxy.stop());

  it('is offered where the server offers it, and works', async () => {
    const direct = await RawMysql.open(server.url);
    const plain = await RawMysql.open(proxy.through(server.url));
    const secure = await RawMysql.open(proxy.through(server.url), { isTls: true });
    const offered = (session: RawMysql): number => Number(session.greeting?.capabilities) & capability.tls;
    expect(offered(plain)).toBe(offered(direct));
    expect(offered(secure)).not.toBe(0);
    expect((await secure.query('select 1')).length).toBeGreaterThan(0);
    for (const session of [direct, plain, secure]) session.close();
  });
});

describeMysql('the mysql program with its defaults', (server) => {
  let proxy: RunningProxy;
  let database: TestDatabase;

  beforeAll(async () => {
    proxy = await startProxy({ upstreamUrl: server.url });
    database = await createMysqlDatabase(server.url);
  });

  afterAll(async () => {
    await proxy.stop();
    await database.drop();
  });

  it('logs in to an account for the first time', async (context) => {
    const found = await sidMysql(false);
    if (!('client' in found)) return context.skip(found.missing);
    const account = await createColdAccount(database.url);
    const { hostname, port } = new URL(proxy.through(account.url));
    const [program = '', ...first] = [found.client].flat();
    const login = ['--protocol=tcp', `-h${hostname}`, `-P${port}`, `-u${account.name}`];
    const { stdout } = await run(program, [...first, ...login, '-N', '-e', 'select 40 + 2'], {
      env: { ...process.env, MYSQL_PWD: account.password },
    });
    expect(stdout.trim()).toBe('42');
    await account.drop();
  });
});

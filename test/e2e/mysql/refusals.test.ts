/**
 * What is refused at start or at the door, with a sentence that says why: configurations that cannot work for MySQL and
 * MariaDB, clients without the TLS they need, servers without it or under another name. And beside each what is let in.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createConnection as connectMariadb } from 'mariadb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCli } from '../../integration/cli/run-cli.js';
import type { TestDatabase } from '../../servers/database.js';
import { createMysqlDatabase } from '../../servers/mysql-database.js';
import { type Certificate, makeCertificate } from '../../support/certificate.js';
import { noteIn } from '../../support/leaks.js';
import { error, readError } from '../../support/mysql-server-packets.js';
import { describeEachMysql } from '../../support/mysql-servers.js';
import { RawMysql } from '../../support/raw-mysql.js';
import { ScriptedMysqlServer } from '../../support/scripted-mysql-server.js';
import { startConfiguredProxy, startProxy } from '../../support/start-proxy.js';
import { Asking } from './asking.js';

let folder: string;
let certificate: Certificate;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'twiceshy-refusals-'));
  certificate = await makeCertificate();
});

afterAll(() => {
  certificate.remove();
  rmSync(folder, { recursive: true, force: true });
});

function writeConfig(name: string, lines: readonly string[]): string {
  const file = join(folder, name);
  writeFileSync(file, `${lines.join('\n')}\n`);
  return file;
}

describe('a configuration that cannot work', () => {
  it('is refused with every problem named, and nothing of a URL', async () => {
    const urls: Readonly<Record<string, string>> = {
      mode: 'mysql://app:hunter2@127.0.0.1/?ssl-mode=SOMETIMES',
      ssl: 'mysql://app:hunter2@127.0.0.1/?ssl=true',
      socket: 'mysql://app:hunter2@(/run/mysqld.sock)/',
      hosts: 'mysql://app:hunter2@db1,db2/',
      twice: 'mysql://app:hunter2@127.0.0.1/?ssl-mode=REQUIRED&sslmode=require',
      key: 'mysql://app:hunter2@127.0.0.1/?ssl-key=client.pem',
      unknown: 'mysql://app:hunter2@127.0.0.1/?charset=latin1',
      port: 'mysql://app:hunter2@127.0.0.1:99999/',
      xdevapi: 'mysqlx://app:hunter2@127.0.0.1/',
    };
    const names = Object.keys(urls);
    const file = writeConfig('urls.yaml', [
      'upstreams:',
      ...names.map((name) => `  ${name}: { url: "${urls[name]}" }`),
      'listeners:',
      ...names.map((name, index) => `  - { listen: ${7000 + index}, upstream: ${name} }`),
    ]);
    const { code, stdout, stderr } = await runCli(['config', 'check', '-c', file]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    const problem = (name: string): string =>
      stderr.split('\n').find((line) => line.includes(`upstreams.${name}.url: `)) ?? '';
    expect(problem('mode')).toContain(
      'has an unknown ssl-mode; one of DISABLED, PREFERRED, REQUIRED, VERIFY_CA',
    );
    expect(problem('ssl')).toContain('write ssl-mode=REQUIRED or ssl-mode=VERIFY_IDENTITY instead');
    expect(problem('socket')).toContain('names a Unix socket: the proxy reaches its upstream over TCP');
    expect(problem('hosts')).toContain('names several hosts: a listener has one upstream, so name one');
    expect(problem('twice')).toContain('says sslmode twice');
    expect(problem('key')).toContain('set the client key with tls.key in the configuration');
    expect(problem('unknown')).toContain(
      'the parameter charset, which is not known here: only ssl-mode and ssl-ca',
    );
    expect(problem('port')).toContain('has a port that is not a number from 1 to 65535');
    expect(problem('xdevapi')).toContain('expected a URL such as postgres://');
    expect(stderr).not.toContain('hunter2');
  });

  it('is refused where a key belongs to the other database', async () => {
    const listener = (port: number, upstream: string, keys: string): string =>
      `  - { name: l${port}, listen: ${port}, upstream: ${upstream}, ${keys} }`;
    const user = '{ name: agent, secret: x, upstreamUser: app, upstreamPassword: y }';
    const file = writeConfig('keys.yaml', [
      'upstreams:',
      '  family: { url: "mysql://app@127.0.0.1/" }',
      '  elephant: { url: "postgres://app@127.0.0.1/shop" }',
      'listeners:',
      listener(7100, 'family', `auth: terminate, users: [${user}]`),
      listener(7101, 'family', `users: [${user}]`),
      listener(7102, 'family', 'channelBinding: off'),
      listener(7103, 'elephant', 'compression: relay'),
      listener(3306, 'family', 'audience: agent'),
    ]);
    const { code, stderr } = await runCli(['config', 'check', '-c', file]);
    expect(code).toBe(2);
    const lines = stderr.trimEnd().split('\n');
    expect(lines).toHaveLength(5);
    expect(lines[0]).toMatch(/listeners\[0\]: auth: terminate is for PostgreSQL, .* remove it here\./);
    expect(lines[1]).toMatch(/listeners\[1\]: users are for PostgreSQL, .* remove them here\./);
    expect(lines[2]).toMatch(/listeners\[2\]: channelBinding is for PostgreSQL; remove it here\./);
    expect(lines[3]).toMatch(
      /listeners\[3\]: compression is for MySQL, MariaDB and MongoDB; remove it here\./,
    );
    expect(lines[4]).toMatch(/listeners\[4\]\.listen: this is the upstream’s own address; take another/);
  });

  it('is refused on the command line with the same words and the same exit code', async () => {
    const listen = ['--listen', '127.0.0.1:0', '--memory', join(folder, 'never')];
    const wrong: readonly (readonly [args: readonly string[], text: RegExp])[] = [
      [
        ['--mysql', 'mysql://a@127.0.0.1/?ssl-mode=NO', ...listen],
        /--mysql: The upstream URL has an unknown ssl-mode/,
      ],
      [
        ['--mysql', 'localhost:3306', ...listen],
        /--mysql: expected a connection URL such as mysql:\/\/user@host:3306\/db/,
      ],
      [
        ['--mysql', 'mysql://a@h/', '--tls-cert', certificate.cert, ...listen],
        /--tls-cert and --tls-key go together/,
      ],
      [
        ['--mysql', 'mysql://a@h/', '--postgres', 'postgres://a@h/b', ...listen],
        /--postgres and --mysql: name one server here/,
      ],
      [['--mysql', 'mysql://a@h/', '--audience', 'everyone', ...listen], /--audience: .*agent.*application/],
    ];
    const checked = await Promise.all(wrong.map(([args]) => runCli(['proxy', ...args])));
    for (const [index, { code, stdout, stderr }] of checked.entries()) {
      expect({ code, stdout }, stderr).toEqual({ code: 2, stdout: '' });
      expect(stderr).toMatch(wrong[index]?.[1] ?? /never/);
    }
  });

  it('says what would be started where it can work', async () => {
    const file = writeConfig('good.yaml', [
      'upstreams: { shop: { url: "mariadb://app:hunter2@127.0.0.1/shop?ssl-mode=REQUIRED" } }',
      `listeners: [{ listen: 7200, compression: relay, tls: { cert: ${certificate.cert}, key: ${certificate.key} } }]`,
    ]);
    const { code, stdout, stderr } = await runCli(['config', 'check', '-c', file]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain('shop: 127.0.0.1:7200 -> shop at 127.0.0.1:3306 (TLS require)');
    expect(stdout).not.toContain('hunter2');
  });
});

describeEachMysql('at the door', (server) => {
  let database: TestDatabase;

  beforeAll(async () => {
    database = await createMysqlDatabase(server.url, 'create table city (id int primary key)');
  });

  afterAll(() => database.drop());

  const overTls = { ssl: { rejectUnauthorized: false } };

  it('a client without TLS is told that it needs some, and one with it is let in', async () => {
    const file = writeConfig(`${server.flavour}.yaml`, [
      `memory: { folder: memory-${server.flavour} }`,
      'admin: { listen: false }',
      `upstreams: { shop: { url: "${database.url}" } }`,
      `listeners: [{ listen: "127.0.0.1:0", tls: { cert: ${certificate.cert}, key: ${certificate.key}, required: true } }]`,
    ]);
    const proxy = await startConfiguredProxy(file, join(folder, `memory-${server.flavour}`));
    try {
      const url = proxy.through(database.url);
      const plain: unknown = await Asking.open(url).catch((error: unknown) => error);
      expect(plain).toMatchObject({ errno: 3159 });
      expect((plain as Error).message).toMatch(/TLS|secure/i);
      const session = await Asking.open(url, overTls);
      expect(await session.ask('select 1', 'select nope from city')).toEqual([null, '']);
      expect((await session.ask('select nope from city'))[0]).toContain('undefined_object');
      await session.end();
    } finally {
      expect(await proxy.stop()).toMatchObject({ code: 0 });
    }
  });

  it('the mariadb package is let in on every pair of legs, and told the same', async () => {
    const legs = ['ssl-mode=DISABLED', `ssl-mode=VERIFY_IDENTITY&ssl-ca=${server.ca ?? ''}`];
    for (const parameters of server.ca === null ? legs.slice(0, 1) : legs) {
      const proxy = await startProxy({ upstreamUrl: `${database.url}?${parameters}`, tls: certificate });
      const {
        hostname: host,
        port,
        username: user,
        password,
        pathname,
      } = new URL(proxy.through(database.url));
      const told: string[] = [];
      for (const ssl of [false, { rejectUnauthorized: false }]) {
        const options = {
          host,
          port: Number(port),
          user,
          password,
          database: pathname.slice(1),
          allowPublicKeyRetrieval: true,
        };
        const client = await connectMariadb({ ...options, ssl });
        for (let time = 1; time <= 2; time += 1)
          await client
            .query('select nope from city')
            .catch((error: Error) => told.push(noteIn(error.message) ?? ''));
        const [encrypted] = (await client.query("show status like 'Ssl_cipher'")) as { Value: string }[];
        expect(encrypted?.Value !== '', parameters).toBe(parameters !== legs[0]);
        await client.end();
      }
      expect(await proxy.stop()).toMatchObject({ code: 0 });
      expect(told.map((note) => note.slice(0, 10))).toEqual(['', '[twiceshy ', '[twiceshy ', '[twiceshy ']);
    }
  });

  it('a server under another authority is refused to every client, with what to do', async () => {
    const other = readFileSync(certificate.cert, 'utf8');
    const ca = join(folder, `other-${server.flavour}.pem`);
    writeFileSync(ca, other);
    const proxy = await startProxy({ upstreamUrl: `${database.url}?ssl-mode=VERIFY_IDENTITY&ssl-ca=${ca}` });
    try {
      const refused: unknown = await Asking.open(proxy.through(database.url)).catch(
        (error: unknown) => error,
      );
      expect(refused).toMatchObject({ errno: 1158 });
      expect((refused as Error).message).toMatch(
        /certificate of the upstream database server is not trusted/,
      );
      expect((refused as Error).message).toMatch(/tls\.ca/);
    } finally {
      expect(await proxy.stop()).toMatchObject({ code: 0 });
    }
  });
});

describe('a server without TLS', () => {
  it('is refused where TLS is demanded, and served where it is preferred', async () => {
    const upstream = await ScriptedMysqlServer.listen(async (session) => {
      // The proxy leaves one that it cannot use.
      await session.login().catch(() => undefined);
      await session.serve(() => [error(1142, 'SELECT command denied', '42000')]).catch(() => undefined);
      session.end();
    });
    try {
      for (const [mode, isServed] of [
        ['REQUIRED', false],
        ['PREFERRED', true],
      ] as const) {
        const proxy = await startProxy({ upstreamUrl: `${upstream.url}?ssl-mode=${mode}` });
        const session = await RawMysql.dial(proxy.through(upstream.url));
        if (isServed) await session.login(upstream.url);
        else {
          const { code, message } = readError((await session.packet()).payload);
          expect(code).toBe(1158);
          expect(message).toMatch(/TLS/);
        }
        session.close();
        expect(await proxy.stop()).toMatchObject({ code: 0 });
      }
    } finally {
      await upstream.close();
    }
  });
});

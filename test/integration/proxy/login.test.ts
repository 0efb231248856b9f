/** Which combination of legs, authentication and channel binding lets psql and node-postgres in, on real servers. */
import { execFile } from 'node:child_process';
import pg from 'pg';
import { afterEach, describe, expect, test } from 'vitest';
import { postgresAdapter } from '../../../adapters/postgres/adapter.js';
import type { LegPolicy } from '../../../src/core/adapter.js';
import { roles, tlsOnlyRole } from '../../servers/roles.js';
import { describeEachPostgres } from '../../support/postgres-servers.js';
import { makeCertificates } from './certificates.js';
import { startProxy, stopProxies } from './scripted-ends.js';

const certificates = makeCertificates();
const clientTls = { ...certificates.local, isRequired: false };
const query = 'select current_user, ssl from pg_stat_ssl where pid = pg_backend_pid()';

afterEach(stopProxies);

interface PsqlResult {
  readonly out: string;
  readonly err: string;
}

function psql(settings: Record<string, string | number>): Promise<PsqlResult> {
  const conninfo = Object.entries(settings).map(([name, value]) => `${name}='${value}'`);
  const args = ['-X', '-At', '-d', conninfo.join(' '), '-c', query];
  return new Promise((resolve) => {
    execFile(
      'psql',
      args,
      { timeout: 30_000, env: { ...process.env, PGGSSENCMODE: 'disable' } },
      (_error, out, err) => resolve({ out: out.trim(), err: err.trim() }),
    );
  });
}

type Case = readonly [
  client: 'disable' | 'require',
  upstream: LegPolicy['upstreamTls']['mode'],
  binding: 'disable' | 'prefer' | 'require',
  expected: string,
];

const bindingNeeded = /channel binding (?:is )?required/;

describeEachPostgres('logins', (server) => {
  const url = new URL(server.url);
  const credentials = {
    user: decodeURIComponent(url.username),
    password: decodeURIComponent(url.password),
    dbname: url.pathname.slice(1),
  };

  async function proxyFor(policy: Partial<LegPolicy>): Promise<number> {
    const address = { host: url.hostname, user: '', password: '', database: '' };
    const upstream = { name: 'up', address: { ...address, port: Number(url.port) } };
    const proxy = await startProxy(0, { adapter: postgresAdapter, upstream, policy });
    return proxy.port;
  }

  const relayed: readonly Case[] = [
    ['disable', 'disable', 'disable', 'app|f'],
    ['disable', 'disable', 'prefer', 'app|f'],
    ['disable', 'allow', 'prefer', 'app|f'],
    ['require', 'allow', 'prefer', 'app|f'],
    ['disable', 'prefer', 'prefer', 'app|t'],
    ['disable', 'require', 'disable', 'app|t'],
    ['disable', 'require', 'prefer', 'app|t'],
    ['require', 'disable', 'disable', 'app|f'],
    ['require', 'disable', 'prefer', 'app|f'],
    ['require', 'prefer', 'disable', 'app|f'],
    ['require', 'prefer', 'prefer', 'app|f'],
  ];
  test.each(relayed)(
    'relayed: client %s, upstream %s, channel_binding=%s',
    async (sslmode, mode, binding, expected) => {
      const port = await proxyFor({
        clientTls: sslmode === 'require' ? clientTls : null,
        upstreamTls: { mode },
      });
      const result = await psql({
        host: '127.0.0.1',
        port,
        ...credentials,
        sslmode,
        channel_binding: binding,
      });
      expect(result).toEqual({ out: expected, err: '' });
    },
  );

  test('relayed with allow: TLS for an account that the server lets in no other way', async () => {
    const port = await proxyFor({ upstreamTls: { mode: 'allow' } });
    const { name: user, password } = tlsOnlyRole;
    const settings = { host: '127.0.0.1', port, user, password, dbname: 'postgres', sslmode: 'disable' };
    expect(await psql(settings)).toEqual({ out: `${user}|t`, err: '' });
    expect((await psql({ ...settings, password: 'wrong' })).err).toContain('password authentication failed');
  });

  test.each(['disable', 'require'] as const)(
    'channel_binding=require over %s is refused by the client',
    async (sslmode) => {
      const port = await proxyFor({ clientTls: sslmode === 'require' ? clientTls : null });
      const result = await psql({
        host: '127.0.0.1',
        port,
        ...credentials,
        sslmode,
        channel_binding: 'require',
      });
      expect(result.out).toBe('');
      expect(result.err).toMatch(bindingNeeded);
    },
  );

  describe('TLS on both legs', () => {
    const upstreamTls = { mode: 'require' } as const;

    test('relayed with channel binding off: works without binding, names the setting otherwise', async () => {
      const port = await proxyFor({ clientTls, upstreamTls, isChannelBindingOff: true });
      const settings = { host: '127.0.0.1', port, ...credentials, sslmode: 'require' };
      expect(await psql({ ...settings, channel_binding: 'disable' })).toEqual({ out: 'app|t', err: '' });
      expect((await psql({ ...settings, channel_binding: 'prefer' })).err).toContain(
        'channel_binding=disable',
      );
    });

    test('terminated: the client never holds a database password', async () => {
      const users = [
        {
          name: 'agent',
          secret: 'agent-secret',
          upstreamUser: credentials.user,
          upstreamPassword: credentials.password,
        },
      ];
      const port = await proxyFor({ clientTls, upstreamTls, auth: 'terminate', users });
      const settings = { host: '127.0.0.1', port, dbname: credentials.dbname, sslmode: 'require' };
      const known = { ...settings, user: 'agent', password: 'agent-secret' };
      for (const channel_binding of ['disable', 'prefer']) {
        expect(await psql({ ...known, channel_binding })).toEqual({ out: 'app|t', err: '' });
      }
      expect((await psql({ ...known, channel_binding: 'require' })).err).toMatch(bindingNeeded);
      for (const wrong of [
        { ...known, password: 'guess' },
        { ...known, user: 'app', password: credentials.password },
      ]) {
        const result = await psql(wrong);
        expect(result.out).toBe('');
        expect(result.err).toContain('Password authentication failed');
      }
      const missing = await psql({ ...known, dbname: 'no_such_database' });
      expect(missing.err).toContain('database "no_such_database" does not exist');
      const client = new pg.Client({
        host: '127.0.0.1',
        port,
        user: 'agent',
        password: 'agent-secret',
        database: credentials.dbname,
        ssl: { ca: certificates.ca },
        enableChannelBinding: true,
      });
      await client.connect();
      expect((await client.query(query)).rows).toEqual([{ current_user: 'app', ssl: true }]);
      await client.end();
    });

    test.each(roles)('terminated: logs in upstream as $name by $method', async ({ name, password }) => {
      const users = [{ name: 'agent', secret: 's', upstreamUser: name, upstreamPassword: password }];
      const settings = { host: '127.0.0.1', dbname: credentials.dbname, user: 'agent', password: 's' };
      for (const mode of ['disable', 'require'] as const) {
        const port = await proxyFor({ upstreamTls: { mode }, auth: 'terminate', users });
        const expected = `${name}|${mode === 'require' ? 't' : 'f'}`;
        expect(await psql({ ...settings, port, sslmode: 'disable' })).toEqual({ out: expected, err: '' });
      }
    });

    test('terminated: a SCRAM verifier stands for a secret', async () => {
      const admin = new pg.Client(server.url);
      await admin.connect();
      const { rows } = await admin.query('select rolpassword from pg_authid where rolname = current_user');
      await admin.end();
      const users = [
        {
          name: 'agent',
          secret: String(rows[0].rolpassword),
          upstreamUser: 'trust_user',
          upstreamPassword: 'unused',
        },
      ];
      const port = await proxyFor({ auth: 'terminate', users });
      const settings = {
        host: '127.0.0.1',
        port,
        dbname: credentials.dbname,
        user: 'agent',
        sslmode: 'disable',
      };
      expect((await psql({ ...settings, password: credentials.password })).out).toBe('trust_user|f');
      expect((await psql({ ...settings, password: 'guess' })).err).toContain(
        'Password authentication failed',
      );
    });

    test('terminated with a wrong upstream password says so without naming the account', async () => {
      const users = [
        { name: 'agent', secret: 's', upstreamUser: credentials.user, upstreamPassword: 'wrong' },
      ];
      const port = await proxyFor({ upstreamTls, auth: 'terminate', users });
      const settings = { host: '127.0.0.1', port, dbname: credentials.dbname, user: 'agent', password: 's' };
      const result = await psql({ ...settings, sslmode: 'disable' });
      expect(result.err).toContain('could not log in upstream');
      expect(result.err).not.toContain(credentials.user);
    });
  });

  test('sslmode=require against a proxy without a certificate is a clean client error', async () => {
    const port = await proxyFor({});
    const result = await psql({ host: '127.0.0.1', port, ...credentials, sslmode: 'require' });
    expect(result.err).toMatch(/server does not support SSL/);
    const preferred = await psql({ host: '127.0.0.1', port, ...credentials, sslmode: 'prefer' });
    expect(preferred.out).toBe('app|f');
  });

  test('node-postgres with and without channel binding, over TLS', async () => {
    const port = await proxyFor({ clientTls });
    for (const enableChannelBinding of [true, false]) {
      const client = new pg.Client({
        host: '127.0.0.1',
        port,
        user: credentials.user,
        password: credentials.password,
        database: credentials.dbname,
        ssl: { ca: certificates.ca },
        enableChannelBinding,
      });
      await client.connect();
      expect((await client.query(query)).rows).toEqual([{ current_user: 'app', ssl: false }]);
      await client.end();
    }
  });

  test('a wrong password and an unknown database come from the server itself', async () => {
    const port = await proxyFor({ upstreamTls: { mode: 'require' } });
    const settings = { host: '127.0.0.1', port, ...credentials, sslmode: 'disable' };
    const direct = {
      ...settings,
      host: url.hostname,
      port: url.port,
      sslmode: 'require',
      channel_binding: 'disable',
    };
    for (const change of [{ password: 'wrong' }, { dbname: 'no_such_database' }, { user: 'nobody' }]) {
      const [proxied, straight] = [
        await psql({ ...settings, ...change }),
        await psql({ ...direct, ...change }),
      ];
      const spoken = (text: string): string => text.slice(text.indexOf('FATAL'));
      expect(proxied.out).toBe('');
      expect(spoken(proxied.err)).toBe(spoken(straight.err));
    }
  });
});

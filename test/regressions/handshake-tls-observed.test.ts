// After a TLS leg was set up, statements were no longer seen; with TLS on both legs the answer bytes were confused.
import pg from 'pg';
import { afterEach, expect, test } from 'vitest';
import { postgresAdapter } from '../../adapters/postgres/adapter.js';
import type { LegPolicy } from '../../src/core/adapter.js';
import { makeCertificates } from '../integration/proxy/certificates.js';
import { startProxy, stopProxies } from '../integration/proxy/scripted-ends.js';
import { describeEachPostgres } from '../support/postgres-servers.js';

const certificates = makeCertificates();
const clientTls = { ...certificates.local, isRequired: true };

afterEach(stopProxies);

describeEachPostgres('a failing statement is observed', (server) => {
  const url = new URL(server.url);
  const user = decodeURIComponent(url.username);
  const password = decodeURIComponent(url.password);
  const users = [{ name: user, secret: password, upstreamUser: user, upstreamPassword: password }];
  const require = { mode: 'require' } as const;

  const legs: readonly [string, Partial<LegPolicy>][] = [
    ['plain, plain', {}],
    ['plain, TLS', { upstreamTls: require }],
    ['TLS, plain', { clientTls }],
    ['TLS, TLS without binding', { clientTls, upstreamTls: require, isChannelBindingOff: true }],
    ['TLS, TLS terminated', { clientTls, upstreamTls: require, auth: 'terminate', users }],
    ['plain, plain terminated', { auth: 'terminate', users }],
  ];
  test.each(legs)('%s', async (_name, policy) => {
    const address = { host: url.hostname, port: Number(url.port), user: '', password: '', database: '' };
    const upstream = { name: 'up', address };
    const proxy = await startProxy(0, { adapter: postgresAdapter, upstream, policy });
    const client = new pg.Client({
      host: '127.0.0.1',
      port: proxy.port,
      user,
      password,
      database: 'postgres',
      ...(policy.clientTls === undefined ? {} : { ssl: { ca: certificates.ca } }),
    });
    await client.connect();
    await expect(client.query('select 1/0')).rejects.toMatchObject({ code: '22012' });
    await expect(client.query('select nope')).rejects.toMatchObject({ code: '42703' });
    expect((await client.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
    await client.end();
    expect(proxy.failures.map((failure) => failure.code)).toEqual(['22012', '42703']);
    expect(proxy.count('blind_sessions', 'unexpected_server_message')).toBe(0);
  });
});

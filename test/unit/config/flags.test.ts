import { describe, expect, it } from 'vitest';
import { configFromFlags, type ProxyFlags } from '../../../src/config/flags.js';
import { stubAdapterFor } from './adapter-stub.js';

function load(flags: Partial<ProxyFlags>, env: Record<string, string> = {}) {
  const all = {
    url: 'postgres://me:pw@127.0.0.1:5433/shop',
    urlFlag: '--postgres',
    exampleUrl: 'postgres://user@host:5432/db',
    ...flags,
  };
  return configFromFlags(all, '/home/me', { env, adapterFor: stubAdapterFor() });
}

describe('configFromFlags', () => {
  it('is the one-database configuration', () => {
    const config = load({ listen: ':0', memory: 'mem', audience: 'application' });
    expect(config).toMatchObject({
      memory: { folder: '/home/me/mem' },
      admin: null,
      listeners: [{ name: 'postgres', host: '127.0.0.1', port: 0, audience: 'application' }],
    });
    expect(config.upstreams[0]).toMatchObject({ name: '127.0.0.1:5433', address: { password: 'pw' } });
  });

  it('takes the password from PGPASSWORD only where the URL has none', () => {
    const env = { PGPASSWORD: 'from-env' };
    expect(load({}, env).upstreams[0]?.address.password).toBe('pw');
    const url = 'postgres://me@127.0.0.1/shop';
    expect(load({ url }, env).upstreams[0]?.address.password).toBe('from-env');
    expect(load({ url }).upstreams[0]?.address.password).toBe('');
  });

  it.each([
    [{ listen: 'nowhere' }, 'command line: --listen: expected host:port'],
    [
      { audience: 'agnt' },
      'command line: --audience: expected one of agent, application; did you mean agent?',
    ],
    [{ logLevel: 'loud' }, 'command line: --log-level: expected one of'],
    [{ admin: 'x' }, 'command line: --admin: expected host:port'],
    [{ tlsCert: 'x' }, '--tls-cert and --tls-key go together'],
    [{ tlsCert: 'x', tlsKey: 'y' }, 'command line: --tls-cert: cannot read /home/me/x: no such file'],
    [{ url: 'oracle://x' }, '--postgres: expected a connection URL'],
    [{ url: 'postgres://u:hunter2@bad/db' }, '--postgres: names no host'],
  ])('names the flag that is wrong: %j', (flags, expected) => {
    expect(() => load(flags)).toThrow(expected);
  });
});

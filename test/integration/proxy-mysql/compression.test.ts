/** Clients that want the compressed protocol: cleared from the offer, they go without; relayed, they get it. */
import { execFile } from 'node:child_process';
import * as mysql2 from 'mysql2/promise';
import { afterEach, expect, test } from 'vitest';
import { mysqlAdapter } from '../../../adapters/mysql/adapter.js';
import { describeEachMysql } from '../../support/mysql-servers.js';
import { startProxy, stopProxies } from '../proxy/scripted-ends.js';

const question = "show session status like 'Compression'";
const cases = [
  ['clear', 'OFF', 0],
  ['relay', 'ON', 1],
] as const;

afterEach(stopProxies);

describeEachMysql('compression', (server) => {
  const { hostname: host, port, username: user, password } = new URL(server.url);

  async function proxyFor(compression: 'clear' | 'relay') {
    const address = { host, port: Number(port), user: '', password: '', database: '' };
    const reasons: string[] = [];
    const proxy = await startProxy(0, {
      adapter: mysqlAdapter,
      upstream: { name: 'up', address },
      policy: { compression },
      counters: {
        count: (name, label) => {
          if (name === 'blind_sessions') reasons.push(label ?? '');
        },
      },
    });
    return { port: proxy.port, reasons };
  }

  test.each(cases)('%s: the mariadb program says it is %s', async (compression, expected, blind) => {
    const { port: at, reasons } = await proxyFor(compression);
    const login = ['--no-defaults', '-h127.0.0.1', `-P${at}`, `-u${user}`, `--password=${password}`];
    const said = await new Promise<string>((resolve) => {
      const args = [...login, '--compress', '-N', '-B', '-e', `${question}; select repeat('x', 100000)`];
      execFile('mariadb', args, { timeout: 30_000, maxBuffer: 1 << 20 }, (_error, out) => resolve(out));
    });
    const [status, long] = said.split('\n');
    expect(status).toBe(`Compression\t${expected}`);
    expect(long).toHaveLength(100_000);
    expect(reasons).toEqual(Array(blind).fill('not_followed'));
  });

  test.each(cases)('%s: mysql2 says it is %s', async (compression, expected, blind) => {
    const { port: at, reasons } = await proxyFor(compression);
    const connection = await mysql2.createConnection({
      ...{ host: '127.0.0.1', port: at, user, password },
      compress: true,
    });
    try {
      const [rows] = await connection.query(question);
      expect(rows).toEqual([{ Variable_name: 'Compression', Value: expected }]);
      await expect(connection.query('select nothing')).rejects.toMatchObject({ errno: 1054 });
    } finally {
      await connection.end();
    }
    expect(reasons).toEqual(Array(blind).fill('not_followed'));
  });
});

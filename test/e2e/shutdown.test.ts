/** SIGTERM lets running statements end, a second one does not; both are a stop as asked. */
import pg from 'pg';
import { expect, it } from 'vitest';
import { createDatabase } from '../servers/database.js';
import { describePostgres } from '../support/postgres-servers.js';
import { type RunningProxy, startProxy } from '../support/start-proxy.js';
import { until, within } from '../support/until.js';

const settleMs = 20_000;

describePostgres('a proxy that is asked to stop', (server) => {
  async function withProxy(
    work: (proxy: RunningProxy, url: string, name: string) => Promise<void>,
  ): Promise<void> {
    const database = await createDatabase(server.url);
    const proxy = await startProxy({ upstreamUrl: database.url });
    try {
      await work(proxy, proxy.through(database.url), database.name);
    } finally {
      proxy.signal('SIGKILL');
      await proxy.exited;
      await database.drop();
    }
  }

  async function isRunning(name: string, text: string): Promise<boolean> {
    const watcher = new pg.Client(server.url);
    await watcher.connect();
    const found = await watcher.query(
      "select 1 from pg_stat_activity where datname = $1 and query = $2 and state = 'active'",
      [name, text],
    );
    await watcher.end();
    return found.rowCount === 1;
  }

  it('lets a running statement end, takes no newcomers, then exits with 0', async () => {
    await withProxy(async (proxy, url, name) => {
      const client = new pg.Client(url);
      client.on('error', () => {});
      await client.connect();
      const text = 'select pg_sleep(3), 42 as answer';
      const running = client.query<{ answer: number }>(text);
      await until(() => isRunning(name, text), settleMs, 'the statement to run');
      proxy.signal('SIGTERM');
      await until(() => isRefused(url), settleMs, 'newcomers to be refused');
      expect((await running).rows[0]?.answer).toBe(42);
      await client.end().catch(() => {});
      expect(await within(proxy.exited, settleMs, 'the proxy to exit')).toMatchObject({
        code: 0,
        signal: null,
      });
    });
  });

  it('stops at once at the second signal, exits with 0', async () => {
    await withProxy(async (proxy, url, name) => {
      const client = new pg.Client(url);
      client.on('error', () => {});
      await client.connect();
      const text = 'select pg_sleep(300)';
      const running = client.query(text);
      const failed = running.then(
        () => false,
        () => true,
      );
      await until(() => isRunning(name, text), settleMs, 'the statement to run');
      proxy.signal('SIGTERM');
      const sentAt = performance.now();
      await until(() => isRefused(url), settleMs, 'newcomers to be refused');
      await until(
        () => performance.now() - sentAt > 100,
        settleMs,
        'more time than an echo of the signal takes',
      );
      proxy.signal('SIGTERM');
      await within(proxy.exited, settleMs, 'the proxy to exit');
      expect(await proxy.exited).toMatchObject({ code: 0, signal: null });
      expect(await within(failed, settleMs, 'the statement to fail')).toBe(true);
    });
  });
});

async function isRefused(url: string): Promise<boolean> {
  const newcomer = new pg.Client(url);
  try {
    await newcomer.connect();
  } catch {
    return true;
  }
  await newcomer.end();
  return false;
}

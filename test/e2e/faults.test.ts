/**
 * Peers that break, stall or vanish: the proxy lives, lets go of every socket, and the other side sees what it would
 * see without a proxy.
 */
import { spawn } from 'node:child_process';
import pg from 'pg';
import { serialize } from 'pg-protocol';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createDatabase, type TestDatabase } from '../servers/database.js';
import { describePostgres } from '../support/postgres-servers.js';
import { residentMemory, socketCount } from '../support/process-figures.js';
import { RawPostgres } from '../support/raw-postgres.js';
import { type RunningProxy, startProxy } from '../support/start-proxy.js';
import { closedPort, startRelay, type TcpRelay } from '../support/tcp-relay.js';
import { steady, until, within } from '../support/until.js';

const mebibyte = 1024 * 1024;
const settleMs = 20_000;

describePostgres('a proxy among failing peers', (server) => {
  let database: TestDatabase;
  let relay: TcpRelay;
  let proxy: RunningProxy;
  let url: string;
  let idleSockets: number;

  beforeAll(async () => {
    database = await createDatabase(
      server.url,
      'create table copied (id int primary key, word text); grant all on copied to trust_user',
    );
    const { hostname, port } = new URL(server.url);
    relay = await startRelay({ targetHost: hostname, targetPort: Number(port) });
    proxy = await startProxy({ upstreamUrl: relay.through(database.url) });
    url = proxy.through(database.url);
    (await RawPostgres.open(url)).close();
    idleSockets = await steady(() => socketCount(proxy.pid), settleMs, 'a steady number of sockets');
  });

  afterAll(async () => {
    const exit = await proxy.stop();
    await relay.close();
    await database.drop();
    expect(exit.code).toBe(0);
  });

  /** The proxy serves a new client, and holds no socket of earlier ones. */
  async function expectRecovered(): Promise<void> {
    await until(
      () => socketCount(proxy.pid) <= idleSockets,
      settleMs,
      `at most ${idleSockets} sockets in the proxy`,
    );
    await until(async () => (await clientSessions()) === 0, settleMs, 'no session left on the server');
    const session = await RawPostgres.open(url);
    await session.send(serialize.query('select 1'));
    expect((await session.ready(1)).map((frame) => frame.type).join('')).toBe('TDCZ');
    session.close();
    await until(() => socketCount(proxy.pid) <= idleSockets, settleMs, 'the sockets of that client to close');
  }

  async function clientSessions(): Promise<number> {
    const watcher = new pg.Client(server.url);
    await watcher.connect();
    const text =
      "select count(*)::int as n from pg_stat_activity where datname = $1 and usename = 'trust_user'";
    const counted = await watcher.query<{ n: number }>(text, [database.name]);
    await watcher.end();
    return counted.rows[0]?.n ?? 0;
  }

  it('lets go of 500 connections that are opened and reset at every stage', async () => {
    const startup = serialize.startup({ user: 'trust_user', database: database.name });
    for (let batch = 0; batch < 10; batch += 1) {
      const opened = Array.from({ length: 50 }, async (_, index) => {
        const session = await RawPostgres.dial(url);
        const stage = index % 5;
        if (stage === 1) await session.send(startup.subarray(0, 7));
        if (stage === 2) await session.send(startup);
        if (stage >= 3) {
          await session.send(startup);
          await session.ready(1);
        }
        if (stage === 4) await session.send(serialize.query('select g from generate_series(1, 100000) g'));
        session.socket.resetAndDestroy();
      });
      await Promise.all(opened);
    }
    await expectRecovered();
  });

  it('lets go of clients that leave without a word, by FIN, mid-query', async () => {
    for (let index = 0; index < 20; index += 1) {
      const session = await RawPostgres.open(url);
      await session.send(serialize.query('select g from generate_series(1, 200000) g'));
      session.socket.destroy();
    }
    await expectRecovered();
  });

  it('holds back the server of a client that never reads, and serves the others', async () => {
    const before = residentMemory(proxy.pid).now;
    const stalled = await RawPostgres.open(url);
    stalled.socket.pause();
    await stalled.send(serialize.query("select repeat('x', 1000) from generate_series(1, 2000000)"));
    await until(() => isServerHeldBack(), settleMs, 'the server to wait for the client');
    const other = await RawPostgres.open(url);
    for (let index = 0; index < 50; index += 1) {
      await other.send(serialize.query('select 1'));
      await other.ready(1);
    }
    other.close();
    expect(residentMemory(proxy.pid).now - before).toBeLessThan(64 * mebibyte);
    stalled.socket.resetAndDestroy();
    await expectRecovered();
  });

  async function isServerHeldBack(): Promise<boolean> {
    const watcher = new pg.Client(server.url);
    await watcher.connect();
    const text =
      "select 1 from pg_stat_activity where datname = $1 and usename = 'trust_user' and wait_event = 'ClientWrite'";
    const found = await watcher.query(text, [database.name]);
    await watcher.end();
    return found.rowCount === 1;
  }

  it('passes on what came before the server was lost in the middle of a row', async () => {
    for (const statement of [
      "select repeat('x', 1000) from generate_series(1, 2000000)",
      "select repeat('x', 200000000)",
    ]) {
      const session = await RawPostgres.open(url);
      const already = session.socket.bytesRead;
      await session.send(serialize.query(statement));
      await until(
        () => session.socket.bytesRead > already + 4 * mebibyte,
        settleMs,
        'four megabytes of rows',
      );
      relay.resetAll();
      const frames = await within(session.ended(), settleMs, 'the client to see the end');
      // Nothing is invented: neither an error nor an end of the result.
      expect(new Set(frames.map((frame) => frame.type))).toEqual(
        new Set(statement.includes('generate') ? ['T', 'D'] : ['T']),
      );
    }
    await expectRecovered();
  });

  it('relays FATAL once when the server ends a busy session', async () => {
    const session = await RawPostgres.open(url);
    await session.send(serialize.query('select pg_backend_pid()'));
    const row = (await session.ready(1)).find((frame) => frame.type === 'D');
    const pid = Number(row?.body.subarray(6).toString());
    await session.send(
      serialize.query("select repeat('x', 1000), pg_sleep(0.0001) from generate_series(1, 2000000)"),
    );
    await until(() => session.frames.length > 1000, settleMs, 'rows to flow');
    const killer = new pg.Client(server.url);
    await killer.connect();
    await killer.query('select pg_terminate_backend($1)', [pid]);
    await killer.end();
    const frames = await within(session.ended(), settleMs, 'the session to end');
    const errors = frames.filter((frame) => frame.type === 'E').map((frame) => frame.body.toString());
    expect(errors).toHaveLength(1);
    expect(errors[0]).toContain('C57P01');
    expect(errors[0]).not.toContain('[twiceshy');
    await expectRecovered();
  });

  it('leaves nothing of clients killed in the middle of COPY', async () => {
    for (let index = 0; index < 10; index += 1) {
      const target = new URL(url);
      target.username = 'trust_user';
      const child = spawn('psql', ['-X', '-q', '-d', target.href, '-c', 'copy copied from stdin'], {
        env: { PATH: process.env['PATH'], PGSSLMODE: 'disable' },
        stdio: ['pipe', 'ignore', 'ignore'],
      });
      child.stdin.on('error', () => {});
      const ended = new Promise((resolve) => child.once('close', resolve));
      child.stdin.write(Array.from({ length: 20_000 }, (_, line) => `${line}\tword\n`).join(''));
      await until(isCopying, settleMs, 'the COPY to run');
      child.kill('SIGKILL');
      await ended;
    }
    await expectRecovered();
  });

  async function isCopying(): Promise<boolean> {
    const watcher = new pg.Client(server.url);
    await watcher.connect();
    const text =
      "select 1 from pg_stat_activity where datname = $1 and query like 'copy copied%' and state = 'active'";
    const found = await watcher.query(text, [database.name]);
    await watcher.end();
    return found.rowCount === 1;
  }

  it('lives through random bytes in place of a login and after one', async () => {
    for (let index = 0; index < 40; index += 1) {
      const session = index % 2 === 0 ? await RawPostgres.dial(url) : await RawPostgres.open(url);
      // A fixed sequence: a failure can be run again.
      const noise = Buffer.from(
        Array.from({ length: 200 }, (_, at) => (index * 7919 + at * at * 31 + at * 17) % 256),
      );
      await session.send(noise);
      session.socket.end();
      await within(session.ended(), settleMs, `the end of session ${index}`);
    }
    await expectRecovered();
  });

  it('ends a login that the lost server cannot answer with FATAL 08001 or 08006', async () => {
    const unreachable = new URL(database.url);
    unreachable.port = String(await closedPort());
    const lonely = await startProxy({ upstreamUrl: unreachable.href });
    try {
      for (let time = 1; time <= 3; time += 1) {
        const client = new pg.Client(lonely.through(database.url));
        await expect(client.connect()).rejects.toMatchObject({
          severity: 'FATAL',
          code: expect.stringMatching(/^0800[16]$/),
        });
      }
    } finally {
      expect(await lonely.stop()).toMatchObject({ code: 0 });
    }
  });
});

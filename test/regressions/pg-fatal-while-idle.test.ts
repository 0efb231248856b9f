// A FATAL that came while no query ran reached code that expected one (brianc/node-postgres#592, #2762).
import pg from 'pg';
import { afterEach, expect, it } from 'vitest';
import { stopProxies, until } from '../integration/proxy/scripted-ends.js';
import { client } from '../protocol/postgres/frames.js';
import { runOn } from '../servers/database.js';
import { describeEachPostgres } from '../support/postgres-servers.js';
import { RawPostgres } from '../support/raw-postgres.js';
import { errorsIn, letters } from './support/frames.js';
import { watch } from './support/watched-proxy.js';

afterEach(stopProxies);

describeEachPostgres('a session that is ended while idle', (server) => {
  it('in a pool of node-postgres: 57P01 is the pool’s, and of no statement', async () => {
    const proxy = await watch(server.url);
    const pool = new pg.Pool({ connectionString: proxy.through(server.url), max: 1 });
    const errors: Error[] = [];
    pool.on('error', (error) => errors.push(error));
    for (let time = 1; time <= 3; time += 1) {
      const { rows } = await pool.query<{ pid: number }>('select pg_backend_pid() as pid');
      await runOn(server.url, `select pg_terminate_backend(${rows[0]?.pid})`);
      await until('the pool to hear of it', () => errors.length === time);
    }
    expect(errors.map((error) => (error as pg.DatabaseError).code)).toEqual(Array(3).fill('57P01'));
    expect(errors.map(({ message }) => message)).toEqual(
      Array(3).fill('terminating connection due to administrator command'),
    );
    await pool.end();
    await until('the sessions to end', () => proxy.proxy.listener.sessions === 0);
    for (const { events } of proxy.sessions) {
      expect(events).toEqual(['ok <select pg_backend_pid() as pid> 0', 'closed']);
    }
    expect(proxy.blind).toEqual([]);
  });

  it('by idle_session_timeout, also behind a failure: 57P05 is relayed as it is, once', async () => {
    const proxy = await watch(server.url);
    const session = await RawPostgres.open(proxy.through(server.url));
    await session.send(client.query("set idle_session_timeout = '100ms'"));
    await session.ready(1);
    await session.send(client.query('select nope'));
    const frames = await session.ended();
    expect(letters(frames)).toBe('E[42703]ZE[57P05]');
    expect(errorsIn(frames)[1]).not.toHaveProperty('H');
    await until('the session to end', () => proxy.proxy.listener.sessions === 0);
    expect(proxy.sessions[0]?.events.slice(1)).toEqual([
      'failed 42703 <select nope> execute k=0 idle',
      'settled idle',
      'closed',
    ]);
    expect(proxy.blind).toEqual([]);
  });
});

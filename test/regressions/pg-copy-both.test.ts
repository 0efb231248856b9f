// CopyBothResponse, with which replication begins, was not known (brianc/node-pg-copy-streams#106, psycopg/psycopg#1219).
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import pg from 'pg';
import { afterEach, expect, it } from 'vitest';
import { stopProxies } from '../integration/proxy/scripted-ends.js';
import { createDatabase } from '../servers/database.js';
import { describeEachPostgres } from '../support/postgres-servers.js';
import { until } from '../support/until.js';
import { watch } from './support/watched-proxy.js';

const pgRecvlogical = '/usr/lib/postgresql/15/bin/pg_recvlogical';

afterEach(stopProxies);

function receive(url: string, ...args: string[]): Promise<{ code: unknown; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    const env = { PATH: process.env['PATH'], PGSSLMODE: 'disable', PGGSSENCMODE: 'disable' };
    const common = ['--no-loop', '-d', url, '-f', '-', '--status-interval=1', '--fsync-interval=0'];
    execFile(pgRecvlogical, [...common, ...args], { env, timeout: 30_000 }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : error.code, stdout, stderr }),
    );
  });
}

describeEachPostgres('logical replication', (server) => {
  it.skipIf(!existsSync(pgRecvlogical))(
    'of a slot that is not there fails and is noted; of one that is, streams both ways',
    async () => {
      const database = await createDatabase(server.url, 'create table item (id int primary key)');
      const slot = database.name;
      const admin = new pg.Client(database.url);
      await admin.connect();
      const proxy = await watch(database.url);
      const url = proxy.through(database.url);
      try {
        const missing = await receive(url, '--start', '-S', 'no_such_slot');
        expect(missing.code).toBe(1);
        expect(missing.stderr).toContain('replication slot "no_such_slot" does not exist');
        expect(proxy.sessions.at(-1)?.events.filter((event) => event.startsWith('failed'))).toEqual([
          expect.stringMatching(
            /^failed 42704 <START_REPLICATION SLOT "no_such_slot" LOGICAL .*> execute k=0 idle$/,
          ),
        ]);
        await admin.query("select pg_create_logical_replication_slot($1, 'test_decoding')", [slot]);
        await admin.query('insert into item select generate_series(1, 5000)');
        const { rows } = await admin.query<{ at: string }>('select pg_current_wal_insert_lsn() as at');
        const good = await receive(url, '--start', '-S', slot, '--endpos', String(rows[0]?.at));
        expect(good).toMatchObject({ code: 0 });
        expect(good.stdout.match(/^table public\.item: INSERT: /gm)).toHaveLength(5000);
      } finally {
        const text = 'select 1 from pg_replication_slots where slot_name = $1 and active';
        await until(
          async () => (await admin.query(text, [slot])).rowCount === 0,
          20_000,
          'the slot to be free',
        );
        await admin.query(
          'select pg_drop_replication_slot(slot_name) from pg_replication_slots where slot_name = $1',
          [slot],
        );
        await admin.end();
      }
      await until(() => proxy.proxy.listener.sessions === 0, 20_000, 'the sessions to end');
      expect(proxy.blind).toEqual([]);
      await database.drop();
    },
  );
});

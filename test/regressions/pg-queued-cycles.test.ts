// Cycles queued behind a running one: two wedged a pooler (porsager/postgres#970), psycopg's pipelines were unusable
// (pgdogdev/pgdog#680), and pipelined queries hung when their connection died (brianc/node-postgres#3736, #3737).
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import postgres from 'postgres';
import { afterEach, describe, expect, it } from 'vitest';
import { stopProxies, until as untilTrue } from '../integration/proxy/scripted-ends.js';
import { runOn } from '../servers/database.js';
import { pythonEnvironment } from '../servers/python-environment.js';
import { runCommand } from '../servers/run-command.js';
import { describeEachPostgres } from '../support/postgres-servers.js';
import { within } from '../support/until.js';
import { noteMark, watch } from './support/watched-proxy.js';

const waitMs = 20_000;
const python = await pythonEnvironment();

afterEach(stopProxies);

/** libpq's own calls: psycopg's cursors raise an error at whatever call comes when it arrives. */
const psycopgPipeline = `
import json, sys, psycopg
connection = psycopg.connect(sys.argv[1]).pgconn
connection.enter_pipeline_mode()
for time in (1, 2):
    outcomes = []
    for text in (b"select 1", b"select 1/0", b"select 3"):
        connection.send_query_params(text, None)
    connection.pipeline_sync()
    connection.send_query_params(b"select 4", None)
    connection.pipeline_sync()
    connection.flush()
    syncs = 0
    while syncs < 2:
        result = connection.get_result()
        if result is None:
            continue
        status = psycopg.pq.ExecStatus(result.status).name
        outcomes.append([status, result.error_message.decode()])
        syncs += status == "PIPELINE_SYNC"
    print(json.dumps(outcomes))
`;

describeEachPostgres('queued cycles', (server) => {
  it('five of postgres.js on one connection settle, the failing third with its note', async () => {
    const proxy = await watch(server.url);
    const sql = postgres(proxy.through(server.url), { max: 1, fetch_types: false, ssl: false });
    for (let time = 1; time <= 2; time += 1) {
      const texts = ['select 1 as n', 'select 2 as n', 'select 1/0 as n', 'select 4 as n', 'select 5 as n'];
      const settled = await Promise.allSettled(texts.map((text) => sql.unsafe(text).simple()));
      expect(settled.map(({ status }) => status)).toEqual(
        texts.map((_text, index) => (index === 2 ? 'rejected' : 'fulfilled')),
      );
      const [, , third] = settled;
      const message = third?.status === 'rejected' ? String(third.reason.message) : '';
      expect(message.includes(noteMark)).toBe(time === 2);
    }
    await sql.end();
    expect(proxy.blind).toEqual([]);
  });

  describe.skipIf('missing' in python)('of psycopg', () => {
    it('in a pipeline: the note is on the bad one only, the one after it is aborted', async () => {
      if (!('python' in python)) return;
      const proxy = await watch(server.url);
      const folder = mkdtempSync(join(tmpdir(), 'twiceshy-pipeline-'));
      const script = join(folder, 'pipeline.py');
      writeFileSync(script, psycopgPipeline);
      const run = (url: string) => runCommand(python.python, [script, url]);
      const lines = (await run(proxy.through(server.url))).trim().split('\n');
      rmSync(folder, { recursive: true });
      const rounds = lines.map((line) => JSON.parse(line) as [string, string][]);
      const statuses = [
        'TUPLES_OK',
        'FATAL_ERROR',
        'PIPELINE_ABORTED',
        'PIPELINE_SYNC',
        'TUPLES_OK',
        'PIPELINE_SYNC',
      ];
      expect(rounds.map((round) => round.map(([status]) => status))).toEqual([statuses, statuses]);
      const annotated = rounds.map((round) => round.map(([, message]) => message.includes(noteMark)));
      expect(annotated).toEqual([Array(6).fill(false), [false, true, false, false, false, false]]);
      expect(proxy.blind).toEqual([]);
    });
  });

  it('twenty of node-postgres all settle when the server ends the session, with one FATAL', async () => {
    const proxy = await watch(server.url);
    const client = new pg.Client({
      connectionString: proxy.through(server.url),
      pipeline: true,
    } as pg.ClientConfig);
    const lost: Error[] = [];
    client.on('error', (error) => lost.push(error));
    await client.connect();
    const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
    const sent = Array.from({ length: 20 }, (_, index) =>
      client.query(index === 4 ? 'select pg_sleep(60)' : `select ${index} as n`),
    );
    const outcomes = Promise.allSettled(sent);
    await within(Promise.all(sent.slice(0, 4)), waitMs, 'the first four');
    await runOn(server.url, `select pg_terminate_backend(${rows[0]?.pid})`);
    const settled = await within(outcomes, waitMs, 'all twenty');
    expect(settled.map(({ status }) => status)).toEqual([
      ...Array(4).fill('fulfilled'),
      ...Array(16).fill('rejected'),
    ]);
    const [fifth] = settled.slice(4);
    expect(fifth?.status === 'rejected' && fifth.reason).toMatchObject({ code: '57P01', severity: 'FATAL' });
    await untilTrue('the session to end', () => proxy.proxy.listener.sessions === 0);
    const failed = proxy.sessions[0]?.events.filter((event) => /^(failed|settled)/.test(event));
    expect(failed).toEqual(['failed 57P01 <select pg_sleep(60)> execute k=0 idle', 'settled closed']);
    await client.end().catch(() => {});
  });
});

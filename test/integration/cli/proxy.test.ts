import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createDatabase, type TestDatabase } from '../../servers/database.js';
import { describePostgres } from '../../support/postgres-servers.js';
import { startProxy } from '../../support/start-proxy.js';
import { until, within } from '../../support/until.js';
import { freePort, runCli, startCliProxy } from './run-cli.js';

describePostgres('twiceshy proxy', (server) => {
  let database: TestDatabase;
  let folder: string;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'twiceshy-cli-'));
    database = await createDatabase(server.url, 'create table users (id int primary key, email text unique)');
  });
  afterAll(async () => {
    await database.drop();
    rmSync(folder, { recursive: true, force: true });
  });

  async function failTwice(url: string): Promise<pg.DatabaseError[]> {
    const client = new pg.Client(url);
    await client.connect();
    const errors: pg.DatabaseError[] = [];
    for (const id of [1, 2]) {
      await client
        .query(`insert into users (id, emial) values (${id}, 'x')`)
        .catch((error: pg.DatabaseError) => {
          errors.push(error);
        });
    }
    await client.end();
    return errors;
  }

  it('attaches a note to a repeat, keeps it over a restart, and ends with 0', async () => {
    const memory = join(folder, 'kept');
    const first = await startProxy({ upstreamUrl: database.url, memory });
    const [once, twice] = await failTwice(first.through(database.url));
    expect(once?.message).toBe('column "emial" of relation "users" does not exist');
    expect(twice?.message).toContain('\n[twiceshy ');
    expect(twice?.hint).toContain('email');
    expect(await first.stop()).toMatchObject({ code: 0 });

    const second = await startProxy({ upstreamUrl: database.url, memory, audience: 'application' });
    const [again] = await failTwice(second.through(database.url));
    expect(again?.message).toBe('column "emial" of relation "users" does not exist');
    expect(again?.hint).toContain('[twiceshy ');
    const { code, stderr } = await second.stop();
    expect(code).toBe(0);
    expect(stderr).not.toContain(new URL(database.url).password);

    const recall = await runCli([
      'recall',
      '--memory',
      memory,
      "insert into users (id, emial) values (9, 'y')",
    ]);
    expect(recall).toMatchObject({ code: 0, stderr: '' });
    expect(recall.stdout).toContain('[twiceshy ');
    expect(recall.stdout).toContain('No schema was read');
    const strict = ['recall', '--memory', memory, '--postgres', database.url, '--json'];
    const json = JSON.parse(
      (await runCli([...strict, "insert into users (id, emial) values (9, 'y')"])).stdout,
    );
    expect(json).toMatchObject({ schema: 'read', hits: [{ class: 'undefined_object', how: 'exact' }] });
    expect(JSON.parse((await runCli([...strict, 'select 1'])).stdout)).toEqual({ schema: 'read', hits: [] });
  });

  it('serves health, readiness and metrics, and reloads its file on SIGHUP', async () => {
    const config = join(folder, 'config.yaml');
    const text = (audience: string, port: number) => `
memory: { folder: reloaded }
admin: { listen: 127.0.0.1:${port} }
log: { level: info }
upstreams: { shop: { url: "\${DATABASE}" } }
listeners: [{ name: shop, listen: 127.0.0.1:0, audience: ${audience} }]
`;
    const port = await freePort();
    writeFileSync(config, text('agent', port));
    const args = ['-c', config];
    const proxy = await startCliProxy(args, { env: { DATABASE: database.url } });
    try {
      const admin = `http://127.0.0.1:${port}`;
      expect((await fetch(`${admin}/healthz`)).status).toBe(200);
      expect((await fetch(`${admin}/readyz`)).status).toBe(200);
      const [, noted] = await failTwice(proxy.through(database.url));
      expect(noted?.message).toContain('[twiceshy ');
      const metrics = await (await fetch(`${admin}/metrics`)).text();
      expect(metrics).toContain('twiceshy_notes_attached_total{class="undefined_object"} 1');
      expect(metrics).toContain('twiceshy_records{status="live"} 1');

      writeFileSync(config, text('application', port + 1));
      proxy.signal('SIGHUP');
      await until(() => proxy.stderr().includes('need a restart'), 10_000, 'the reload to be logged');
      const [hinted] = await failTwice(proxy.through(database.url));
      expect(hinted?.message).not.toContain('[twiceshy ');
      expect(hinted?.hint).toContain('[twiceshy ');

      writeFileSync(config, 'nonsense: 1');
      proxy.signal('SIGHUP');
      await until(() => proxy.stderr().includes('Not reloaded'), 10_000, 'the refusal to be logged');
    } finally {
      expect(await proxy.stop()).toMatchObject({ code: 0 });
    }
  });

  it('drains on the first SIGTERM and stops on the second', async () => {
    const proxy = await startProxy({ upstreamUrl: database.url });
    const client = new pg.Client(proxy.through(database.url));
    client.on('error', () => undefined);
    await client.connect();
    proxy.signal('SIGTERM');
    const sentAt = performance.now();
    await until(() => proxy.stderr().includes('Stopping'), 10_000, 'the proxy to begin stopping');
    expect((await client.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
    await until(() => performance.now() - sentAt > 100, 1_000, 'more time than an echo of the signal takes');
    proxy.signal('SIGTERM');
    expect(await within(proxy.exited, 10_000, 'the proxy to stop')).toMatchObject({ code: 0 });
    await client.end().catch(() => undefined);
  });

  it('says with exit code 1 that the port or the memory is taken', async () => {
    const memory = join(folder, 'taken');
    const proxy = await startProxy({ upstreamUrl: database.url, memory });
    const args = (port: number, where: string) => [
      'proxy',
      '--postgres',
      database.url,
      '--listen',
      `127.0.0.1:${port}`,
      '--memory',
      where,
    ];
    const port = await runCli(args(proxy.port, join(folder, 'other')));
    expect(port).toMatchObject({ code: 1, stdout: '' });
    expect(port.stderr).toContain(String(proxy.port));
    const locked = await runCli(args(0, memory));
    expect(locked).toMatchObject({ code: 1, stdout: '' });
    expect(locked.stderr).toContain(String(proxy.pid));
    writeFileSync(join(folder, 'file'), '');
    const unwritable = await runCli(args(0, join(folder, 'file', 'memory')));
    expect(unwritable).toMatchObject({ code: 1, stdout: '' });
    await proxy.stop();
  });

  it('starts although its upstream does not answer, and says so', async () => {
    const proxy = await startProxy({ upstreamUrl: `postgres://u:hunter2@127.0.0.1:${await freePort()}/db` });
    const client = new pg.Client(proxy.through('postgres://u:p@h/db'));
    await expect(client.connect()).rejects.toMatchObject({ code: '08001' });
    const { code, stderr } = await proxy.stop();
    expect(code).toBe(0);
    expect(stderr).toContain('Catalog');
    expect(stderr).not.toContain('hunter2');
  });

  it('takes the URL from the environment, and hides its command line', async () => {
    const proxy = await startCliProxy(['--listen', '127.0.0.1:0', '--memory', join(folder, 'env')], {
      env: { TWICESHY_POSTGRES_URL: database.url },
    });
    expect(readFileSync(`/proc/${proxy.pid}/cmdline`, 'utf8')).toMatch(/^twiceshy proxy/);
    expect(await proxy.stop()).toMatchObject({ code: 0 });
  });
});

/**
 * One process in front of PostgreSQL, MySQL and MariaDB: three memories in one folder that never speak for each other,
 * one readiness, one set of metrics, one reload, one end.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createConnection } from 'mysql2/promise';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { runCli } from '../integration/cli/run-cli.js';
import { createDatabase, type TestDatabase } from '../servers/database.js';
import { createMysqlDatabase } from '../servers/mysql-database.js';
import { noteIn } from '../support/leaks.js';
import { type RunningProxy, startConfiguredProxy } from '../support/start-proxy.js';
import { until, within } from '../support/until.js';

const settleMs = 20_000;
const schema =
  "create table city (id int primary key, name varchar(40) unique); insert into city values (1, 'Oslo')";

/** The same in every database: a statement that no engine's memory may answer for another's. */
const broken = 'select nope from city';
const duplicate = "insert into city values (2, 'Oslo')";

interface Client {
  run(sql: string): Promise<unknown>;
  end(): Promise<void>;
}

interface Engine {
  readonly listener: 'postgresql' | 'mysql' | 'mariadb';
  readonly flag: '--postgres' | '--mysql';
  /** Only this engine's notes say it. */
  readonly advice: string;
  readonly sleep: string;
  create(): Promise<TestDatabase>;
  connect(url: string): Promise<Client>;
}

async function connectPostgres(url: string): Promise<Client> {
  const client = new pg.Client(url);
  client.on('error', () => {});
  await client.connect();
  return { run: (sql) => client.query(sql), end: () => client.end() };
}

async function connectMysql(url: string): Promise<Client> {
  const client = await createConnection(url);
  client.on('error', () => {});
  return { run: (sql) => client.query(sql), end: () => client.end() };
}

function engines(): Engine[] | string {
  const postgres = inject('postgresServers').find((server) => 'url' in server);
  const [mysql, mariadb] = (['mysql', 'mariadb'] as const).map((wanted) =>
    inject('mysqlServers').find((server) => server.flavour === wanted && 'url' in server),
  );
  if (postgres === undefined || mysql === undefined || mariadb === undefined)
    return 'one of the servers is missing';
  const urlOf = (server: object): string => (server as { url: string }).url;
  const family = { flag: '--mysql', sleep: 'select sleep(2)', connect: connectMysql } as const;
  return [
    {
      listener: 'postgresql',
      flag: '--postgres',
      advice: 'ON CONFLICT',
      sleep: 'select pg_sleep(2)',
      create: () => createDatabase(urlOf(postgres), schema),
      connect: connectPostgres,
    },
    {
      ...family,
      listener: 'mysql',
      advice: 'AS new ON DUPLICATE KEY UPDATE',
      create: () => createMysqlDatabase(urlOf(mysql), schema),
    },
    {
      ...family,
      listener: 'mariadb',
      advice: 'c = VALUES(c)',
      create: () => createMysqlDatabase(urlOf(mariadb), schema),
    },
  ];
}

const found = engines();
if (typeof found === 'string') {
  describe.skip(`a mixed proxy (skipped: ${found})`, () => {
    it('needs three servers', () => {});
  });
} else suite(found);

function suite(all: readonly Engine[]): void {
  describe('a proxy of three databases', () => {
    let folder: string;
    let memory: string;
    let proxy: RunningProxy;
    const databases = new Map<string, TestDatabase>();

    beforeAll(async () => {
      folder = mkdtempSync(join(tmpdir(), 'twiceshy-mixed-'));
      memory = join(folder, 'memory');
      for (const { listener, create } of all) databases.set(listener, await create());
      writeConfig();
      proxy = await startConfiguredProxy(join(folder, 'config.yaml'), memory);
    });

    afterAll(async () => {
      proxy.signal('SIGKILL');
      await proxy.exited;
      for (const database of databases.values()) await database.drop();
      rmSync(folder, { recursive: true, force: true });
    });

    function databaseOf({ listener }: Engine): TestDatabase {
      const database = databases.get(listener);
      if (database === undefined) throw new Error(`No database for ${listener}`);
      return database;
    }

    function writeConfig(more = '', mysqlAudience = 'agent'): void {
      const upstreams = all.map((engine) => `  up-${engine.listener}: { url: "${databaseOf(engine).url}" }`);
      const listeners = all.map(({ listener }) => {
        const audience = listener === 'mysql' ? mysqlAudience : 'agent';
        return `  - { name: ${listener}, listen: "127.0.0.1:0", upstream: up-${listener}, audience: ${audience} }`;
      });
      const lines = [
        'memory: { folder: memory }',
        'admin: { listen: "127.0.0.1:0" }',
        'upstreams:',
        ...upstreams,
      ];
      writeFileSync(join(folder, 'config.yaml'), [...lines, 'listeners:', ...listeners, more, ''].join('\n'));
    }

    const urlOf = (engine: Engine): string => proxy.through(databaseOf(engine).url, engine.listener);

    /** What one new session is told: '' without a note, null on success. */
    async function ask(engine: Engine, ...texts: readonly string[]): Promise<(string | null)[]> {
      const client = await engine.connect(urlOf(engine));
      const told: (string | null)[] = [];
      for (const text of texts) {
        const failure: unknown = await client.run(text).then(
          () => null,
          (error: unknown) => error,
        );
        const { message, hint } = (failure ?? {}) as { message?: string; hint?: string };
        told.push(failure === null ? null : (noteIn(hint ?? '') ?? noteIn(message ?? '') ?? ''));
      }
      await client.end();
      return told;
    }

    async function admin(path: string): Promise<Response> {
      const line = proxy
        .stderr()
        .split('\n')
        .find((one) => one.includes('Admin listening'));
      const { host, port } = JSON.parse(line ?? '{}') as { host: string; port: number };
      return fetch(`http://${host}:${port}${path}`);
    }

    async function cli(
      ...args: string[]
    ): Promise<{ readonly code: number | null; readonly out: string; readonly err: string }> {
      const { code, stdout, stderr } = await runCli([...args, '--memory', memory]);
      return { code, out: stdout, err: stderr };
    }

    async function records(...filters: string[]): Promise<Record<string, unknown>[]> {
      const { out } = await cli('memory', 'list', '--json', ...filters);
      return JSON.parse(out) as Record<string, unknown>[];
    }

    it('is ready for all of them, and says so of each', async () => {
      expect(await (await admin('/healthz')).text()).toBe('ok\n');
      const ready = await admin('/readyz');
      expect(ready.status).toBe(200);
      const { listeners, catalogs } = (await ready.json()) as Record<string, { [key: string]: unknown }[]>;
      expect(listeners?.map(({ name }) => name)).toEqual(all.map(({ listener }) => listener));
      expect(catalogs?.map(({ upstream }) => upstream)).toEqual(all.map(({ listener }) => `up-${listener}`));
      // A database that nobody is connected to is not watched for long.
      for (const catalog of catalogs ?? [])
        expect(catalog['state']).toMatch(/^(current|refreshing|resting)$/);
    });

    it('remembers for each engine alone, and advises in its words', async () => {
      for (const engine of all) {
        expect(await ask(engine, broken, duplicate), engine.listener).toEqual(['', '']);
        const [column, key] = await ask(engine, broken, duplicate);
        expect(column).toContain('undefined_object');
        expect(key).toContain('unique_violation');
        for (const { advice } of all)
          expect(key?.includes(advice), `${engine.listener}: ${advice}`).toBe(advice === engine.advice);
      }
      const known = await until(
        async () => {
          const written = await records();
          return written.length >= 2 * all.length ? written : null;
        },
        settleMs,
        'the failures to be written',
      );
      for (const { listener } of all) {
        const own = known.filter(({ engine }) => engine === listener);
        expect(own.map((record) => record['class']).sort(), listener).toEqual([
          'undefined_object',
          'unique_violation',
        ]);
        expect(new Set(own.map(({ scope }) => (scope as { upstream: string }).upstream))).toEqual(
          new Set([`up-${listener}`]),
        );
      }
      expect(new Set(known.map(({ id }) => id)).size).toBe(known.length);
    });

    it('counts under the name of each', async () => {
      const clients = await Promise.all(all.map((engine) => engine.connect(urlOf(engine))));
      const text = await (await admin('/metrics')).text();
      for (const { listener } of all) {
        expect(text).toContain(`twiceshy_sessions_open{listener="${listener}"} 1\n`);
        expect(text).toMatch(
          new RegExp(`twiceshy_connections_accepted_total\\{listener="${listener}"\\} [1-9]`),
        );
        expect(text).toMatch(
          new RegExp(`twiceshy_catalog_tables\\{upstream="up-${listener}",database="[^"]+"\\} [1-9]`),
        );
      }
      expect(text).toMatch(/twiceshy_notes_attached_total\{class="unique_violation"\} 3\n/);
      for (const client of clients) await client.end();
    });

    it('is asked and kept by the command line, one engine at a time or all at once', async () => {
      const everywhere = JSON.parse((await cli('recall', broken, '--json')).out) as {
        hits: Record<string, unknown>[];
      };
      expect(everywhere.hits.map(({ engine }) => engine).sort()).toEqual(
        all.map(({ listener }) => listener).sort(),
      );
      const askOne = async (engine: Engine): Promise<void> => {
        const upstream = `up-${engine.listener}`;
        const { url } = databaseOf(engine);
        const here = await cli('recall', broken, '--json', engine.flag, url, '--upstream', upstream);
        const { hits } = JSON.parse(here.out) as { hits: Record<string, unknown>[] };
        expect(hits, engine.listener).toMatchObject([
          { engine: engine.listener, schema: 'read', class: 'undefined_object' },
        ]);
        const [record] = await records('--upstream', upstream, '--class', 'unique_violation');
        const shown = await cli('memory', 'show', String(record?.['id']));
        expect(shown).toMatchObject({ code: 0 });
        expect(shown.out).toContain('insert into city');
        expect((await cli('memory', 'list', '--upstream', upstream)).out).toContain('undefined_object');
      };
      await Promise.all(all.map(askOne));
      const [first] = await records('--upstream', 'up-mysql');
      const refused = await cli(
        'memory',
        'retract',
        String(first?.['id']),
        '--reason',
        'while the proxy runs',
      );
      expect(refused).toMatchObject({ code: 1, out: '' });
      expect(refused.err).toMatch(/proxy|process|lock/i);
    });

    it('takes a new configuration over for all of them', async () => {
      const reload = async (more: string, audience?: string): Promise<void> => {
        const before = reloads();
        writeConfig(more, audience);
        proxy.signal('SIGHUP');
        await until(() => reloads() > before, settleMs, 'the reload');
      };
      await reload('recall: { enabled: false }');
      for (const engine of all) expect(await ask(engine, broken), engine.listener).toEqual(['']);
      await reload('recall: { holdback: 1 }');
      for (const engine of all) expect(await ask(engine, broken), engine.listener).toEqual(['']);
      await reload('recall: { notesPerSession: 1 }', 'application');
      for (const engine of all) {
        const [key, column, again] = await ask(engine, duplicate, broken, broken);
        expect([column?.slice(0, 10), again], engine.listener).toEqual(['[twiceshy ', '']);
        // What programs read to its end is left alone, for those of the one listener.
        expect(key === '', engine.listener).toBe(engine.listener === 'mysql');
      }
      await reload('');
      for (const engine of all) expect((await ask(engine, broken))[0]).toContain('undefined_object');
    });

    function reloads(): number {
      return proxy.stderr().split('Configuration reloaded.').length;
    }

    it('lets the sessions of all of them end, takes no newcomers, and exits with 0', async () => {
      const clients = await Promise.all(all.map((engine) => engine.connect(urlOf(engine))));
      const running = all.map(({ sleep }, index) => clients[index]?.run(sleep));
      proxy.signal('SIGTERM');
      for (const engine of all) {
        const isRefused = (): Promise<boolean> =>
          engine.connect(urlOf(engine)).then(
            (client) => client.end().then(() => false),
            () => true,
          );
        await until(isRefused, settleMs, `newcomers to ${engine.listener} to be refused`);
      }
      await within(Promise.all(running), settleMs, 'the statements to end');
      for (const client of clients) await client.end().catch(() => {});
      expect(await within(proxy.exited, settleMs, 'the proxy to exit')).toMatchObject({
        code: 0,
        signal: null,
      });
    });

    it('has forgotten what was retracted meanwhile, in that engine alone', async () => {
      const [record] = await records('--upstream', 'up-mariadb', '--class', 'undefined_object');
      const retracted = await cli('memory', 'retract', String(record?.['id']), '--reason', 'a test');
      expect(retracted).toMatchObject({ code: 0 });
      proxy = await startConfiguredProxy(join(folder, 'config.yaml'), memory);
      for (const engine of all) {
        const [told] = await ask(engine, broken);
        expect(told === '', engine.listener).toBe(engine.listener === 'mariadb');
      }
    });

    it('cuts the sessions of all of them off at the second signal, and exits with 0', async () => {
      const clients = await Promise.all(all.map((engine) => engine.connect(urlOf(engine))));
      const lost = all.map(({ sleep }, index) =>
        clients[index]?.run(sleep.replace('(2)', '(100)')).then(
          () => false,
          () => true,
        ),
      );
      proxy.signal('SIGTERM');
      const sentAt = performance.now();
      const isStopping = (): boolean => proxy.stderr().includes('"sessions":3');
      await until(isStopping, settleMs, 'the proxy to say that it stops');
      const isNoEcho = (): boolean => performance.now() - sentAt > 100;
      await until(isNoEcho, settleMs, 'more time than an echo of the signal takes');
      proxy.signal('SIGTERM');
      expect(await within(Promise.all(lost), settleMs, 'the statements to fail')).toEqual([true, true, true]);
      expect(await within(proxy.exited, settleMs, 'the proxy to exit')).toMatchObject({
        code: 0,
        signal: null,
      });
    });
  });
}

/** The battery as a program of node-postgres: promises, callbacks, prepared statements, cursors, streams, COPY. */
import { once } from 'node:events';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import pg from 'pg';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';
import Cursor from 'pg-cursor';
import QueryStream from 'pg-query-stream';
import { until, within } from '../../support/until.js';
import { failingStatements, repetitions } from '../battery/failing-statements.js';
import { type ErrorEntry, errorFields, type Transcript } from '../battery/transcript.js';

const waitMs = 20_000;

export async function runNodePostgres(url: string, log: Transcript): Promise<void> {
  const client = await connect(url, log);
  const parts = [failures, texts, deferred, prepared, portals, streams, copies, encodings, bigValues];
  for (const part of parts) await part(client, log);
  await client.end();
  await notifications(url, log);
  await conflicts(url, log);
  await pipelined(url, log);
  await cancelled(url, log);
  await terminated(url, log);
  await refusedLogins(url, log);
}

async function connect(url: string, log: Transcript, options: pg.ClientConfig = {}): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url, ...options });
  client.on('notice', (notice) => log.add('notice', { notice: describeError(notice) }));
  await client.connect();
  return client;
}

export function describeError(error: unknown): ErrorEntry | { readonly other: string } {
  const fields = error as Readonly<Record<string, unknown>>;
  if (typeof fields['severity'] !== 'string')
    return { other: error instanceof Error ? error.message : String(error) };
  return Object.fromEntries(errorFields.map((name) => [name, fields[name] ?? null])) as unknown as ErrorEntry;
}

function attempt(
  client: pg.Client,
  log: Transcript,
  step: string,
  query: string | pg.QueryConfig,
): Promise<void> {
  const work = async (): Promise<unknown> => answers(await client.query(query));
  return log.attempt(step, work, describeError, () => transactionStatus(client));
}

/** An error settles its query before the ReadyForQuery that carries the status has been read. */
async function transactionStatus(client: pg.Client): Promise<unknown> {
  const isReady = (): boolean => (client as unknown as { readyForQuery: boolean }).readyForQuery;
  await until(isReady, waitMs, 'ReadyForQuery');
  return client.getTransactionStatus();
}

function answers(result: pg.QueryResult | pg.QueryResult[]): unknown {
  return [result].flat().map((one) => ({
    command: one.command,
    count: one.rowCount,
    columns: one.fields.map((field) => `${field.name}:${field.dataTypeID}:${field.format}`),
    rows: one.rows,
  }));
}

async function failures(client: pg.Client, log: Transcript): Promise<void> {
  for (const { code, sql, before, after, isTextOnly } of failingStatements) {
    if (before !== undefined) await client.query(before);
    for (let time = 1; time <= repetitions; time += 1)
      await attempt(client, log, `${code} ${time} simple ${sql}`, sql);
    if (isTextOnly !== true) {
      for (let time = 1; time <= repetitions; time += 1) {
        await attempt(client, log, `${code} ${time} extended ${sql}`, {
          text: sql,
          queryMode: 'extended',
        } as pg.QueryConfig);
      }
    }
    if (after !== undefined) await client.query(after);
  }
}

async function texts(client: pg.Client, log: Transcript): Promise<void> {
  for (let time = 1; time <= repetitions; time += 1) {
    await attempt(client, log, `failed block ${time}`, 'begin');
    await attempt(client, log, `failed block ${time}`, 'select 1/0');
    await attempt(client, log, `25P02 ${time}`, 'select id from city');
    await attempt(client, log, `failed block ${time}`, 'commit');
    await attempt(
      client,
      log,
      `several statements ${time}`,
      'select 1 as a; select 2 as b; select 1/0; select 3',
    );
    await attempt(client, log, `savepoint ${time}`, 'begin; savepoint s; select id from city where id = 1');
    await attempt(client, log, `savepoint ${time}`, 'select nope from city');
    await attempt(
      client,
      log,
      `savepoint ${time}`,
      'rollback to s; select name from city where id = 1; commit',
    );
  }
  await attempt(
    client,
    log,
    'several good',
    "select 1; ; update city set name = name where id = 1; select 'x' as t",
  );
  await attempt(client, log, 'empty', '');
  await attempt(client, log, 'comment only', '-- nothing');
  await attempt(
    client,
    log,
    'types',
    "select 1::int8, 1.5::numeric, true, null, 'x'::bytea, '{1,2}'::int[], '2024-01-02'::date, '{\"a\":1}'::jsonb",
  );
}

async function deferred(client: pg.Client, log: Transcript): Promise<void> {
  for (let time = 1; time <= repetitions; time += 1) {
    await attempt(client, log, `deferred autocommit ${time}`, {
      text: 'insert into slot values ($1, $2)',
      values: [5, 2],
    });
    await attempt(client, log, `deferred begin ${time}`, 'begin');
    await attempt(client, log, `deferred insert ${time}`, 'insert into slot values (6, 2)');
    await attempt(client, log, `deferred commit ${time}`, 'commit');
    await attempt(client, log, `deferred rollback ${time}`, 'rollback');
  }
}

async function prepared(client: pg.Client, log: Transcript): Promise<void> {
  const get = { name: 'get-city', text: 'select name from city where id = $1' };
  for (const id of [1, 2, 'x', 3, 'y', 'z'])
    await attempt(client, log, `named ${id}`, { ...get, values: [id] });
  for (let time = 1; time <= repetitions; time += 1) {
    await attempt(client, log, `bind error ${time}`, {
      text: 'select $1::int + $2::int',
      values: ['1', 'two'],
    });
    await attempt(client, log, `execute error ${time}`, {
      text: 'select 10 / $1::int from city',
      values: ['0'],
    });
    await attempt(client, log, `wrong count ${time}`, { text: 'select $1::int + $2::int', values: ['1'] });
    await attempt(client, log, `parse error ${time}`, { text: 'select $1 from nowhere', values: ['1'] });
    await attempt(client, log, `binary result ${time}`, {
      text: 'select id, name from city order by id',
      values: [],
      binary: true,
    } as pg.QueryConfig);
  }
  for (let index = 0; index < 25; index += 1) {
    await attempt(
      client,
      log,
      `prepare ${index}`,
      `prepare p${index} as select ${index % 4 === 3 ? 'missing_column' : 'name'} from city where id = $1`,
    );
    await attempt(client, log, `execute ${index}`, `execute p${index} (${index % 5})`);
    await attempt(client, log, `execute bad ${index}`, `execute p${index} ('x')`);
    await attempt(client, log, `deallocate ${index}`, `deallocate p${index}`);
  }
  // Callback style settles in the same order as it was sent.
  const seen: unknown[] = [];
  await new Promise<void>((resolve) => {
    const done = (label: string) => (error: Error | null, result: pg.QueryResult) => {
      seen.push([label, error === null || error === undefined ? answers(result) : describeError(error)]);
      if (seen.length === 3) resolve();
    };
    void client.query('select 1 as one', done('first'));
    void client.query('select 1/0', done('second'));
    void client.query('select $1::text as three', ['x'], done('third'));
  });
  log.add('callbacks', { seen });
}

async function portals(client: pg.Client, log: Transcript): Promise<void> {
  const cursor = client.query(new Cursor('select g from generate_series(1, 25) g'));
  for (;;) {
    const rows = await cursor.read(10);
    log.add('cursor rows', { rows });
    if (rows.length === 0) break;
  }
  await cursor.close();
  for (let time = 1; time <= repetitions; time += 1) {
    const failing = client.query(new Cursor('select 10 / (3 - g) as q from generate_series(1, 5) g'));
    for (let read = 1; read <= 3; read += 1) {
      await log.attempt(`cursor failing ${time}.${read}`, () => failing.read(1), describeError);
    }
    await failing.close().catch((error: unknown) => log.add('cursor close', { error: describeError(error) }));
    const abandoned = client.query(new Cursor('select g from generate_series(1, 1000) g'));
    log.add('cursor abandoned', { rows: await abandoned.read(3) });
    await abandoned.close();
  }
  await attempt(client, log, 'after cursors', 'select 1');
}

async function streams(client: pg.Client, log: Transcript): Promise<void> {
  for (let time = 1; time <= repetitions; time += 1) {
    for (const sql of [
      'select g from generate_series(1, 250) g',
      'select 10 / (30 - g) as q from generate_series(1, 50) g',
      'select nope',
    ]) {
      let count = 0;
      const read = async (): Promise<number> => {
        for await (const _row of client.query(new QueryStream(sql, [], { batchSize: 20, highWaterMark: 20 })))
          count += 1;
        return count;
      };
      await log.attempt(`stream ${time} ${sql}`, read, describeError);
    }
  }
  await attempt(client, log, 'after streams', 'select 1');
}

async function copies(client: pg.Client, log: Transcript): Promise<void> {
  const lines = Array.from({ length: 1000 }, (_, index) => `${index}\tword ${'x'.repeat(index % 90)}\n`);
  const load = (rows: readonly string[]) => () =>
    pipeline(Readable.from(rows), client.query(copyFrom('copy copied from stdin')));
  const unload = (sql: string) => async (): Promise<string> => {
    const chunks: Buffer[] = [];
    for await (const chunk of client.query(copyTo(sql))) chunks.push(chunk as Buffer);
    return Buffer.concat(chunks).toString();
  };
  const status = (): Promise<unknown> => transactionStatus(client);
  await log.attempt('copy in', load(lines), describeError, status);
  await log.attempt(
    'copy out',
    unload('copy (select * from copied order by id) to stdout'),
    describeError,
    status,
  );
  for (let time = 1; time <= repetitions; time += 1) {
    await log.attempt(`copy duplicate ${time}`, load(['1\tagain\n']), describeError, status);
    await log.attempt(`copy bad value ${time}`, load(['2000\tok\n', 'x\tbad\n']), describeError, status);
    await log.attempt(`copy too few columns ${time}`, load(['2000\n']), describeError, status);
    await log.attempt(
      `copy out bad ${time}`,
      unload('copy (select nope from city) to stdout'),
      describeError,
      status,
    );
    await log.attempt(
      `copy out failing ${time}`,
      unload('copy (select 10 / (3 - g) from generate_series(1, 5) g) to stdout'),
      describeError,
      status,
    );
    await attempt(client, log, `copy block ${time}`, 'begin');
    await log.attempt(`copy missing ${time}`, unload('copy (oops) to stdout'), describeError, status);
    await attempt(client, log, `copy block ${time}`, 'rollback');
    const broken = client.query(copyFrom('copy copied from stdin'));
    broken.write('3000\tgiven up\n');
    broken.destroy(new Error('given up'));
    await once(broken, 'close').catch(() => {});
    await attempt(client, log, `copy given up ${time}`, 'select count(*) from copied where id = 3000');
  }
}

async function encodings(client: pg.Client, log: Transcript): Promise<void> {
  await attempt(client, log, 'latin1', "set client_encoding = 'LATIN1'");
  await attempt(client, log, 'latin1 rows', 'select name::bytea from city order by id');
  for (let time = 1; time <= repetitions; time += 1) {
    const text = "select convert_to('\u00e9', 'UTF8'), 'x'::int";
    await attempt(client, log, `latin1 failing ${time}`, text);
    await attempt(client, log, `latin1 unknown ${time}`, 'select "Jyv\u00e4skyl\u00e4" from city');
  }
  await attempt(client, log, 'utf8', "set client_encoding = 'UTF8'");
  for (let time = 1; time <= repetitions; time += 1) {
    await attempt(
      client,
      log,
      `utf8 unknown ${time}`,
      'select "Jyv\u00e4skyl\u00e4 \u{1f600}", nope from city',
    );
  }
  for (const setting of [
    'standard_conforming_strings = off',
    'standard_conforming_strings = on',
    "datestyle = 'German'",
    "application_name = 'renamed'",
    "search_path = 'public'",
  ]) {
    await attempt(client, log, `set ${setting}`, `set ${setting}`);
    await attempt(
      client,
      log,
      `after ${setting}`,
      "select 'a\\\\b', date '2024-01-02'::text, nope from city",
    );
    await attempt(client, log, `after ${setting}`, "select 'a\\\\b', date '2024-01-02'::text");
  }
}

async function bigValues(client: pg.Client, log: Transcript): Promise<void> {
  const body = 'v'.repeat(200_000);
  await attempt(client, log, 'big insert', `insert into big values (1, '${body}')`);
  for (let time = 1; time <= repetitions; time += 1) {
    await attempt(client, log, `big duplicate ${time}`, `insert into big values (1, '${body}')`);
    await attempt(client, log, `big parameter duplicate ${time}`, {
      text: 'insert into big values ($1, $2)',
      values: [1, body],
    });
  }
  await attempt(client, log, 'big row', 'select length(body), md5(body) from big');
  const wide = Array.from(
    { length: 1500 },
    (_, index) => `${index} as column_with_a_rather_long_name_${index}`,
  ).join(', ');
  await attempt(client, log, 'wide row', `select ${wide}`);
}

async function notifications(url: string, log: Transcript): Promise<void> {
  const listener = await connect(url, log);
  const sender = await connect(url, log);
  const heard: unknown[] = [];
  listener.on('notification', (message) => heard.push([message.channel, message.payload]));
  await listener.query('listen news');
  for (const word of ['one', 'two', 'three']) await sender.query(`notify news, '${word}'`);
  await until(() => heard.length === 3, waitMs, 'three notifications on an idle session');
  for (let time = 1; time <= repetitions; time += 1)
    await attempt(listener, log, `after notify ${time}`, 'select 1/0');
  log.add('notifications', { heard });
  await listener.end();
  await sender.end();
}

async function conflicts(url: string, log: Transcript): Promise<void> {
  const one = await connect(url, log);
  const two = await connect(url, log);
  const watcher = await connect(url, log);
  // Who waits second notices the deadlock; notices of two sessions at once have no order.
  await one.query("set deadlock_timeout = '20s'; set client_min_messages = warning");
  await two.query("set deadlock_timeout = '20ms'; set client_min_messages = warning");
  const pid = (await one.query<{ pid: number }>('select pg_backend_pid() as pid')).rows[0]?.pid;
  for (let time = 1; time <= repetitions; time += 1) {
    await one.query('begin; update account set balance = balance where id = 1');
    await two.query('begin; update account set balance = balance where id = 2');
    const waiting = one.query('update account set balance = balance where id = 2');
    const isWaiting = async (): Promise<boolean> =>
      (await watcher.query('select 1 from pg_locks where pid = $1 and not granted', [pid])).rowCount === 1;
    await until(isWaiting, waitMs, 'the first session to wait for the second');
    await attempt(two, log, `40P01 ${time}`, 'update account set balance = balance where id = 1');
    await attempt(two, log, `after deadlock ${time}`, 'rollback');
    await waiting;
    await one.query('rollback');
    await attempt(
      one,
      log,
      `conflict ${time}`,
      'begin isolation level repeatable read; select v from held where id = 2',
    );
    await two.query('update held set v = v + 1 where id = 2');
    await attempt(one, log, `40001 ${time}`, 'update held set v = v + 1 where id = 2');
    await attempt(one, log, `after conflict ${time}`, 'rollback');
  }
  for (const client of [one, two, watcher]) await client.end();
}

async function pipelined(url: string, log: Transcript): Promise<void> {
  const client = await connect(url, log, { pipeline: true } as pg.ClientConfig);
  for (let time = 1; time <= repetitions; time += 1) {
    const sent = ['select 1', 'select 1/0', 'select 2', 'select nope from city', 'select 3'].map((sql) =>
      client.query(sql),
    );
    const settled = await Promise.allSettled(sent);
    log.add(`pipeline ${time}`, {
      outcomes: settled.map((one) =>
        one.status === 'fulfilled' ? answers(one.value) : describeError(one.reason),
      ),
    });
  }
  await client.end();
}

async function cancelled(url: string, log: Transcript): Promise<void> {
  const client = await connect(url, log);
  const identity = client as unknown as { processID: number; secretKey: number };
  for (let time = 1; time <= repetitions; time += 1) {
    const running = log.attempt(
      `cancelled ${time}`,
      () => client.query('select pg_sleep(30)'),
      describeError,
    );
    await until(() => sleeping(url, identity.processID), waitMs, 'the statement to run');
    await cancel(url, identity);
    await within(running, waitMs, 'the cancelled statement');
    await attempt(client, log, `after cancel ${time}`, 'select 1');
  }
  await client.end();
}

async function sleeping(url: string, pid: number): Promise<boolean> {
  const watcher = new pg.Client(url);
  await watcher.connect();
  const found = await watcher.query(
    "select 1 from pg_stat_activity where pid = $1 and wait_event = 'PgSleep'",
    [pid],
  );
  await watcher.end();
  return found.rowCount === 1;
}

/** The way node-postgres cancels: a second client whose connection sends the first one's key. */
async function cancel(url: string, identity: { processID: number; secretKey: number }): Promise<void> {
  const { Connection } = pg as unknown as { Connection: new (options: object) => CancelConnection };
  const { hostname, port } = new URL(url);
  const connection = new Connection({});
  connection.on('connect', () => connection.cancel(identity.processID, identity.secretKey));
  connection.on('error', () => {});
  const ended = new Promise<void>((resolve) => connection.on('end', resolve));
  connection.connect(Number(port), hostname);
  await within(ended, waitMs, 'the cancel connection to be closed by the server');
}

interface CancelConnection {
  on(event: string, listener: () => void): void;
  connect(port: number, host: string): void;
  cancel(processId: number, secretKey: number): void;
}

async function terminated(url: string, log: Transcript): Promise<void> {
  const client = await connect(url, log);
  const killer = await connect(url, log);
  const errors: unknown[] = [];
  const ended = new Promise<void>((resolve) => client.on('end', resolve));
  client.on('error', (error) => errors.push(describeError(error)));
  await attempt(client, log, 'before termination', 'select nope from city');
  const { pid } = (await client.query<{ pid: number }>('select pg_backend_pid() as pid')).rows[0] ?? {};
  await killer.query('select pg_terminate_backend($1)', [pid]);
  await within(ended, waitMs, 'the terminated session to end');
  log.add('terminated', { errors });
  await killer.end();
}

async function refusedLogins(url: string, log: Transcript): Promise<void> {
  const wrongDatabase = new URL(url);
  wrongDatabase.pathname = '/no_such_database';
  const wrongPassword = new URL(url);
  wrongPassword.password = 'wrong';
  for (let time = 1; time <= repetitions; time += 1) {
    for (const [step, target] of [
      ['3D000', wrongDatabase],
      ['28P01', wrongPassword],
    ] as const) {
      const client = new pg.Client(target.href);
      await log.attempt(`${step} ${time}`, () => client.connect(), describeError);
    }
  }
}

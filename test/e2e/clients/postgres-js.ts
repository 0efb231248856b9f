/** The battery as a program of postgres.js: prepared and unprepared, queued queries, cursors, COPY, LISTEN, cancel. */
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import postgres from 'postgres';
import { until } from '../../support/until.js';
import { failingStatements, repetitions } from '../battery/failing-statements.js';
import { errorFields, type Transcript } from '../battery/transcript.js';

const waitMs = 20_000;

/** What postgres.js calls the fields whose names differ from ours. */
const names: Readonly<Record<string, string>> = {
  severity: 'severity_local',
  internalPosition: 'internal_position',
  internalQuery: 'internal_query',
  schema: 'schema_name',
  table: 'table_name',
  column: 'column_name',
  dataType: 'data_type_name',
  constraint: 'constraint_name',
};

export async function runPostgresJs(url: string, log: Transcript): Promise<void> {
  for (const prepare of [true, false]) {
    const sql = connect(url, log, { prepare });
    await failures(sql, log, `prepare ${prepare}`);
    await queued(sql, log);
    await transactions(sql, log);
    await cursors(sql, log);
    await copies(sql, log);
    await sql.end();
  }
  await notifications(url, log);
  await cancelled(url, log);
}

type Sql = ReturnType<typeof connect>;

function connect(url: string, log: Transcript, options: postgres.Options<Record<string, never>> = {}) {
  const onnotice = (notice: postgres.Notice): void => log.add('notice', { notice: describeError(notice) });
  return postgres(url, { max: 1, onnotice, fetch_types: false, ...options });
}

function describeError(error: unknown): unknown {
  const fields = error as Readonly<Record<string, unknown>>;
  if (typeof fields['severity_local'] !== 'string') return { other: String(fields['code'] ?? error) };
  return Object.fromEntries(errorFields.map((name) => [name, fields[names[name] ?? name] ?? null]));
}

function answer(result: postgres.RowList<postgres.Row[]>): unknown {
  return {
    command: result.command,
    count: result.count,
    columns: result.columns?.map((one) => `${one.name}:${one.type}`),
    rows: [...result],
  };
}

async function failures(sql: Sql, log: Transcript, label: string): Promise<void> {
  for (const { code, sql: text, before, after, isTextOnly } of failingStatements) {
    if (before !== undefined) await sql.unsafe(before);
    for (let time = 1; time <= repetitions; time += 1) {
      await log.attempt(
        `${code} ${time} simple ${label} ${text}`,
        async () => answer(await sql.unsafe(text).simple()),
        describeError,
      );
    }
    if (isTextOnly !== true) {
      for (let time = 1; time <= repetitions; time += 1) {
        await log.attempt(
          `${code} ${time} extended ${label} ${text}`,
          async () => answer(await sql.unsafe(text, [], { prepare: label === 'prepare true' })),
          describeError,
        );
      }
    }
    if (after !== undefined) await sql.unsafe(after);
  }
  for (let time = 1; time <= repetitions; time += 1) {
    await log.attempt(
      `parameters ${time}`,
      async () => answer(await sql`select name from city where id = ${time}`),
      describeError,
    );
    await log.attempt(
      `bad parameter ${time}`,
      async () => answer(await sql`select name from city where id = ${'x'}::text::int`),
      describeError,
    );
    await log.attempt(
      `unknown column ${time}`,
      async () => answer(await sql`select nope from city where id = ${time}`),
      describeError,
    );
    await log.attempt(
      `describe ${time}`,
      async () => (await sql`select id, name from city where id = ${time}`.describe()).types,
      describeError,
    );
    await log.attempt(
      `describe bad ${time}`,
      async () => sql`select id, nope from city where id = ${time}`.describe(),
      describeError,
    );
  }
}

/** Several queries are sent before the first is answered. */
async function queued(sql: Sql, log: Transcript): Promise<void> {
  for (let time = 1; time <= repetitions; time += 1) {
    const settled = await Promise.allSettled([
      sql`select 1 as a`,
      sql`select name from city where id = ${2}`,
      sql`select 1 / (id - id) from city where id = ${1}`,
      sql`select nope from city`,
      sql.unsafe('select 5; select 6').simple(),
      sql`select ${'7'}::int as g`,
    ]);
    log.add(`queued ${time}`, {
      outcomes: settled.map((one) =>
        one.status === 'fulfilled'
          ? [...(one.value as unknown as Iterable<unknown>)]
          : describeError(one.reason),
      ),
    });
  }
}

async function transactions(sql: Sql, log: Transcript): Promise<void> {
  for (let time = 1; time <= repetitions; time += 1) {
    const failing = (): Promise<unknown> =>
      sql.begin(async (block) => {
        await block`update city set name = name where id = 1`;
        await block
          .savepoint((inner) => inner`select nope from city`)
          .catch((error: unknown) => log.add('savepoint', { error: describeError(error) }));
        return block`insert into person (id, email) values (${20 + time}, ${'a@example.org'})`;
      });
    await log.attempt(`transaction ${time}`, failing, describeError);
    const deferred = (): Promise<unknown> =>
      sql.begin((block) => block`insert into slot values (${7}, ${2})`);
    await log.attempt(`deferred commit ${time}`, deferred, describeError);
    await log.attempt(
      `deferred autocommit ${time}`,
      () => sql`insert into slot values (${7}, ${2})`,
      describeError,
    );
  }
}

async function cursors(sql: Sql, log: Transcript): Promise<void> {
  for (let time = 1; time <= repetitions; time += 1) {
    for (const text of [
      'select g from generate_series(1, 25) g',
      'select 10 / (13 - g) as q from generate_series(1, 25) g',
    ]) {
      const batches: unknown[] = [];
      const read = async (): Promise<unknown> => {
        for await (const rows of sql.unsafe(text).cursor(10)) batches.push([...rows]);
        return 'complete';
      };
      await log.attempt(`cursor ${time} ${text}`, read, describeError);
      log.add('cursor batches', { batches });
    }
  }
}

/** Good ones only: after a refused COPY FROM this client never sends the Sync the server waits for, proxied or not. */
async function copies(sql: Sql, log: Transcript): Promise<void> {
  await sql`delete from copied`;
  const load = (rows: string[]) => async (): Promise<void> => {
    await pipeline(Readable.from(rows), await sql`copy copied from stdin`.writable());
  };
  await log.attempt(
    'copy in',
    load(Array.from({ length: 500 }, (_, index) => `${index}\tword ${index}\n`)),
    describeError,
  );
  for (let time = 1; time <= repetitions; time += 1) {
    const unload = async (): Promise<string> => {
      const chunks: Buffer[] = [];
      for await (const chunk of await sql`copy (select * from copied order by id) to stdout`.readable())
        chunks.push(chunk as Buffer);
      return Buffer.concat(chunks).toString();
    };
    await log.attempt(`copy out ${time}`, unload, describeError);
    await log.attempt(
      `after copy ${time}`,
      async () => answer(await sql`select count(*) from copied`),
      describeError,
    );
  }
}

/** One session per cancellation: a second signal, should one come late, has nothing left to hit. */
async function cancelled(url: string, log: Transcript): Promise<void> {
  const watcher = connect(url, log);
  const isSleeping = async (): Promise<boolean> =>
    (
      await watcher`select 1 from pg_stat_activity where wait_event = 'PgSleep' and datname = current_database()`
    ).count === 1;
  for (let time = 1; time <= repetitions; time += 1) {
    const sql = connect(url, log);
    const query = sql`select pg_sleep(30)`;
    const running = log.attempt(`cancelled ${time}`, () => query, describeError);
    await until(isSleeping, waitMs, 'the statement to run');
    query.cancel();
    await running;
    await sql.end();
  }
  await watcher.end();
}

async function notifications(url: string, log: Transcript): Promise<void> {
  const sql = connect(url, log);
  const heard: string[] = [];
  const subscription = await sql.listen('news', (payload) => heard.push(payload));
  for (const word of ['one', 'two', 'three']) await sql.notify('news', word);
  await until(() => heard.length === 3, waitMs, 'three notifications on an idle session');
  await subscription.unlisten();
  log.add('notifications', { heard });
  await sql.end();
}

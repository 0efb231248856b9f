/**
 * The battery as a program of the mariadb package: text and binary protocol, pipelining, batches (one bulk command on
 * MariaDB, many executions on MySQL), streams, local files, changed users.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Connection, type ConnectionConfig, createConnection } from 'mariadb';
import { asAccount } from '../../../servers/mysql-database.js';
import type { MysqlFlavour } from '../../../servers/mysql-programs.js';
import { until, within } from '../../../support/until.js';
import type { Transcript } from '../../battery/transcript.js';
import { failingStatements, repetitions } from '../battery/failing-statements.js';

const waitMs = 20_000;

export async function runMariadbNpm(url: string, log: Transcript, flavour: MysqlFlavour): Promise<void> {
  const client = await connect(url);
  const reader = await connect(asAccount(url, { name: 'reader', password: 'readerpw' }));
  await failures({ client, reader }, log, flavour);
  for (const part of [results, prepared, transactions, batches, streams]) await part(client, log);
  for (const one of [client, reader]) await one.end();
  for (const part of [pipelined, several, localFiles, changedUsers, killed, refusedLogins])
    await part(url, log);
}

function connect(url: string, options: Partial<ConnectionConfig> = {}): Promise<Connection> {
  const { hostname, port, username, password, pathname } = new URL(url);
  return createConnection({
    host: hostname,
    port: Number(port),
    user: username,
    password,
    database: pathname.slice(1),
    allowPublicKeyRetrieval: true,
    ...options,
  });
}

function describeError(error: unknown): unknown {
  const { errno, code, sqlState, sqlMessage, fatal } = error as Record<string, unknown>;
  if (typeof errno !== 'number' || sqlMessage === undefined) return { other: String(error) };
  return { errno, code, sqlState, sqlMessage, fatal };
}

/** Rows with what the client says of their columns; anything else as it is. */
function describeResult(result: unknown): unknown {
  if (!Array.isArray(result)) return result;
  const { meta } = result as { meta?: readonly Column[] };
  if (meta === undefined) return result.map(describeResult);
  const columns = meta.map((column) => [
    column.name(),
    column.orgTable(),
    column.type,
    column.columnLength,
    column.collation.index,
    column.flags,
    column.scale,
  ]);
  return { columns, rows: [...result] };
}

interface Column {
  name(): string;
  orgTable(): string;
  readonly type: string;
  readonly columnLength: number;
  readonly collation: { readonly index: number };
  readonly flags: number;
  readonly scale: number;
}

async function attempt(
  client: Connection,
  log: Transcript,
  step: string,
  sql: string,
  options: { isPrepared?: boolean; values?: unknown[] } = {},
): Promise<void> {
  const work = async (): Promise<unknown> =>
    describeResult(
      options.isPrepared === true
        ? await client.execute(sql, options.values)
        : await client.query(sql, options.values),
    );
  await log.attempt(step, work, describeError, () => statusFlags(client));
}

async function statusFlags(client: Connection): Promise<unknown> {
  await client.query('do 0').catch(() => undefined);
  return (client.info as unknown as { status: number } | null)?.status ?? null;
}

async function failures(
  { client, reader }: { client: Connection; reader: Connection },
  log: Transcript,
  flavour: MysqlFlavour,
): Promise<void> {
  for (const { code, sql, before, after, isTextOnly, isReader } of failingStatements(flavour)) {
    const session = isReader === true ? reader : client;
    if (before !== undefined) await session.query(before);
    for (const way of isTextOnly === true ? ['text'] : ['text', 'prepared']) {
      for (let time = 1; time <= repetitions; time += 1)
        await attempt(session, log, `${code} ${time} ${way} ${sql}`, sql, { isPrepared: way === 'prepared' });
    }
    if (after !== undefined) await session.query(after);
  }
}

async function results(client: Connection, log: Transcript): Promise<void> {
  const texts = [
    'select * from city order by id',
    'select * from person order by id',
    'select * from copied',
    "select cast(1 as signed), 1.5, null, x'00ff', date '2024-01-02', time '10:11:12', true",
    'call two_sets()',
    'call overdraw()',
    "insert into copied (word) values ('one'), ('two')",
    "insert ignore into copied (id, word) values (1, 'again')",
    'show warnings',
    'truncate table copied',
    '',
  ];
  for (const sql of texts) {
    await attempt(client, log, `result ${sql}`, sql);
    if (sql !== 'show warnings') await attempt(client, log, `result ${sql}`, sql, { isPrepared: true });
  }
}

async function prepared(client: Connection, log: Transcript): Promise<void> {
  const run = (step: string, sql: string, values: unknown[]): Promise<void> =>
    attempt(client, log, step, sql, { isPrepared: true, values });
  for (const id of [1, 'x', null]) await run(`by id ${id}`, 'select name from city where id = ?', [id]);
  await run('types', 'select ? as a, ? as b, ? as c, ? as d', [
    1.5,
    'text \u{1f600}',
    Buffer.from([0, 255]),
    new Date('2024-01-02T03:04:05.678Z'),
  ]);
  for (let time = 1; time <= repetitions; time += 1) {
    await run(`duplicate ${time}`, 'insert into person (id, email) values (?, ?)', [50, 'a@example.org']);
    await run(`missing table ${time}`, 'select * from nowhere where id = ?', [1]);
    await run(`late failure ${time}`, 'select id, checked(id + ?) as c from city order by id', [1]);
    await run(`failing call ${time}`, 'call overdraw()', []);
    await run(`too few values ${time}`, 'select ? as a, ? as b', [1]);
  }
  const statement = await client.prepare('select 9223372036854775807 + ? as sum');
  for (const value of [0, 1, 2, -1])
    await log.attempt(
      `statement ${value}`,
      async () => describeResult(await statement.execute([value])),
      describeError,
    );
  statement.close();
  await attempt(client, log, 'after a closed statement', 'select nme from city');
}

async function transactions(client: Connection, log: Transcript): Promise<void> {
  for (let time = 1; time <= repetitions; time += 1) {
    await log.attempt(`begin ${time}`, () => client.beginTransaction(), describeError);
    await attempt(client, log, `in a block ${time}`, 'update account set balance = 1 where id = 2');
    await attempt(client, log, `failing in a block ${time}`, 'select nme from city');
    await log.attempt(`rollback ${time}`, () => client.rollback(), describeError);
    await log.attempt(`ping ${time}`, () => client.ping(), describeError);
    await log.attempt(`reset ${time}`, () => client.reset(), describeError);
    await attempt(client, log, `after a reset ${time}`, 'select nme from city');
  }
}

async function batches(client: Connection, log: Transcript): Promise<void> {
  const insert = 'insert into copied (id, word) values (?, ?)';
  const good = Array.from({ length: 500 }, (_, index) => [index + 1, `word ${index}`]);
  const bad = [
    ...good.slice(0, 3).map(([id], index) => [Number(id) + 600 + index, 'x']),
    [1, 'again'],
    [900, 'y'],
  ];
  await log.attempt('batch', async () => describeResult(await client.batch(insert, good)), describeError);
  for (let time = 1; time <= repetitions; time += 1) {
    await log.attempt(`batch with a duplicate ${time}`, () => client.batch(insert, bad), describeError);
    await attempt(client, log, `after a batch ${time}`, 'select count(*), max(id) from copied');
    await attempt(client, log, `after a batch ${time}`, 'delete from copied where id > 500');
    const unknown = 'insert into nowhere (id, word) values (?, ?)';
    await log.attempt(`batch into nowhere ${time}`, () => client.batch(unknown, good), describeError);
    const long = good.map(([id, word]) => [Number(id) + 5000, String(word).repeat(20)]);
    await log.attempt(`batch too long ${time}`, () => client.batch(insert, long), describeError);
    await attempt(client, log, `after a batch ${time}`, 'delete from copied where id > 500');
  }
  await attempt(client, log, 'after batches', 'truncate table copied');
}

async function streams(client: Connection, log: Transcript): Promise<void> {
  const texts = [
    'select a.d * 10 + b.d as n from digits a, digits b order by n',
    'select id, checked(id) as c from city order by id',
    'select nope from city',
  ];
  for (let time = 1; time <= repetitions; time += 1) {
    for (const sql of texts) {
      const rows: unknown[] = [];
      const read = async (): Promise<unknown> => {
        for await (const row of client.queryStream(sql)) rows.push(row);
        return 'complete';
      };
      await log.attempt(`stream ${time} ${sql}`, read, describeError);
      log.add('stream rows', { rows });
    }
  }
}

/** Commands go out before the answers to earlier ones are there. */
async function pipelined(url: string, log: Transcript): Promise<void> {
  for (const isPipelining of [true, false]) {
    const client = await connect(url, { pipelining: isPipelining });
    for (let time = 1; time <= repetitions; time += 1) {
      const settled = await Promise.allSettled([
        client.query('select 1 as one'),
        client.query('insert into city (id, name) values (1, 1)'),
        client.execute('select ? as three', [3]),
        client.query('select nme from city'),
        client.execute('select ? as five from nowhere', [5]),
        client.query('call overdraw()'),
        client.query('select 7 as seven'),
      ]);
      log.add(`pipelined ${isPipelining} ${time}`, {
        outcomes: settled.map((one) =>
          one.status === 'fulfilled' ? describeResult(one.value) : describeError(one.reason),
        ),
      });
    }
    await client.end();
  }
}

async function several(url: string, log: Transcript): Promise<void> {
  const client = await connect(url, { multipleStatements: true });
  const texts = [
    'select 1 as a; select 2 as b',
    'select 1 as a; select nme from city; select 2 as b',
    'update city set country = country where id = 1; selec 1',
    'do 1; call two_sets(); select id, checked(id) from city order by id; select 5',
  ];
  for (let time = 1; time <= repetitions; time += 1)
    for (const sql of texts) await attempt(client, log, `several ${time} ${sql}`, sql);
  await client.end();
}

async function localFiles(url: string, log: Transcript): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'twiceshy-infile-'));
  try {
    const file = join(folder, 'rows');
    writeFileSync(file, Array.from({ length: 500 }, (_, index) => `${index + 1}\tword\n`).join(''));
    const client = await connect(url, { permitLocalInfile: true });
    const load = (step: string, from: string, into: string): Promise<void> =>
      log.attempt(
        step,
        () => client.query(`load data local infile '${from}' into ${into}`),
        (error) => JSON.parse(JSON.stringify(describeError(error)).replaceAll(folder, '<folder>')),
      );
    await load('file', file, 'table copied (id, word)');
    for (let time = 1; time <= repetitions; time += 1) {
      await load(`file again ${time}`, file, 'table copied (id, word)');
      await load(`file for no table ${time}`, file, 'table nowhere (id, word)');
      await load(`no file ${time}`, join(folder, 'none'), 'table copied (id, word)');
      const midway = 'table copied (id, word) set twin = (select d from digits)';
      await load(`file that fails midway ${time}`, file, midway);
      await attempt(client, log, `after files ${time}`, 'select count(*) from copied');
    }
    await attempt(client, log, 'after files', 'truncate table copied');
    await client.end();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function changedUsers(url: string, log: Transcript): Promise<void> {
  const client = await connect(url);
  const database = new URL(url).pathname.slice(1);
  for (let time = 1; time <= repetitions; time += 1) {
    for (const [user, password] of [
      ['reader', 'readerpw'],
      ['app', 'secretpw'],
    ] as const) {
      const change = (): Promise<void> => client.changeUser({ user, password, database });
      await log.attempt(`change to ${user} ${time}`, change, describeError);
      await attempt(client, log, `as ${user} ${time}`, 'delete from city where id = 1');
      await attempt(client, log, `as ${user} ${time}`, 'select count(*) from city where id < ?', {
        isPrepared: true,
        values: [9],
      });
    }
  }
  await client.end();
}

async function killed(url: string, log: Transcript): Promise<void> {
  const killer = await connect(url);
  for (let time = 1; time <= repetitions; time += 1) {
    const client = await connect(url);
    const running = attempt(client, log, `never: killed query ${time}`, 'select max(sleep(30)) from city');
    const sleeping =
      "select 1 from information_schema.processlist where id = ? and info like 'select max(sleep%'";
    await until(
      async () => (await killer.query<unknown[]>(sleeping, [client.threadId])).length === 1,
      waitMs,
      'sleep',
    );
    await killer.query(`kill query ${client.threadId}`);
    await within(running, waitMs, 'the killed statement');
    await attempt(client, log, `after a killed query ${time}`, 'select 1');
    await client.end();
  }
  await killer.end();
}

async function refusedLogins(url: string, log: Transcript): Promise<void> {
  for (let time = 1; time <= repetitions; time += 1) {
    for (const [step, options] of Object.entries({
      'wrong password': { password: 'wrong' },
      'unknown database': { database: 'no_such_database' },
      'unknown user': { user: 'nobody_here' },
    })) {
      const work = async (): Promise<void> => (await connect(url, options)).end();
      await log.attempt(`never: ${step} ${time}`, work, describeError);
    }
  }
}

/** Sessions that notify, wait for, cancel and end each other, and logins the server refuses. */
import pg from 'pg';
import { until, within } from '../../../support/until.js';
import { repetitions } from '../../battery/failing-statements.js';
import type { Transcript } from '../../battery/transcript.js';
import { answers, attempt, connect, describeError, waitMs } from './session.js';

export async function notifications(url: string, log: Transcript): Promise<void> {
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

export async function conflicts(url: string, log: Transcript): Promise<void> {
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

export async function pipelined(url: string, log: Transcript): Promise<void> {
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

export async function cancelled(url: string, log: Transcript): Promise<void> {
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

export async function terminated(url: string, log: Transcript): Promise<void> {
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

export async function refusedLogins(url: string, log: Transcript): Promise<void> {
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

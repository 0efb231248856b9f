/** What takes more than one session: other accounts, deadlocks, kills, refused logins. */
import type { Connection } from 'mysql2/promise';
import { asAccount } from '../../../../servers/mysql-database.js';
import { until, within } from '../../../../support/until.js';
import type { Transcript } from '../../../battery/transcript.js';
import { repetitions } from '../../battery/failing-statements.js';
import { attempt, connect, describeError, waitMs } from './session.js';

const readerAccount = { name: 'reader', password: 'readerpw' };

export async function changedUsers(url: string, log: Transcript): Promise<void> {
  const client = await connect(url);
  const database = new URL(url).pathname.slice(1);
  const change = (
    step: string,
    options: { user: string; password: string; database?: string },
  ): Promise<void> => log.attempt(step, () => client.changeUser(options), describeError);
  await client.execute('select name from city where id = ?', [1]);
  for (let time = 1; time <= repetitions; time += 1) {
    await change(`change user ${time}`, { user: 'reader', password: 'readerpw', database });
    await attempt(client, log, `as reader ${time}`, "insert into city values (7, 'Bergen', 'NO')");
    await attempt(client, log, `as reader ${time}`, 'select name from city where id = ?', {
      isPrepared: true,
      values: [2],
    });
    await change(`change user back ${time}`, { user: 'app', password: 'secretpw', database });
    await attempt(client, log, `as app ${time}`, 'select nme from city');
    await change(`change database ${time}`, { user: 'app', password: 'secretpw', database: 'mysql' });
    await attempt(client, log, `in mysql ${time}`, 'select nme from city');
    await change(`change database back ${time}`, { user: 'app', password: 'secretpw', database });
  }
  await client.end();
  for (const [step, options] of [
    ['password', { user: 'reader', password: 'wrong', database }],
    ['database', { user: 'app', password: 'secretpw', database: 'no_such_database' }],
  ] as const) {
    for (let time = 1; time <= repetitions; time += 1) {
      const refused = await connect(url);
      refused.on('error', () => undefined);
      await log.attempt(`never: wrong ${step} ${time}`, () => refused.changeUser(options), describeError);
      refused.destroy();
    }
  }
}

export async function resets(url: string, log: Transcript): Promise<void> {
  const client = await connect(url);
  for (let time = 1; time <= repetitions; time += 1) {
    await attempt(client, log, `before reset ${time}`, 'set @kept = 1');
    await log.attempt(`ping ${time}`, () => client.ping(), describeError);
    await attempt(client, log, `before reset ${time}`, 'begin');
    await attempt(client, log, `before reset ${time}`, 'select nme from city');
    await log.attempt(`reset ${time}`, () => client.reset(), describeError);
    await attempt(client, log, `after reset ${time}`, 'select @kept as kept');
    await attempt(client, log, `after reset ${time}`, 'select nme from city');
  }
  await client.end();
}

/** The heavier session waits for row 3, then ours asks for row 2 and is the one that gives way. */
export async function deadlocks(url: string, log: Transcript): Promise<void> {
  const [client, other, watcher] = [await connect(url), await connect(url), await connect(url)];
  for (let time = 1; time <= repetitions; time += 1) {
    await attempt(client, log, `deadlock ${time}`, 'begin');
    await attempt(client, log, `deadlock ${time}`, 'update held set v = 1 where id = 3');
    await other.query('begin');
    // Row by row: a list of them may be looked for by a scan, which meets the locked first row.
    for (const id of [2, 4, 5]) await other.query('update held set v = v + 1 where id = ?', [id]);
    const waiting = other.query('update held set v = v + 1 where id = 3');
    await until(() => isLockWaiting(watcher, other), waitMs, 'the other session to wait for a lock');
    await attempt(client, log, `1213 ${time}`, 'update held set v = 1 where id = 2');
    await within(waiting, waitMs, 'the other session to get its lock');
    await other.query('rollback');
    await attempt(client, log, `after 1213 ${time}`, 'rollback');
    await attempt(client, log, `in a block 1205 ${time}`, 'set innodb_lock_wait_timeout = 1');
    await attempt(client, log, `in a block 1205 ${time}`, 'begin');
    await attempt(client, log, `in a block 1205 ${time}`, 'update held set v = 5 where id = 6');
    await attempt(client, log, `1205 ${time} in a block`, 'update held set v = 1 where id = 1');
    await attempt(client, log, `in a block 1205 ${time}`, 'select v from held where id = 6');
    await attempt(client, log, `in a block 1205 ${time}`, 'rollback');
    await attempt(client, log, `in a block 1205 ${time}`, 'set innodb_lock_wait_timeout = default');
  }
  for (const one of [client, other, watcher]) await one.end();
}

/** From the engine's report: the table of transactions goes stale while several sessions read it often. */
async function isLockWaiting(watcher: Connection, waiting: Connection): Promise<boolean> {
  const [rows] = await watcher.query('show engine innodb status');
  // What comes before the first transaction tells of the last deadlock.
  const [, ...transactions] = (rows as { Status: string }[])[0]?.Status.split('---TRANSACTION') ?? [];
  const own = transactions.find((one) => one.includes(`thread id ${waiting.threadId},`));
  return own?.includes('LOCK WAIT') === true;
}

/** Kills of a statement and of a whole session, by statement of another session. */
export async function kills(url: string, log: Transcript): Promise<void> {
  const killer = await connect(url);
  for (let time = 1; time <= repetitions; time += 1) {
    const client = await connect(url);
    const running = attempt(client, log, `never: killed query ${time}`, 'select max(sleep(30)) from city');
    await until(() => isSleeping(killer, client), waitMs, 'the statement to run');
    await killer.query(`kill query ${client.threadId}`);
    await within(running, waitMs, 'the killed statement');
    await attempt(client, log, `after a killed query ${time}`, 'select nme from city');
    client.on('error', () => undefined);
    await killer.query(`kill ${client.threadId}`);
    const work = async (): Promise<unknown> => (await client.query('select 1'))[0];
    await log.attempt(`never: killed session ${time}`, work, endOfSession);
    client.destroy();
  }
  for (let time = 1; time <= repetitions; time += 1)
    await attempt(killer, log, `1094 ${time}`, 'kill 4000000000');
  await killer.end();
}

/** Whether a client still reads the server's last words is a matter of timing; that the session ended is not. */
function endOfSession(error: unknown): unknown {
  return { isFatal: (error as { fatal?: boolean }).fatal === true };
}

async function isSleeping(watcher: Connection, sleeper: Connection): Promise<boolean> {
  const [rows] = await watcher.query(
    "select 1 from information_schema.processlist where id = ? and info like 'select max(sleep%'",
    [sleeper.threadId],
  );
  return (rows as unknown[]).length === 1;
}

export async function refusedLogins(url: string, log: Transcript): Promise<void> {
  const wrongDatabase = new URL(url);
  wrongDatabase.pathname = '/no_such_database';
  const targets = {
    'wrong password': asAccount(url, { name: 'reader', password: 'wrong' }),
    'unknown user': asAccount(url, { name: 'nobody_here', password: 'x' }),
    'unknown database': wrongDatabase.href,
    'no rights': asAccount(url, { name: 'no_rights', password: 'norightspw' }),
    'TLS only': asAccount(url, { name: 'tls_user', password: 'tlspw' }),
  };
  for (let time = 1; time <= repetitions; time += 1) {
    for (const [step, target] of Object.entries(targets)) {
      const work = async (): Promise<void> => (await connect(target)).destroy();
      await log.attempt(`never: ${step} ${time}`, work, describeError);
    }
  }
  const reader = await connect(asAccount(url, readerAccount));
  await attempt(reader, log, 'a good login', 'select current_user() as u');
  await reader.end();
}

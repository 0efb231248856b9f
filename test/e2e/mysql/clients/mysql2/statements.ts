/** Statements as texts and as prepared statements, in and out of transactions, one and several in a text. */
import type { Connection } from 'mysql2/promise';
import type { MysqlFlavour } from '../../../../servers/mysql-programs.js';
import type { Transcript } from '../../../battery/transcript.js';
import { failingStatements, repetitions } from '../../battery/failing-statements.js';
import { attempt, connectWithCallbacks, describeError, describeResult } from './session.js';

export async function failures(
  { client, reader }: { client: Connection; reader: Connection },
  log: Transcript,
  flavour: MysqlFlavour,
): Promise<void> {
  for (const { code, sql, before, after, isTextOnly, isReader } of failingStatements(flavour)) {
    const session = isReader === true ? reader : client;
    if (before !== undefined) await session.query(before);
    for (const way of ['text', 'prepared']) {
      if (way === 'prepared' && isTextOnly === true) continue;
      const isPrepared = way === 'prepared';
      for (let time = 1; time <= repetitions; time += 1)
        await attempt(session, log, `${code} ${time} ${way} ${sql}`, sql, { isPrepared });
    }
    if (after !== undefined) await session.query(after);
  }
}

export async function texts(client: Connection, log: Transcript): Promise<void> {
  for (let time = 1; time <= repetitions; time += 1) {
    const inBlock = (step: string, sql: string): Promise<void> =>
      attempt(client, log, `${step} ${time}`, sql);
    await inBlock('block', 'begin');
    await inBlock('block', 'update account set balance = balance + 1 where id = 1');
    await inBlock('failure in a block', 'select nme from city');
    await inBlock('block goes on', 'select balance from account where id = 1');
    await inBlock('block', 'savepoint s');
    await inBlock('failure in a block', "insert into city (id, name) values (1, 'again')");
    await inBlock('block', 'rollback to savepoint s');
    await inBlock('block', 'rollback');
    await inBlock('implicit commit', 'start transaction');
    await inBlock('implicit commit', 'create table if not exists city (id int)');
    await inBlock('implicit commit', 'commit and chain');
    await inBlock('implicit commit', 'rollback and no chain');
    await inBlock('autocommit', 'set autocommit = 0');
    await inBlock('autocommit', 'insert into city values (1, 1, 1)');
    await inBlock('autocommit', 'set autocommit = 1');
  }
  await attempt(client, log, 'empty', '');
  await attempt(client, log, 'comment only', '-- nothing');
  await attempt(client, log, 'comment and a semicolon', '/* nothing */ ;');
}

/** On a session that may send several statements in one text. */
export async function severalStatements(client: Connection, log: Transcript): Promise<void> {
  const failing = [
    'select 1 as a; select nme from city; select 2 as b',
    'update city set country = country where id = 1; selec 1',
    'select 1 as a; insert into city (id, name) values (1, 1); select 3 as c',
    'select 1 as a; call overdraw(); select 4 as d',
    'do 1; do 2; do 3; do 4; select id, checked(id) from city order by id; do 6; do 7',
    'select 1; use no_such_database; select 2',
  ];
  const good = [
    'select 1 as a; select 2 as b; select 3 as c',
    "update city set country = country; select 'x' as word; insert into copied (word) values ('new'); do 0",
    'call two_sets(); select 9 as nine',
    'set @a = 5; select @a as a;',
  ];
  for (let time = 1; time <= repetitions; time += 1) {
    for (const sql of failing) await attempt(client, log, `several ${time} ${sql}`, sql);
    for (const sql of good) await attempt(client, log, `several good ${time} ${sql}`, sql);
  }
  await attempt(client, log, 'several', 'delete from copied');
}

export async function results(client: Connection, log: Transcript): Promise<void> {
  const sent = (sql: string): Promise<void> => attempt(client, log, `result ${sql}`, sql);
  await sent("insert into copied (word) values ('one'), ('two'), ('three')");
  await sent("insert into copied (id, word) values (2, 'two') on duplicate key update word = 'changed'");
  await sent("insert ignore into copied (id, word) values (2, 'again'), (3, 'again')");
  await sent("replace into copied (id, word) values (1, 'replaced')");
  await sent('update copied set word = word');
  await sent("update copied set word = concat(word, '!') where id < 3");
  await sent('delete from copied where id > 2');
  await sent('truncate table copied');
  await sent('select * from city order by id');
  await sent('select * from person order by id');
  await sent('select * from copied');
  await sent(
    "select cast(1 as signed), 1.5, null, x'00ff', date '2024-01-02', time '10:11:12', true, json_array(1, 'x')",
  );
  await sent('select id as `a b`, name `ö` from city_names order by id');
  await sent(`select ${Array.from({ length: 251 }, (_, index) => `${index} as c${index}`).join(', ')}`);
  await sent('call two_sets()');
  await sent("set sql_mode = ''");
  await sent(
    "insert into person (email, age, shoe, nick, born) values ('w', 'x', 70000, 'far too long', 'never')",
  );
  await sent('show warnings');
  await sent("delete from person where email = 'w'");
  await sent("select 1 / 0, cast('x' as signed)");
  await sent('show warnings');
  await sent('set sql_mode = default');
  await sent('explain select 1');
  await sent('show create table account');
  await sent('analyze table city');
  await sent('checksum table city');
}

export async function prepared(client: Connection, log: Transcript): Promise<void> {
  const run = (step: string, sql: string, values: readonly unknown[]): Promise<void> =>
    attempt(client, log, step, sql, { isPrepared: true, values });
  for (const id of [1, 2, 'x', 3, null])
    await run(`by id ${id}`, 'select name, country from city where id = ?', [id]);
  const typed = 'select ? as a, ? as b, ? as c, ? as d, ? as e';
  const moment = new Date('2024-01-02T03:04:05.678Z');
  await run('types', typed, [1.5, 'text', moment, Buffer.from([0, 1, 255]), null]);
  await run('types again', typed, [null, 2, 'x', 'ö\u{1f600}', true]);
  for (let time = 1; time <= repetitions; time += 1) {
    await run(`duplicate ${time}`, 'insert into person (id, email) values (?, ?)', [50, 'a@example.org']);
    await run(`too long ${time}`, 'update person set nick = ? where id = ?', ['far too long', 1]);
    await run(`bad value ${time}`, 'update person set born = ? where id = ?', ['yesterday-ish', 1]);
    await run(`missing table ${time}`, 'select * from nowhere where id = ?', [1]);
    await run(`wrong count ${time}`, 'select ? as a, ? as b', [1]);
    await run(`late failure ${time}`, 'select id, checked(id + ?) as c from city order by id', [1]);
    await run(`call ${time}`, 'call two_sets()', []);
    await run(`failing call ${time}`, 'call overdraw()', []);
    await run(`several ${time}`, 'select 1; select 2', []);
  }
  const statement = await client.prepare('select 9223372036854775807 + ? as sum');
  for (const value of [0, 1, 2, -1]) {
    const work = async (): Promise<unknown> => {
      const [rows, fields] = await statement.execute([value]);
      return describeResult(rows, fields);
    };
    await log.attempt(`statement ${value}`, work, describeError);
  }
  await statement.close();
  for (let index = 0; index < 25; index += 1) {
    const column = index % 4 === 3 ? 'missing_column' : 'name';
    await attempt(
      client,
      log,
      `prepare ${index}`,
      `prepare p${index} from 'select ${column} from city where id = ?'`,
    );
    await attempt(client, log, `execute ${index}`, `set @id = ${index % 5}`);
    await attempt(client, log, `execute ${index}`, `execute p${index} using @id`);
    await attempt(client, log, `execute bad ${index}`, `execute p${index}`);
    await attempt(client, log, `deallocate ${index}`, `deallocate prepare p${index}`);
  }
}

/** Callback style settles in the same order as it was sent, although nothing waits in between. */
export async function callbacks(url: string, log: Transcript): Promise<void> {
  const client = await connectWithCallbacks(url);
  for (let time = 1; time <= repetitions; time += 1) {
    const seen: unknown[] = [];
    await new Promise<void>((resolve) => {
      const done =
        (label: string) =>
        (error: unknown, result: unknown, fields: unknown): void => {
          seen.push([label, error === null ? describeResult(result, fields) : describeError(error)]);
          if (seen.length === 5) resolve();
        };
      client.query('select 1 as one', done('first'));
      client.query('select nme from city', done('second'));
      client.execute('select ? as three', ['x'], done('third'));
      client.execute('insert into city (id, name) values (?, ?)', [1, 'again'], done('fourth'));
      client.query('select 5 as five', done('fifth'));
    });
    log.add(`callbacks ${time}`, { seen });
  }
  await new Promise<void>((resolve) => client.end(() => resolve()));
}

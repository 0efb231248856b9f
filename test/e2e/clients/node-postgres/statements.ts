/** Statements as texts and as prepared statements, in and out of transactions. */
import type pg from 'pg';
import { failingStatements, repetitions } from '../../battery/failing-statements.js';
import type { Transcript } from '../../battery/transcript.js';
import { answers, attempt, describeError } from './session.js';

export async function failures(client: pg.Client, log: Transcript): Promise<void> {
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

export async function texts(client: pg.Client, log: Transcript): Promise<void> {
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

export async function deferred(client: pg.Client, log: Transcript): Promise<void> {
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

export async function prepared(client: pg.Client, log: Transcript): Promise<void> {
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

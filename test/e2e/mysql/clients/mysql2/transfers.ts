/** Results in parts, local files, values of a few hundred kilobytes, and other character sets. */
import { Readable } from 'node:stream';
import type { ConnectionOptions } from 'mysql2';
import type { Connection } from 'mysql2/promise';
import type { Transcript } from '../../../battery/transcript.js';
import { repetitions } from '../../battery/failing-statements.js';
import { attempt, connect, connectWithCallbacks, describeError } from './session.js';

export async function streams(url: string, log: Transcript): Promise<void> {
  const client = await connectWithCallbacks(url);
  const texts = [
    'select a.d * 10 + b.d as n from digits a, digits b order by n',
    'select id, checked(id) as c from city order by id',
    'select id, (select d from digits where d < t.id - 1) as two from city t order by id',
    'select nope from city',
  ];
  for (let time = 1; time <= repetitions; time += 1) {
    for (const sql of texts) {
      const rows: unknown[] = [];
      const read = async (): Promise<unknown> => {
        for await (const row of client.query(sql).stream({ highWaterMark: 5 })) rows.push(row);
        return 'complete';
      };
      await log.attempt(`stream ${time} ${sql}`, read, describeError);
      log.add('stream rows', { rows });
    }
  }
  const after = await client.promise().query('select 1 as one');
  log.add('after streams', { rows: after[0] });
  await client.promise().end();
}

export async function localFiles(url: string, log: Transcript): Promise<void> {
  const rows = Array.from({ length: 1000 }, (_, index) => `${index + 1}\tword ${'x'.repeat(index % 60)}\n`);
  const files: Readonly<Record<string, () => Readable>> = {
    good: () => Readable.from(rows.map((row) => Buffer.from(row))),
    duplicates: () => Readable.from([Buffer.from('1\tagain\n2\tagain\n')]),
    'bad values': () => Readable.from([Buffer.from('x\tbad\n2000\n')]),
    empty: () => Readable.from([]),
  };
  const infileStreamFactory = (path: string): Readable => {
    const file = files[path];
    if (file === undefined) throw new Error(`No file ${path}`);
    return file();
  };
  const client = await connect(url);
  const load = (step: string, file: string, into: string): Promise<void> => {
    const work = async (): Promise<unknown> => {
      const sql = `load data local infile '${file}' into ${into}`;
      const [result] = await client.query({ sql, infileStreamFactory } as unknown as { sql: string });
      return result;
    };
    return log.attempt(step, work, describeError);
  };
  await load('file', 'good', 'table copied (id, word)');
  for (let time = 1; time <= repetitions; time += 1) {
    await load(`file with duplicates ${time}`, 'duplicates', 'table copied (id, word)');
    await load(`file with bad values ${time}`, 'bad values', 'table copied (id, word)');
    await attempt(client, log, `warnings of a file ${time}`, 'show warnings');
    await load(`file for no table ${time}`, 'good', 'table nowhere (id, word)');
    await load(`file for no column ${time}`, 'good', 'table copied (id, nope)');
    await load(
      `file that fails midway ${time}`,
      'duplicates',
      'table copied (id, word) set twin = (select d from digits)',
    );
    await load(`empty file ${time}`, 'empty', 'table copied (id, word)');
    await attempt(client, log, `after files ${time}`, 'select count(*), max(id) from copied');
  }
  await attempt(client, log, 'after files', 'truncate table copied');
  await client.end();
}

/** A client that allows no local files, and one whose statement names none. */
export async function refusedFiles(url: string, log: Transcript): Promise<void> {
  for (const flags of [['-LOCAL_FILES'], []] as const) {
    const client = await connect(url, { flags: [...flags] } as ConnectionOptions);
    for (let time = 1; time <= repetitions; time += 1) {
      const sql = "load data local infile 'x' into table copied";
      await attempt(client, log, `refused file ${flags.join()} ${time}`, sql);
    }
    await client.end().catch(() => undefined);
  }
}

export async function values(client: Connection, log: Transcript): Promise<void> {
  const body = 'v'.repeat(300_000);
  await attempt(client, log, 'big insert', `insert into big values (1, '${body}')`);
  for (let time = 1; time <= repetitions; time += 1) {
    await attempt(client, log, `big duplicate ${time}`, `insert into big values (1, '${body}')`);
    await attempt(client, log, `big parameter ${time}`, 'insert into big values (?, ?)', {
      isPrepared: true,
      values: [1, body],
    });
    await attempt(client, log, `big and wrong ${time}`, `select '${body}' as v, nope from city`);
  }
  await attempt(client, log, 'big row', 'select length(body), md5(body) from big');
  await attempt(client, log, 'big row itself', 'select body from big');
  await attempt(client, log, 'big row itself', 'select body from big', { isPrepared: true });
  const wide = Array.from({ length: 1200 }, (_, index) => `${index} as a_rather_long_column_name_${index}`);
  await attempt(client, log, 'wide row', `select ${wide.join(', ')}`);
  await attempt(client, log, 'big rows', 'delete from big');
}

export async function characterSets(url: string, log: Transcript): Promise<void> {
  for (const charset of ['latin1', 'utf8mb4', 'utf8_general_ci', 'gbk', 'sjis']) {
    const client = await connect(url, { charset });
    for (let time = 1; time <= repetitions; time += 1) {
      await attempt(client, log, `charset ${charset} ${time}`, 'select `Jyv\u00e4skyl\u00e4` from city');
      await attempt(client, log, `charset ${charset} ${time}`, 'select name from city order by id');
    }
    await attempt(client, log, `names in ${charset}`, 'set names utf8mb4');
    await attempt(client, log, `names in ${charset}`, 'select `Jyv\u00e4skyl\u00e4 \u{1f600}` from city');
    await client.end();
  }
}

export async function dialects(client: Connection, log: Transcript): Promise<void> {
  const modes = [
    'ANSI_QUOTES',
    'NO_BACKSLASH_ESCAPES',
    'ANSI_QUOTES,NO_BACKSLASH_ESCAPES',
    'PIPES_AS_CONCAT',
    'HIGH_NOT_PRECEDENCE',
  ];
  for (const mode of modes) {
    await attempt(client, log, `mode ${mode}`, `set sql_mode = '${mode}'`);
    for (let time = 1; time <= repetitions; time += 1) {
      await attempt(client, log, `mode ${mode} ${time}`, `select 'a\\\\b', "name", nope from city`);
      await attempt(client, log, `mode ${mode} ${time}`, `select 'a\\\\b', "name" from city where id = 1`);
      await attempt(client, log, `mode ${mode} ${time}`, "select 'it\\'s' -- '");
    }
  }
  await attempt(client, log, 'mode default', 'set sql_mode = default');
  for (let time = 1; time <= repetitions; time += 1) {
    await attempt(
      client,
      log,
      `comments ${time}`,
      '# first\nselect /* a */ 1 -- b\n, nope /*!40101 , 2 */ from city # c',
    );
    await attempt(client, log, `comments good ${time}`, '/*!40101 select 7 as seven */');
    await attempt(
      client,
      log,
      `introducer ${time}`,
      "select _latin1'abc', _utf8mb4 x'c3b6', n'x', nope from city",
    );
    await attempt(client, log, `limit ${time}`, 'select id from city order by id limit 1,1');
  }
}

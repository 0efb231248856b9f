/** Results in parts: cursors, row streams and COPY both ways. */
import { once } from 'node:events';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type pg from 'pg';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';
import Cursor from 'pg-cursor';
import QueryStream from 'pg-query-stream';
import { repetitions } from '../../battery/failing-statements.js';
import type { Transcript } from '../../battery/transcript.js';
import { attempt, describeError, transactionStatus } from './session.js';

export async function portals(client: pg.Client, log: Transcript): Promise<void> {
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

export async function streams(client: pg.Client, log: Transcript): Promise<void> {
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

export async function copies(client: pg.Client, log: Transcript): Promise<void> {
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

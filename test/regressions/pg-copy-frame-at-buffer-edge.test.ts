// COPY data was damaged where a frame met the end of a buffer, after which the session was out of step
// (yandex/odyssey#554).
import { createHash } from 'node:crypto';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { stopProxies } from '../integration/proxy/scripted-ends.js';
import { client } from '../protocol/postgres/frames.js';
import { createDatabase, type TestDatabase } from '../servers/database.js';
import { describeEachPostgres } from '../support/postgres-servers.js';
import { RawPostgres } from '../support/raw-postgres.js';
import { letters } from './support/frames.js';
import { watch } from './support/watched-proxy.js';

afterEach(stopProxies);

const edges = [4096, 8192, 16_384, 65_536];

/** Rows whose frames, the header within, end at, just before and just behind every edge of a stream from its start. */
function framesAt(edge: number): string[] {
  const rows: string[] = [];
  for (const offset of [-6, -5, -4, -1, 0, 1]) {
    const frameBytes = edge + offset;
    rows.push(`${'x'.repeat(frameBytes - 5 - 1)}\n`, 'short\n');
  }
  return rows;
}

describeEachPostgres('COPY', (server) => {
  let database: TestDatabase;

  beforeAll(async () => {
    database = await createDatabase(
      server.url,
      'create table copied (at serial, word text); grant all on copied, copied_at_seq to trust_user',
    );
  });

  afterAll(() => database.drop());

  it.each([
    ['a thousand short lines', Array.from({ length: 1000 }, (_, index) => `word ${index}\n`)],
    ...edges.map((edge): [string, string[]] => [`frames that end near ${edge} bytes`, framesAt(edge)]),
  ])('%s arrive as they were sent, and come back', async (_what, rows) => {
    const proxy = await watch(database.url);
    const session = await RawPostgres.open(proxy.through(database.url));
    await session.send(client.query('truncate copied'));
    await session.ready(1);
    await session.send(client.query('copy copied (word) from stdin'));
    await session.take('G', 1);
    await session.send(Buffer.concat([...rows.map((row) => client.copyData(row)), client.copyDone()]));
    expect((await session.ready(1))[0]?.body.toString()).toBe(`COPY ${rows.length}\0`);
    await session.send(client.query('copy (select word from copied order by at) to stdout'));
    const frames = await session.ready(1);
    const data = Buffer.concat(frames.filter(({ type }) => type === 'd').map(({ body }) => body));
    const digest = (bytes: Buffer | string): string => createHash('sha256').update(bytes).digest('hex');
    expect(digest(data)).toBe(digest(rows.join('')));
    await session.send(client.query('select nope'));
    expect(letters(await session.ready(1))).toBe('E[42703]Z');
    expect(proxy.blind).toEqual([]);
    session.close();
  });
});

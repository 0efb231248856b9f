// Flush was not known, and a proxy read on until a ReadyForQuery that never comes after it (postgresml/pgcat#953).
import postgres from 'postgres';
import { afterEach, expect, it } from 'vitest';
import { stopProxies } from '../integration/proxy/scripted-ends.js';
import { client } from '../protocol/postgres/frames.js';
import { describeEachPostgres } from '../support/postgres-servers.js';
import { RawPostgres } from '../support/raw-postgres.js';
import { errorsIn, letters } from './support/frames.js';
import { noteMark, watch } from './support/watched-proxy.js';

afterEach(stopProxies);

const { bind, describe, execute, flush, parse, sync } = client;

describeEachPostgres('Flush', (server) => {
  it('brings replies, and an error, before any Sync', async () => {
    const proxy = await watch(server.url);
    const session = await RawPostgres.open(proxy.through(server.url));
    for (let time = 1; time <= 2; time += 1) {
      await session.send(Buffer.concat([parse('', 'select $1::int'), describe('S', ''), flush()]));
      expect(letters(await session.take('T', 1))).toBe('1tT');
      await session.send(Buffer.concat([parse('', 'select nope, $1'), describe('S', ''), flush()]));
      const frames = await session.take('E', 1);
      expect(letters(frames)).toBe('E[42703]');
      expect(errorsIn(frames)[0]?.['H']?.includes(noteMark) ?? false).toBe(time === 2);
      // What comes before the Sync is skipped, whoever sends it.
      await session.send(Buffer.concat([bind('', ''), execute(''), flush(), sync()]));
      expect(letters(await session.ready(1))).toBe('Z');
    }
    expect(proxy.blind).toEqual([]);
    session.close();
  });

  it('serves postgres.js with unnamed statements', async () => {
    const proxy = await watch(server.url);
    const sql = postgres(proxy.through(server.url), {
      max: 1,
      prepare: false,
      fetch_types: false,
      ssl: false,
    });
    for (let time = 1; time <= 2; time += 1) {
      expect([...(await sql`select ${time}::int as n`)]).toEqual([{ n: time }]);
      const error = await sql`select nope, ${time}::int`.catch((caught: Error) => caught);
      expect(error).toMatchObject({ code: '42703' });
      expect((error as Error).message.includes(noteMark)).toBe(time === 2);
    }
    await sql.end();
    expect(proxy.sessions[0]?.events.filter((event) => event.startsWith('failed'))).toEqual(
      Array(2).fill('failed 42703 <select nope, $1::int> parse k=0 idle'),
    );
    expect(proxy.blind).toEqual([]);
  });
});

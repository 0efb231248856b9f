// Portals read in steps: PortalSuspended kept back until Sync (pgpool/pgpool2#59), a portal opened without Execute lost
// at Flush (pgdogdev/pgdog#763, #1330), a row-limited Execute ended twice (ArcadeData/arcadedb#6458).
import pg from 'pg';
import Cursor from 'pg-cursor';
import QueryStream from 'pg-query-stream';
import { afterEach, expect, it } from 'vitest';
import { stopProxies } from '../integration/proxy/scripted-ends.js';
import { client } from '../protocol/postgres/frames.js';
import { describeEachPostgres } from '../support/postgres-servers.js';
import { RawPostgres } from '../support/raw-postgres.js';
import { letters } from './support/frames.js';
import { noteMark, watch } from './support/watched-proxy.js';

afterEach(stopProxies);

const { bind, close, describe, execute, flush, parse, query, sync } = client;
const failing = 'select 10/(3-g) as q from generate_series(1, 5) g';

describeEachPostgres('a portal', (server) => {
  async function connect(url: string): Promise<pg.Client> {
    const client = new pg.Client(url);
    await client.connect();
    return client;
  }

  it('is read to its end by pg-cursor, ten rows at a time', async () => {
    const proxy = await watch(server.url);
    const reader = await connect(proxy.through(server.url));
    const cursor = reader.query(new Cursor('select g from generate_series(1, 25) g'));
    const counts: number[] = [];
    for (let rows = -1; rows !== 0; counts.push(rows)) rows = (await cursor.read(10)).length;
    expect(counts).toEqual([10, 10, 5, 0]);
    await cursor.close();
    await reader.end();
    const events = proxy.sessions[0]?.events.filter((event) => event !== 'closed');
    expect(events).toEqual(['ok <select g from generate_series(1, 25) g> 0']);
    expect(proxy.blind).toEqual([]);
  });

  it('fails for pg-query-stream in the fetch that fails, once, with the note', async () => {
    const proxy = await watch(server.url);
    const reader = await connect(proxy.through(server.url));
    const outcomes: unknown[] = [];
    for (let time = 1; time <= 2; time += 1) {
      const stream = reader.query(new QueryStream(failing, [], { batchSize: 1, highWaterMark: 1 }));
      const rows: number[] = [];
      const errors: Error[] = [];
      stream.on('data', ({ q }: { q: number }) => rows.push(q));
      stream.on('error', (error) => errors.push(error));
      await new Promise((resolve) => stream.once('close', resolve));
      outcomes.push([rows, errors.map((error) => error.message.includes(noteMark))]);
    }
    expect(outcomes).toEqual([
      [[5, 10], [false]],
      [[5, 10], [true]],
    ]);
    expect((await reader.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
    await reader.end();
    expect(proxy.blind).toEqual([]);
  });

  it('opened without Execute outlives a Flush', async () => {
    const proxy = await watch(server.url);
    const session = await RawPostgres.open(proxy.through(server.url));
    await session.send(Buffer.concat([parse('', failing), bind('', ''), describe('P', ''), flush()]));
    expect(letters(await session.take('T', 1))).toBe('12T');
    for (let row = 1; row <= 2; row += 1) {
      await session.send(Buffer.concat([execute('', 1), flush()]));
      expect(letters(await session.take('s', 1))).toBe('Ds');
    }
    await session.send(Buffer.concat([execute('', 1), flush()]));
    expect(letters(await session.take('E', 1))).toBe('E[22012]');
    await session.send(sync());
    await session.ready(1);
    expect(proxy.sessions[0]?.events).toEqual([`failed 22012 <${failing}> execute k=0 idle`, 'settled idle']);
    session.close();
  });

  it('suspended at a Sync is no failure, is read on, and its name dies with it', async () => {
    const proxy = await watch(server.url);
    const session = await RawPostgres.open(proxy.through(server.url));
    const text = 'select g from generate_series(1, 5) g';
    const exchanges: [Buffer[], string][] = [
      [[query('begin')], 'CZ'],
      [[parse('', text), bind('P', ''), execute('P', 2), sync()], '12DDsZ'],
      [[execute('P', 2), sync()], 'DDsZ'],
      [[close('P', 'P'), sync()], '3Z'],
      [[execute('P', 2), sync()], 'E[34000]Z'],
      [[query('rollback')], 'CZ'],
      [[query('select nope')], 'E[42703]Z'],
    ];
    for (const [sent, answer] of exchanges) {
      await session.send(Buffer.concat(sent));
      expect(letters(await session.ready(1))).toBe(answer);
    }
    expect(proxy.sessions[0]?.events).toEqual([
      'ok <begin> 0',
      'bypassed statement_text_unknown',
      'failed 34000 <?> execute k=0 open',
      'settled aborted',
      'failed 42703 <select nope> execute k=0 idle',
      'settled idle',
    ]);
    expect(proxy.blind).toEqual([]);
    session.close();
  });
});

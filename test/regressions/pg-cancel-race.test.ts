// A cancel that met the end of its query brought one ReadyForQuery too many (pgbouncer/pgbouncer#223), or was sent to
// another client's session (pgbouncer/pgbouncer#38, encoredev/encore#263).
import { afterEach, expect, it } from 'vitest';
import { connectTo, stopProxies } from '../integration/proxy/scripted-ends.js';
import { client, server as reply } from '../protocol/postgres/frames.js';
import { createDatabase } from '../servers/database.js';
import { describeEachPostgres } from '../support/postgres-servers.js';
import { RawPostgres } from '../support/raw-postgres.js';
import { until, within } from '../support/until.js';
import { cancelPacket } from '../unit/adapters/postgres/startup-packets.js';
import { errorsIn, letters } from './support/frames.js';
import { openScriptedSession } from './support/scripted-session.js';
import { watch } from './support/watched-proxy.js';

const waitMs = 20_000;

afterEach(stopProxies);

function keyOf(session: RawPostgres): Buffer {
  const key = session.frames.find(({ type }) => type === 'K')?.body;
  if (key === undefined) throw new Error('No BackendKeyData');
  return key;
}

/** Resolves when the server has closed the request's connection: the signal has been sent by then. */
async function cancel(port: number, key: Buffer): Promise<void> {
  const end = await connectTo(port);
  end.socket.write(cancelPacket(key));
  await end.ended();
  expect(end.length).toBe(0);
  end.socket.end();
}

it('that the server is slow to act on belongs to whatever runs then, and to what runs just after', async () => {
  const { upstream, proxy, end, session } = await openScriptedSession();
  const answer = async (text: string, ...replies: Buffer[]): Promise<void> => {
    await session.send(client.query(text));
    await until(() => end.bytes.includes(text), waitMs, 'the query');
    end.socket.write(Buffer.concat([...replies, reply.ready('I')]));
    await session.ready(1);
  };
  const canceller = await connectTo(proxy.proxy.port);
  canceller.socket.write(cancelPacket(keyOf(session)));
  const request = await upstream.connection(1);
  await request.read(16);
  for (let index = 1; index <= 5; index += 1) await answer(`select ${index}`, reply.complete('SELECT 1'));
  await answer('select 6', reply.error('57014'));
  request.socket.end();
  await canceller.ended();
  await answer('select 7', reply.error('57014'));
  await answer('select 8', reply.complete('SELECT 1'));
  await answer('select 9', reply.error('57014'));
  expect(proxy.sessions[0]?.events.filter((event) => event.startsWith('failed'))).toEqual([
    'failed 57014 <select 6> execute k=0 idle cancel',
    'failed 57014 <select 7> execute k=0 idle cancel',
    'failed 57014 <select 9> execute k=0 idle',
  ]);
  session.close();
  await upstream.stopListening();
});

describeEachPostgres('a cancel', (server) => {
  it('beside a hundred short statements adds no ReadyForQuery and is never taken for a failure', async () => {
    const proxy = await watch(server.url);
    const session = await RawPostgres.open(proxy.through(server.url));
    const key = keyOf(session);
    let cancelled = 0;
    for (let batch = 0; batch < 10; batch += 1) {
      const requests: Promise<void>[] = [];
      for (let index = 0; index < 10; index += 1) {
        await session.send(client.query('select pg_sleep(0.002)'));
        if (index % 2 === 0) requests.push(cancel(proxy.proxy.port, key));
        const answer = letters(await session.ready(1));
        expect(answer).toMatch(/^T?D?(C|E\[57014\])Z$/);
        if (answer.includes('57014')) cancelled += 1;
      }
      await within(Promise.all(requests), waitMs, 'the cancel requests');
    }
    // A signal may still be under way: what it hits, if anything, is this.
    await session.send(client.query('select pg_sleep(0.01)'));
    await session.ready(1);
    await session.send(client.query('select nope'));
    expect(letters(await session.ready(1))).toBe('E[42703]Z');
    expect(cancelled).toBeGreaterThan(0);
    const failed = proxy.sessions[0]?.events.filter((event) => event.startsWith('failed 57014')) ?? [];
    expect(failed.filter((event) => !event.endsWith(' cancel'))).toEqual([]);
    expect(proxy.blind).toEqual([]);
    session.close();
  });

  it('stops the statement of its own session and no other', async () => {
    const database = await createDatabase(server.url);
    const proxy = await watch(server.url);
    const [one, two] = [
      await RawPostgres.open(proxy.through(database.url)),
      await RawPostgres.open(proxy.through(database.url)),
    ];
    await one.send(client.query('select pg_sleep(60)'));
    await two.send(client.query('select pg_sleep(60)'));
    const watcher = await RawPostgres.open(database.url);
    await until(
      async () => {
        await watcher.send(
          client.query(
            "select count(*) from pg_stat_activity where wait_event = 'PgSleep' and datname = current_database()",
          ),
        );
        return (await watcher.ready(1)).some(({ type, body }) => type === 'D' && body.at(-1) === 0x32);
      },
      waitMs,
      'both to sleep',
    );
    await cancel(proxy.proxy.port, keyOf(one));
    expect(letters(await one.ready(1))).toBe('TE[57014]Z');
    expect(errorsIn(two.frames)).toEqual([]);
    await cancel(proxy.proxy.port, keyOf(two));
    expect(letters(await two.ready(1))).toBe('TE[57014]Z');
    for (const { events } of proxy.sessions) {
      expect(events).toEqual(['failed 57014 <select pg_sleep(60)> execute k=0 idle cancel', 'settled idle']);
    }
    for (const session of [one, two, watcher]) session.close();
    await database.drop();
  });

  it('with a key of nobody is answered with nothing and hurts nobody', async () => {
    const proxy = await watch(server.url);
    const session = await RawPostgres.open(proxy.through(server.url));
    const wrong = Buffer.from(keyOf(session));
    wrong.writeUInt8(wrong.readUInt8(wrong.length - 1) ^ 1, wrong.length - 1);
    await session.send(client.query('select pg_sleep(0.05)'));
    await cancel(proxy.proxy.port, wrong);
    expect(letters(await session.ready(1))).toBe('TDCZ');
    session.close();
  });
});

// Messages that answer nothing: a notification taken for the end of a query (pgbouncer/pgbouncer#252) or held back
// until the next one (npgsql/npgsql#2782), a ParameterStatus that confused the state of two queries sent together
// (pgbouncer/pgbouncer#52).
import { afterEach, expect, it } from 'vitest';
import { stopProxies } from '../integration/proxy/scripted-ends.js';
import { client, server as reply } from '../protocol/postgres/frames.js';
import { runOn } from '../servers/database.js';
import { describeEachPostgres } from '../support/postgres-servers.js';
import { RawPostgres } from '../support/raw-postgres.js';
import { errorsIn, letters } from './support/frames.js';
import { openScriptedSession } from './support/scripted-session.js';
import { noteMark, watch } from './support/watched-proxy.js';

afterEach(stopProxies);

const { bind, describe, execute, parse, query, sync } = client;

it('a notification to an idle client arrives with nothing behind it', async () => {
  const { upstream, proxy, end, session } = await openScriptedSession();
  for (let time = 1; time <= 3; time += 1) {
    end.socket.write(reply.notification());
    expect(letters(await session.take('A', 1))).toBe('A');
  }
  expect(proxy.sessions[0]?.events).toEqual([]);
  expect(proxy.blind).toEqual([]);
  session.close();
  await upstream.stopListening();
});

describeEachPostgres('beside the replies', (server) => {
  it('three notifications make no verdict, and the failure after them is the only one', async () => {
    const proxy = await watch(server.url);
    const session = await RawPostgres.open(proxy.through(server.url));
    const channel = `regression_${proxy.proxy.port}`;
    await session.send(query(`listen ${channel}`));
    await session.ready(1);
    for (let time = 1; time <= 2; time += 1) {
      for (const word of ['one', 'two', 'three']) await runOn(server.url, `notify ${channel}, '${word}'`);
      expect(letters(await session.take('A', 3))).toBe('AAA');
      await session.send(query('select nope'));
      const frames = await session.ready(1);
      expect(letters(frames)).toBe('E[42703]Z');
      expect(errorsIn(frames)[0]?.['H']?.includes(noteMark) ?? false).toBe(time === 2);
    }
    const failure = ['failed 42703 <select nope> execute k=0 idle', 'settled idle'];
    const events = proxy.sessions[0]?.events.filter((event) => event !== 'note');
    expect(events).toEqual([`ok <listen ${channel}> 0`, ...failure, ...failure]);
    session.close();
  });

  it('a parameter and a warning keep their places, and the note is on the error', async () => {
    const proxy = await watch(server.url);
    const session = await RawPostgres.open(proxy.through(server.url));
    const zones = ['Asia/Tokyo', 'UTC'];
    const warn = "do $$ begin raise warning 'careful'; raise exception 'raised'; end $$";
    for (let time = 1; time <= 2; time += 1) {
      const set = query(`set timezone = '${zones[time - 1]}'`);
      const failing = [parse('', 'select nope'), bind('', ''), describe('P', ''), execute(''), sync()];
      await session.send(Buffer.concat([set, ...failing, query(warn)]));
      const frames = await session.ready(3);
      expect(letters(frames)).toBe('CSZE[42703]ZNE[P0001]Z');
      const marks = frames.filter(({ body }) => body.includes(noteMark)).map(({ type }) => type);
      expect(marks).toEqual(time === 1 ? [] : ['E', 'E']);
    }
    expect(proxy.sessions[0]?.events.filter((event) => event.startsWith('failed'))).toEqual(
      Array(2)
        .fill(['failed 42703 <select nope> parse k=0 idle', `failed P0001 <${warn}> execute k=0 idle`])
        .flat(),
    );
    expect(proxy.blind).toEqual([]);
    session.close();
  });
});

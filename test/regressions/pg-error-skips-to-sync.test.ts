// After an error in the extended protocol everything up to Sync is skipped: proxies matched later replies to the wrong
// request (PostHog/duckgres#730, myyrakle/rrdb#279), lost the ReadyForQuery (sysown/proxysql#5079), or counted the next
// cycle, sent before it came, into the failed one (pgbouncer/pgbouncer#759).
import { afterEach, expect, it } from 'vitest';
import { stopProxies } from '../integration/proxy/scripted-ends.js';
import { client, server as reply } from '../protocol/postgres/frames.js';
import { describeEachPostgres } from '../support/postgres-servers.js';
import { RawPostgres } from '../support/raw-postgres.js';
import { until } from '../support/until.js';
import { letters } from './support/frames.js';
import { openScriptedSession } from './support/scripted-session.js';
import { watch } from './support/watched-proxy.js';

afterEach(stopProxies);

const { bind, describe, execute, flush, parse, sync } = client;
const portal = (text: string): Buffer[] => [parse('', text), bind('', ''), describe('P', ''), execute('')];

describeEachPostgres('one write of three statements, the second of which fails', (server) => {
  it('gets one ReadyForQuery, blames the second, and the next cycle is aligned', async () => {
    const proxy = await watch(server.url);
    const session = await RawPostgres.open(proxy.through(server.url));
    for (let time = 1; time <= 2; time += 1) {
      const cycle = [...portal('select 1'), ...portal('select 1/0'), ...portal('select 3'), sync()];
      await session.send(Buffer.concat([...cycle, ...portal('select 4'), sync()]));
      expect(letters(await session.ready(2))).toBe('12TDC1E[22012]Z12TDCZ');
    }
    const noted = (event: string): boolean => event === 'note';
    expect(proxy.sessions[0]?.events.filter(noted)).toHaveLength(1);
    expect(proxy.sessions[0]?.events.filter((event) => !noted(event))).toEqual(
      Array(2).fill(['failed 22012 <select 1/0> bind k=0 idle', 'settled idle', 'ok <select 4> 0']).flat(),
    );
    expect(proxy.blind).toEqual([]);
    session.close();
  });

  it('blames it as well where it fails in running', async () => {
    const proxy = await watch(server.url);
    const session = await RawPostgres.open(proxy.through(server.url));
    const failing = 'select 1/(1-g) from generate_series(0, 1) g';
    await session.send(
      Buffer.concat([...portal('select 1'), ...portal(failing), ...portal('select 3'), sync()]),
    );
    expect(letters(await session.ready(1))).toBe('12TDC12TDE[22012]Z');
    expect(proxy.sessions[0]?.events).toEqual([`failed 22012 <${failing}> execute k=0 idle`, 'settled idle']);
    session.close();
  });
});

it('a cycle sent before the ReadyForQuery of the failed one is a cycle of its own, however late that comes', async () => {
  const { upstream, proxy, end, session } = await openScriptedSession();
  await session.send(Buffer.concat([parse('s', 'select $1::int'), sync()]));
  await until(() => end.bytes.at(-5) === 0x53, 10_000, 'the Sync');
  end.socket.write(Buffer.concat([reply.parseComplete(), reply.ready('I')]));
  await session.ready(1);
  await session.send(Buffer.concat([bind('', 's'), execute(''), sync()]));
  end.socket.write(reply.error('22P02'));
  await session.take('E', 1);
  const sent = end.length;
  await session.send(Buffer.concat([parse('', 'select 2'), describe('S', ''), flush()]));
  await until(() => end.length > sent, 10_000, 'the next cycle');
  end.socket.write(reply.ready('I'));
  await session.ready(1);
  end.socket.write(Buffer.concat([reply.parseComplete(), reply.parameterDescription(), reply.noData()]));
  await session.take('n', 1);
  await session.send(Buffer.concat([bind('', ''), execute(''), sync()]));
  end.socket.write(Buffer.concat([reply.bindComplete(), reply.error('22012'), reply.ready('I')]));
  await session.ready(1);
  expect(proxy.sessions[0]?.events).toEqual([
    'failed 22P02 <select $1::int> bind k=0 idle',
    'settled idle',
    'failed 22012 <select 2> execute k=0 idle',
    'settled idle',
  ]);
  expect(proxy.blind).toEqual([]);
  session.close();
  await upstream.stopListening();
});

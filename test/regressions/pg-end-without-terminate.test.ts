// A relay never noticed the end of a stream and spun on it for ever, and FunctionCall passed it unseen
// (kviklet/kviklet#535).
import { performance } from 'node:perf_hooks';
import { afterEach, expect, it } from 'vitest';
import { ScriptedServer, stopProxies, until } from '../integration/proxy/scripted-ends.js';
import { client, startup } from '../protocol/postgres/frames.js';
import { describeEachPostgres } from '../support/postgres-servers.js';
import { RawPostgres } from '../support/raw-postgres.js';
import { errorsIn, letters } from './support/frames.js';
import { noteMark, watch } from './support/watched-proxy.js';

afterEach(stopProxies);

async function opened() {
  const upstream = await new ScriptedServer().listen();
  const proxy = await watch(upstream.port);
  const opening = RawPostgres.open(proxy.through());
  const end = await upstream.connection();
  await end.read(8);
  end.socket.write(Buffer.concat(startup));
  return { upstream, proxy, end, session: await opening };
}

/** The share of time in which this process, the proxy within, was not waiting, over about a quarter of a second. */
async function busyShare(): Promise<number> {
  const before = performance.eventLoopUtilization();
  let polls = 0;
  await until('some time to pass', () => {
    polls += 1;
    return polls > 12;
  });
  return performance.eventLoopUtilization(before).utilization;
}

it('a client that ends without a word while its server goes on costs nothing until that ends too', async () => {
  const { upstream, proxy, end, session } = await opened();
  session.socket.end();
  await end.ended();
  expect(await busyShare()).toBeLessThan(0.6);
  expect(proxy.proxy.listener.sessions).toBe(1);
  end.socket.end();
  await until('the session to end', () => proxy.proxy.listener.sessions === 0);
  expect(proxy.sessions[0]?.events).toEqual(['closed']);
  await upstream.stopListening();
});

it('a server that ends takes its client along', async () => {
  const { upstream, proxy, end, session } = await opened();
  await session.send(client.query('select 1'));
  end.socket.end();
  await session.ended();
  expect(await busyShare()).toBeLessThan(0.6);
  await until('the session to end', () => proxy.proxy.listener.sessions === 0);
  expect(proxy.sessions[0]?.events).toEqual(['closed']);
  await upstream.stopListening();
});

describeEachPostgres('FunctionCall', (server) => {
  it('of no function fails, is recorded for the call, and gets its note', async () => {
    const proxy = await watch(server.url);
    const session = await RawPostgres.open(proxy.through(server.url));
    for (let time = 1; time <= 2; time += 1) {
      await session.send(client.functionCall(999_999));
      const frames = await session.ready(1);
      expect(letters(frames)).toBe('E[42883]Z');
      expect(errorsIn(frames)[0]?.['H']?.includes(noteMark) ?? false).toBe(time === 2);
    }
    expect(proxy.sessions[0]?.events.slice(0, 2)).toEqual([
      'failed 42883 <fastpath function_999999> call k=0 idle',
      'settled idle',
    ]);
    session.close();
  });
});

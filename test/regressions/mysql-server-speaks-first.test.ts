// A listener that waits for the client's first bytes stalls or hangs: here the server speaks first (istio/istio#59601,
// envoyproxy/envoy#166).
import { createConnection } from 'mysql2/promise';
import { afterEach, expect, it } from 'vitest';
import { connectTo, ScriptedServer, stopProxies, until } from '../integration/proxy/scripted-ends.js';
import { PacketSplitter, packet } from '../support/mysql-protocol.js';
import { greeting, readGreeting } from '../support/mysql-server-packets.js';
import { describeEachMysql } from '../support/mysql-servers.js';
import { watchMysql } from './support/mysql-sessions.js';
import { watch } from './support/watched-proxy.js';

afterEach(stopProxies);

it('the server is dialled at accept, and its greeting passes when it comes, late or in pieces', async () => {
  const upstream = await new ScriptedServer().listen();
  const proxy = await watchMysql(upstream.port);
  const client = await connectTo(proxy.proxy.port);
  const end = await upstream.connection();
  expect(end.length).toBe(0);
  const bytes = packet(greeting(), 0);
  for (const [from, to] of [
    [0, 3],
    [3, 20],
    [20, bytes.length],
  ] as const) {
    const written = end.socket.bytesWritten;
    end.socket.write(bytes.subarray(from, to));
    await until('the piece to be written', () => end.socket.bytesWritten === written + to - from);
  }
  expect(await client.read(bytes.length)).toEqual(bytes);
  expect(end.length).toBe(0);
  client.socket.destroy();
  await end.ended();
  await upstream.stopListening();
});

describeEachMysql('clients that say nothing yet', (server) => {
  it('are greeted, many at a time, and are not in each other’s way', async () => {
    const proxy = await watchMysql(server.url);
    const silent = await Promise.all(Array.from({ length: 20 }, () => connectTo(proxy.proxy.port)));
    for (const each of silent) {
      await until('a whole greeting', () => new PacketSplitter().push(each.bytes).length === 1);
      const [first] = new PacketSplitter().push(each.bytes);
      expect(readGreeting(first?.payload as Buffer).plugin).not.toBe('');
    }
    const connection = await createConnection(proxy.through(server.url));
    expect((await connection.query('select 1 as one'))[0]).toEqual([{ one: 1 }]);
    await connection.end();
    for (const each of silent) each.socket.destroy();
    await until('the sessions to end', () => proxy.proxy.listener.sessions === 0);
  });

  it('also beside a listener of PostgreSQL in the same process', async () => {
    const upstream = await new ScriptedServer().listen();
    const [ours] = await Promise.all([watchMysql(server.url), watch(upstream.port)]);
    const client = await connectTo(ours?.proxy.port ?? 0);
    await until('the greeting', () => new PacketSplitter().push(client.bytes).length === 1);
    client.socket.destroy();
    await upstream.stopListening();
  });
});

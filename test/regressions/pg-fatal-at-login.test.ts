// Refusals at login were changed on the way: a temporary one taken for permanent (pgbouncer/pgbouncer#946), one replaced
// by a bare end of the connection (supabase/supavisor#725).
import { afterEach, expect, it } from 'vitest';
import { connectTo, ScriptedServer, stopProxies, until } from '../integration/proxy/scripted-ends.js';
import { client, server as reply } from '../protocol/postgres/frames.js';
import { startupPacket } from '../unit/adapters/postgres/startup-packets.js';
import { watch } from './support/watched-proxy.js';

afterEach(stopProxies);

const startup = startupPacket({ user: 'ann', database: 'shop' });
const fatal = (code: string, more: Record<string, string> = {}): Buffer =>
  reply.error(code, { S: 'FATAL', V: 'FATAL', H: 'The hint of the server.', ...more });

it.each(['57P03', '3D000', '28P01', '28000', '53300'])(
  '%s reaches the client byte for byte each time, without a note, and ends the connection',
  async (code) => {
    const refusal = fatal(code, { D: 'x'.repeat(1000) });
    const upstream = await new ScriptedServer((end) => {
      end.socket.once('data', () => {
        end.socket.write(reply.raw('R', Buffer.from([0, 0, 0, 3])));
        end.socket.once('data', () => end.socket.end(refusal));
      });
    }).listen();
    const proxy = await watch(upstream.port);
    for (let time = 1; time <= 3; time += 1) {
      const end = await connectTo(proxy.proxy.port);
      end.socket.write(startup);
      await end.read(9);
      end.socket.write(client.password('secret'));
      await end.ended();
      expect(end.bytes.subarray(9).equals(refusal)).toBe(true);
      end.socket.end();
      await until('the session to end', () => proxy.proxy.listener.sessions === 0);
    }
    expect(proxy.sessions.map(({ events }) => events)).toEqual(Array(3).fill(['closed']));
    expect(proxy.blind).toEqual([]);
    await upstream.stopListening();
  },
);

it('a refusal in place of the first answer, as of a server that is full, is passed on as well', async () => {
  const refusal = fatal('53300');
  const upstream = await new ScriptedServer((end) => {
    end.socket.once('data', () => end.socket.end(refusal));
  }).listen();
  for (const mode of ['disable', 'prefer'] as const) {
    const proxy = await watch(upstream.port, { policy: { upstreamTls: { mode } } });
    const end = await connectTo(proxy.proxy.port);
    end.socket.write(startup);
    await end.ended();
    if (mode === 'disable') expect(end.bytes.equals(refusal)).toBe(true);
    // In answer to our own SSLRequest anything may have been put there by others: it is not the server's word.
    else expect(end.bytes.includes('C08001')).toBe(true);
    end.socket.end();
  }
  await upstream.stopListening();
});

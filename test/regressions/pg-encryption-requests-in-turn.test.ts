// A GSSENCRequest confused proxies that knew SSLRequest only (encoredev/encore#637, electric-sql/electric#630).
import { connect as connectTls } from 'node:tls';
import { afterEach, expect, it } from 'vitest';
import { makeCertificates } from '../integration/proxy/certificates.js';
import { connectTo, ScriptedEnd, stopProxies, until } from '../integration/proxy/scripted-ends.js';
import { client } from '../protocol/postgres/frames.js';
import { describeEachPostgres } from '../support/postgres-servers.js';
import { gssRequest, sslRequest, startupPacket } from '../unit/adapters/postgres/startup-packets.js';
import { watch } from './support/watched-proxy.js';

afterEach(stopProxies);

const certificates = makeCertificates();

describeEachPostgres('a client that asks for GSS and then for TLS', (server) => {
  const startup = startupPacket({ user: 'trust_user', database: 'postgres' });

  async function expectSession(end: ScriptedEnd): Promise<void> {
    end.socket.write(Buffer.concat([startup, client.query('select nope')]));
    await until('both ReadyForQuery', () => end.bytes.toString('latin1').split('Z\0\0\0\x05I').length === 3);
  }

  it('is answered N and N, and logs in on the same connection', async () => {
    const proxy = await watch(server.url);
    for (const requests of [[gssRequest, sslRequest], [sslRequest, gssRequest], [gssRequest], [sslRequest]]) {
      const end = await connectTo(proxy.proxy.port);
      for (const [index, request] of requests.entries()) {
        end.socket.write(request);
        expect((await end.read(index + 1)).toString()).toBe('N'.repeat(index + 1));
      }
      await expectSession(end);
      end.socket.destroy();
    }
    await until('the sessions to end', () => proxy.proxy.listener.sessions === 0);
    for (const { events } of proxy.sessions) {
      expect(events[0]).toBe('failed 42703 <select nope> execute k=0 idle');
    }
    expect(proxy.sessions).toHaveLength(4);
  });

  it('is answered N and S where there is a certificate', async () => {
    const clientTls = { ...certificates.local, isRequired: true };
    const proxy = await watch(server.url, { policy: { clientTls } });
    const plain = await connectTo(proxy.proxy.port);
    plain.socket.write(gssRequest);
    expect((await plain.read(1)).toString()).toBe('N');
    plain.socket.write(sslRequest);
    expect((await plain.read(2)).toString()).toBe('NS');
    plain.socket.removeAllListeners('data');
    const inner = connectTls({ socket: plain.socket, ca: certificates.ca, servername: 'localhost' });
    await expectSession(new ScriptedEnd(inner));
    inner.destroy();
  });
});

import { connect as connectTls, TLSSocket } from 'node:tls';
import { afterEach, describe, expect, test } from 'vitest';
import type { LegPolicy } from '../../../src/core/adapter.js';
import { TwiceshyError } from '../../../src/core/errors.js';
import {
  authentication,
  cancelPacket,
  errorFields,
  frame,
  saslInitial,
  sslRequest,
  startupPacket,
} from '../../unit/adapters/postgres/startup-packets.js';
import { makeCertificates } from './certificates.js';
import { connectTo, ScriptedEnd, ScriptedServer, startProxy, stopProxies, until } from './scripted-ends.js';

const certificates = makeCertificates();
const clientTls = { ...certificates.local, isRequired: false };
const startup = startupPacket({ user: 'ann', database: 'shop' });
const servers: ScriptedServer[] = [];

afterEach(async () => {
  await stopProxies();
  for (const server of servers.splice(0)) await server.stopListening();
});

async function startServer(onConnection?: (end: ScriptedEnd) => void): Promise<ScriptedServer> {
  const server = await new ScriptedServer(onConnection).listen();
  servers.push(server);
  return server;
}

/** A server that speaks TLS after its `S`; `ends` are the sessions inside. */
async function startTlsServer(
  pair = certificates.local,
): Promise<{ server: ScriptedServer; ends: ScriptedEnd[] }> {
  const ends: ScriptedEnd[] = [];
  const server = await startServer((end) => {
    end.socket.removeAllListeners('data');
    end.socket.once('data', (chunk: Buffer) => {
      if (!chunk.equals(sslRequest)) {
        end.socket.destroy();
        return;
      }
      end.socket.write('S');
      ends.push(new ScriptedEnd(new TLSSocket(end.socket, { isServer: true, ...pair })));
    });
  });
  return { server, ends };
}

async function secured(end: ScriptedEnd, alpn?: string): Promise<ScriptedEnd> {
  const secure = connectTls({
    socket: end.socket,
    ca: certificates.ca,
    servername: 'localhost',
    ...(alpn === undefined ? {} : { ALPNProtocols: [alpn] }),
  });
  const inner = new ScriptedEnd(secure);
  let isSecure = false;
  secure.once('secureConnect', () => {
    isSecure = true;
  });
  await until('TLS or its refusal', () => isSecure || inner.isClosed);
  if (!isSecure) throw new Error('refused');
  return inner;
}

async function connectSecurely(port: number): Promise<ScriptedEnd> {
  const plain = await connectTo(port);
  plain.socket.write(sslRequest);
  expect((await plain.read(1)).toString()).toBe('S');
  plain.socket.removeAllListeners('data');
  return secured(plain);
}

describe('the client leg', () => {
  test('SSLRequest, TLS, then a relayed session', async () => {
    const upstream = await startServer();
    const proxy = await startProxy(upstream.port, { policy: { clientTls } });
    const client = await connectSecurely(proxy.port);
    client.socket.write(startup);
    const server = await upstream.connection();
    expect(await server.read(startup.length)).toEqual(startup);
    server.socket.write('answer');
    expect((await client.read(6)).toString()).toBe('answer');
    client.socket.write('question');
    expect((await server.read(startup.length + 8)).subarray(startup.length).toString()).toBe('question');
    server.socket.end('bye');
    await client.ended();
    expect(client.bytes.toString()).toBe('answerbye');
    client.socket.end();
    await until('the session to end', () => proxy.listener.sessions === 0);
  });

  test('a large stream passes through TLS unchanged in both directions', async () => {
    const upstream = await startServer();
    const proxy = await startProxy(upstream.port, { policy: { clientTls } });
    const client = await connectSecurely(proxy.port);
    client.socket.write(startup);
    const server = await upstream.connection();
    await server.read(startup.length);
    const bytes = Buffer.alloc(4 * 1024 * 1024, 'abcdefg');
    client.socket.write(bytes);
    server.socket.write(bytes);
    expect((await client.read(bytes.length)).equals(bytes)).toBe(true);
    expect((await server.read(startup.length + bytes.length)).subarray(startup.length).equals(bytes)).toBe(
      true,
    );
  });

  test('direct TLS with ALPN is relayed, without ALPN cut off', async () => {
    const upstream = await startServer();
    const proxy = await startProxy(upstream.port, { policy: { clientTls } });
    const client = await secured(await connectTo(proxy.port), 'postgresql');
    expect((client.socket as TLSSocket).alpnProtocol).toBe('postgresql');
    client.socket.write(startup);
    await (await upstream.connection()).read(startup.length);
    const other = await secured(await connectTo(proxy.port));
    other.socket.write(startup);
    await other.ended();
    expect(other.length).toBe(0);
    await expect(secured(await connectTo(proxy.port), 'http/1.1')).rejects.toThrow('refused');
    expect(upstream.connections).toHaveLength(1);
  });

  test('direct TLS without a certificate is refused at once', async () => {
    const upstream = await startServer();
    const proxy = await startProxy(upstream.port);
    await expect(secured(await connectTo(proxy.port), 'postgresql')).rejects.toThrow('refused');
    await until('the session to end', () => proxy.listener.sessions === 0);
  });

  test('a plain startup packet behind an SSLRequest is never relayed', async () => {
    const upstream = await startServer();
    const proxy = await startProxy(upstream.port, { policy: { clientTls } });
    const together = await connectTo(proxy.port);
    together.socket.write(Buffer.concat([sslRequest, startup]));
    await together.ended();
    expect(together.length).toBe(0);
    const after = await connectTo(proxy.port);
    after.socket.write(sslRequest);
    await after.read(1);
    after.socket.write(startup);
    await after.ended();
    expect(upstream.connections).toHaveLength(0);
  });

  test('clients that leave in mid-handshake leave nothing behind', async () => {
    const upstream = await startServer();
    const proxy = await startProxy(upstream.port, { policy: { clientTls } });
    for (let index = 0; index < 20; index += 1) {
      const client = await connectTo(proxy.port);
      client.socket.write(sslRequest);
      await client.read(1);
      client.socket.write(Buffer.from('16030100f1010000ed0303', 'hex'));
      if (index % 2 === 0) client.socket.resetAndDestroy();
      else client.socket.end();
    }
    await until('all sessions to end', () => proxy.listener.sessions === 0);
  });

  test('a certificate that is none is a configuration error', async () => {
    const refused = startProxy(1, { policy: { clientTls: { cert: 'x', key: 'y', isRequired: false } } });
    await expect(refused).rejects.toBeInstanceOf(TwiceshyError);
    const mismatched = { cert: certificates.local.cert, key: certificates.elsewhere.key, isRequired: false };
    await expect(startProxy(1, { policy: { clientTls: mismatched } })).rejects.toThrow('PEM');
  });
});

describe('the upstream leg', () => {
  const offer = authentication(10, 'SCRAM-SHA-256-PLUS\0SCRAM-SHA-256\0\0');

  async function loginOver(tls: LegPolicy['upstreamTls'], pair = certificates.local) {
    const upstream = await startTlsServer(pair);
    const proxy = await startProxy(upstream.server.port, { policy: { upstreamTls: tls } });
    const client = await connectTo(proxy.port);
    client.socket.write(startup);
    return { upstream, proxy, client };
  }

  test.each([
    { mode: 'prefer' },
    { mode: 'require' },
    { mode: 'require', ca: certificates.ca },
    { mode: 'verify-full', ca: certificates.ca },
    { mode: 'verify-full', ca: certificates.ca, serverName: 'localhost' },
  ] as const)('%j: login without channel binding, then a relayed session', async (tls) => {
    const { upstream, proxy, client } = await loginOver(tls);
    await until('TLS upstream', () => upstream.ends.length === 1);
    const server = upstream.ends[0]!;
    expect(await server.read(startup.length)).toEqual(startup);
    server.socket.write(offer);
    const shortOffer = authentication(10, 'SCRAM-SHA-256\0\0');
    expect(await client.read(shortOffer.length)).toEqual(shortOffer);
    client.socket.write(saslInitial('SCRAM-SHA-256', 'n,,n=,r=abc'));
    server.socket.write(Buffer.concat([authentication(0), frame('Z', 'I')]));
    const whole = Buffer.concat([shortOffer, authentication(0), frame('Z', 'I')]);
    expect(await client.read(whole.length)).toEqual(whole);
    expect(proxy.observed[0]?.identity.isAuthenticated).toBe(true);
    expect(proxy.observed[0]?.toClient).toEqual(frame('Z', 'I'));
    client.socket.write('query');
    await until('the query', () => server.bytes.subarray(-5).toString() === 'query');
    server.socket.end();
    await client.ended();
    client.socket.end();
    await until('the session to end', () => proxy.listener.sessions === 0);
  });

  test.each([
    ['an unknown CA', { mode: 'verify-full' }, certificates.local, 'tls.ca'],
    ['an unknown CA', { mode: 'require', ca: certificates.elsewhere.cert }, certificates.local, 'tls.ca'],
    ['another name', { mode: 'verify-full', ca: certificates.ca }, certificates.elsewhere, 'tls.serverName'],
  ] as const)('%s is FATAL 08001 that says what to set', async (_what, tls, pair, advice) => {
    const { client } = await loginOver(tls, pair);
    await client.ended();
    const fields = errorFields(client.bytes);
    expect(fields['C']).toBe('08001');
    expect(fields['M']).toContain(advice);
  });

  test('prefer goes plain when the TLS handshake fails', async () => {
    let connections = 0;
    const upstream = await startServer((end) => {
      connections += 1;
      if (connections === 1) end.socket.once('data', () => end.socket.write('S'));
      if (connections === 1)
        end.socket.on('data', (chunk: Buffer) => chunk[0] === 0x16 && end.socket.write('no TLS'));
    });
    const proxy = await startProxy(upstream.port, { policy: { upstreamTls: { mode: 'prefer' } } });
    const client = await connectTo(proxy.port);
    client.socket.write(startup);
    const second = await upstream.connection(1);
    expect(await second.read(startup.length)).toEqual(startup);
  });

  test('prefer takes N, verify-full does not', async () => {
    const upstream = await startServer((end) => {
      end.socket.once('data', (chunk: Buffer) => chunk.equals(sslRequest) && end.socket.write('N'));
    });
    const proxy = await startProxy(upstream.port, { policy: { upstreamTls: { mode: 'prefer' } } });
    const client = await connectTo(proxy.port);
    client.socket.write(startup);
    const server = await upstream.connection();
    expect((await server.read(8 + startup.length)).subarray(8)).toEqual(startup);
    const strict = await startProxy(upstream.port, { policy: { upstreamTls: { mode: 'verify-full' } } });
    const refused = await connectTo(strict.port);
    refused.socket.write(startup);
    await refused.ended();
    expect(errorFields(refused.bytes)['C']).toBe('08001');
  });

  test('bytes after the S are never taken for TLS or for the session', async () => {
    const upstream = await startServer((end) => {
      end.socket.once('data', () => end.socket.write('Sinjected'));
    });
    const proxy = await startProxy(upstream.port, { policy: { upstreamTls: { mode: 'require' } } });
    const client = await connectTo(proxy.port);
    client.socket.write(startup);
    await client.ended();
    expect(errorFields(client.bytes)['C']).toBe('08001');
    expect(client.bytes.includes('injected')).toBe(false);
  });

  test('a cancel request goes over TLS too', async () => {
    const upstream = await startTlsServer();
    const proxy = await startProxy(upstream.server.port, { policy: { upstreamTls: { mode: 'require' } } });
    const client = await connectTo(proxy.port);
    const packet = cancelPacket(Buffer.alloc(8, 9));
    client.socket.write(packet);
    await until('TLS upstream', () => upstream.ends.length === 1);
    expect(await upstream.ends[0]!.read(packet.length)).toEqual(packet);
    upstream.ends[0]!.socket.end();
    await client.ended();
    expect(client.length).toBe(0);
  });
});

test('TLS on both legs with channel binding off', async () => {
  const upstream = await startTlsServer();
  const policy = {
    clientTls,
    upstreamTls: { mode: 'verify-full', ca: certificates.ca },
    isChannelBindingOff: true,
  } as const;
  const proxy = await startProxy(upstream.server.port, { policy });
  const client = await connectSecurely(proxy.port);
  client.socket.write(startup);
  await until('TLS upstream', () => upstream.ends.length === 1);
  const server = upstream.ends[0]!;
  await server.read(startup.length);
  server.socket.write(authentication(10, 'SCRAM-SHA-256-PLUS\0SCRAM-SHA-256\0\0'));
  const offer = authentication(10, 'SCRAM-SHA-256\0\0');
  expect(await client.read(offer.length)).toEqual(offer);
  client.socket.write(saslInitial('SCRAM-SHA-256', 'y,,n=,r=abc'));
  await client.ended();
  const fields = errorFields(client.bytes.subarray(offer.length));
  expect(fields).toMatchObject({ C: '28000' });
  expect(fields['M']).toContain('channel_binding=disable');
});

/** The time before a session is relayed, on real sockets, between clients and servers that a test scripts. */
import { randomBytes } from 'node:crypto';
import { createServer, type Server, type Socket } from 'node:net';
import { connect as connectTls, createSecureContext, TLSSocket } from 'node:tls';
import { MongoClient, type MongoClientOptions } from 'mongodb';
import { pino } from 'pino';
import { afterEach, describe, expect, test } from 'vitest';
import { createHandshake } from '../../../adapters/mongodb/handshake.js';
import type { LegPolicy } from '../../../src/core/adapter.js';
import { limits } from '../../../src/core/limits.js';
import { clientHello, hello, oldHello, onlyReply } from '../../support/mongodb-first-requests.js';
import { opMsg, wireMessage } from '../../support/mongodb-messages.js';
import { steady } from '../../support/until.js';
import { type KeyPair, makeCertificates } from '../proxy/certificates.js';
import {
  connectTo,
  type ProxyOverrides,
  type ProxyUnderTest,
  ScriptedEnd,
  ScriptedServer,
  silentObserver,
  startProxy as startAnyProxy,
  stopProxies,
  until,
} from '../proxy/scripted-ends.js';

const certificates = makeCertificates();
const clientTls = { ...certificates.local, isRequired: false };
const reply = opMsg({ ok: 1, maxWireVersion: 21 }, { requestId: 1, responseTo: 7 });

const servers: { stop(): Promise<void> }[] = [];

afterEach(async () => {
  await stopProxies();
  for (const server of servers.splice(0)) await server.stop();
});

async function startServer(onConnection?: (end: ScriptedEnd) => void): Promise<ScriptedServer> {
  const server = await new ScriptedServer(onConnection).listen();
  servers.push({ stop: () => server.stopListening() });
  return server;
}

/** Answers every read with a reply. */
const answers = (end: ScriptedEnd): void => void end.socket.on('data', () => end.socket.write(reply));

/**
 * Takes TLS only: hangs up without a word on what begins otherwise, as MongoDB's servers do. `plain` counts those,
 * `secured` are the others.
 */
async function startTlsServer(
  pair: KeyPair,
): Promise<{ port: number; plain: Socket[]; secured: ScriptedEnd[] }> {
  const plain: Socket[] = [];
  const secured: ScriptedEnd[] = [];
  const secureContext = createSecureContext(pair);
  const server: Server = createServer({ pauseOnConnect: false }, (socket) => {
    socket.on('error', () => undefined);
    socket.once('data', (first: Buffer) => {
      if (first[0] !== 0x16) {
        plain.push(socket);
        socket.destroy();
        return;
      }
      socket.pause();
      socket.unshift(first);
      const end = new ScriptedEnd(new TLSSocket(socket, { isServer: true, secureContext }));
      secured.push(end);
      answers(end);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  servers.push({
    stop: () =>
      new Promise((resolve) => {
        for (const { socket } of secured) socket.destroy();
        server.close(() => resolve());
      }),
  });
  return { port: typeof address === 'object' && address !== null ? address.port : 0, plain, secured };
}

function startProxy(port: number, overrides: ProxyOverrides = {}): Promise<ProxyUnderTest> {
  return startAnyProxy(port, {
    createHandshake,
    ...overrides,
    policy: { compression: 'relay', ...overrides.policy },
  });
}

async function closedPort(): Promise<number> {
  const server = await new ScriptedServer().listen();
  await server.stopListening();
  return server.port;
}

async function connectSecurely(port: number): Promise<ScriptedEnd> {
  const socket = connectTls({ port, host: '127.0.0.1', ca: certificates.ca, servername: 'localhost' });
  const end = new ScriptedEnd(socket);
  await until('TLS with the proxy', () => socket.authorized);
  return end;
}

/** The error that is all the client gets for `request`. */
async function refusal(port: number, request = hello): Promise<ReturnType<typeof onlyReply>> {
  const client = await connectTo(port);
  client.socket.write(request);
  await client.ended();
  client.socket.end();
  return onlyReply(client.bytes);
}

const openSockets = (): number =>
  process.getActiveResourcesInfo().filter((kind) => kind === 'TCPSocketWrap').length;
const openTimers = (): number => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;

describe('the client speaks first', () => {
  test('the server is dialled for its first request, and not before', async () => {
    const server = await startServer(answers);
    const proxy = await startProxy(server.port);
    const client = await connectTo(proxy.port);
    client.socket.write(hello.subarray(0, 20));
    await until('the session', () => proxy.listener.sessions === 1);
    expect(server.connections).toHaveLength(0);
    client.socket.write(hello.subarray(20));
    expect(await client.read(reply.length)).toEqual(reply);
    expect(proxy.observed[0]?.identity).toMatchObject({ engine: 'mongodb', isAuthenticated: false });
    expect(proxy.observed[0]?.toServer).toEqual(hello);
    expect(server.connections[0]?.bytes).toEqual(hello);
  });

  test.each(['end', 'resetAndDestroy'] as const)(
    'one that comes and goes (%s) costs the server nothing and no line in the log',
    async (how) => {
      const server = await startServer();
      const lines: string[] = [];
      const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(line) });
      const proxy = await startProxy(server.port, { log });
      for (let time = 0; time < 5; time += 1) (await connectTo(proxy.port)).socket[how]();
      await until('the sessions to end', () => proxy.count('connections_closed', 'client_closed') === 5);
      expect(proxy.listener.sessions).toBe(0);
      expect(server.connections).toHaveLength(0);
      expect(lines).toEqual([]);
    },
  );

  test('a browser hears from the server what it thinks of HTTP', async () => {
    const request = Buffer.from('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    const server = await startServer((end) => end.socket.end('HTTP/1.0 200 OK\r\n\r\nNot here.'));
    const proxy = await startProxy(server.port, { policy: { clientTls, upstreamTls: { mode: 'allow' } } });
    const client = await connectTo(proxy.port);
    client.socket.end(request);
    await client.ended();
    expect(client.bytes.toString()).toContain('Not here.');
    expect((await server.connection()).bytes).toEqual(request);
    expect(proxy.count('blind_sessions', 'unknown_protocol')).toBe(1);
  });
});

describe('an upstream that fails', () => {
  test.each([
    ['OP_MSG', hello, 2013],
    ['OP_QUERY', oldHello, 1],
  ])('refused: an error by %s', async (_what, request, opcode) => {
    const proxy = await startProxy(await closedPort());
    const { body, ...head } = await refusal(proxy.port, request);
    expect(head).toEqual({ opcode, responseTo: 7 });
    expect(body).toMatchObject({ ok: 0, code: 6, errmsg: expect.stringContaining('ECONNREFUSED') });
  });

  test('silent to a hello that may have to go again: not for ever', async () => {
    const server = await startServer();
    const proxy = await startProxy(server.port, {
      connectTimeoutMs: 100,
      policy: { upstreamTls: { mode: 'allow' } },
    });
    expect((await refusal(proxy.port)).body['errmsg']).toContain('in time');
    expect(server.connections.map(({ bytes }) => bytes[0])).toEqual([hello[0], 0x16]);
  });

  test.each(['end', 'resetAndDestroy'] as const)('gone (%s) with a hello: the client hears', async (how) => {
    const server = await startServer((end) => void end.socket.once('data', () => end.socket[how]()));
    const proxy = await startProxy(server.port, { policy: { upstreamTls: { mode: 'allow' } } });
    expect((await refusal(proxy.port)).body['code']).toBe(6);
    expect(server.connections).toHaveLength(2);
  });

  test('a certificate that is not trusted: the request never leaves', async () => {
    const server = await startTlsServer(certificates.elsewhere);
    const policy: Partial<LegPolicy> = { upstreamTls: { mode: 'verify-full', ca: certificates.ca } };
    const proxy = await startProxy(server.port, { policy });
    expect((await refusal(proxy.port)).body['errmsg']).toContain('for another name');
    expect(server.secured.map(({ length }) => length)).toEqual([0]);
    expect(server.plain).toEqual([]);
  });

  test.each([
    ['by OP_QUERY', {}],
    ['by OP_MSG', { serverApi: '1' }],
  ] as const)('a driver shows why no server could be selected (%s)', async (_what, options) => {
    const proxy = await startProxy(await closedPort());
    const client = new MongoClient(`mongodb://ann:secretpw@127.0.0.1:${proxy.port}`, {
      ...(options as MongoClientOptions),
      serverSelectionTimeoutMS: 500,
    });
    await expect(client.db('shop').command({ ping: 1 })).rejects.toThrow(
      'The upstream database server refused the connection (ECONNREFUSED).',
    );
    await client.close();
  });
});

describe('TLS', () => {
  const secret = { ca: certificates.ca };
  test.each([
    ['both legs', true, { mode: 'verify-full', ...secret }],
    ["the client's leg", true, { mode: 'disable' }],
    ["the upstream's leg, required", false, { mode: 'require' }],
    ["the upstream's leg, preferred", false, { mode: 'prefer' }],
    ["the upstream's leg, allowed and demanded by the server", false, { mode: 'allow' }],
    ['both legs, allowed and demanded by the server', true, { mode: 'allow' }],
  ] as const)('on %s, byte by byte', async (_what, isClientTls, upstreamTls) => {
    const plain = upstreamTls.mode === 'disable' ? await startServer(answers) : null;
    const secure = plain === null ? await startTlsServer(certificates.local) : null;
    const policy = { clientTls: isClientTls ? clientTls : null, upstreamTls };
    const proxy = await startProxy(plain?.port ?? secure?.port ?? 0, { policy });
    const client = await (isClientTls ? connectSecurely(proxy.port) : connectTo(proxy.port));
    for (const byte of hello) client.socket.write(Buffer.from([byte]));
    expect((await client.read(reply.length)).subarray(0, reply.length)).toEqual(reply);
    const heard = plain?.connections ?? secure?.secured ?? [];
    expect(heard.map(({ bytes }) => bytes)).toEqual([hello]);
    expect(secure?.plain.length ?? 0).toBe(upstreamTls.mode === 'allow' ? 1 : 0);
    client.socket.destroy();
  });

  test.each([
    ['hangs up on it', (end: ScriptedEnd) => void end.socket.once('data', () => end.socket.destroy())],
    ['waits for the rest of a message', () => undefined],
  ])('preferred, with a server that has none and %s: plain', async (_what, onTls) => {
    const server = await startServer((end) => {
      if (server.connections.length === 1) onTls(end);
      else answers(end);
    });
    const proxy = await startProxy(server.port, {
      connectTimeoutMs: 200,
      policy: { upstreamTls: { mode: 'prefer' } },
    });
    const client = await connectTo(proxy.port);
    client.socket.write(hello);
    expect(await client.read(reply.length)).toEqual(reply);
    expect(server.connections[1]?.bytes).toEqual(hello);
  });

  test('a TLS client of a listener without a certificate gets an alert', async () => {
    const server = await startServer();
    const proxy = await startProxy(server.port);
    const socket = connectTls({ port: proxy.port, host: '127.0.0.1', rejectUnauthorized: false });
    const client = new ScriptedEnd(socket);
    await client.closed();
    expect(client.error?.message).toMatch(/alert handshake failure/i);
    expect(server.connections).toHaveLength(0);
  });

  test('noise instead of a ClientHello ends the client alone', async () => {
    const server = await startServer();
    const proxy = await startProxy(server.port, { policy: { clientTls } });
    const noise = Buffer.concat([Buffer.from('160301010c01', 'hex'), randomBytes(400)]);
    const client = await connectTo(proxy.port);
    client.socket.write(noise);
    await client.ended();
    client.socket.destroy();
    await until('the session to end', () => proxy.listener.sessions === 0);
    expect(server.connections).toHaveLength(0);
  });
});

describe('limits', () => {
  test('over the connection limit: told so, and the server is not dialled', async () => {
    const server = await startServer(answers);
    const proxy = await startProxy(server.port, { maxConnections: 1 });
    const first = await connectTo(proxy.port);
    first.socket.write(hello);
    await first.read(reply.length);
    expect((await refusal(proxy.port, oldHello)).body).toMatchObject({
      code: 6,
      errorLabels: ['SystemOverloadedError', 'RetryableError'],
    });
    expect(server.connections).toHaveLength(1);
  });

  test.each([
    ['nothing', Buffer.alloc(0)],
    ['half a request', hello.subarray(0, 20)],
    ['half a ClientHello', Buffer.from('1603', 'hex')],
  ])('a client that sends %s in time is closed', async (_what, bytes) => {
    const server = await startServer();
    const proxy = await startProxy(server.port, { handshakeTimeoutMs: 100, policy: { clientTls } });
    const client = await connectTo(proxy.port);
    if (bytes.length > 0) client.socket.write(bytes);
    await client.ended();
    expect(client.length).toBe(0);
    expect(server.connections).toHaveLength(0);
    expect(proxy.count('connections_closed', 'handshake_timeout')).toBe(0);
    client.socket.end();
    await until('its end', () => proxy.count('connections_closed', 'handshake_timeout') === 1);
  });

  test('a flood behind a hello that the server has yet to answer is held back, and passes then', async () => {
    const server = await startServer();
    const proxy = await startProxy(server.port, {
      observe: silentObserver,
      policy: { upstreamTls: { mode: 'allow' } },
    });
    const client = await connectTo(proxy.port);
    const flood = Buffer.concat([opMsg({ a: 1 }), wireMessage(9_999, Buffer.alloc(24 * 1024 * 1024, 1))]);
    client.socket.write(hello);
    const upstream = await server.connection();
    await upstream.read(hello.length);
    client.socket.write(flood);
    const waiting = await steady(() => client.socket.writableLength, 10_000, 'the client to be held back');
    expect(waiting).toBeGreaterThan(0);
    expect(upstream.bytes).toEqual(hello);
    upstream.socket.write(reply);
    const passed = await upstream.read(hello.length + flood.length);
    expect(passed.subarray(hello.length).equals(flood)).toBe(true);
  });

  test('a long first request passes before it is whole', async () => {
    const server = await startServer();
    const proxy = await startProxy(server.port, { policy: { upstreamTls: { mode: 'allow' } } });
    const client = await connectTo(proxy.port);
    const long = wireMessage(2013, Buffer.alloc(limits.maxFirstRequestBytes * 40, 1));
    client.socket.write(long.subarray(0, -1));
    await (await server.connection()).read(long.length - 1);
    client.socket.write(long.subarray(-1));
    expect((await (await server.connection()).read(long.length)).equals(long)).toBe(true);
  });
});

describe('clients that leave', () => {
  test('500 connections opened and reset at every stage leave nothing', async () => {
    const server = await startServer((end) => {
      answers(end);
      end.socket.once('end', () => end.socket.end());
    });
    const proxy = await startProxy(server.port, { policy: { clientTls, upstreamTls: { mode: 'allow' } } });
    const sockets = openSockets();
    const timers = openTimers();
    const firstBytes = [Buffer.alloc(0), hello.subarray(0, 5), clientHello, hello, randomBytes(40)];
    for (let batch = 0; batch < 10; batch += 1) {
      const clients = await Promise.all(Array.from({ length: 50 }, () => connectTo(proxy.port)));
      for (const [index, client] of clients.entries()) {
        const bytes = firstBytes[index % firstBytes.length] ?? hello;
        if (bytes.length > 0) client.socket.write(bytes);
        if (index % 2 === 0) client.socket.resetAndDestroy();
        else setImmediate(() => client.socket.resetAndDestroy());
      }
    }
    await until('all sessions to end', () => proxy.listener.sessions === 0);
    await until('all sockets to be gone', () => openSockets() <= sockets);
    expect(openTimers()).toBeLessThanOrEqual(timers + 1);
    expect(proxy.observed.every((entry) => entry.ends === 1 && entry.closes === 1)).toBe(true);
  });

  test('behind their request: it is answered', async () => {
    const server = await startServer(answers);
    const proxy = await startProxy(server.port, { policy: { upstreamTls: { mode: 'allow' } } });
    const client = await connectTo(proxy.port);
    client.socket.end(hello);
    const upstream = await server.connection();
    await until('the end to reach the server', () => upstream.isEnded);
    upstream.socket.end();
    await client.ended();
    expect(client.bytes).toEqual(reply);
  });
});

test('stopping: who is speaking is told, who is silent is left, sessions go on', async () => {
  const server = await startServer(answers);
  const proxy = await startProxy(server.port);
  const session = await connectTo(proxy.port);
  session.socket.write(hello);
  await session.read(reply.length);
  const silent = await connectTo(proxy.port);
  const speaking = await connectTo(proxy.port);
  speaking.socket.write(hello.subarray(0, 20));
  // Once this is answered, what was sent before it is read.
  session.socket.write(hello);
  await session.read(2 * reply.length);
  await until('all three', () => proxy.listener.sessions === 3);
  const draining = proxy.listener.drain(10_000);
  await silent.ended();
  expect(silent.length).toBe(0);
  silent.socket.end();
  speaking.socket.write(hello.subarray(20));
  await speaking.ended();
  expect(onlyReply(speaking.bytes).body).toMatchObject({ code: 91, codeName: 'ShutdownInProgress' });
  speaking.socket.end();
  session.socket.write(hello);
  await session.read(3 * reply.length);
  session.socket.end();
  (await server.connection()).socket.end();
  await draining;
});

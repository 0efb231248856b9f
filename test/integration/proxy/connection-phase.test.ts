import { randomBytes } from 'node:crypto';
import { connect } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import {
  cancelPacket,
  errorFields,
  gssRequest,
  sslRequest,
  startupPacket,
} from '../../unit/adapters/postgres/startup-packets.js';
import {
  connectTo,
  type ScriptedEnd,
  ScriptedServer,
  startProxy,
  stopProxies,
  until,
} from './scripted-ends.js';

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

/** As a database does, it closes a connection whose client has ended. */
function closesAfterClient(end: ScriptedEnd): void {
  end.socket.once('end', () => end.socket.end());
}

/** A port on which nothing listens. */
async function closedPort(): Promise<number> {
  const server = await new ScriptedServer().listen();
  await server.stopListening();
  return server.port;
}

/** The fields of the FATAL that is all the client gets before the end. */
async function fatal(client: ScriptedEnd, skip = 0): Promise<Record<string, string>> {
  await client.ended();
  return errorFields(client.bytes.subarray(skip));
}

function openSockets(): number {
  return process.getActiveResourcesInfo().filter((kind) => kind === 'TCPSocketWrap').length;
}

function openTimers(): number {
  return process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
}

describe('an upstream that fails', () => {
  test('refused: FATAL 08001 after the startup packet, not before', async () => {
    const proxy = await startProxy(await closedPort());
    const client = await connectTo(proxy.port);
    client.socket.write(sslRequest);
    expect((await client.read(1)).toString()).toBe('N');
    client.socket.write(startup);
    const fields = await fatal(client, 1);
    expect(fields).toMatchObject({ S: 'FATAL', V: 'FATAL', C: '08001' });
    expect(fields['M']).toContain('ECONNREFUSED');
    client.socket.end();
    await until('the session to end', () => proxy.listener.sessions === 0);
  });

  test('a host that does not resolve', async () => {
    const address = { host: 'nowhere.invalid', port: 5432, user: '', password: '', database: '' };
    const proxy = await startProxy(1, { upstream: { name: 'up', address } });
    const client = await connectTo(proxy.port);
    client.socket.write(startup);
    expect((await fatal(client))['C']).toBe('08001');
  });

  test('silent in answer to SSLRequest: FATAL 08001 in time', async () => {
    const upstream = await startServer();
    const policy = { upstreamTls: { mode: 'require' } } as const;
    const proxy = await startProxy(upstream.port, { policy, connectTimeoutMs: 100 });
    const client = await connectTo(proxy.port);
    client.socket.write(startup);
    expect((await fatal(client))['M']).toContain('in time');
    await (await upstream.connection()).ended();
  });

  test.each(['end', 'resetAndDestroy'] as const)(
    'gone (%s) in answer to SSLRequest: FATAL 08001',
    async (how) => {
      const upstream = await startServer((end) => end.socket.once('data', () => end.socket[how]()));
      const proxy = await startProxy(upstream.port, { policy: { upstreamTls: { mode: 'prefer' } } });
      const client = await connectTo(proxy.port);
      client.socket.write(startup);
      expect((await fatal(client))['C']).toBe('08001');
    },
  );

  test('gone once relaying began: what the server sent and nothing more', async () => {
    const upstream = await startServer((end) => end.socket.once('data', () => end.socket.destroy()));
    const proxy = await startProxy(upstream.port);
    const client = await connectTo(proxy.port);
    client.socket.write(startup);
    await client.ended();
    expect(client.length).toBe(0);
  });
});

describe('cancel requests', () => {
  const key = Buffer.from('f0000001deadbeef', 'hex');

  test('reach the upstream on a connection of their own and the session whose key they hold', async () => {
    const upstream = await startServer(closesAfterClient);
    const proxy = await startProxy(upstream.port);
    const session = await connectTo(proxy.port);
    session.socket.write(startup);
    await (await upstream.connection()).read(startup.length);
    proxy.observed[0]?.options.onCancelKey(key.toString('latin1'));
    const canceller = await connectTo(proxy.port);
    canceller.socket.write(cancelPacket(key));
    const server = await upstream.connection(1);
    expect(await server.read(16)).toEqual(cancelPacket(key));
    expect(proxy.observed[0]?.cancels).toBe(1);
    server.socket.end('the server should not answer');
    await canceller.ended();
    expect(canceller.length).toBe(0);
    expect(proxy.count('cancels_relayed')).toBe(1);
    canceller.socket.end();
    session.socket.destroy();
    await until('all sessions to end', () => proxy.listener.sessions === 0);
    expect(proxy.cancelKeys.size).toBe(0);
  });

  test('are relayed also when the client has already left', async () => {
    const upstream = await startServer();
    const proxy = await startProxy(upstream.port);
    const canceller = await connectTo(proxy.port);
    canceller.socket.end(cancelPacket(key));
    const server = await upstream.connection();
    expect(await server.read(16)).toEqual(cancelPacket(key));
    server.socket.end();
    await until('the session to end', () => proxy.listener.sessions === 0);
  });

  test('get zero bytes when the upstream is down', async () => {
    const proxy = await startProxy(await closedPort());
    const canceller = await connectTo(proxy.port);
    canceller.socket.write(cancelPacket(key));
    await canceller.ended();
    expect(canceller.length).toBe(0);
  });

  test('pass a listener that is full', async () => {
    const upstream = await startServer();
    const proxy = await startProxy(upstream.port, { maxConnections: 1 });
    const session = await connectTo(proxy.port);
    session.socket.write(startup);
    await upstream.connection();
    const canceller = await connectTo(proxy.port);
    canceller.socket.write(cancelPacket(key));
    expect(await (await upstream.connection(1)).read(16)).toEqual(cancelPacket(key));
  });
});

describe('limits', () => {
  test('over the connection limit: the SSLRequest is answered, the startup packet gets FATAL 53300', async () => {
    const upstream = await startServer();
    const proxy = await startProxy(upstream.port, { maxConnections: 2 });
    const first = await connectTo(proxy.port);
    first.socket.write(startup);
    const second = await connectTo(proxy.port);
    await until('two sessions', () => proxy.listener.sessions === 2);
    const third = await connectTo(proxy.port);
    third.socket.write(sslRequest);
    expect((await third.read(1)).toString()).toBe('N');
    third.socket.write(startup);
    expect(await fatal(third, 1)).toMatchObject({ S: 'FATAL', C: '53300' });
    expect(proxy.count('connections_refused', 'too_many_connections')).toBe(1);
    third.socket.end();
    second.socket.end();
    await until('room', () => proxy.listener.sessions === 1);
    const fourth = await connectTo(proxy.port);
    fourth.socket.write(startup);
    await upstream.connection(1);
  });

  test('far over the limit, connections are closed without a word', async () => {
    const proxy = await startProxy(await closedPort(), { maxConnections: 0 });
    const clients = await Promise.all(Array.from({ length: 80 }, () => connectTo(proxy.port)));
    await until(
      'the last ones to be closed',
      () => clients.filter((client) => client.isClosed || client.isEnded).length === 16,
    );
    expect(proxy.listener.sessions).toBe(64);
    for (const client of clients) client.socket.destroy();
  });

  test.each([
    ['nothing', Buffer.alloc(0), 0],
    ['half a packet', startup.subarray(0, 9), 0],
    ['an SSLRequest', sslRequest, 1],
  ])('a client that sends %s in time gets FATAL 57014', async (_what, bytes, skip) => {
    const proxy = await startProxy(await closedPort(), { handshakeTimeoutMs: 100 });
    const client = await connectTo(proxy.port);
    if (bytes.length > 0) client.socket.write(bytes);
    expect((await fatal(client, skip))['C']).toBe('57014');
  });

  test('a cancel whose upstream never closes ends with the handshake', async () => {
    const upstream = await startServer();
    const proxy = await startProxy(upstream.port, { handshakeTimeoutMs: 150 });
    const canceller = await connectTo(proxy.port);
    canceller.socket.write(cancelPacket(Buffer.alloc(8)));
    await canceller.ended();
    expect(canceller.length).toBe(0);
    await (await upstream.connection()).ended();
  });
});

describe('bad beginnings', () => {
  test.each([
    ['a length of 0', Buffer.from('0000000000030000', 'hex')],
    ['a length of 3', Buffer.from('0000000300030000', 'hex')],
    ['a negative length', Buffer.from('ffffffff00030000', 'hex')],
    ['a huge length', Buffer.from('7fffffff00030000', 'hex')],
    ['another protocol', Buffer.from('GET / HTTP/1.1\r\n\r\n')],
  ])('%s is closed without a byte, as the server does', async (_what, bytes) => {
    const upstream = await startServer();
    const proxy = await startProxy(upstream.port);
    const client = await connectTo(proxy.port);
    client.socket.write(bytes);
    await client.ended();
    expect(client.length).toBe(0);
    client.socket.end();
    await until('the session to end', () => proxy.listener.sessions === 0);
    expect(upstream.connections).toHaveLength(0);
  });

  test('bytes behind SSLRequest or GSSENCRequest in the same read close the connection', async () => {
    const upstream = await startServer();
    const proxy = await startProxy(upstream.port);
    for (const request of [sslRequest, gssRequest]) {
      const client = await connectTo(proxy.port);
      client.socket.write(Buffer.concat([request, startup]));
      await client.ended();
      expect(client.length).toBe(0);
    }
    expect(upstream.connections).toHaveLength(0);
  });

  test('random first bytes end their own connection only', async () => {
    const upstream = await startServer();
    const proxy = await startProxy(upstream.port);
    const good = await connectTo(proxy.port);
    good.socket.write(startup);
    const server = await upstream.connection();
    await server.read(startup.length);
    for (let index = 0; index < 40; index += 1) {
      const client = await connectTo(proxy.port);
      client.socket.end(randomBytes(1 + index));
      await client.ended();
      client.socket.destroy();
    }
    await until('only the good session to be left', () => proxy.listener.sessions === 1);
    server.socket.write('alive');
    expect((await good.read(5)).toString()).toBe('alive');
  });

  test('500 connections opened and reset at every stage leave nothing', async () => {
    const upstream = await startServer(closesAfterClient);
    const proxy = await startProxy(upstream.port);
    const sockets = openSockets();
    const timers = openTimers();
    const firstBytes = [
      Buffer.alloc(0),
      startup.subarray(0, 5),
      sslRequest,
      startup,
      cancelPacket(Buffer.alloc(8)),
    ];
    for (let batch = 0; batch < 10; batch += 1) {
      const clients = await Promise.all(Array.from({ length: 50 }, () => connectTo(proxy.port)));
      for (const [index, client] of clients.entries()) {
        const bytes = firstBytes[index % firstBytes.length] ?? startup;
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
});

describe('stopping', () => {
  test('drain waits for sessions that relay, tells those that do not, and takes no more', async () => {
    const upstream = await startServer();
    const proxy = await startProxy(upstream.port);
    const relayed = await connectTo(proxy.port);
    relayed.socket.write(startup);
    const server = await upstream.connection();
    await server.read(startup.length);
    const early = await connectTo(proxy.port);
    await until('both sessions', () => proxy.listener.sessions === 2);
    let isDrained = false;
    const draining = proxy.listener.drain(10_000).then(() => {
      isDrained = true;
    });
    early.socket.write(startup);
    expect((await fatal(early))['C']).toBe('57P03');
    early.socket.end();
    await until('the refused one to end', () => proxy.listener.sessions === 1);
    const late = connect({ port: proxy.port, host: '127.0.0.1' });
    const code = await new Promise((resolve) =>
      late.once('error', (error: NodeJS.ErrnoException) => resolve(error.code)),
    );
    expect(code).toBe('ECONNREFUSED');
    server.socket.write('still here');
    await relayed.read(10);
    expect(isDrained).toBe(false);
    relayed.socket.end();
    await server.ended();
    server.socket.end();
    await draining;
    expect(proxy.listener.sessions).toBe(0);
  });

  test('drain cuts off what does not end in time', async () => {
    const upstream = await startServer();
    const proxy = await startProxy(upstream.port);
    const relayed = await connectTo(proxy.port);
    relayed.socket.write(startup);
    await (await upstream.connection()).read(startup.length);
    await proxy.listener.drain(50);
    expect(proxy.listener.sessions).toBe(0);
    await relayed.ended();
  });

  test('an address in use is LISTEN_FAILED', async () => {
    const upstream = await startServer();
    await expect(startProxy(1, { port: upstream.port })).rejects.toMatchObject({ code: 'LISTEN_FAILED' });
  });
});

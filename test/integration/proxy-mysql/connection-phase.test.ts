/** The connection phase on real sockets, between a raw client and a server that a test scripts. */
import { randomBytes } from 'node:crypto';
import { connect as connectTls } from 'node:tls';
import { afterEach, describe, expect, test } from 'vitest';
import { createHandshake } from '../../../adapters/mysql/handshake.js';
import type { LegPolicy } from '../../../src/core/adapter.js';
import { limits } from '../../../src/core/limits.js';
import { loginPacket, ping, tlsRequest } from '../../support/mysql-client-packets.js';
import { capability, packet, packets } from '../../support/mysql-protocol.js';
import {
  error,
  greeting,
  mysqlGreeting,
  mysqlOffer,
  ok,
  readError,
} from '../../support/mysql-server-packets.js';
import { LoginRefused, RawMysql } from '../../support/raw-mysql.js';
import {
  ScriptedMysqlServer,
  type ScriptedServerOptions,
  type SessionScript,
} from '../../support/scripted-mysql-server.js';
import { makeCertificates } from '../proxy/certificates.js';
import {
  connectTo,
  type ProxyOverrides,
  type ProxyUnderTest,
  type ScriptedEnd,
  ScriptedServer,
  startProxy as startAnyProxy,
  stopProxies,
  until,
} from '../proxy/scripted-ends.js';

const certificates = makeCertificates();
const clientTls = { ...certificates.local, isRequired: false };
const greeted = packet(greeting(), 0);
const login = packet(
  loginPacket({
    capabilities: mysqlOffer & ~capability.connectWithDb,
    user: 'ann',
    authData: Buffer.alloc(20, 1),
    plugin: 'mysql_native_password',
    attributes: { program_name: 'probe' },
  }),
  1,
);
const requestForTls = packet(tlsRequest({ capabilities: mysqlOffer | capability.tls }), 1);

const scripted: ScriptedMysqlServer[] = [];
const rawServers: ScriptedServer[] = [];

afterEach(async () => {
  await stopProxies();
  for (const server of rawServers.splice(0)) await server.stopListening();
  for (const server of scripted.splice(0)) await server.close();
});

async function startServer(
  script: SessionScript,
  options?: ScriptedServerOptions,
): Promise<ScriptedMysqlServer> {
  const server = await ScriptedMysqlServer.listen(script, options);
  scripted.push(server);
  return server;
}

/** A server of bytes alone, which greets nobody. */
async function startRawServer(onConnection?: (end: ScriptedEnd) => void): Promise<ScriptedServer> {
  const server = await new ScriptedServer(onConnection).listen();
  rawServers.push(server);
  return server;
}

function startProxy(port: number, overrides: ProxyOverrides = {}): Promise<ProxyUnderTest> {
  return startAnyProxy(port, {
    createHandshake,
    ...overrides,
    policy: { compression: 'clear', ...overrides.policy },
  });
}

/** Lets everybody in, answers everything with OK, and closes behind its client, who may leave at any time. */
const serves: SessionScript = async (session) => {
  await session.login().catch(() => undefined);
  if (session.client !== null) await session.serve(() => [ok()]);
  session.end();
};

const urlOf = (proxy: ProxyUnderTest, user = 'app:secretpw'): string =>
  `mysql://${user}@127.0.0.1:${proxy.port}/shop`;

/** The ERR packet that is all the client gets behind `skip` bytes. */
async function refusal(
  client: ScriptedEnd,
  skip = 0,
): Promise<ReturnType<typeof readError> & { sequence: number }> {
  await client.ended();
  const bytes = client.bytes.subarray(skip);
  expect(bytes.length).toBe(4 + bytes.readUIntLE(0, 3));
  return { sequence: bytes[3]!, ...readError(bytes.subarray(4)) };
}

async function closedPort(): Promise<number> {
  const server = await new ScriptedServer().listen();
  await server.stopListening();
  return server.port;
}

const openSockets = (): number =>
  process.getActiveResourcesInfo().filter((kind) => kind === 'TCPSocketWrap').length;
const openTimers = (): number => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;

describe('the server speaks first', () => {
  test('it is dialled at accept, and the greeting is there before the client says anything', async () => {
    const server = await startServer(serves);
    const proxy = await startProxy(server.port);
    const client = await connectTo(proxy.port);
    expect(await client.read(greeted.length)).toEqual(greeted);
    client.socket.write(login);
    const end = greeted.length + packet(ok(), 2).length;
    expect((await client.read(end)).subarray(greeted.length)).toEqual(packet(ok(), 2));
    await until('the observer', () => proxy.observed.length === 1);
    expect(proxy.observed[0]?.identity).toMatchObject({
      engine: 'mysql',
      user: 'ann',
      application: 'probe',
      isAuthenticated: true,
    });
    client.socket.write(packets(ping));
    expect((await client.read(end + 11)).subarray(end)).toEqual(packet(ok(), 1));
    expect(proxy.observed[0]?.toServer).toEqual(packets(ping));
    expect(proxy.observed[0]?.toClient).toEqual(packet(ok(), 1));
  });

  test('a greeting that comes late and in pieces', async () => {
    const server = await startServer(
      async (session) => {
        await session.inPieces(greeted, [1, 5, 40]);
        session.sequence = 1;
        await session.login();
        await session.serve(() => [ok()]);
      },
      { greeting: null },
    );
    const proxy = await startProxy(server.port);
    const session = await RawMysql.open(urlOf(proxy));
    expect((await session.run(ping)).length).toBe(1);
    session.close();
  });

  test.each([
    [1040, 'Too many connections'],
    [1130, "Host 'x' is not allowed to connect to this server"],
  ])('its refusal %i reaches the client as it is', async (code, message) => {
    const sent = packet(error(code, message, null), 0);
    const server = await startRawServer((end) => end.socket.end(sent));
    const proxy = await startProxy(server.port);
    const client = await connectTo(proxy.port);
    await client.ended();
    expect(client.bytes).toEqual(sent);
    client.socket.end();
    await until('the session to end', () => proxy.listener.sessions === 0);
  });
});

describe('an upstream that fails', () => {
  test('refused: ERR 1158 instead of the greeting', async () => {
    const proxy = await startProxy(await closedPort());
    const client = await connectTo(proxy.port);
    const err = await refusal(client);
    expect(err).toMatchObject({ sequence: 0, code: 1158, sqlState: null });
    expect(err.message).toContain('ECONNREFUSED');
  });

  test('silent: the greeting is waited for as long as the connection', async () => {
    const server = await startRawServer();
    const proxy = await startProxy(server.port, { connectTimeoutMs: 100 });
    const client = await connectTo(proxy.port);
    expect((await refusal(client)).message).toContain('in time');
    await (await server.connection()).ended();
  });

  test.each(['end', 'resetAndDestroy'] as const)('gone (%s) in each step of the login', async (how) => {
    const steps: ((end: ScriptedEnd) => void)[] = [
      (end) => end.socket[how](),
      (end) => end.socket.write(greeted, () => setImmediate(() => end.socket[how]())),
      (end) => {
        end.socket.write(greeted);
        end.socket.once('data', () => end.socket[how]());
      },
    ];
    for (const [index, step] of steps.entries()) {
      const server = await startRawServer(step);
      const proxy = await startProxy(server.port);
      const client = await connectTo(proxy.port);
      if (index === 2) {
        await client.read(greeted.length);
        client.socket.write(login);
      }
      expect(await refusal(client, index === 0 ? 0 : greeted.length)).toMatchObject({ code: 1158 });
    }
  });

  test('gone at once behind its OK: what it sent and nothing more', async () => {
    const server = await startServer(async (session) => {
      await session.login();
      session.end();
    });
    const proxy = await startProxy(server.port);
    const client = await connectTo(proxy.port);
    await client.read(greeted.length);
    client.socket.write(login);
    await client.ended();
    expect(client.bytes.subarray(greeted.length)).toEqual(packet(ok(), 2));
  });

  test('a certificate that is not trusted: the login never leaves', async () => {
    const server = await startServer(serves, { tls: certificates.elsewhere });
    const policy: Partial<LegPolicy> = { upstreamTls: { mode: 'verify-full', ca: certificates.ca } };
    const proxy = await startProxy(server.port, { policy });
    await expect(RawMysql.open(urlOf(proxy))).rejects.toMatchObject({
      code: 1158,
      message: expect.stringContaining('for another name'),
    });
    const [first, ...more] = (await server.session()).received;
    expect(first?.payload.length).toBe(32);
    expect(more.filter(({ payload }) => payload.includes('app'))).toEqual([]);
  });
});

describe('TLS', () => {
  test('a ClientHello in the same segment as the request for it', async () => {
    const server = await startServer(serves);
    const proxy = await startProxy(server.port, { policy: { clientTls } });
    const relay = await startRawServer();
    const secure = connectTls({ port: relay.port, host: '127.0.0.1', rejectUnauthorized: false });
    secure.on('error', () => undefined);
    const hello = await (await relay.connection()).read(100);
    secure.destroy();
    const client = await connectTo(proxy.port);
    await client.read(greeted.length);
    client.socket.write(Buffer.concat([requestForTls, hello]));
    const answer = (await client.read(greeted.length + 5)).subarray(greeted.length);
    // A handshake record with a ServerHello.
    expect(answer[0]).toBe(0x16);
    client.socket.destroy();
  });

  test.each([
    ['both legs', true, true],
    ["the client's leg", true, false],
    ["the upstream's leg", false, true],
  ])('on %s, byte by byte', async (_what, isClientTls, isServerTls) => {
    const server = await startServer(serves, isServerTls ? { tls: certificates.local } : {});
    const proxy = await startProxy(server.port, {
      policy: {
        clientTls: isClientTls ? clientTls : null,
        upstreamTls: { mode: isServerTls ? 'verify-full' : 'disable', ca: certificates.ca },
      },
    });
    const session = await RawMysql.open(urlOf(proxy), { isTls: isClientTls, pieceBytes: 1 });
    const [answer] = await session.run(ping);
    expect(answer?.payload[0]).toBe(0);
    session.close();
    const logins = (await server.session()).received.filter(({ payload }) => payload.includes('app\0'));
    expect(logins.map(({ sequence }) => sequence)).toEqual([isServerTls ? 2 : 1]);
  });

  test('noise instead of a ClientHello ends the client alone', async () => {
    const server = await startServer(async (session) => session.ended());
    const proxy = await startProxy(server.port, { policy: { clientTls } });
    for (const noise of [login, Buffer.from(`\x16${'x'.repeat(50)}`)]) {
      const client = await connectTo(proxy.port);
      await client.read(greeted.length);
      client.socket.write(Buffer.concat([requestForTls, noise]));
      await client.ended();
      client.socket.destroy();
    }
    await until('all sessions to end', () => proxy.listener.sessions === 0);
    for (const session of server.sessions) {
      await session.ended();
      expect(session.received).toEqual([]);
    }
  });
});

describe('clients that leave', () => {
  test.each(['end', 'resetAndDestroy'] as const)(
    'before the greeting (%s): the server is let go at once',
    async (how) => {
      const server = await startRawServer((end) => end.socket.once('end', () => end.socket.end()));
      const proxy = await startProxy(server.port);
      const client = await connectTo(proxy.port);
      const upstream = await server.connection();
      const left = Date.now();
      client.socket[how]();
      await upstream.ended();
      await until('the session to end', () => proxy.listener.sessions === 0);
      expect(Date.now() - left).toBeLessThan(limits.lingerMs);
    },
  );

  test.each(['end', 'resetAndDestroy'] as const)('after it (%s)', async (how) => {
    const server = await startServer(async (session) => session.ended());
    const proxy = await startProxy(server.port);
    const client = await connectTo(proxy.port);
    await client.read(greeted.length);
    const left = Date.now();
    client.socket[how]();
    await (await server.session()).ended();
    await until('the session to end', () => proxy.listener.sessions === 0);
    expect(Date.now() - left).toBeLessThan(limits.lingerMs);
  });

  test('behind their login and a statement: both are answered', async () => {
    const server = await startServer(serves);
    const proxy = await startProxy(server.port);
    const client = await connectTo(proxy.port);
    await client.read(greeted.length);
    client.socket.end(Buffer.concat([login, packets(ping)]));
    await client.ended();
    expect(client.bytes.subarray(greeted.length)).toEqual(Buffer.concat([packet(ok(), 2), packet(ok(), 1)]));
  });

  test('500 connections opened and reset at every stage leave nothing', async () => {
    const server = await startRawServer((end) => {
      end.socket.write(greeted);
      end.socket.once('data', () => end.socket.write(packet(ok(), 2)));
      end.socket.once('end', () => end.socket.end());
    });
    const proxy = await startProxy(server.port, { policy: { clientTls } });
    const sockets = openSockets();
    const timers = openTimers();
    const firstBytes = [Buffer.alloc(0), login.subarray(0, 5), requestForTls, login, randomBytes(40)];
    for (let batch = 0; batch < 10; batch += 1) {
      const clients = await Promise.all(Array.from({ length: 50 }, () => connectTo(proxy.port)));
      for (const [index, client] of clients.entries()) {
        const bytes = firstBytes[index % firstBytes.length] ?? login;
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

describe('limits', () => {
  test('over the connection limit: ERR 1040 at once, and the upstream is not dialled', async () => {
    const server = await startServer(async (session) => session.ended());
    const proxy = await startProxy(server.port, { maxConnections: 1 });
    const first = await connectTo(proxy.port);
    await first.read(greeted.length);
    const second = await connectTo(proxy.port);
    expect(await refusal(second)).toMatchObject({ sequence: 0, code: 1040, sqlState: null });
    expect(server.sessions).toHaveLength(1);
  });

  test.each([
    ['nothing', Buffer.alloc(0)],
    ['half a packet', login.subarray(0, 20)],
  ])('a client that sends %s in time gets ERR 1159', async (_what, bytes) => {
    const server = await startServer(async (session) => session.ended());
    const proxy = await startProxy(server.port, { handshakeTimeoutMs: 100 });
    const client = await connectTo(proxy.port);
    await client.read(greeted.length);
    if (bytes.length > 0) client.socket.write(bytes);
    expect(await refusal(client, greeted.length)).toMatchObject({
      sequence: 2,
      code: 1159,
      sqlState: '08S01',
    });
    await (await server.session()).ended();
  });

  test('a server that stops in the middle of a login does not hold the client for ever', async () => {
    const server = await startRawServer((end) =>
      end.socket.write(Buffer.concat([greeted, Buffer.from([9, 9])])),
    );
    const proxy = await startProxy(server.port, { handshakeTimeoutMs: 150 });
    const client = await connectTo(proxy.port);
    await client.read(greeted.length);
    client.socket.write(login);
    expect(await refusal(client, greeted.length)).toMatchObject({ sequence: 2, code: 1159 });
  });

  test('the longest login comes in whole', async () => {
    const server = await startServer(serves);
    const proxy = await startProxy(server.port);
    const attributes = { program_name: 'long', pad: 'x'.repeat(limits.maxLoginPacketBytes - 1_000) };
    const session = await RawMysql.open(urlOf(proxy), { attributes });
    expect((await session.run(ping)).length).toBe(1);
    expect(proxy.observed[0]?.identity.application).toBe('long');
    session.close();
  });
});

describe('stopping', () => {
  test('clients before their login are told in answer to it, sessions go on', async () => {
    const server = await startServer(serves);
    const proxy = await startProxy(server.port);
    const session = await RawMysql.open(urlOf(proxy));
    const early = await connectTo(proxy.port);
    await early.read(greeted.length);
    const draining = proxy.listener.drain(10_000);
    early.socket.write(login);
    expect(await refusal(early, greeted.length)).toMatchObject({
      sequence: 2,
      code: 1053,
      sqlState: '08S01',
    });
    early.socket.end();
    expect((await session.run(ping)).length).toBe(1);
    session.close();
    await draining;
  });
});

test("a refused login is the server's own", async () => {
  const server = await startServer(
    async (session) => {
      await session.login(error(1045, "Access denied for user 'app'@'x' (using password: YES)", '28000'));
      await session.ended();
    },
    { greeting: { ...mysqlGreeting, plugin: 'mysql_native_password' } },
  );
  const proxy = await startProxy(server.port);
  const refused = await RawMysql.open(urlOf(proxy)).catch((failure: unknown) => failure);
  expect(refused).toBeInstanceOf(LoginRefused);
  expect(refused).toMatchObject({ code: 1045, sqlState: '28000' });
});

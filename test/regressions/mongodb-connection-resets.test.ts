// The process died of an ECONNRESET on a client's socket that nobody handled (electric-sql/pglite#873,
// vercel-labs/portless#111).
import type { Socket } from 'node:net';
import type { Document } from 'bson';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { makeCertificates } from '../integration/proxy/certificates.js';
import { connectTo } from '../integration/proxy/scripted-ends.js';
import { clientHello, hello } from '../support/mongodb-first-requests.js';
import { messageOf, msgFlag, opMsg, wireMessage } from '../support/mongodb-messages.js';
import { RawMongo } from '../support/raw-mongodb.js';
import type { ScriptedMongoServer } from '../support/scripted-mongodb-server.js';
import { startRelay, type TcpRelay } from '../support/tcp-relay.js';
import { until } from '../support/until.js';
import { serveMongo, stopMongo, watchMongo } from './support/mongodb-sessions.js';
import type { WatchedProxy } from './support/watched-proxy.js';

const certificates = makeCertificates();
const waitMs = 30_000;

let upstream: ScriptedMongoServer;
let relay: TcpRelay;
let proxy: WatchedProxy;

/** More than all buffers on the way hold. */
const huge = { ok: 1, cursor: { id: 1n, ns: 'shop.users', firstBatch: [{ text: 'x'.repeat(15_000_000) }] } };

beforeEach(async () => {
  upstream = await serveMongo((command, request, session) => {
    if (command['slow'] !== undefined) return null;
    if (command['find'] !== undefined) return huge;
    if (command['watch'] === undefined) return undefined;
    // A chain of replies that is never at its end.
    let last = request;
    for (let index = 0; index < 10; index += 1) {
      const bytes = session.replyTo(last, { ok: 1 }, { flags: msgFlag.moreToCome });
      session.write(bytes);
      last = messageOf(bytes);
    }
    return null;
  });
  relay = await startRelay({ targetHost: '127.0.0.1', targetPort: upstream.port });
  proxy = await watchMongo(relay.port, {
    policy: { clientTls: { ...certificates.local, isRequired: false } },
  });
});

afterEach(async () => {
  await relay.close();
  await stopMongo();
});

const openSockets = (): number =>
  process.getActiveResourcesInfo().filter((kind) => kind === 'TCPSocketWrap').length;

async function greeted(): Promise<RawMongo> {
  const session = await RawMongo.dial(proxy.through(upstream.url));
  await session.run({ hello: 1, $db: 'admin' });
  return session;
}

async function sent(bytes: Buffer): Promise<Socket> {
  const { socket } = await connectTo(proxy.proxy.port);
  socket.write(bytes);
  return socket;
}

async function asked(...commands: readonly Document[]): Promise<Socket> {
  const session = await greeted();
  await session.send(
    ...commands.map((command, index) => opMsg({ ...command, $db: 'shop' }, { requestId: 50 + index })),
  );
  return session.socket;
}

/** Brings a session to some state and gives the client's socket, to be reset. */
type Approach = () => Promise<Socket>;

/** Before the server is dialled, or after it has hung up. */
const withoutServer: Readonly<Record<string, Approach>> = {
  'before anything is read': async () => (await connectTo(proxy.proxy.port, false)).socket,
  'in the midst of a header': () => sent(hello.subarray(0, 9)),
  'in the midst of its first request': () => sent(hello.subarray(0, -1)),
  'in the midst of the TLS handshake': () => sent(clientHello),
  'behind bytes that are no message': async () => {
    const session = await greeted();
    await session.send(Buffer.alloc(64, 0xff));
    return session.socket;
  },
};

const approaches: Readonly<Record<string, Approach>> = {
  'behind its hello': () => sent(hello),
  'while idle': async () => (await greeted()).socket,
  'while its command runs': () => asked({ slow: 1 }),
  'in the midst of a reply it does not read': async () => {
    const session = await greeted();
    const already = session.socket.bytesRead;
    await session.send(opMsg({ find: 'users', $db: 'shop' }, { requestId: 5 }));
    await until(() => session.socket.bytesRead > already + 1000, waitMs, 'the reply to begin');
    session.socket.pause();
    return session.socket;
  },
  'in the midst of a request of 48 MB': async () => {
    const session = await greeted();
    const whole = wireMessage(2013, Buffer.alloc(47_999_984), { requestId: 5 });
    await session.send(whole.subarray(0, 5_000_000));
    return session.socket;
  },
  'with requests in flight': () => asked(...Array.from({ length: 500 }, () => ({ slow: 1 }))),
  'in a chain of replies': async () => {
    const session = await greeted();
    await session.send(opMsg({ watch: 1, $db: 'shop' }, { requestId: 5, flags: msgFlag.exhaustAllowed }));
    for (let index = 0; index < 5; index += 1) await session.message();
    return session.socket;
  },
};

/** Everything of the session is gone, and the next client is served. */
async function expectGone(before: number): Promise<void> {
  await until(() => proxy.proxy.listener.sessions === 0, waitMs, 'the session to end');
  await until(() => relay.pairs.size === 0, waitMs, 'the upstream connection to end');
  await until(() => openSockets() <= before, waitMs, 'every socket to be closed');
  const next = await greeted();
  expect(await next.run({ ping: 1 })).toEqual({ ok: 1 });
  next.close();
  await until(() => proxy.proxy.listener.sessions === 0, waitMs, 'the next session to end');
}

it.each(Object.entries({ ...withoutServer, ...approaches }))('by the client %s', async (when, approach) => {
  const before = openSockets();
  for (let time = 1; time <= 5; time += 1) {
    const socket = await approach();
    socket.on('error', () => undefined);
    socket.resetAndDestroy();
  }
  await expectGone(before);
  // A reset may overtake what was sent before it.
  const isNoise = when.includes('no message');
  expect(new Set(proxy.blind)).toEqual(
    new Set(isNoise && proxy.blind.length > 0 ? ['malformed_client_frame'] : []),
  );
});

it.each(Object.entries(approaches))('by the server %s', async (_when, approach) => {
  const before = openSockets();
  const sockets: Socket[] = [];
  for (let time = 1; time <= 3; time += 1) {
    const socket = await approach();
    socket.on('error', () => undefined);
    sockets.push(socket);
  }
  await until(() => relay.pairs.size === sockets.length, waitMs, 'the upstream connections');
  relay.resetAll();
  // A client that is to read has the end to read, and what came before it.
  for (const socket of sockets) socket.resume();
  await until(() => sockets.every((socket) => socket.readableEnded || socket.closed), waitMs, 'the end');
  for (const socket of sockets) socket.destroy();
  await expectGone(before);
  expect(proxy.blind).toEqual([]);
});

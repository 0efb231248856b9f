// The process died of an ECONNRESET on a client's socket that nobody handled (electric-sql/pglite#873,
// vercel-labs/portless#111).
import type { Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { makeCertificates } from '../integration/proxy/certificates.js';
import { connectTo, stopProxies } from '../integration/proxy/scripted-ends.js';
import type { TestDatabase } from '../servers/database.js';
import { createMysqlDatabase } from '../servers/mysql-database.js';
import { prepare, query, tlsRequest } from '../support/mysql-client-packets.js';
import { capability, packet, packets } from '../support/mysql-protocol.js';
import { usualRequest } from '../support/mysql-server-packets.js';
import { describeEachMysql } from '../support/mysql-servers.js';
import { RawMysql } from '../support/raw-mysql.js';
import { startRelay, type TcpRelay } from '../support/tcp-relay.js';
import { until } from '../support/until.js';
import { outcome, watchMysql } from './support/mysql-sessions.js';
import type { WatchedProxy } from './support/watched-proxy.js';

const certificates = makeCertificates();

afterEach(stopProxies);

const openSockets = (): number =>
  process.getActiveResourcesInfo().filter((kind) => kind === 'TCPSocketWrap').length;

const queried = (text: string): Buffer => packets(query(text));

/** Brings a session to some state and gives the client's socket, to be reset. */
type Approach = (proxy: WatchedProxy, url: string) => Promise<Socket>;

const approaches: Readonly<Record<string, Approach>> = {
  'before anything is read': async (proxy) => (await connectTo(proxy.proxy.port, false)).socket,
  'behind the greeting': async (proxy) => {
    const end = await connectTo(proxy.proxy.port);
    await end.read(40);
    return end.socket;
  },
  'in the midst of its login packet': async (proxy) => {
    const end = await connectTo(proxy.proxy.port);
    await end.read(40);
    end.socket.write(Buffer.from([200, 0, 0, 1, 1, 2, 3]));
    return end.socket;
  },
  'behind its request for TLS': async (proxy) => {
    const end = await connectTo(proxy.proxy.port);
    await end.read(40);
    end.socket.write(packet(tlsRequest({ capabilities: usualRequest | capability.tls }), 1));
    return end.socket;
  },
  'in the midst of the TLS handshake': async (proxy) => {
    const end = await connectTo(proxy.proxy.port);
    await end.read(40);
    const hello = Buffer.from([0x16, 3, 1, 2, 0, 1, 0, 1, 0xfc, 3, 3]);
    end.socket.write(
      Buffer.concat([packet(tlsRequest({ capabilities: usualRequest | capability.tls }), 1), hello]),
    );
    return end.socket;
  },
  'while idle': async (proxy, url) => (await RawMysql.open(proxy.through(url))).socket,
  'while its statement runs': async (proxy, url) => {
    const session = await RawMysql.open(proxy.through(url));
    await session.send(queried('select sleep(2)'));
    return session.socket;
  },
  'in the midst of rows it does not read': async (proxy, url) => {
    const session = await RawMysql.open(proxy.through(url));
    await session.send(
      queried('select a.d, repeat(1, 1000) from digits a, digits b, digits c, digits d, digits e'),
    );
    await until(() => session.packets.length > 10, 10_000, 'rows');
    session.socket.pause();
    return session.socket;
  },
  'in the midst of a command of 16 MiB': async (proxy, url) => {
    const session = await RawMysql.open(proxy.through(url));
    await session.send(packets(query(Buffer.alloc(20_000_000, 0x20))).subarray(0, 5_000_000));
    return session.socket;
  },
  'with commands in flight': async (proxy, url) => {
    const session = await RawMysql.open(proxy.through(url));
    await session.send(...Array.from({ length: 500 }, () => packets(prepare('select nope'))));
    return session.socket;
  },
  'where the server waits for its file': async (proxy, url) => {
    const session = await RawMysql.open(proxy.through(url));
    await session.query("load data local infile 'x' into table digits");
    return session.socket;
  },
};

describeEachMysql('a reset', (server) => {
  let database: TestDatabase;
  let relay: TcpRelay;
  let proxy: WatchedProxy;

  beforeAll(async () => {
    database = await createMysqlDatabase(
      server.url,
      `create table digits (d int primary key);
       insert into digits values (0), (1), (2), (3), (4), (5), (6), (7), (8), (9)`,
    );
    const { hostname, port } = new URL(server.url);
    relay = await startRelay({ targetHost: hostname, targetPort: Number(port) });
  });

  afterAll(async () => {
    await relay.close();
    await database.drop();
  });

  async function start(): Promise<number> {
    proxy = await watchMysql(relay.port, {
      policy: { clientTls: { ...certificates.local, isRequired: false } },
    });
    return openSockets();
  }

  /** Everything of the session is gone, and the next client is served. */
  async function expectGone(before: number): Promise<void> {
    await until(() => proxy.proxy.listener.sessions === 0, 10_000, 'the session to end');
    await until(() => relay.pairs.size === 0, 10_000, 'the upstream connection to end');
    await until(() => openSockets() <= before, 10_000, 'every socket to be closed');
    const next = await RawMysql.open(proxy.through(database.url));
    expect(outcome(await next.query('do 1'))).toBe('OK');
    next.close();
    await until(() => proxy.proxy.listener.sessions === 0, 10_000, 'the next session to end');
    expect(proxy.blind).toEqual([]);
  }

  it.each(Object.entries(approaches))('by the client %s', async (_when, approach) => {
    const before = await start();
    for (let time = 1; time <= 5; time += 1) {
      const socket = await approach(proxy, database.url);
      socket.on('error', () => undefined);
      socket.resetAndDestroy();
    }
    await expectGone(before);
  });

  it.each(Object.entries(approaches))('by the server %s', async (_when, approach) => {
    const before = await start();
    const sockets: Socket[] = [];
    for (let time = 1; time <= 3; time += 1) {
      const socket = await approach(proxy, database.url);
      socket.on('error', () => undefined);
      sockets.push(socket);
    }
    await until(() => relay.pairs.size === sockets.length, 10_000, 'the upstream connections');
    relay.resetAll();
    // A client that is to read has the end to read, and what came before it.
    for (const socket of sockets) socket.resume();
    await until(() => sockets.every((socket) => socket.readableEnded || socket.closed), 10_000, 'the end');
    for (const socket of sockets) socket.destroy();
    await expectGone(before);
  });
});

import { afterEach, describe, expect, test } from 'vitest';
import { startupPacket } from '../../unit/adapters/postgres/startup-packets.js';
import {
  connectTo,
  type ProxyOverrides,
  type ProxyUnderTest,
  type ScriptedEnd,
  ScriptedServer,
  silentObserver,
  startProxy,
  stopProxies,
  until,
} from './scripted-ends.js';

const startup = startupPacket({ user: 'ann', database: 'shop' });
const servers: ScriptedServer[] = [];

async function startServer(...given: ConstructorParameters<typeof ScriptedServer>): Promise<ScriptedServer> {
  const server = await new ScriptedServer(...given).listen();
  servers.push(server);
  return server;
}

afterEach(async () => {
  await stopProxies();
  for (const server of servers.splice(0)) await server.stopListening();
});

interface RelayedSession {
  readonly client: ScriptedEnd;
  readonly server: ScriptedEnd;
  readonly proxy: ProxyUnderTest;
}

/** A session past its handshake, with both ends scripted. */
async function startSession(overrides: ProxyOverrides = {}, readsClient = true): Promise<RelayedSession> {
  const upstream = await startServer();
  const proxy = await startProxy(upstream.port, overrides);
  const client = await connectTo(proxy.port, readsClient);
  client.socket.write(startup);
  const server = await upstream.connection();
  await server.read(startup.length);
  return { client, server, proxy };
}

describe('relaying', () => {
  test('every byte passes in both directions, through the observer', async () => {
    const { client, server, proxy } = await startSession();
    server.socket.write('from the server');
    expect((await client.read(15)).toString()).toBe('from the server');
    client.socket.write('from the client');
    const received = await server.read(startup.length + 15);
    expect(received.subarray(startup.length).toString()).toBe('from the client');
    const [observed] = proxy.observed;
    expect(observed?.toServer.toString()).toBe('from the client');
    expect(observed?.toClient.toString()).toBe('from the server');
    expect(observed?.identity).toMatchObject({ user: 'ann', database: 'shop' });
  });

  test('a startup packet cut at every offset arrives whole, with what follows it', async () => {
    const upstream = await startServer();
    const proxy = await startProxy(upstream.port);
    const bytes = Buffer.concat([startup, Buffer.from('early')]);
    for (let cut = 1; cut < bytes.length; cut += 1) {
      const client = await connectTo(proxy.port);
      client.socket.write(bytes.subarray(0, cut));
      // A turn of the loop, so that the two parts are two reads.
      await new Promise((resolve) => setImmediate(resolve));
      client.socket.write(bytes.subarray(cut));
      const server = await upstream.connection(cut - 1);
      expect(await server.read(bytes.length)).toEqual(bytes);
      client.socket.destroy();
    }
  });

  test('a large stream passes unchanged in both directions at once', async () => {
    const { client, server } = await startSession({ observe: silentObserver });
    const up = Buffer.alloc(8 * 1024 * 1024, 'toServer ');
    const down = Buffer.alloc(8 * 1024 * 1024, 'toClient ');
    client.socket.write(up);
    server.socket.write(down);
    expect((await client.read(down.length)).equals(down)).toBe(true);
    expect((await server.read(startup.length + up.length)).subarray(startup.length).equals(up)).toBe(true);
  });
});

describe('a reader that is slow', () => {
  const block = Buffer.alloc(1024 * 1024, 7);

  test('a client that never reads holds the server back', async () => {
    const { client, server, proxy } = await startSession({ observe: silentObserver }, false);
    client.socket.pause();
    for (let written = 0; written < 64; written += 1) server.socket.write(block);
    // What the kernel and two bounded buffers hold has gone; the rest stays with the server.
    let before = -1;
    await until('the server to be held back', () => {
      const left = server.socket.writableLength;
      const isStill = left === before && left > 0;
      before = left;
      return isStill;
    });
    expect(server.socket.writableLength).toBeGreaterThan(32 * block.length);
    expect(proxy.listener.sessions).toBe(1);
    let received = 0;
    client.socket.on('data', (chunk: Buffer) => {
      received += chunk.length;
    });
    client.socket.resume();
    await until('everything after all', () => received === 64 * block.length);
  });

  test('a server that never reads holds the client back', async () => {
    const upstream = await startServer(undefined, { isReading: false });
    const proxy = await startProxy(upstream.port, { observe: silentObserver });
    const client = await connectTo(proxy.port);
    client.socket.write(startup);
    const server = await upstream.connection();
    for (let written = 0; written < 64; written += 1) client.socket.write(block);
    let before = -1;
    await until('the client to be held back', () => {
      const left = client.socket.writableLength;
      const isStill = left === before && left > 0;
      before = left;
      return isStill;
    });
    expect(client.socket.writableLength).toBeGreaterThan(32 * block.length);
    let received = 0;
    server.socket.on('data', (chunk: Buffer) => {
      received += chunk.length;
    });
    await until('everything after all', () => received === 64 * block.length + startup.length);
  });

  test('a client that dies while the server is held back frees both sockets', async () => {
    const { client, server, proxy } = await startSession({ observe: silentObserver }, false);
    client.socket.pause();
    for (let written = 0; written < 64; written += 1) server.socket.write(block);
    await until('bytes to arrive', () => server.socket.writableLength < 64 * block.length);
    client.socket.resetAndDestroy();
    await server.closed();
    await until('the session to end', () => proxy.listener.sessions === 0);
  });
});

describe('the end of one side', () => {
  test('a client that has said its last still gets its answer', async () => {
    const { client, server, proxy } = await startSession();
    client.socket.end('last words');
    await server.ended();
    expect(server.bytes.subarray(startup.length).toString()).toBe('last words');
    server.socket.end('the answer');
    await client.ended();
    expect(client.bytes.toString()).toBe('the answer');
    await until('the session to end', () => proxy.listener.sessions === 0);
    expect(proxy.observed[0]).toMatchObject({ ends: 1, closes: 1 });
  });

  test('a server that has said its last is still heard out', async () => {
    const { client, server, proxy } = await startSession();
    server.socket.end('goodbye');
    await client.ended();
    expect(client.bytes.toString()).toBe('goodbye');
    client.socket.write('one more');
    expect((await server.read(startup.length + 8)).subarray(startup.length).toString()).toBe('one more');
    client.socket.end();
    await server.ended();
    await until('the session to end', () => proxy.listener.sessions === 0);
  });

  test('a client that does not close after its server did is cut off, and nothing is left', async () => {
    const { client, server, proxy } = await startSession();
    server.socket.end('bye');
    await client.ended();
    await until('the session to end', () => proxy.listener.sessions === 0);
    expect(client.socket.destroyed).toBe(false);
    await server.ended();
  });

  test('a client that ended with its startup packet is relayed as one that ended', async () => {
    const upstream = await startServer();
    const proxy = await startProxy(upstream.port);
    const client = await connectTo(proxy.port);
    client.socket.end(Buffer.concat([startup, Buffer.from('query')]));
    const server = await upstream.connection();
    await server.ended();
    expect(server.bytes.subarray(startup.length).toString()).toBe('query');
    server.socket.end('rows');
    await client.ended();
    expect(client.bytes.toString()).toBe('rows');
  });

  test('who says goodbye first has closed the session', async () => {
    const leaving = await startSession();
    leaving.client.socket.end();
    await leaving.server.ended();
    leaving.server.socket.end();
    await until('the end', () => leaving.proxy.count('connections_closed', 'client_closed') === 1);
    const left = await startSession();
    left.server.socket.end();
    await left.client.ended();
    left.client.socket.end();
    await until('the end', () => left.proxy.count('connections_closed', 'server_closed') === 1);
  });

  test('a large answer is flushed after the server closed', async () => {
    const { client, server } = await startSession({ observe: silentObserver }, false);
    client.socket.pause();
    const answer = Buffer.alloc(16 * 1024 * 1024, 3);
    server.socket.end(answer);
    let received = 0;
    client.socket.on('data', (chunk: Buffer) => {
      received += chunk.length;
    });
    client.socket.resume();
    await client.ended();
    expect(received).toBe(answer.length);
  });

  test('a server that resets: the client gets the bytes so far and the end, nothing invented', async () => {
    const { client, server, proxy } = await startSession();
    server.socket.write('partial');
    await client.read(7);
    server.socket.resetAndDestroy();
    await client.ended();
    expect(client.bytes.toString()).toBe('partial');
    client.socket.end();
    await until('the session to end', () => proxy.listener.sessions === 0);
    expect(proxy.observed[0]).toMatchObject({ ends: 1, closes: 1 });
  });

  test('a client that resets takes its upstream along', async () => {
    const { client, server, proxy } = await startSession();
    client.socket.resetAndDestroy();
    await server.ended();
    await until('the session to end', () => proxy.listener.sessions === 0);
    expect(proxy.count('connections_closed', 'client_closed')).toBe(1);
  });

  test('what an observer still holds reaches the client before the end', async () => {
    const { client, server } = await startSession({
      observe: () => {
        const held: Buffer[] = [];
        return {
          blindReason: null,
          toServer: () => undefined,
          toClient: (chunk) => held.push(chunk),
          end: (out) => {
            for (const chunk of held.splice(0)) out.write(chunk);
          },
          cancelRelayed: () => undefined,
        };
      },
    });
    server.socket.end('held back');
    await client.ended();
    expect(client.bytes.toString()).toBe('held back');
  });
});

describe('an observer that throws', () => {
  test('ends its own session and no other', async () => {
    const upstream = await startServer();
    const proxy = await startProxy(upstream.port, {
      observe: () => ({
        ...silentObserver(),
        toClient: (chunk, out) => {
          if (chunk.includes('bad')) throw new Error('a defect');
          out.write(chunk);
        },
      }),
    });
    const clients: ScriptedEnd[] = [];
    for (let index = 0; index < 2; index += 1) {
      const client = await connectTo(proxy.port);
      client.socket.write(startup);
      await (await upstream.connection(index)).read(startup.length);
      clients.push(client);
    }
    upstream.connections[0]!.socket.write('bad');
    await clients[0]!.ended();
    upstream.connections[1]!.socket.write('good');
    expect((await clients[1]!.read(4)).toString()).toBe('good');
    expect(proxy.count('connections_closed', 'observer_error')).toBe(1);
  });

  test('cannot keep a session from being relayed when it fails to start', async () => {
    const { client, server, proxy } = await startSession({
      observe: () => {
        throw new Error('a defect');
      },
    });
    server.socket.write('unseen');
    expect((await client.read(6)).toString()).toBe('unseen');
    expect(proxy.count('blind_sessions', 'observer_error')).toBe(1);
  });
});

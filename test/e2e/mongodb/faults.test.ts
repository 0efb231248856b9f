/**
 * Peers that break, stall or vanish, looked at from outside the process: the proxy lives, lets go of every socket, does
 * not spin, and the other side sees what it would see without a proxy. Bytes that make no sense are in malformed.test.ts.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestDatabase } from '../../servers/database.js';
import { createMongoDatabase } from '../../servers/mongodb-database.js';
import { clientHello, hello } from '../../support/mongodb-first-requests.js';
import { bodyOf, type Message, opMsg, wireMessage } from '../../support/mongodb-messages.js';
import { describeEachMongo } from '../../support/mongodb-servers.js';
import {
  processorTimeMs,
  resetPeakMemory,
  residentMemory,
  socketCount,
} from '../../support/process-figures.js';
import { RawMongo } from '../../support/raw-mongodb.js';
import { ScriptedMongoServer, type ScriptedMongoSession } from '../../support/scripted-mongodb-server.js';
import { type RunningProxy, startProxy } from '../../support/start-proxy.js';
import { closedPort, startRelay, type TcpRelay } from '../../support/tcp-relay.js';
import { steady, until, within } from '../../support/until.js';

const mebibyte = 1024 * 1024;
const settleMs = 60_000;
const documentBytes = 15 * mebibyte;

/** Processor time over a while in which there is nothing to do: a loop that waits for nothing takes all of it. */
async function expectCalm(proxy: RunningProxy): Promise<void> {
  const since = performance.now();
  const before = processorTimeMs(proxy.pid);
  await until(() => performance.now() - since > 400, settleMs, 'a while');
  expect(processorTimeMs(proxy.pid) - before).toBeLessThan((performance.now() - since) / 2);
}

/** Takes part in a session whose end may come as a reset. */
function expectingResets(session: RawMongo): RawMongo {
  session.socket.on('error', () => undefined);
  return session;
}

describeEachMongo('a proxy among failing peers', (server) => {
  let database: TestDatabase;
  let relay: TcpRelay;
  let proxy: RunningProxy;
  let url: string;
  let idleSockets: number;

  beforeAll(async () => {
    database = await createMongoDatabase(server.url, async (db) => {
      const big = db.collection<{ _id: number; body: string }>('big');
      for (let _id = 0; _id < 6; _id += 1) await big.insertOne({ _id, body: 'x'.repeat(documentBytes) });
    });
    const { hostname, port } = new URL(server.url);
    relay = await startRelay({ targetHost: hostname, targetPort: Number(port) });
    proxy = await startProxy({ upstreamUrl: relay.through(database.url) });
    url = proxy.through(database.url);
    (await RawMongo.open(url)).close();
    idleSockets = await steady(() => socketCount(proxy.pid), settleMs, 'a steady number of sockets');
  });

  afterAll(async () => {
    const exit = await proxy.stop();
    await relay.close();
    await database.drop();
    expect(exit.code).toBe(0);
  });

  const dialled = async (): Promise<RawMongo> => expectingResets(await RawMongo.dial(url));
  const loggedIn = async (): Promise<RawMongo> => expectingResets(await RawMongo.open(url));
  const all = (requestId: number): Buffer =>
    opMsg({ find: 'big', filter: {}, $db: database.name }, { requestId });

  /** The proxy serves a new client, and holds no socket of earlier ones, nor one to the server. */
  async function expectRecovered(): Promise<void> {
    const atRest = (): boolean => socketCount(proxy.pid) <= idleSockets;
    await until(atRest, settleMs, `at most ${idleSockets} sockets in the proxy`);
    await until(() => relay.pairs.size <= 1, settleMs, 'no connection but that of the catalog');
    const session = await loggedIn();
    expect(await session.run({ ping: 1 })).toMatchObject({ ok: 1 });
    session.close();
    await until(atRest, settleMs, 'the sockets of that client to close');
  }

  it('lets go of 300 connections that are opened and reset at every stage', async () => {
    const stages: readonly (() => Promise<RawMongo>)[] = [
      dialled,
      async () => sending(await dialled(), hello.subarray(0, 3)),
      async () => sending(await dialled(), hello.subarray(0, -1)),
      async () => sending(await dialled(), clientHello),
      async () => sending(await dialled(), hello),
      loggedIn,
      async () => sending(await loggedIn(), all(1)),
      async () => sending(await loggedIn(), all(1), all(2), all(3)),
      async () => sending(await loggedIn(), all(1).subarray(0, 30)),
      async () =>
        sending(await loggedIn(), wireMessage(2013, Buffer.alloc(20 * mebibyte)).subarray(0, mebibyte)),
    ];
    for (let batch = 0; batch < 10; batch += 1) {
      const opened = Array.from({ length: 30 }, async (_, index) => {
        const session = await stages[index % stages.length]?.();
        session?.socket.resetAndDestroy();
      });
      await Promise.all(opened);
    }
    await expectRecovered();
    await expectCalm(proxy);
  });

  it('lets go of clients that leave without a word, by FIN, amid replies and requests', async () => {
    for (let index = 0; index < 10; index += 1) {
      const reading = await sending(await loggedIn(), all(1));
      reading.socket.destroy();
      const writing = await loggedIn();
      const insert = opMsg({
        insert: 'half',
        documents: [{ body: 'x'.repeat(mebibyte) }],
        $db: database.name,
      });
      await writing.send(insert.subarray(0, mebibyte / 2));
      writing.socket.end();
    }
    await expectRecovered();
    const session = await RawMongo.open(database.url);
    expect(await session.run({ count: 'half' })).toMatchObject({ n: 0 });
    session.close();
  });

  it('gives a client that has ended its side what it asked for', async () => {
    const asked = async (through: string): Promise<unknown[]> => {
      const session = await RawMongo.open(through);
      const commands = [{ find: 'big', projection: { _id: 1 } }, { nope: 1 }, { ping: 1 }];
      await session.send(
        ...commands.map((one, requestId) => opMsg({ ...one, $db: database.name }, { requestId })),
      );
      session.socket.end();
      return (await within(session.ended(), settleMs, 'the answers and the end')).map(plain);
    };
    expect(await asked(url)).toEqual(await asked(database.url));
    await expectRecovered();
  });

  it('holds back the server of a client that never reads, and serves the others', async () => {
    const before = residentMemory(proxy.pid).now;
    const stalled = await loggedIn();
    stalled.socket.pause();
    const received = relay.receivedBytes();
    await stalled.send(...Array.from({ length: 6 }, (_, index) => all(index)));
    await until(() => relay.receivedBytes() > received + 100_000, settleMs, 'replies to flow');
    await steady(() => relay.receivedBytes(), settleMs, 'the server to be held back');
    const other = await loggedIn();
    for (let index = 0; index < 50; index += 1) await other.run({ ping: 1 });
    other.close();
    expect(residentMemory(proxy.pid).now - before).toBeLessThan(64 * mebibyte);
    await expectCalm(proxy);
    stalled.socket.resetAndDestroy();
    await expectRecovered();
  });

  it('gives a reply of 16 MB to a client that reads it a little at a time, and stays small', async () => {
    const session = await loggedIn();
    resetPeakMemory(proxy.pid);
    const before = residentMemory(proxy.pid).now;
    let isReading = true;
    const trickle = (async () => {
      while (isReading) {
        session.socket.pause();
        await new Promise((resolve) => setImmediate(resolve));
        session.socket.resume();
        await new Promise((resolve) => setImmediate(resolve));
      }
    })();
    const command = { find: 'big', filter: { _id: 3 }, $db: database.name };
    await session.send(opMsg(command, { requestId: 9 }));
    const reply = await within(session.message(), settleMs, 'the reply');
    isReading = false;
    await trickle;
    expect(reply.bytes.length).toBeGreaterThan(documentBytes);
    expect(residentMemory(proxy.pid).peak - before).toBeLessThan(40 * mebibyte);
    session.close();
    await expectRecovered();
  });

  it('passes on what came before the server was lost, in the middle of a reply of 15 MB', async () => {
    for (const end of ['reset', 'FIN'] as const) {
      const session = await loggedIn();
      const already = session.socket.bytesRead;
      const messages = session.messages.length;
      await session.send(all(1), all(2));
      const isFlowing = (): boolean => session.socket.bytesRead > already + 4 * mebibyte;
      await until(isFlowing, settleMs, 'four megabytes of rows');
      if (end === 'reset') relay.resetAll();
      else for (const { far } of relay.pairs) far.destroy();
      await within(session.ended(), settleMs, 'the client to see the end');
      // Nothing is invented: no error, and no end of the reply.
      expect(session.messages.length).toBeLessThanOrEqual(messages + 1);
      for (const message of session.messages.slice(messages))
        expect(bodyOf(message)).toMatchObject({ ok: 1 });
    }
    await expectRecovered();
  });

  it('goes on for the others when one session is lost', async () => {
    const other = await loggedIn();
    for (let time = 0; time < 3; time += 1) {
      const known = new Set(relay.pairs);
      const session = await loggedIn();
      const mine = [...relay.pairs].filter((pair) => !known.has(pair)).at(-1);
      await session.send(all(1));
      mine?.far.resetAndDestroy();
      mine?.near.resetAndDestroy();
      expect(await other.run({ ping: 1 })).toMatchObject({ ok: 1 });
      session.close();
    }
    other.close();
    await expectRecovered();
  });

  it('opens and closes 200 clients, and nothing is left at the server', async () => {
    for (let batch = 0; batch < 10; batch += 1) {
      const sessions = await Promise.all(Array.from({ length: 20 }, loggedIn));
      await Promise.all(sessions.map((session) => session.run({ ping: 1 })));
      for (const [index, session] of sessions.entries()) {
        if (index % 2 === 0) session.socket.end();
        else session.close();
      }
    }
    await expectRecovered();
  });

  it('lives through random bytes in place of a hello and after a login', async () => {
    for (let index = 0; index < 40; index += 1) {
      const session = index % 2 === 0 ? await dialled() : await loggedIn();
      // A fixed sequence: a failure can be run again.
      const noise = Buffer.from(
        Array.from({ length: 200 }, (_, at) => (index * 7919 + at * at * 31 + at * 17) % 256),
      );
      await session.send(noise);
      session.socket.end();
      await within(session.ended(), settleMs, `the end of session ${index}`);
    }
    await expectRecovered();
    await expectCalm(proxy);
  });
});

async function sending(session: RawMongo, ...parts: readonly Buffer[]): Promise<RawMongo> {
  await session.send(...parts);
  return session;
}

function plain(message: Message): unknown {
  return { ...bodyOf(message), responseTo: message.responseTo };
}

describeEachMongo('a proxy whose server cannot be had', (server) => {
  it('says so to each client, and serves them once the server is there', async () => {
    const database = await createMongoDatabase(
      server.url,
      async (db) => void (await db.createCollection('users')),
    );
    const { hostname, port } = new URL(server.url);
    const relayPort = await closedPort();
    const upstream = new URL(database.url);
    upstream.port = String(relayPort);
    const proxy = await startProxy({ upstreamUrl: upstream.href });
    const url = proxy.through(database.url);
    let relay: TcpRelay | null = null;
    const refusal = async (): Promise<unknown> => {
      const session = expectingResets(await RawMongo.dial(url));
      await session.send(hello);
      const [reply] = await session.ended();
      return reply === undefined ? null : bodyOf(reply);
    };
    const failing = async (): Promise<boolean> => {
      const session = await RawMongo.open(url);
      const reply = await session.run({ find: 'users', filter: { a: { $nope: 1 } } });
      session.close();
      expect(reply).toMatchObject({ ok: 0, code: 2 });
      return 'note' in reply;
    };
    try {
      for (let time = 1; time <= 3; time += 1) {
        const refused = (await refusal()) as { errmsg: string };
        expect(refused).toMatchObject({ ok: 0, code: 6, codeName: 'HostUnreachable' });
        expect(refused.errmsg).not.toContain('[twiceshy');
      }
      relay = await startRelay({ targetHost: hostname, targetPort: Number(port), port: relayPort });
      await until(failing, settleMs, 'a repetition to be annotated');
      await relay.close();
      await until(async () => (await refusal()) !== null, settleMs, 'clients to be refused again');
      relay = await startRelay({ targetHost: hostname, targetPort: Number(port), port: relayPort });
      await until(failing, settleMs, 'a repetition to be annotated again');
      await expectCalm(proxy);
    } finally {
      expect(await proxy.stop()).toMatchObject({ code: 0 });
      await relay?.close();
      await database.drop();
    }
  });

  it('warns once that its own account is refused, and passes everything on without notes', async () => {
    const database = await createMongoDatabase(
      server.url,
      async (db) => void (await db.createCollection('users')),
    );
    const wrong = new URL(database.url);
    wrong.password = 'not-the-password';
    const proxy = await startProxy({ upstreamUrl: wrong.href });
    try {
      const session = await RawMongo.open(proxy.through(database.url));
      const failing = { find: 'users', filter: { a: { $nope: 1 } } };
      expect(await session.run({ count: 'users' })).toMatchObject({ ok: 1 });
      for (let time = 1; time <= 2; time += 1) expect(await session.run(failing)).not.toHaveProperty('note');
      const reports = (): string[] =>
        proxy
          .stderr()
          .split('\n')
          .filter((line) => line.includes('"warn"'));
      // It is tried again and again, and not reported as often.
      const since = performance.now();
      await until(() => performance.now() - since > 1_000, settleMs, 'more tries');
      const cannot = reports().filter((line) => line.includes('Catalog cannot be read'));
      expect(cannot).toHaveLength(1);
      expect(proxy.stderr()).not.toContain('not-the-password');
      expect(await session.run(failing)).not.toHaveProperty('note');
      session.close();
    } finally {
      expect(await proxy.stop()).toMatchObject({ code: 0 });
      await database.drop();
    }
  });
});

type Fault = readonly [
  name: string,
  script: (session: ScriptedMongoSession) => Promise<void>,
  isAnswered: boolean,
];

const refused = { ok: 0, errmsg: 'no such command', code: 59, codeName: 'CommandNotFound' };

/** Ways in which a server breaks off; what it said until then is all its client gets. */
const faults: readonly Fault[] = [
  ['before a word', async (session) => session.reset(), false],
  ['by a FIN before a word', async (session) => session.end(), false],
  [
    'behind the first request',
    async (session) => {
      await session.request();
      session.reset();
    },
    false,
  ],
  [
    'amid the reply to hello',
    async (session) => {
      const request = await session.mustRequest();
      await cutOff(session, session.replyTo(request, session.helloFor({ hello: 1 })), 60);
    },
    true,
  ],
  ['amid the header of an answer', whenAsked((session, bytes) => cutOff(session, bytes, 9)), true],
  ['amid the head of an answer', whenAsked((session, bytes) => cutOff(session, bytes, 25)), true],
  ['amid an error', whenAsked((session, bytes) => cutOff(session, bytes, bytes.length - 1)), true],
  ['instead of an answer', whenAsked(async (session) => session.reset()), true],
  [
    'amid rows',
    whenAsked(async (session) => {
      const rows = {
        cursor: { id: 0n, ns: 'shop.users', firstBatch: [{ body: 'x'.repeat(2_000_000) }] },
        ok: 1,
      };
      await cutOff(session, opMsg(rows, { responseTo: 2 }), 1_500_000);
    }),
    true,
  ],
];

function whenAsked(answer: (session: ScriptedMongoSession, bytes: Buffer) => Promise<void>): Fault[1] {
  return async (session) => {
    await session.handshake();
    const request = await session.request();
    if (request !== null) await answer(session, session.replyTo(request, refused));
  };
}

/** Says this much, and leaves. */
async function cutOff(session: ScriptedMongoSession, bytes: Buffer, size: number): Promise<void> {
  await new Promise<void>((resolve) => session.socket.write(bytes.subarray(0, size), () => resolve()));
  session.end();
}

describe('a proxy whose server breaks off', () => {
  let script: Fault[1] = async () => undefined;
  let upstream: ScriptedMongoServer;
  let proxy: RunningProxy;
  let idleSockets: number;

  beforeAll(async () => {
    upstream = await ScriptedMongoServer.listen((session) => script(session));
    script = faults[0]?.[1] ?? script;
    proxy = await startProxy({ upstreamUrl: upstream.url });
    idleSockets = await steady(() => socketCount(proxy.pid), settleMs, 'a steady number of sockets');
  });

  afterAll(async () => {
    expect(await proxy.stop()).toMatchObject({ code: 0 });
    await upstream.close().catch(() => undefined);
  });

  it.each(faults)('passes on the end that comes %s', async (_name, fault, isAnswered) => {
    script = fault;
    const direct = await said(upstream.url);
    // Where nothing is answered the other kind of connection is tried too, which takes as long as connecting may.
    for (let time = 1; time <= (isAnswered ? 5 : 1); time += 1) {
      const proxied = await said(proxy.through(upstream.url));
      // A server that never says a word may not be one of MongoDB's: then the proxy says why there is none.
      if (isAnswered) expect(proxied).toEqual(direct);
      else expect(['', 'HostUnreachable']).toContain(/HostUnreachable/.exec(proxied)?.[0] ?? proxied);
    }
    const atRest = (): boolean => socketCount(proxy.pid) <= idleSockets + 1;
    await until(atRest, settleMs, 'the sockets to close');
  });

  /** Every byte a client gets that greets and asks once, up to the end. */
  async function said(url: string): Promise<string> {
    const dialled = await RawMongo.dial(url).catch(() => null);
    if (dialled === null) return '';
    const session = expectingResets(dialled);
    const chunks: Buffer[] = [];
    session.socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    await session.send(opMsg({ hello: 1, $db: 'admin' }, { requestId: 1 }));
    await session.message().catch(() => null);
    await session.send(opMsg({ nope: 1, $db: 'shop' }, { requestId: 2 })).catch(() => undefined);
    await within(session.ended(), settleMs, 'the end of the session');
    session.close();
    // Numbers of connections and of replies are not compared.
    return Buffer.concat(chunks)
      .subarray(12)
      .toString('latin1')
      .replaceAll(/connectionId.{4}/gs, '');
  }
});

describe('a thousand sessions that idle', () => {
  it('take little memory, and leave nothing', async () => {
    const upstream = await ScriptedMongoServer.listen(async (session) => {
      await session.serve((command) => (command['find'] === undefined ? undefined : refused));
      session.end();
    });
    const proxy = await startProxy({ upstreamUrl: upstream.url });
    const url = proxy.through(upstream.url);
    const open = async (): Promise<RawMongo> => {
      const session = await RawMongo.dial(url);
      await session.run({ hello: 1, client: { application: { name: 'idle' } }, $db: 'admin' });
      await session.run({ find: 'users', filter: { a: 1 } });
      return session;
    };
    for (let index = 0; index < 50; index += 1) (await open()).close();
    const idleSockets = await steady(() => socketCount(proxy.pid), settleMs, 'a steady number of sockets');
    const before = residentMemory(proxy.pid).now;
    const sessions: RawMongo[] = [];
    for (let batch = 0; batch < 40; batch += 1)
      sessions.push(...(await Promise.all(Array.from({ length: 25 }, open))));
    expect(sessions).toHaveLength(1000);
    expect(socketCount(proxy.pid)).toBeGreaterThanOrEqual(2000);
    expect(residentMemory(proxy.pid).now - before).toBeLessThan(80 * mebibyte);
    expect(await sessions[500]?.run({ ping: 1 })).toEqual({ ok: 1 });
    await expectCalm(proxy);
    for (const session of sessions) session.close();
    await until(() => socketCount(proxy.pid) <= idleSockets, settleMs, 'all sockets to close');
    expect(await proxy.stop()).toMatchObject({ code: 0 });
    await upstream.close().catch(() => undefined);
  });
});

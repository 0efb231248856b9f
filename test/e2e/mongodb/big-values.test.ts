/**
 * Messages far larger than any buffer pass in pieces: the proxy's memory stays flat, other sessions stay responsive, and a
 * side that does not read holds back the side that sends.
 */
import { createHash } from 'node:crypto';
import { type Document, Long, serialize } from 'bson';
import { type Db, MongoClient } from 'mongodb';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { TestDatabase } from '../../servers/database.js';
import { createMongoDatabase } from '../../servers/mongodb-database.js';
import { bodyOf, opMsg } from '../../support/mongodb-messages.js';
import { describeEachMongo } from '../../support/mongodb-servers.js';
import { type Load, loadDuring, resetPeakMemory, residentMemory } from '../../support/process-figures.js';
import { RawMongo } from '../../support/raw-mongodb.js';
import { type RunningProxy, startProxy } from '../../support/start-proxy.js';
import { startRelay, type TcpRelay } from '../../support/tcp-relay.js';
import { steady, until } from '../../support/until.js';

const mebibyte = 1024 * 1024;
const documentBytes = 15 * mebibyte;
const limitBytes = 48_000_000;
/** Well below one copy of such a message; what it leaves room for is the runtime's own heap growth. */
const allowedGrowthBytes = 40 * mebibyte;
const settleMs = 60_000;

interface Big {
  _id: number;
  body: string;
}

const bodyText = (letter: string, bytes = documentBytes): string => letter.repeat(bytes);
const digest = (text: string): string => createHash('sha256').update(text).digest('hex');

describeEachMongo('a message of many megabytes', (server) => {
  let database: TestDatabase;
  let relay: TcpRelay;
  let proxy: RunningProxy;
  let client: MongoClient;
  let db: Db;
  let bystander: RawMongo;

  beforeAll(async () => {
    database = await createMongoDatabase(server.url, async (made) => {
      await made.collection<Big>('big').insertOne({ _id: 0, body: bodyText('0') });
    });
    const { hostname, port } = new URL(database.url);
    relay = await startRelay({ targetHost: hostname, targetPort: Number(port) });
    proxy = await startProxy({ upstreamUrl: relay.through(database.url), args: ['--admin', '127.0.0.1:0'] });
    client = new MongoClient(proxy.through(database.url), { maxPoolSize: 1 });
    db = client.db();
    bystander = await RawMongo.open(proxy.through(database.url));
    // The runtime grows its heap once for its first load, whatever the size: that is not what is measured here.
    await db.collection<Big>('big').findOne({ _id: 0 });
  });

  afterAll(async () => {
    await client.close();
    bystander.close();
    await proxy.stop();
    await relay.close();
    await database.drop();
  });

  const observed = (work: () => Promise<void>): Promise<Load> =>
    loadDuring(proxy.pid, () => bystander.run({ ping: 1 }), work);

  function expectFlat({ growthBytes, answers }: Load): void {
    expect(growthBytes).toBeLessThan(allowedGrowthBytes);
    expect(answers).toBeGreaterThan(3);
  }

  it('goes as a document and comes back', async () => {
    const big = db.collection<Big>('big');
    expectFlat(
      await observed(async () => {
        for (const [_id, letter] of [...'abcdef'].entries())
          await big.insertOne({ _id: _id + 1, body: bodyText(letter) });
      }),
    );
    expectFlat(
      await observed(async () => {
        for (const [_id, letter] of [...'abcdef'].entries()) {
          const found = await big.findOne({ _id: _id + 1 });
          expect(digest(found?.body ?? '')).toBe(digest(bodyText(letter)));
        }
      }),
    );
  });

  it('comes as the batches of a cursor, 100 MB of them', async () => {
    const got: number[] = [];
    const load = await observed(async () => {
      for await (const { body } of db.collection<Big>('big').find({}, { batchSize: 2 }))
        got.push(body.length);
    });
    expect(got).toHaveLength(7);
    expect(got.reduce((sum, length) => sum + length, 0)).toBeGreaterThan(100_000_000);
    expectFlat(load);
  });

  it('goes as a write that fails, again and again', async () => {
    const big = db.collection<Big>('big');
    const notes: boolean[] = [];
    const load = await observed(async () => {
      for (let time = 1; time <= 3; time += 1) {
        const failed: unknown = await big
          .insertOne({ _id: 0, body: bodyText('w') })
          .catch((error: unknown) => error);
        expect(failed).toMatchObject({ code: 11000 });
        notes.push((failed as Error).message.includes('[twiceshy '));
      }
    });
    // Of such a document no more is kept than its beginning, so nobody knows what it was.
    expect(notes).toEqual([false, false, false]);
    expectFlat(load);
    const small = async (): Promise<boolean> => {
      const failed: unknown = await big.insertOne({ _id: 0, body: 'w' }).catch((error: unknown) => error);
      return (failed as Error).message.includes('[twiceshy ');
    };
    expect([await small(), await small()]).toEqual([false, true]);
  });

  it('goes as one insert of just so many bytes as a message may have', async () => {
    const session = await RawMongo.open(proxy.through(database.url));
    const { message, count } = insertOf(limitBytes, session.nextRequestId(), database.name);
    expect(message).toHaveLength(limitBytes);
    const replies: Document[] = [];
    const load = await observed(async () => {
      await session.send(message);
      replies.push(bodyOf(await session.message()));
    });
    expect(replies).toEqual([{ ok: 1, n: count }]);
    expect(await session.run({ count: 'many' })).toMatchObject({ n: count });
    expectFlat(load);
    expect(await blindSessions()).toBe(0);
    session.close();
  });

  it('one byte longer it is relayed, the server says what it says, and the session is blind', async () => {
    const said: unknown[] = [];
    for (const url of [database.url, proxy.through(database.url)]) {
      const session = await RawMongo.open(url);
      session.socket.on('error', () => undefined);
      const { message } = insertOf(limitBytes + 1, session.nextRequestId(), database.name);
      await session.send(message);
      said.push((await session.ended()).map((reply) => bodyOf(reply)));
      session.close();
    }
    expect(said[1]).toEqual(said[0]);
    expect(await blindSessions()).toBe(1);
    expect(await bystander.run({ ping: 1 })).toMatchObject({ ok: 1 });
  });

  it('holds back a server whose client does not read', async () => {
    const session = await RawMongo.open(proxy.through(database.url));
    resetPeakMemory(proxy.pid);
    const before = residentMemory(proxy.pid).now;
    session.socket.pause();
    const received = relay.receivedBytes();
    const find = { find: 'big', filter: {}, batchSize: 2, $db: database.name };
    const ids = Array.from({ length: 6 }, () => session.nextRequestId());
    await session.send(...ids.map((requestId) => opMsg(find, { requestId })));
    await until(() => relay.receivedBytes() > received + mebibyte, settleMs, 'the reply to begin');
    await steady(() => relay.receivedBytes(), settleMs, 'the server to be held back');
    expect(relay.receivedBytes() - received).toBeLessThan(5 * documentBytes);
    await bystander.run({ ping: 1 });
    session.socket.resume();
    for (const responseTo of ids) {
      const reply = await session.message();
      expect(reply.responseTo).toBe(responseTo);
      expect(reply.bytes.length).toBeGreaterThan(documentBytes);
    }
    session.close();
    expect(residentMemory(proxy.pid).peak - before).toBeLessThan(allowedGrowthBytes);
  });

  it('holds back a client whose server does not read', async () => {
    const session = await RawMongo.open(proxy.through(database.url));
    resetPeakMemory(proxy.pid);
    const before = residentMemory(proxy.pid).now;
    relay.hold('near', true);
    const { message } = insertOf(limitBytes, session.nextRequestId(), database.name, 'held');
    await session.send(message);
    const waiting = await steady(() => session.socket.writableLength, settleMs, 'the client to be held back');
    expect(waiting).toBeGreaterThan(limitBytes / 2);
    relay.hold('near', false);
    expect(bodyOf(await session.message())).toMatchObject({ ok: 1 });
    expect(residentMemory(proxy.pid).peak - before).toBeLessThan(allowedGrowthBytes);
    session.close();
  });

  async function blindSessions(): Promise<number> {
    const line =
      proxy
        .stderr()
        .split('\n')
        .find((one) => one.includes('Admin listening')) ?? '{}';
    const { host, port } = JSON.parse(line) as { host: string; port: number };
    const text = await (await fetch(`http://${host}:${port}/metrics`)).text();
    const counted = /^twiceshy_blind_sessions_total\{reason="malformed_client_frame"\} (\d+)$/m.exec(text);
    return Number(counted?.[1] ?? 0);
  }
});

/** An insert that is just so long, of documents that a server takes. */
function insertOf(
  bytes: number,
  requestId: number,
  $db: string,
  collection = 'many',
): { message: Buffer; count: number } {
  const command = { insert: collection, ordered: false, $db };
  const bare = opMsg(command, { requestId });
  const name = Buffer.from('documents\0');
  let left = bytes - bare.length - 1 - 4 - name.length;
  const documents: Buffer[] = [];
  const documentOf = (size: number): Buffer => {
    const empty = serialize({ _id: Long.fromNumber(documents.length), body: '' }).length;
    return Buffer.from(serialize({ _id: Long.fromNumber(documents.length), body: 'x'.repeat(size - empty) }));
  };
  for (; left > 0; left -= documents.at(-1)?.length ?? 0)
    documents.push(documentOf(left > 2_000_000 ? 1_000_000 : left));
  const content = Buffer.concat([name, ...documents]);
  const head = Buffer.alloc(5);
  head[0] = 1;
  head.writeInt32LE(content.length + 4, 1);
  const message = Buffer.concat([bare, head, content]);
  message.writeInt32LE(message.length);
  return { message, count: documents.length };
}

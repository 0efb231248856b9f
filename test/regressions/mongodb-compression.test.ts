// What was compressed was invisible to an observer (open-telemetry/opentelemetry-ebpf-instrumentation#1097).
import type { Document } from 'bson';
import { afterEach, describe, expect, it } from 'vitest';
import { bomb, compressed, compressedMessage, compressorId } from '../support/mongodb-compression.js';
import { bodyOf, msgFlag, opcode, opMsg, readMsg } from '../support/mongodb-messages.js';
import { RawMongo } from '../support/raw-mongodb.js';
import {
  drivers,
  failuresIn,
  openScriptedMongo,
  outcome,
  serveMongo,
  stopMongo,
  watchMongo,
} from './support/mongodb-sessions.js';
import type { WatchedProxy } from './support/watched-proxy.js';

afterEach(stopMongo);

const duplicate = { index: 0, code: 11000, errmsg: 'E11000 duplicate key' };
const refused = { n: 0, ok: 1, writeErrors: [duplicate] };
const insert = { insert: 'users', documents: [{ _id: 1 }], $db: 'shop' };
const text = '<{ insert users documents [ { _id:number } ] }>';
const names = ['snappy', 'zlib', 'zstd', 'noop'] as const;

describe.each(names)('%s', (name) => {
  it.each([
    ['both ways', true, true],
    ['of the request', true, false],
    ['of the reply', false, true],
  ])('%s: the failure is seen, and the note is there', async (_how, isRequest, isReply) => {
    const { proxy, session, end } = await openScriptedMongo({ server: { hello: { compression: [name] } } });
    for (let time = 1; time <= 3; time += 1) {
      const plain = opMsg(insert, { requestId: time });
      const sent = isRequest ? compressed(plain, name) : plain;
      await session.send(sent);
      const request = await end.mustRequest();
      expect(request.bytes.equals(sent)).toBe(true);
      const answer = end.replyTo(request, refused);
      const bytes = isReply ? compressed(answer, name) : answer;
      end.write(bytes);
      const got = await session.message();
      expect(got.responseTo).toBe(time);
      expect(got.bytes.equals(bytes)).toBe(time === 1);
      // What is edited goes without compression, which every client takes.
      if (time > 1) expect(got.opcode).toBe(opcode.msg);
      expect(outcome(bodyOf(got))).toBe(time === 1 ? 'ok W[11000]' : 'ok W[11000 noted]');
    }
    expect(failuresIn(proxy)[0]).toBe(`failed 11000 ${text} execute k=0 idle`);
    expect(proxy.blind).toEqual([]);
  });
});

describe.each(drivers)('%s', (_name, { MongoClient }) => {
  it.each(['relay', 'clear'] as const)('with zlib, and compression %s', async (compression) => {
    let requests = 0;
    let compressedOnes = 0;
    const upstream = await serveMongo(
      (command, request, session) => {
        if (command['insert'] === undefined) return undefined;
        requests += 1;
        if (request.opcode !== opcode.compressed) return refused;
        compressedOnes += 1;
        return compressed(session.replyTo(request, refused), 'zlib');
      },
      { hello: { compression: ['snappy', 'zlib', 'zstd'] } },
    );
    const proxy = await watchMongo(upstream.port, { policy: { compression } });
    const client = new MongoClient(proxy.through(upstream.url), {
      compressors: ['zlib'],
      retryWrites: false,
    });
    const users = client.db('shop').collection<{ _id: number }>('users');
    const notes: unknown[] = [];
    for (let time = 1; time <= 2; time += 1) {
      const error: unknown = await users.insertOne({ _id: 1 }).catch((caught: unknown) => caught);
      const { code, errorResponse } = error as Document;
      expect(code).toBe(11000);
      notes.push(String(errorResponse['message'] ?? errorResponse['errmsg']).includes('[twiceshy'));
    }
    await client.close();
    expect(notes).toEqual([false, true]);
    expect([requests, compressedOnes]).toEqual([2, compression === 'relay' ? 2 : 0]);
    expect(failuresIn(proxy)[0]).toBe(`failed 11000 ${text} execute k=0 idle`);
    expect(proxy.blind).toEqual([]);
  });
});

it('an offer that is cleared leaves none, and everything else of hello', async () => {
  const server = { hello: { compression: ['zlib'], topologyVersion: { counter: 1n }, tags: { a: 'b' } } };
  const { upstream } = await openScriptedMongo({ server });
  const proxy = await watchMongo(upstream.port, { policy: { compression: 'clear' } });
  const direct = await RawMongo.dial(upstream.url);
  const session = await RawMongo.dial(proxy.through(upstream.url));
  const { compression, connectionId: _, ...rest } = await direct.run({ hello: 1 });
  expect(compression).toEqual(['zlib']);
  const { connectionId: __, ...cleared } = await session.run({ hello: 1 });
  expect(cleared).toEqual(rest);
  direct.close();
});

it('one that the proxy does not know makes the session blind, and everything is relayed', async () => {
  const { proxy, session, end } = await openScriptedMongo();
  const odd = compressedMessage(opMsg(insert, { requestId: 5 }), Buffer.from('whatever'), {
    declaredBytes: 100,
    compressorId: 9,
  });
  await session.send(odd);
  expect((await end.mustRequest()).bytes.equals(odd)).toBe(true);
  const answer = opMsg(refused, { responseTo: 5 });
  end.write(answer);
  expect((await session.message()).bytes.equals(answer)).toBe(true);
  expect(proxy.blind).toEqual(['not_followed']);
  expect(failuresIn(proxy)).toEqual([]);
});

describe.each(['snappy', 'zlib', 'zstd'] as const)('a bomb of %s', (name) => {
  const says = (declaredBytes: number) => ({ declaredBytes, compressorId: compressorId[name] });
  const million = 1_000_000;

  const sizes = [
    ['declares what it is', 40 * million, 40 * million],
    ['declares less than it is', 15 * million, 1000],
    ['declares more than any message', 40 * million, 2_000_000_000],
    ['declares a negative size', 1000, -5],
  ] as const;

  it.each(sizes)('as a request %s: it passes, and memory is flat', async (_how, bytes, declared) => {
    const { proxy, session, end, upstream } = await openScriptedMongo();
    const odd = compressedMessage(opMsg(insert, { requestId: 5 }), bomb(name, bytes), says(declared));
    const before = process.memoryUsage().rss;
    await session.send(odd, opMsg({ ping: 1, $db: 'shop' }, { requestId: 6 }));
    expect((await end.mustRequest()).bytes.equals(odd)).toBe(true);
    end.reply(await end.mustRequest(), { ok: 1 });
    expect(readMsg(await session.message()).body).toEqual({ ok: 1 });
    expect(process.memoryUsage().rss - before).toBeLessThan(100 * million);
    // Of one that is what it declares the beginning is looked at, and is a beginning.
    expect(proxy.blind).toEqual(declared === bytes ? [] : ['malformed_client_frame']);
    await expectNeighbour(proxy, upstream.url);
  });

  it.each(sizes)('as a reply %s: it passes, and memory is flat', async (_how, bytes, declared) => {
    const { proxy, session, end, upstream } = await openScriptedMongo();
    const before = process.memoryUsage().rss;
    for (const time of [1, 2]) {
      await session.send(opMsg(insert, { requestId: time }));
      const request = await end.mustRequest();
      const reply = compressedMessage(end.replyTo(request, refused), bomb(name, bytes), says(declared));
      end.write(reply);
      expect((await session.message()).bytes.equals(reply)).toBe(true);
    }
    expect(process.memoryUsage().rss - before).toBeLessThan(100 * million);
    const isTooLong = declared > million;
    expect(proxy.blind).toEqual(isTooLong ? [] : ['malformed_server_frame']);
    const counted = ['bypassed error_frame_too_large', 'bypassed error_frame_too_large'];
    expect(failuresIn(proxy)).toEqual(isTooLong ? counted : []);
    await expectNeighbour(proxy, upstream.url);
  });
});

async function expectNeighbour(proxy: WatchedProxy, url: string): Promise<void> {
  const other = await RawMongo.dial(proxy.through(url));
  expect(await other.run({ hello: 1, $db: 'admin' })).toMatchObject({ ok: 1 });
  other.close();
}

it('unacknowledged and streamed, it keeps the books', async () => {
  const { proxy, session, end } = await openScriptedMongo();
  const silent = compressed(opMsg(insert, { requestId: 1, flags: msgFlag.moreToCome }), 'zlib');
  await session.send(
    silent,
    silent,
    compressed(opMsg({ find: 'users', $db: 'shop' }, { requestId: 1 }), 'zlib'),
  );
  for (let taken = 0; taken < 2; taken += 1) await end.mustRequest();
  end.reply(await end.mustRequest(), { ok: 0, errmsg: 'x', code: 26 });
  await session.message();
  expect(failuresIn(proxy)).toEqual(['failed 26 <{ find users }> execute k=0 idle']);
  expect(proxy.blind).toEqual([]);
});

// The limit of a message was taken to be that of a document, 16 MB (gravitational/teleport#21104), or a request near it grew
// over it on its way (mongodb/mongo-tools#981).
import { serialize } from 'bson';
import { afterEach, describe, expect, it } from 'vitest';
import { limits } from '../../src/core/limits.js';
import { bodyOf, opMsg, readMsg } from '../support/mongodb-messages.js';
import {
  drivers,
  failuresOf,
  openScriptedMongo,
  outcome,
  serveMongo,
  stopMongo,
  watchMongo,
} from './support/mongodb-sessions.js';
import { describePymongo, runPymongo } from './support/pymongo.js';

afterEach(stopMongo);

const limitBytes = 48_000_000;
const padding = 'x'.repeat(400);

/** An insert of documents up to just so many bytes. */
function insertOf(bytes: number, requestId: number): Buffer {
  const bare = opMsg({ insert: 'users', ordered: false, $db: 'shop' }, { requestId });
  const name = Buffer.from('documents\0');
  const documents: Buffer[] = [];
  let left = bytes - bare.length - 1 - 4 - name.length;
  for (let _id = 0; left > 100_000; _id += 1) {
    const document = Buffer.from(serialize({ _id, padding }));
    documents.push(document);
    left -= document.length;
  }
  const rest = (text: string): Buffer => Buffer.from(serialize({ _id: -1, padding: text }));
  documents.push(rest('y'.repeat(left - rest('').length)));
  const content = Buffer.concat([name, ...documents]);
  const head = Buffer.alloc(5);
  head[0] = 1;
  head.writeInt32LE(content.length + 4, 1);
  const message = Buffer.concat([bare, head, content]);
  message.writeInt32LE(message.length);
  return message;
}

it('is the documented one', () => {
  expect(limits.maxMessageBytes).toBe(limitBytes);
  expect(insertOf(1_000_000, 1)).toHaveLength(1_000_000);
});

it('a request of just so many bytes is followed, and is the same at the server', async () => {
  const { proxy, session, end } = await openScriptedMongo();
  const writeErrors = [{ index: 3, code: 11000, errmsg: 'E11000 duplicate key' }];
  for (let time = 1; time <= 2; time += 1) {
    const sent = insertOf(limitBytes, time);
    expect(sent).toHaveLength(limitBytes);
    await session.send(sent);
    const request = await end.mustRequest();
    expect(request.bytes.equals(sent)).toBe(true);
    end.reply(request, { ok: 1, n: 5, writeErrors });
    expect(outcome(bodyOf(await session.message()))).toBe(time === 1 ? 'ok W[11000]' : 'ok W[11000 noted]');
  }
  expect(failuresOf(proxy.sessions[0])[0]).toMatch(
    /^failed 11000 <\{ insert users documents \[ \{ _id:number padding:string \} \]/,
  );
  expect(proxy.blind).toEqual([]);
});

it('one byte more, and the session is relayed blind', async () => {
  const { proxy, session, end } = await openScriptedMongo();
  const sent = insertOf(limitBytes + 1, 1);
  await session.send(sent);
  const request = await end.mustRequest();
  expect(request.bytes.equals(sent)).toBe(true);
  const failing = { ok: 0, errmsg: 'recv(): message msgLen 48000001 is invalid', code: 10334 };
  for (let time = 1; time <= 2; time += 1) {
    end.reply(request, failing);
    expect(bodyOf(await session.message())).toEqual(failing);
  }
  expect(failuresOf(proxy.sessions[0])).toEqual([]);
  expect(proxy.blind).toEqual(['malformed_client_frame']);
});

/** Takes every insert; `messages` are their lengths. */
async function serveInserts(messages: number[]) {
  return serveMongo((command, request) => {
    if (command['insert'] === undefined) return undefined;
    messages.push(request.bytes.length);
    const { sequences, body } = readMsg(request);
    return { ok: 1, n: (sequences[0]?.documents ?? (body['documents'] as unknown[])).length };
  });
}

describe.each(drivers)('%s', (_name, { MongoClient }) => {
  it('inserts 100,000 documents of 45 MB, 16 MB at a time', async () => {
    const messages: number[] = [];
    const upstream = await serveInserts(messages);
    const proxy = await watchMongo(upstream.port);
    const client = new MongoClient(proxy.through(upstream.url));
    const documents = Array.from({ length: 100_000 }, (_, _id) => ({ _id, padding }));
    const result = await client.db('shop').collection<{ _id: number }>('users').insertMany(documents);
    expect(result.insertedCount).toBe(100_000);
    await client.close();
    expect(messages).toHaveLength(3);
    expect(proxy.blind).toEqual([]);
  });
});

describePymongo('a client', () => {
  it('inserts 100,000 documents of 45 MB in one message', async () => {
    const messages: number[] = [];
    const upstream = await serveInserts(messages);
    const proxy = await watchMongo(upstream.port);
    const program = `
client = pymongo.MongoClient(url)
documents = [{"_id": n, "padding": "x" * 400} for n in range(100000)]
say(len(client.shop.users.insert_many(documents).inserted_ids))
client.close()
`;
    expect(await runPymongo(program, proxy.through(upstream.url))).toBe(100_000);
    expect(messages).toHaveLength(1);
    expect(messages[0]).toBeGreaterThan(40_000_000);
    expect(proxy.blind).toEqual([]);
  });
});

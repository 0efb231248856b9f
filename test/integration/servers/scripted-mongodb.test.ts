/** The scripted server and the raw session against each other and against a real driver, before they test anything else. */
import { serialize } from 'bson';
import { MongoClient } from 'mongodb';
import { expect, it } from 'vitest';
import {
  bomb,
  compressed,
  compressedMessage,
  compressorId,
  decompressed,
} from '../../support/mongodb-compression.js';
import { messageOf, msgFlag, opMsg, readMsg } from '../../support/mongodb-messages.js';
import { RawMongo } from '../../support/raw-mongodb.js';
import { ScriptedMongoServer } from '../../support/scripted-mongodb-server.js';

it('answers a driver, compressed where that was agreed', async () => {
  const seen: string[] = [];
  const server = await ScriptedMongoServer.listen(
    (session) =>
      session.serve((command, request) => {
        if (command['find'] === undefined) return undefined;
        seen.push(`find by opcode ${request.opcode}`);
        return compressed(session.replyTo(request, { ok: 0, errmsg: 'no', code: 26 }), 'zlib');
      }),
    { hello: { compression: ['zlib'] } },
  );
  const client = new MongoClient(server.url, { compressors: ['zlib'] });
  await expect(client.db().collection('users').find().toArray()).rejects.toMatchObject({ code: 26 });
  const unacknowledged = client
    .db()
    .collection('users')
    .insertOne({ a: 1 }, { writeConcern: { w: 0 } });
  expect(await unacknowledged).toMatchObject({ acknowledged: false });
  expect(seen).toEqual(['find by opcode 2012']);
  await client.close();
  await server.close();
});

it('streams replies to one request, each in answer to the one before', async () => {
  const server = await ScriptedMongoServer.listen(async (session) => {
    const request = await session.mustRequest();
    const first = session.replyTo(request, { ok: 1, n: 1 }, { flags: msgFlag.moreToCome });
    session.write(first);
    session.reply(messageOf(first), { ok: 1, n: 2 }, { isChecksummed: true });
  });
  const session = await RawMongo.dial(server.url);
  const replies = await session.runExhaust({ getMore: 1n, collection: 'users' });
  expect(replies.map((reply) => readMsg(reply).body)).toEqual([
    { ok: 1, n: 1 },
    { ok: 1, n: 2 },
  ]);
  expect(replies[1]?.responseTo).toBe(replies[0]?.requestId);
  expect(replies.map((reply) => readMsg(reply).isChecksumRight)).toEqual([null, true]);
  session.close();
  await server.close();
});

it('compresses and decompresses to the same bytes', () => {
  const message = opMsg({ text: 'x'.repeat(300_000) }, { requestId: 5, responseTo: 6 });
  for (const compressor of ['noop', 'snappy', 'zlib', 'zstd'] as const) {
    const wire = compressed(message, compressor);
    expect(wire.readInt32LE(0)).toBe(wire.length);
    expect(decompressed(wire).equals(message), compressor).toBe(true);
  }
});

it('makes bombs of a size', () => {
  const message = opMsg(Buffer.from(serialize({ a: 1 })));
  for (const compressor of ['snappy', 'zlib', 'zstd'] as const) {
    const declaredBytes = 3_000_001;
    const content = bomb(compressor, declaredBytes);
    const says = { declaredBytes, compressorId: compressorId[compressor] };
    expect(content.length).toBeLessThan(declaredBytes / 10);
    expect(decompressed(compressedMessage(message, content, says)).length).toBe(declaredBytes + 16);
  }
});

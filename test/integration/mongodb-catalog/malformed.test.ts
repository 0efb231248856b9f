/** What no server of the protocol sends: the connection fails, and neither holds nor ends anybody. */
import { serialize } from 'bson';
import { afterEach, describe, expect, it } from 'vitest';
import { openCatalog } from '../../../adapters/mongodb/catalog.js';
import { limits } from '../../../src/core/limits.js';
import { opcode, wireMessage } from '../../support/mongodb-messages.js';
import { type ScriptedAnswer, ScriptedMongoServer } from '../../support/scripted-mongodb-server.js';
import { within } from '../../support/until.js';
import { addressOf, plain } from './support.js';

const soonMs = 10_000;
let server: ScriptedMongoServer | null = null;

afterEach(async () => {
  await server?.close();
  server = null;
});

const isGreeting = (command: Record<string, unknown>): boolean =>
  ['hello', 'ismaster', 'isMaster'].some((name) => name in command);

/** A reader on a server that answers what is not a greeting with this. */
async function readerOn(answer: (command: Record<string, unknown>) => ScriptedAnswer) {
  server = await ScriptedMongoServer.listen((session) =>
    session.serve((command) => (isGreeting(command) ? undefined : answer(command))),
  );
  return openCatalog(addressOf(server.url), plain, 'shop');
}

const header = (length: number, code: number): Buffer => {
  const bytes = Buffer.alloc(64);
  bytes.writeInt32LE(length, 0);
  bytes.writeInt32LE(code, 12);
  return bytes;
};
const garbage: [string, Buffer][] = [
  ['zeros', Buffer.alloc(64)],
  ['a length of eight', header(8, opcode.msg)],
  ['a negative length', header(-5, opcode.msg)],
  ['two gigabytes announced', header(0x7fff_ffff, opcode.msg)],
  ['a compressed reply that nobody asked for', header(64, opcode.compressed)],
  ['an opcode that is none', header(64, 9999)],
  ['text', Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n')],
];

const refusal = /cannot be read|closed/;

describe('a catalog connection that gets', () => {
  it.each(garbage)('%s instead of a greeting', async (_, bytes) => {
    server = await ScriptedMongoServer.listen((session) => session.serve(() => bytes));
    const opening = openCatalog(addressOf(server.url), plain, 'shop');
    await expect(within(opening, soonMs, 'the refusal')).rejects.toThrow(refusal);
  });

  it.each(garbage)('%s instead of an answer', async (_, bytes) => {
    const reader = await readerOn(() => bytes);
    await expect(within(reader.probe(true), soonMs, 'the refusal')).rejects.toThrow(refusal);
    await within(reader.close(), limits.catalogCloseMs + soonMs, 'the end');
  });

  const cursor = (firstBatch: unknown): object => ({ ok: 1, cursor: { id: 0, ns: 'shop.$cmd', firstBatch } });
  it.each<[string, object]>([
    ['no cursor', { ok: 1 }],
    ['a cursor that is none', { ok: 1, cursor: 5 }],
    ['a batch that is none', cursor('x')],
    ['a batch of other things', cursor([1, 'x', null])],
    ['an error without a code', { ok: 0 }],
    ['nothing', {}],
  ])('%s', async (_, reply) => {
    const reader = await readerOn((command) => ('listCollections' in command ? reply : { ok: 1 }));
    await expect(within(reader.probe(true), soonMs, 'the refusal')).rejects.not.toThrow(/not settled/i);
    await reader.close();
  });

  it('documents with wrong lengths, anywhere', async () => {
    const body = serialize(cursor([{ name: 'users', type: 'collection', options: {} }]));
    const whole = wireMessage(opcode.msg, Buffer.concat([Buffer.alloc(5), body]));
    for (let at = 20; at < whole.length; at += 1) {
      await server?.close();
      const next = await readerOn((command) => {
        if (!('listCollections' in command)) return 'listIndexes' in command ? cursor([]) : undefined;
        const bytes = Buffer.from(whole);
        bytes[at] = (bytes[at] as number) ^ 0xff;
        return bytes;
      });
      // A byte of a name makes another name; one of a length must not do more than that.
      await within(
        next.probe(true).catch(() => undefined),
        soonMs,
        `an end at ${at}`,
      );
      await within(next.close(), limits.catalogCloseMs + soonMs, `the close at ${at}`);
    }
  });

  it('a cursor that never ends', async () => {
    let batches = 0;
    const batch = Array.from({ length: 20_000 }, (_, index) => ({ name: `c${index}`, type: 'collection' }));
    const reader = await readerOn((command) => {
      if ('listCollections' in command) return { ok: 1, cursor: { id: 7n, ns: 'shop.x', firstBatch: batch } };
      if (!('getMore' in command)) return undefined;
      batches += 1;
      return { ok: 1, cursor: { id: 7n, ns: 'shop.x', nextBatch: batch } };
    });
    await expect(within(reader.probe(true), 60_000, 'the refusal')).rejects.toMatchObject({
      code: 'CATALOG_FAILED',
    });
    expect(batches).toBeLessThan(10);
    await reader.close();
  });

  it('documents without end in depth', async () => {
    let nested: object = {};
    for (let level = 0; level < 1_500; level += 1) nested = { a: nested };
    const reader = await readerOn((command) => {
      if ('listIndexes' in command) return cursor([]);
      return 'listCollections' in command
        ? cursor([{ name: 'users', options: { validator: nested } }])
        : undefined;
    });
    await within(
      reader.probe(true).catch(() => undefined),
      soonMs,
      'an end',
    );
    await reader.close();
  });
});

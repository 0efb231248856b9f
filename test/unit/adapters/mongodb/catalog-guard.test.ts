import { finished } from 'node:stream/promises';
import { describe, expect, it } from 'vitest';
import { CatalogGuard } from '../../../../adapters/mongodb/catalog-guard.js';
import { limits } from '../../../../src/core/limits.js';

const int32 = (...words: number[]): Buffer => {
  const bytes = Buffer.alloc(4 * words.length);
  for (const [index, word] of words.entries()) bytes.writeInt32LE(word, 4 * index);
  return bytes;
};
/** A header that says `length`, and something behind it. */
const header = (length: number, opcode: number): Buffer =>
  Buffer.concat([int32(length, 7, 8, opcode), Buffer.alloc(24, 0xab)]);
const whole = (opcode: number, payload: Buffer): Buffer =>
  Buffer.concat([int32(16 + payload.length, 7, 8, opcode), payload]);
const msg = (document: Buffer, flags = 0, kind = 0): Buffer =>
  whole(2013, Buffer.concat([int32(flags), Buffer.from([kind]), document]));
const reply = (document: Buffer, count = 1): Buffer =>
  whole(1, Buffer.concat([int32(8, 0, 0, 0, count), document]));
const documentOf = (length: number): Buffer => Buffer.concat([int32(length), Buffer.alloc(length - 4, 0xab)]);
const withLength = (document: Buffer, length: number): Buffer => {
  const changed = Buffer.from(document);
  changed.writeInt32LE(length, 0);
  return changed;
};
const small = documentOf(40);
const replies = Buffer.concat([
  msg(small),
  reply(documentOf(5)),
  msg(documentOf(300), 1 << 16),
  msg(documentOf(5)),
]);

/** What passes of these chunks, and whether the guard gave up. */
async function pass(chunks: readonly Buffer[]): Promise<{ passed: Buffer; isRefused: boolean }> {
  const guard = new CatalogGuard();
  const passed: Buffer[] = [];
  guard.on('data', (chunk: Buffer) => passed.push(chunk));
  const over = finished(guard).then(
    () => false,
    () => true,
  );
  for (const chunk of chunks) if (!guard.destroyed) guard.write(chunk);
  guard.end();
  return { isRefused: await over, passed: Buffer.concat(passed) };
}

describe('CatalogGuard', () => {
  it('lets replies pass as they are, wherever the network cut them', async () => {
    for (let cut = 0; cut <= replies.length; cut += 1) {
      const { passed, isRefused } = await pass([replies.subarray(0, cut), replies.subarray(cut)]);
      expect(isRefused).toBe(false);
      expect(passed.equals(replies)).toBe(true);
    }
    const bytes = await pass([...replies].map((byte) => Buffer.from([byte])));
    expect(bytes.passed.equals(replies)).toBe(true);
  });

  it('hands a long reply on as it comes', async () => {
    const guard = new CatalogGuard();
    const beginning = Buffer.concat([int32(limits.maxCatalogMessageBytes, 7, 8, 2013, 0), Buffer.from([0])]);
    const document = int32(limits.maxCatalogMessageBytes - beginning.length, 0);
    const first = await new Promise<Buffer>((resolve) => {
      guard.once('data', resolve);
      guard.write(Buffer.concat([beginning, document]));
    });
    expect(first).toHaveLength(beginning.length + document.length);
  });

  it.each<[string, Buffer]>([
    ['no length', Buffer.alloc(64)],
    ['a length below a header', header(8, 2013)],
    ['a header alone', header(16, 2013)],
    ['a message too short for a document', header(24, 2013)],
    ['a negative length', header(-1, 2013)],
    ['more than a catalog has', header(limits.maxCatalogMessageBytes + 1, 2013)],
    ['a compressed reply', header(40, 2012)],
    ['a request', header(60, 2004)],
    ['an opcode that is none', header(40, 9999)],
    ['text', Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n')],
    ['a document of a negative length', msg(withLength(small, -40))],
    ['a document that ends before the message', msg(withLength(small, 39))],
    ['a document that ends after it', msg(withLength(small, 41))],
    ['a document of no length', reply(withLength(small, 0))],
    ['another section', msg(small, 0, 1)],
    ['a checksum', msg(small, 1)],
    ['more to come', msg(small, 2)],
    ['a flag that must be known', msg(small, 1 << 7)],
    ['a reply of nothing', reply(small, 0)],
    ['a reply of two', reply(small, 2)],
  ])('ends at %s, and lets it not pass', async (_, bytes) => {
    const alone = await pass([bytes]);
    expect(alone.isRefused).toBe(true);
    expect(alone.passed).toHaveLength(0);
    const after = await pass([replies, bytes, replies]);
    expect(after.isRefused).toBe(true);
    expect(after.passed.equals(replies)).toBe(true);
  });
});

import { finished } from 'node:stream/promises';
import { describe, expect, it } from 'vitest';
import { CatalogGuard } from '../../../../adapters/mongodb/catalog-guard.js';
import { limits } from '../../../../src/core/limits.js';

const message = (length: number, opcode: number, body = Math.max(0, length - 16)): Buffer => {
  const bytes = Buffer.alloc(16 + body, 0xab);
  for (const [index, word] of [length, 7, 8, opcode].entries()) bytes.writeInt32LE(word, 4 * index);
  return bytes;
};
const replies = Buffer.concat([message(40, 2013), message(17, 1), message(21, 2013)]);

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
    const [first] = await new Promise<[Buffer]>((resolve) => {
      guard.once('data', (chunk: Buffer) => resolve([chunk]));
      guard.write(message(limits.maxCatalogMessageBytes, 2013, 100));
    });
    expect(first).toHaveLength(116);
  });

  it.each<[string, Buffer]>([
    ['no length', Buffer.alloc(64)],
    ['a length below a header', message(8, 2013)],
    ['a header alone', message(16, 2013)],
    ['a negative length', message(-1, 2013, 20)],
    ['more than a catalog has', message(limits.maxCatalogMessageBytes + 1, 2013, 20)],
    ['a compressed reply', message(40, 2012)],
    ['a request', message(40, 2004)],
    ['an opcode that is none', message(40, 9999)],
    ['text', Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n')],
  ])('ends at %s, and lets nothing of it pass', async (_, bytes) => {
    const alone = await pass([bytes]);
    expect(alone.isRefused).toBe(true);
    expect(alone.passed).toHaveLength(0);
    const after = await pass([replies, bytes, replies]);
    expect(after.isRefused).toBe(true);
    expect(after.passed.equals(replies)).toBe(true);
  });
});

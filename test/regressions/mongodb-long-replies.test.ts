// Some results cut the connection: a full message was taken for read before it was (gravitational/teleport#16348).
import { createHash } from 'node:crypto';
import type { Document } from 'bson';
import { afterEach, describe, expect, it } from 'vitest';
import { makeCertificates } from '../integration/proxy/certificates.js';
import { opMsg } from '../support/mongodb-messages.js';
import { RawMongo } from '../support/raw-mongodb.js';
import { steady, until } from '../support/until.js';
import { listenMongo, stopMongo, watchMongo } from './support/mongodb-sessions.js';

afterEach(stopMongo);

const certificates = makeCertificates();
const waitMs = 60_000;
const batchBytes = 15_000_000;

const batchOf = (number: number): Document => {
  const rows = Array.from({ length: 15 }, (_, index) => ({
    _id: number * 100 + index,
    text: String.fromCharCode(97 + number).repeat(batchBytes / 15),
  }));
  const isLast = number === 3;
  return {
    cursor: { id: isLast ? 0n : 7n, ns: 'shop.users', [number === 0 ? 'firstBatch' : 'nextBatch']: rows },
    ok: 1,
  };
};

const digest = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

describe.each([
  ['in clear', false],
  ['under TLS on both legs', true],
])('batches of 15 MB %s', (_how, isTls) => {
  it('come whole to a client that is slow, and hold the server back meanwhile', async () => {
    const sent: string[] = [];
    const upstream = await listenMongo(
      async (end) => {
        for (;;) {
          const request = await end.request();
          if (request === null) return;
          if (request.bytes.includes('hello\0')) end.reply(request, { ok: 1 });
          else {
            const bytes = end.replyTo(request, batchOf(sent.length));
            sent.push(digest(bytes));
            end.write(bytes);
          }
        }
      },
      isTls ? { tls: certificates.local } : {},
    );
    const policy = {
      clientTls: isTls ? { ...certificates.local, isRequired: true } : null,
      upstreamTls: isTls ? ({ mode: 'require' } as const) : ({ mode: 'disable' } as const),
    };
    const proxy = await watchMongo(upstream.port, { policy });
    const session = await RawMongo.dial(proxy.through(upstream.url), { isTls });
    await session.run({ hello: 1, $db: 'admin' });
    const end = await upstream.session();
    session.socket.pause();
    const commands = [
      { find: 'users' },
      ...Array.from({ length: 3 }, () => ({ getMore: 7n, collection: 'users' })),
    ];
    const ids = commands.map(() => session.nextRequestId());
    await session.send(
      ...commands.map((command, index) => opMsg({ ...command, $db: 'shop' }, { requestId: ids[index] ?? 0 })),
    );
    await until(() => sent.length === commands.length, waitMs, 'the server to answer');
    // As much as the buffers on the way hold has left it, and no more.
    const held = await steady(() => end.socket.writableLength, waitMs, 'the server to be held back');
    expect(held).toBeGreaterThan(batchBytes);
    session.socket.resume();
    for (const [index, responseTo] of ids.entries()) {
      const reply = await session.message();
      expect([reply.responseTo, digest(reply.bytes)]).toEqual([responseTo, sent[index]]);
    }
    session.close();
    expect(proxy.blind).toEqual([]);
    const events = proxy.sessions[0]?.events.filter((event) => /^(failed|bypassed)/.test(event));
    expect(events).toEqual([]);
  });
});

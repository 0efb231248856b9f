import { deserialize, Long } from 'bson';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ReplySplitter } from '../../../adapters/mongodb/reply-splitter.js';
import { keepMessage, RequestSplitter } from '../../../adapters/mongodb/request-splitter.js';
import type { ByteOutput } from '../../../src/core/adapter.js';
import { limits } from '../../../src/core/limits.js';
import { compressed } from '../../support/mongodb-compression.js';
import { opcode, opMsg, opQuery, opReply, wireMessage } from '../../support/mongodb-messages.js';

const summaryOf = (bytes: Buffer | null): unknown => (bytes === null ? null : deserialize(bytes));
const rows = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ _id: index, name: 'somebody' }));
const batch = (count: number, more = {}) => ({
  cursor: { firstBatch: rows(count), id: Long.fromNumber(7), ns: 'a.b' },
  ok: 1,
  ...more,
});

// ---- requests

const requests = [
  opMsg({ find: 'users', $db: 'shop' }, { requestId: 1 }),
  opQuery({ isMaster: 1 }, { requestId: 2 }),
  wireMessage(9_999, Buffer.alloc(0), { requestId: 3 }),
  opMsg(
    { insert: 'users' },
    { requestId: 4, sequences: [{ identifier: 'documents', documents: rows(3) }], isChecksummed: true },
  ),
  compressed(opMsg({ ping: 1 }, { requestId: 5 }), 'zlib'),
];

/** The hex of each message seen, and what became of the splitter. */
function splitRequests(pieces: readonly Buffer[]): string[] {
  const seen: string[] = [];
  const splitter = new RequestSplitter({
    request: (bytes, start, end, length) => seen.push(`${length} ${bytes.toString('hex', start, end)}`),
    malformed: () => seen.push('malformed'),
  });
  for (const piece of pieces) splitter.scan(Buffer.from(piece));
  return seen;
}

const asSeen = (bytes: Buffer): string => `${bytes.length} ${bytes.toString('hex')}`;

/** Every way to cut `bytes` in two, in three with a small piece between, and byte by byte. */
function* cuts(bytes: Buffer): Generator<Buffer[]> {
  for (let first = 0; first <= bytes.length; first += 1) {
    for (const width of [0, 1, 3, 20]) {
      const second = Math.min(bytes.length, first + width);
      const pieces = [bytes.subarray(0, first), bytes.subarray(first, second), bytes.subarray(second)];
      yield pieces.filter((piece) => piece.length > 0);
    }
  }
  yield Array.from(bytes, (_, index) => bytes.subarray(index, index + 1));
}

const chunkings = fc.array(fc.integer({ min: 1, max: 90 }), { minLength: 1, maxLength: 200 });

function chunked(bytes: Buffer, sizes: readonly number[]): Buffer[] {
  const pieces: Buffer[] = [];
  let at = 0;
  for (const size of sizes) {
    if (at < bytes.length) pieces.push(bytes.subarray(at, at + size));
    at += size;
  }
  if (at < bytes.length) pieces.push(bytes.subarray(at));
  return pieces;
}

describe('requests', () => {
  const stream = Buffer.concat(requests);

  it('are the same wherever the stream is cut', () => {
    for (const pieces of cuts(stream)) expect(splitRequests(pieces)).toEqual(requests.map(asSeen));
    fc.assert(
      fc.property(chunkings, (sizes) => {
        expect(splitRequests(chunked(stream, sizes))).toEqual(requests.map(asSeen));
      }),
    );
  });

  it('with a length that no message has end the splitting, wherever it is cut', () => {
    for (const length of [15, 0, -1, limits.maxMessageBytes + 1, 0x7fffffff]) {
      const bad = wireMessage(opcode.msg, Buffer.alloc(10));
      bad.writeInt32LE(length, 0);
      const first = requests[0] as Buffer;
      const bytes = Buffer.concat([first, bad, first]);
      for (const pieces of cuts(bytes)) expect(splitRequests(pieces)).toEqual([asSeen(first), 'malformed']);
    }
  });

  it('of the greatest length pass, and no more than their beginning is kept', () => {
    const long = Buffer.alloc(limits.maxMessageBytes, 1);
    opMsg({ insert: 'users' }).copy(long);
    long.writeInt32LE(long.length, 0);
    const next = requests[0] as Buffer;
    const kept = limits.maxKeptRequestBytes;
    for (const size of [65_536, 1_000_003, long.length + next.length]) {
      const seen: (readonly [number, number])[] = [];
      const splitter = new RequestSplitter({
        request(bytes, start, end, length) {
          expect(bytes.subarray(start, end).equals((seen.length === 0 ? long : next).subarray(0, kept))).toBe(
            true,
          );
          seen.push([end - start, length]);
        },
        malformed: () => expect.unreachable(),
      });
      const bytes = Buffer.concat([long, next]);
      for (let at = 0; at < bytes.length; at += size) splitter.scan(bytes.subarray(at, at + size));
      expect(seen).toEqual([
        [kept, long.length],
        [next.length, next.length],
      ]);
    }
  });

  it('that are announced and do not come take no memory', () => {
    const head = Buffer.from((requests[0] as Buffer).subarray(0, 20));
    head.writeInt32LE(limits.maxMessageBytes, 0);
    const before = process.memoryUsage().arrayBuffers;
    const open = Array.from({ length: 500 }, () => {
      const splitter = new RequestSplitter({ request: () => undefined, malformed: () => undefined });
      splitter.scan(head);
      return splitter;
    });
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(500 * 64 * 1024);
    expect(open).toHaveLength(500);
  });

  it('are seen as soon as what is kept of them is there', () => {
    const seen: number[] = [];
    const splitter = new RequestSplitter({
      request: (_bytes, start, end) => seen.push(end - start),
      malformed: () => undefined,
    });
    const head = Buffer.alloc(limits.maxKeptRequestBytes);
    head.writeInt32LE(limits.maxKeptRequestBytes * 2, 0);
    splitter.scan(head.subarray(0, head.length - 1));
    expect(seen).toEqual([]);
    splitter.scan(head.subarray(head.length - 1));
    expect(seen).toEqual([head.length]);
  });

  it('are not looked at once the splitter was stopped, by its visitor too', () => {
    const seen: number[] = [];
    const splitter: RequestSplitter = new RequestSplitter({
      request(bytes, start) {
        seen.push(bytes.readInt32LE(start + 4));
        if (seen.length === 2) splitter.stop();
      },
      malformed: () => expect.unreachable(),
    });
    splitter.scan(stream.subarray(0, stream.length - 5));
    splitter.scan(Buffer.alloc(100, 0xff));
    expect(seen).toEqual([1, 2]);
  });

  it('are kept as views, but for small ones of great chunks', () => {
    const alone = Buffer.from(requests[0] as Buffer);
    expect(keepMessage(alone, 0, alone.length)).toBe(alone);
    const chunk = Buffer.alloc(60_000, 1);
    expect(keepMessage(chunk, 0, 40_000).buffer).toBe(chunk.buffer);
    const kept = keepMessage(chunk, 100, 200);
    expect(kept.equals(chunk.subarray(100, 200))).toBe(true);
    expect(kept.buffer).not.toBe(chunk.buffer);
  });
});

// ---- replies

const failure = opMsg({ ok: 0, errmsg: 'no', code: 2 }, { requestId: 11, responseTo: 1 });
const replies = [
  failure,
  opMsg(batch(3), { requestId: 12, responseTo: 2 }),
  opReply([{ ismaster: true }], { requestId: 13, responseTo: 3 }),
  wireMessage(9_999, Buffer.from('whatever'), { requestId: 14 }),
  wireMessage(9_999, Buffer.alloc(0), { requestId: 15 }),
  compressed(opMsg({ ok: 0, code: 3 }, { requestId: 16, responseTo: 4 }), 'snappy'),
  opMsg(
    { n: 1, ok: 1 },
    {
      requestId: 17,
      responseTo: 5,
      sequences: [{ identifier: 'x', documents: [] }],
      areSequencesFirst: true,
    },
  ),
  opMsg(batch(2), { requestId: 18, responseTo: 6, isChecksummed: true, flags: 2 }),
  opMsg({ ok: 0, errmsg: 'no', code: 2 }, { requestId: 19, responseTo: 1 }),
];
const replacement = opMsg(
  { ok: 0, errmsg: 'no, and here is why', code: 2, note: 'a note' },
  { requestId: 11, responseTo: 1 },
);
const isFailure = (bytes: Buffer, start: number, end: number): boolean =>
  bytes.toString('latin1', start, end).includes('errmsg');

interface Seen {
  readonly events: string[];
  readonly out: Buffer[];
}

/** Replaces what has an `errmsg`; of replies that may be passed, wants those of the requests named. */
function underTest(wanted: readonly number[] = []) {
  const seen: Seen = { events: [], out: [] };
  const out: ByteOutput = { write: (bytes) => seen.out.push(Buffer.from(bytes)) };
  const splitter = new ReplySplitter({
    wantsWhole: (responseTo) => wanted.includes(responseTo),
    reply(bytes, start, end) {
      seen.events.push(`${bytes.readInt32LE(start + 4)} whole of ${end - start}`);
      return isFailure(bytes, start, end) ? replacement : null;
    },
    passed({ requestId, responseTo, opCode, length, flags, summary }) {
      seen.events.push(`${requestId} passed`);
      const original = replies.find((one) => one.readInt32LE(4) === requestId) as Buffer;
      expect([length, requestId, responseTo, opCode]).toEqual(
        [0, 4, 8, 12].map((at) => original.readInt32LE(at)),
      );
      const isMsg = opCode === opcode.msg;
      expect(flags).toBe(isMsg ? original.readInt32LE(16) : 0);
      const count = requestId === 12 ? 3 : 2;
      expect(summaryOf(summary)).toEqual(isMsg ? deserialize(opMsg(batch(count)).subarray(21)) : null);
    },
    malformed: () => seen.events.push('malformed'),
  });
  return { seen, out, splitter };
}

const replyStream = Buffer.concat(replies);
const expectedOut = Buffer.concat(replies.map((one) => (isFailure(one, 0, one.length) ? replacement : one)));
/** By request id, in order: only these may be passed instead of seen whole. */
const mayPass = new Set([12, 14, 15, 16, 18]);

function checkReplies(pieces: readonly Buffer[], wanted: readonly number[] = []): void {
  const { seen, out, splitter } = underTest(wanted);
  for (const piece of pieces) splitter.scan(Buffer.from(piece), out);
  expect(Buffer.concat(seen.out).equals(expectedOut)).toBe(true);
  const ids = seen.events.map((event) => Number(event.split(' ')[0]));
  expect(ids).toEqual(replies.map((one) => one.readInt32LE(4)));
  for (const event of seen.events) {
    const [id, what] = event.split(' ');
    const original = replies.find((one) => one.readInt32LE(4) === Number(id)) as Buffer;
    if (what === 'whole') expect(event).toBe(`${id} whole of ${original.length}`);
    else {
      expect(mayPass.has(Number(id)), event).toBe(true);
      expect(wanted.includes(original.readInt32LE(8)), event).toBe(false);
    }
  }
}

describe('replies', () => {
  it('come out the same and are told of once, in order, wherever the stream is cut', () => {
    for (const pieces of cuts(replyStream)) checkReplies(pieces);
    for (const pieces of cuts(replyStream)) checkReplies(pieces, [2, 4, 6]);
    fc.assert(fc.property(chunkings, (sizes) => checkReplies(chunked(replyStream, sizes))));
  });

  it('that lie whole in a chunk are one write, changed or not, and unchanged ones not even copied', () => {
    const { seen, splitter, out } = underTest();
    splitter.scan(replyStream, out);
    expect(seen.out).toHaveLength(1);
    const writes: Buffer[] = [];
    const chunk = Buffer.concat([replies[1] as Buffer, replies[3] as Buffer]);
    underTest().splitter.scan(chunk, { write: (bytes) => writes.push(bytes) });
    expect(writes).toEqual([chunk]);
    expect(writes[0]).toBe(chunk);
  });

  it('wait for their last byte only if they may be changed', () => {
    const written = (bytes: Buffer, wanted: readonly number[] = []): number => {
      const { seen, splitter, out } = underTest(wanted);
      splitter.scan(bytes.subarray(0, bytes.length - 1), out);
      const size = Buffer.concat(seen.out).length;
      splitter.scan(bytes.subarray(bytes.length - 1), out);
      expect(Buffer.concat(seen.out).equals(isFailure(bytes, 0, bytes.length) ? replacement : bytes)).toBe(
        true,
      );
      return size;
    };
    const [no, cursor, hello, unknown, , packed, mixed] = replies as [
      Buffer,
      Buffer,
      Buffer,
      Buffer,
      Buffer,
      Buffer,
      Buffer,
    ];
    for (const one of [no, hello, mixed]) expect(written(one)).toBe(0);
    for (const one of [cursor, unknown, packed]) expect(written(one)).toBe(one.length - 1);
    expect(written(cursor, [2])).toBe(0);
    expect(written(packed, [4])).toBe(0);
    // not even that much before it is clear what they are
    const { seen, splitter, out } = underTest();
    splitter.scan(cursor.subarray(0, 32), out);
    expect(seen.out).toEqual([]);
    splitter.scan(cursor.subarray(32, 33), out);
    expect(Buffer.concat(seen.out).equals(cursor.subarray(0, 33))).toBe(true);
  });

  it('that are longer than any that is held pass as they come, with a summary', () => {
    const errors = Array.from({ length: 12_000 }, (_, index) => ({
      index,
      code: 11_000,
      errmsg: 'x'.repeat(60),
    }));
    const long = opMsg(
      { n: 3, writeErrors: errors, big: 'b'.repeat(5_000), ok: 1 },
      { requestId: 50, responseTo: 9 },
    );
    expect(long.length).toBeGreaterThan(limits.maxHeldReplyBytes);
    const passed: unknown[] = [];
    const splitter = new ReplySplitter({
      wantsWhole: () => true,
      reply: () => expect.unreachable(),
      passed: ({ summary, requestId }) => passed.push([requestId, summaryOf(summary)]),
      malformed: () => expect.unreachable(),
    });
    let size = 0;
    for (let at = 0; at < long.length; at += 65_536) {
      const chunk = long.subarray(at, at + 65_536);
      splitter.scan(chunk, { write: (bytes) => (size += bytes.length) });
      expect(size).toBe(at + chunk.length);
    }
    expect(passed).toEqual([[50, { n: 3, writeErrors: [], ok: 1 }]]);
  });

  it('end the splitting with a length that no message has, and all bytes pass', () => {
    for (const length of [15, 0, -1, limits.maxMessageBytes + 1]) {
      const bad = Buffer.from(failure);
      bad.writeInt32LE(length, 0);
      const first = replies[1] as Buffer;
      const bytes = Buffer.concat([first, bad, failure]);
      for (const pieces of cuts(bytes)) {
        const { seen, splitter, out } = underTest();
        for (const piece of pieces) splitter.scan(Buffer.from(piece), out);
        expect(Buffer.concat(seen.out).equals(bytes)).toBe(true);
        expect(seen.events).toHaveLength(2);
        expect(seen.events[1]).toBe('malformed');
      }
    }
  });

  it('that are held come out when the splitter is stopped, or the session ends', () => {
    for (const size of [1, 10, 16, 20, 33, failure.length - 1]) {
      for (const how of ['stop', 'flush'] as const) {
        const { seen, splitter, out } = underTest();
        splitter.scan(failure.subarray(0, size), out);
        expect(seen.out).toEqual([]);
        if (how === 'stop') splitter.stop();
        else splitter.flush(out);
        if (how === 'flush') expect(Buffer.concat(seen.out).equals(failure.subarray(0, size))).toBe(true);
        else {
          splitter.scan(failure.subarray(size), out);
          expect(Buffer.concat(seen.out).equals(failure)).toBe(true);
          expect(seen.events).toEqual([]);
        }
      }
    }
  });

  it('pass unread once the visitor stopped the splitter, in whichever of its calls', () => {
    const bytes = Buffer.concat([failure, replies[1] as Buffer, failure]);
    for (const call of ['reply', 'wantsWhole', 'passed'] as const) {
      for (const pieces of cuts(bytes)) {
        const out: Buffer[] = [];
        const splitter: ReplySplitter = new ReplySplitter({
          wantsWhole() {
            if (call === 'wantsWhole') splitter.stop();
            return true;
          },
          reply() {
            if (call === 'reply') splitter.stop();
            return null;
          },
          passed: () => splitter.stop(),
          malformed: () => expect.unreachable(),
        });
        for (const piece of pieces)
          splitter.scan(Buffer.from(piece), { write: (written) => out.push(written) });
        splitter.flush({ write: (written) => out.push(written) });
        expect(Buffer.concat(out).equals(bytes)).toBe(true);
      }
    }
  });

  it('summaries: random documents behind a cursor, cut anywhere, keep their short elements', () => {
    const value = fc.oneof(
      fc.string(),
      fc.integer(),
      fc.double(),
      fc.boolean(),
      fc.constant(null),
      fc.uint8Array(),
    );
    // a number would be put first
    const key = fc.string({ maxLength: 20 }).map((one) => `k${one.replaceAll('\0', '')}`);
    fc.assert(
      fc.property(fc.dictionary(key, value, { maxKeys: 8 }), fc.nat(), fc.nat(200), (more, seed, count) => {
        const bytes = opMsg({ cursor: { firstBatch: rows(count), id: Long.fromNumber(3) }, ...more });
        const at = 33 + (seed % (bytes.length - 33));
        let summary: unknown;
        const splitter = new ReplySplitter({
          wantsWhole: () => false,
          reply: () => null,
          passed: (reply) => {
            summary = summaryOf(reply.summary);
          },
          malformed: () => expect.unreachable(),
        });
        const out: Buffer[] = [];
        for (const piece of [bytes.subarray(0, at), bytes.subarray(at)])
          splitter.scan(piece, { write: (one) => out.push(one) });
        expect(Buffer.concat(out).equals(bytes)).toBe(true);
        const all = deserialize(bytes.subarray(21)) as Record<string, Record<string, unknown>>;
        const batchBytes = opMsg({ a: rows(count) }).length - 21 - 8;
        if (batchBytes > 2_048) (all['cursor'] as Record<string, unknown>)['firstBatch'] = [];
        expect(summary).toEqual(all);
      }),
    );
  });

  it('bodies that make no sense give no summary, and pass', () => {
    const good = opMsg(batch(3), { requestId: 60 });
    const summaries: (Buffer | null)[] = [];
    const take = (bytes: Buffer): void => {
      const splitter = new ReplySplitter({
        wantsWhole: () => false,
        reply: () => null,
        passed: ({ summary }) => summaries.push(summary),
        malformed: () => expect.unreachable(),
      });
      for (const piece of [bytes.subarray(0, 40), bytes.subarray(40)])
        splitter.scan(piece, { write: () => undefined });
    };
    // a zero byte before the end, of the body and of the cursor; a value that reaches beyond it
    for (const [key, type] of [
      ['ok', 0],
      ['id', 0],
      ['ok', 3],
      ['id', 3],
    ] as const) {
      const bytes = Buffer.from(good);
      bytes[bytes.lastIndexOf(`${key}\0`) - 1] = type;
      take(bytes);
    }
    // what looks like a section, within the body's length
    const inner = Buffer.concat([Buffer.from(good.subarray(21)), Buffer.from([1, 6, 0, 0, 0, 120, 0])]);
    inner.writeInt32LE(inner.length, 0);
    take(opMsg(inner));
    expect(summaries).toEqual([null, null, null, null, null]);
    for (let at = 20; at < good.length; at += 1) {
      for (const byte of [0, 1, 0x7f, 0xff, (good[at] as number) ^ 0x0f]) {
        const bytes = Buffer.from(good);
        bytes[at] = byte;
        const out: Buffer[] = [];
        const splitter = new ReplySplitter({
          wantsWhole: () => false,
          reply: () => null,
          passed: ({ summary }) => {
            if (summary !== null) expect(summary.readInt32LE(0)).toBe(summary.length);
          },
          malformed: () => expect.unreachable(),
        });
        for (const piece of [bytes.subarray(0, 34), bytes.subarray(34, 50), bytes.subarray(50)])
          splitter.scan(piece, { write: (one) => out.push(one) });
        expect(Buffer.concat(out).equals(bytes)).toBe(true);
      }
    }
  });

  it('random bytes pass as they are', () => {
    fc.assert(
      fc.property(
        fc.array(fc.uint8Array({ minLength: 1, maxLength: 60 })),
        fc.boolean(),
        (pieces, isFramed) => {
          const first = Buffer.alloc(16);
          first.writeInt32LE(100, 0);
          first.writeInt32LE(opcode.msg, 12);
          const all = [...(isFramed ? [first] : []), ...pieces.map((piece) => Buffer.from(piece))];
          const out: Buffer[] = [];
          const splitter = new ReplySplitter({
            wantsWhole: () => true,
            reply: () => null,
            passed: () => undefined,
            malformed: () => undefined,
          });
          for (const piece of all) splitter.scan(piece, { write: (one) => out.push(one) });
          splitter.flush({ write: (one) => out.push(one) });
          expect(Buffer.concat(out).equals(Buffer.concat(all))).toBe(true);
        },
      ),
    );
  });
});

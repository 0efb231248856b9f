import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FrameScanner, noWantedBytes } from '../../../adapters/postgres/framing.js';
import type { ByteOutput } from '../../../src/core/adapter.js';
import { client, server } from './frames.js';
import { run, type Step } from './scripted-session.js';

const errorType = 0x45;

interface Seen {
  readonly frames: string[];
  readonly out: Buffer[];
  isMalformed: boolean;
}

/** A scanner that holds and replaces 'E' and wants 8 bytes of 'Q'. */
function scanner(replacement: Buffer | null): { scan(chunk: Buffer): void; flush(): void; seen: Seen } {
  const seen: Seen = { frames: [], out: [], isMalformed: false };
  const out: ByteOutput = { write: (bytes) => seen.out.push(Buffer.from(bytes)) };
  const wanted = noWantedBytes();
  wanted[errorType] = 1024;
  wanted[0x51] = 8;
  const scan = new FrameScanner(wanted, {
    frame(type, bytes, start, end, isWhole) {
      const kept = Math.min(end - start, type === errorType ? 1024 : 8);
      seen.frames.push(`${String.fromCharCode(type)}:${bytes.toString('latin1', start, start + kept)}`);
      if (type === errorType) expect(isWhole).toBe(true);
      return type === errorType ? replacement : null;
    },
    malformed() {
      seen.isMalformed = true;
    },
  });
  scan.hold(errorType, true);
  return { scan: (chunk) => scan.scan(Buffer.from(chunk), out), flush: () => scan.flush(out), seen };
}

const stream = [
  server.row('abc'),
  client.query('select a long text'),
  server.error('42703'),
  server.row(),
  server.error('22012'),
  client.query('x'),
];
const bytes = Buffer.concat(stream);
const replacement = server.error('REPLA');
const expectedOut = Buffer.concat([
  server.row('abc'),
  client.query('select a long text'),
  replacement,
  server.row(),
  replacement,
  client.query('x'),
]);
const expectedFrames = ['Q:select a', 'E:', 'E:', 'Q:x\0'];

function expectWhole(seen: Seen): void {
  expect(Buffer.concat(seen.out).equals(expectedOut)).toBe(true);
  expect(seen.frames.map((frame, index) => frame.slice(0, expectedFrames[index]?.length))).toEqual(
    expectedFrames,
  );
}

describe('framing', () => {
  it('gives the same frames and bytes wherever the stream is cut', () => {
    for (let first = 0; first <= bytes.length; first += 1) {
      for (const second of [first, Math.min(bytes.length, first + 3)]) {
        const { scan, seen } = scanner(replacement);
        for (const piece of [
          bytes.subarray(0, first),
          bytes.subarray(first, second),
          bytes.subarray(second),
        ]) {
          if (piece.length > 0) scan(piece);
        }
        expectWhole(seen);
      }
    }
  });

  it('gives the same frames and bytes for any chunking', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 200 }), (sizes) => {
        const { scan, seen } = scanner(replacement);
        let at = 0;
        for (const size of sizes) {
          if (at < bytes.length) scan(bytes.subarray(at, at + size));
          at += size;
        }
        if (at < bytes.length) scan(bytes.subarray(at));
        expectWhole(seen);
      }),
    );
  });

  it('hands out a chunk with a replaced frame in one write, as it came', () => {
    const { scan, seen } = scanner(replacement);
    scan(bytes);
    expect(seen.out).toEqual([expectedOut]);
  });

  it('passes everything but held frames at once', () => {
    const { scan, seen, flush } = scanner(null);
    const error = server.error('42703');
    scan(Buffer.concat([server.row(), error.subarray(0, 3)]));
    expect(Buffer.concat(seen.out)).toEqual(server.row());
    scan(error.subarray(3, 10));
    expect(Buffer.concat(seen.out)).toEqual(server.row());
    flush();
    expect(Buffer.concat(seen.out)).toEqual(Buffer.concat([server.row(), error.subarray(0, 10)]));
  });

  it.each([0, 3, -1, -2_147_483_648])('stops at the impossible length %i and passes the rest', (length) => {
    for (const type of ['E', 'D']) {
      const bad = Buffer.alloc(5);
      bad.write(type, 0);
      bad.writeInt32BE(length, 1);
      const all = Buffer.concat([server.row(), bad, Buffer.from('anything after'), server.error('42703')]);
      for (let cut = 0; cut <= all.length; cut += 1) {
        const { scan, seen } = scanner(replacement);
        if (cut > 0) scan(all.subarray(0, cut));
        if (cut < all.length) scan(all.subarray(cut));
        expect(seen.isMalformed).toBe(true);
        expect(seen.frames).toEqual([]);
        expect(Buffer.concat(seen.out).equals(all)).toBe(true);
      }
    }
  });

  it('does not hold or allocate an error frame that declares 2 GiB', () => {
    const head = Buffer.from([errorType, 0x7f, 0xff, 0xff, 0xff]);
    for (const cut of [1, 3, 5, 9]) {
      const all = Buffer.concat([head, Buffer.from('Sbody of a giant')]);
      const { scan, seen } = scanner(replacement);
      scan(all.subarray(0, cut));
      scan(all.subarray(cut));
      expect(Buffer.concat(seen.out).equals(all)).toBe(true);
      expect(seen.isMalformed).toBe(false);
    }
  });
});

describe('observer on arbitrary bytes', () => {
  const piece = fc.oneof(
    fc.uint8Array({ maxLength: 40 }).map((array) => Buffer.from(array)),
    fc.constantFrom(
      ...stream,
      server.ready('I'),
      server.complete('SELECT 1'),
      server.copyIn(),
      client.sync(),
    ),
  );
  const step = fc.tuple(fc.constantFrom('c' as const, 's' as const), piece) as fc.Arbitrary<Step>;

  it('never throws and passes every server byte on', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        const sent = Buffer.concat(steps.flatMap((one) => (one[0] === 's' ? one.slice(1) : [])) as Buffer[]);
        const { received } = run(steps);
        return received.equals(sent);
      }),
      { numRuns: 500 },
    );
  });
});

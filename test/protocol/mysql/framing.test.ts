import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PacketScanner, wantedBytes } from '../../../adapters/mysql/framing.js';
import type { ByteOutput } from '../../../src/core/adapter.js';
import { maxPayloadBytes, packet, packets } from '../../support/mysql-protocol.js';
import { error, ok, textRow } from '../../support/mysql-server-packets.js';

interface Seen {
  readonly packets: string[];
  readonly continued: number[];
  readonly out: Buffer[];
  outOfStep: number;
}

interface UnderTest {
  scan(chunk: Buffer): void;
  flush(): void;
  readonly scanner: PacketScanner;
  readonly seen: Seen;
}

/** A scanner of the server's side that replaces ERR packets, wants 8 bytes of an OK and nothing of rows. */
function serverScanner(replacement: Buffer | null): UnderTest {
  const seen: Seen = { packets: [], continued: [], out: [], outOfStep: 0 };
  const out: ByteOutput = { write: (bytes) => seen.out.push(Buffer.from(bytes)) };
  const wanted = wantedBytes(-1);
  wanted[0xff] = 1024;
  wanted[0x00] = 8;
  const scanner = new PacketScanner('server', wanted, {
    packet(bytes, start, end, length, sequence, isInStep) {
      expect(bytes.readUIntLE(start - 4, 3)).toBe(length);
      expect(bytes[start - 1]).toBe(sequence);
      const mark = isInStep ? '' : ' out of step';
      seen.packets.push(`${sequence} ${bytes.toString('hex', start, end)} of ${length}${mark}`);
      return bytes[start] === 0xff ? replacement : null;
    },
    continued: (sequence) => seen.continued.push(sequence),
    outOfStep() {
      seen.outOfStep += 1;
    },
  });
  return {
    scan: (chunk) => scanner.scan(Buffer.from(chunk), out),
    flush: () => scanner.flush(out),
    scanner,
    seen,
  };
}

const row = textRow(['abc', null]);
const okPayload = ok({ rest: Buffer.from('some info') });
const errorPayload = error(1054, 'Unknown column', '42S22');
const replacement = packet(error(1054, 'Unknown column\n[note]', '42S22'), 2);
const stream = [
  packet(row, 0),
  packet(okPayload, 1),
  packet(errorPayload, 2),
  packet(row, 3),
  packet(Buffer.alloc(0), 4),
  packet(errorPayload, 5),
  packet(ok(), 6),
  packet(Buffer.alloc(0), 7),
];
const bytes = Buffer.concat(stream);
const expectedOut = Buffer.concat(
  stream.map((one, index) => (index === 2 || index === 5 ? replacement : one)),
);
const hex = (payload: Buffer, count: number): string => payload.subarray(0, count).toString('hex');
const expectedPackets = [
  `1 ${hex(okPayload, 8)} of ${okPayload.length}`,
  `2 ${errorPayload.toString('hex')} of ${errorPayload.length}`,
  '4  of 0',
  `5 ${errorPayload.toString('hex')} of ${errorPayload.length}`,
  `6 ${hex(ok(), 8)} of ${ok().length}`,
  '7  of 0',
];

describe('framing', () => {
  it('gives the same packets and bytes wherever the stream is cut', () => {
    for (let first = 0; first <= bytes.length; first += 1) {
      for (const width of [0, 1, 3, 5]) {
        const second = Math.min(bytes.length, first + width);
        const { scan, seen } = serverScanner(replacement);
        for (const piece of [bytes.subarray(0, first), bytes.subarray(first, second), bytes.subarray(second)])
          if (piece.length > 0) scan(piece);
        expect(seen.packets).toEqual(expectedPackets);
        expect(Buffer.concat(seen.out).equals(expectedOut)).toBe(true);
      }
    }
  });

  it('gives the same packets and bytes for any chunking', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 200 }), (sizes) => {
        const { scan, seen } = serverScanner(replacement);
        let at = 0;
        for (const size of sizes) {
          if (at < bytes.length) scan(bytes.subarray(at, at + size));
          at += size;
        }
        if (at < bytes.length) scan(bytes.subarray(at));
        expect(seen.packets).toEqual(expectedPackets);
        expect(Buffer.concat(seen.out).equals(expectedOut)).toBe(true);
      }),
    );
  });

  it('hands out a chunk in one write, with a packet replaced in it or not, cut at its ends or not', () => {
    for (const end of [bytes.length, bytes.length - 2, bytes.length - 7]) {
      for (const from of [0, 2, 6]) {
        const { scan, seen } = serverScanner(replacement);
        if (from > 0) scan(bytes.subarray(0, from));
        const before = seen.out.length;
        scan(bytes.subarray(from, end));
        expect(seen.out.length - before).toBe(1);
      }
    }
  });

  it('passes everything at once but an ERR packet and a header whose packet may be one', () => {
    const { scan, seen, flush } = serverScanner(null);
    const head = packet(row, 0);
    scan(Buffer.concat([head, packet(errorPayload, 1).subarray(0, 3)]));
    expect(Buffer.concat(seen.out)).toEqual(head);
    scan(packet(errorPayload, 1).subarray(3, 10));
    expect(Buffer.concat(seen.out)).toEqual(head);
    flush();
    expect(Buffer.concat(seen.out)).toEqual(Buffer.concat([head, packet(errorPayload, 1).subarray(0, 10)]));
  });

  it('holds a cut header no longer than it takes to see that its packet is no ERR', () => {
    const { scan, seen } = serverScanner(null);
    const whole = packet(row, 0);
    scan(whole.subarray(0, 4));
    expect(seen.out).toEqual([]);
    scan(whole.subarray(4, 5));
    expect(Buffer.concat(seen.out)).toEqual(whole.subarray(0, 5));
  });

  it('hands out a cut header when it stops', () => {
    const { scan, seen, scanner } = serverScanner(null);
    scan(packet(row, 0).subarray(0, 2));
    scanner.stop();
    scan(packet(row, 0).subarray(2));
    expect(Buffer.concat(seen.out)).toEqual(packet(row, 0));
  });

  it('does not hold or keep an ERR packet that is longer than any', () => {
    const long = Buffer.concat([errorPayload, Buffer.alloc(200_000, 0x61)]);
    const whole = packet(long, 0);
    for (const cut of [1, 4, 5, 9, 199_000]) {
      const { scan, seen } = serverScanner(replacement);
      scan(whole.subarray(0, cut));
      scan(whole.subarray(cut));
      expect(Buffer.concat(seen.out).equals(whole)).toBe(true);
      expect(seen.packets).toEqual([`0 ${hex(long, 1024)} of ${long.length}`]);
    }
  });

  it('sees as much of a packet that lies whole in its chunk as of one that is cut', () => {
    for (const pieces of [[bytes], [...bytes].map((byte) => Buffer.from([byte]))]) {
      const { scan, seen } = serverScanner(null);
      for (const piece of pieces) scan(piece);
      expect(seen.packets).toEqual(expectedPackets);
    }
  });

  describe('payloads over 16 MiB', () => {
    const filler = Buffer.alloc(maxPayloadBytes - 1, 0xff);
    const cases: readonly (readonly [string, Buffer])[] = [
      [
        'goes on in a packet that begins like an ERR',
        Buffer.concat([Buffer.from([3]), filler, errorPayload]),
      ],
      ['of exactly 0xFFFFFF bytes ends in an empty packet', Buffer.concat([Buffer.from([3]), filler])],
      ['twice the size', Buffer.concat([Buffer.from([3]), filler, filler, Buffer.from([0xff, 0xff, 0xff])])],
    ];

    it.each(cases)('%s', (_name, payload) => {
      const whole = Buffer.concat([
        packets(payload, 0),
        packet(ok(), 1 + Math.floor(payload.length / maxPayloadBytes)),
      ]);
      for (const size of [whole.length, 65_536, 1_000_003]) {
        const { scan, seen } = serverScanner(replacement);
        for (let at = 0; at < whole.length; at += size) scan(whole.subarray(at, at + size));
        const last = 1 + Math.floor(payload.length / maxPayloadBytes);
        expect(seen.packets).toEqual([`${last} ${hex(ok(), 8)} of ${ok().length}`]);
        expect(seen.continued).toEqual(Array.from({ length: last - 1 }, (_, index) => index + 1));
        expect(Buffer.concat(seen.out).equals(whole)).toBe(true);
      }
    });
  });

  describe('sequence numbers of the server', () => {
    it('wrap, and are free again after a restart', () => {
      const { scan, seen, scanner } = serverScanner(null);
      for (const sequence of [254, 255, 0, 1]) scan(packet(row, sequence));
      scanner.restart();
      scan(packet(ok(), 77));
      expect(seen.outOfStep).toBe(0);
      expect(seen.packets).toEqual([`77 ${hex(ok(), 8)} of ${ok().length}`]);
    });

    it.each([0, 2, 200])(
      'stops at %i in place of 1, wherever it is cut, and passes everything',
      (sequence) => {
        const whole = Buffer.concat([packet(row, 0), packet(row, sequence), packet(errorPayload, 3)]);
        for (let cut = 0; cut <= whole.length; cut += 1) {
          const { scan, seen } = serverScanner(replacement);
          if (cut > 0) scan(whole.subarray(0, cut));
          if (cut < whole.length) scan(whole.subarray(cut));
          expect(seen.outOfStep).toBe(1);
          expect(seen.packets).toEqual([]);
          expect(Buffer.concat(seen.out).equals(whole)).toBe(true);
        }
      },
    );

    it('let an ERR packet through, marked, and go on where they were', () => {
      const whole = Buffer.concat([packet(row, 3), packet(errorPayload, 0), packet(row, 4), packet(ok(), 5)]);
      for (let cut = 1; cut < whole.length; cut += 1) {
        const { scan, seen } = serverScanner(null);
        scan(whole.subarray(0, cut));
        scan(whole.subarray(cut));
        expect(seen.outOfStep).toBe(0);
        expect(seen.packets[0]).toBe(
          `0 ${errorPayload.toString('hex')} of ${errorPayload.length} out of step`,
        );
        expect(seen.packets[1]).toBe(`5 ${hex(ok(), 8)} of ${ok().length}`);
        expect(Buffer.concat(seen.out).equals(whole)).toBe(true);
      }
    });
  });

  it('visits a packet that is still arriving once, with what there is of it', () => {
    const seen: string[] = [];
    const scanner = new PacketScanner('client', wantedBytes(100), {
      packet: (chunk, start, end, length) => {
        seen.push(`${chunk.toString('latin1', start, end)} of ${length}`);
        return null;
      },
      continued: () => undefined,
      outOfStep: () => undefined,
    });
    const whole = Buffer.concat([packet(Buffer.from('0123456789'), 0), packet(Buffer.from('next'), 0)]);
    scanner.scan(whole.subarray(0, 4), null);
    scanner.visitEarly();
    scanner.scan(whole.subarray(4, 9), null);
    scanner.visitEarly();
    scanner.visitEarly();
    scanner.scan(whole.subarray(9), null);
    expect(seen).toEqual(['01234 of 10', 'next of 4']);
  });
});

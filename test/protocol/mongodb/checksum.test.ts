import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { crc32c } from '../../../adapters/mongodb/checksum.js';
import { crc32c as bitByBit } from '../../support/mongodb-checksum.js';

describe('checksum', () => {
  it('gives the values of RFC 3720, appendix B.4', () => {
    const rising = Buffer.from(Array.from({ length: 32 }, (_, index) => index));
    const known: [Buffer, number][] = [
      [Buffer.alloc(32), 0x8a9136aa],
      [Buffer.alloc(32, 0xff), 0x62a8ab43],
      [rising, 0x46dd794e],
      [Buffer.from(rising).reverse(), 0x113fdb5c],
      [Buffer.from('123456789'), 0xe3069283],
      [Buffer.alloc(0), 0],
    ];
    for (const [bytes, sum] of known) expect(crc32c(bytes, 0, bytes.length)).toBe(sum);
  });

  it('agrees with the definition, bit by bit, on any part of any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), fc.nat(20), fc.nat(20), (all, from, cut) => {
        const bytes = Buffer.from(all);
        const start = Math.min(from, bytes.length);
        const end = Math.max(start, bytes.length - cut);
        expect(crc32c(bytes, start, end)).toBe(bitByBit(bytes.subarray(start, end)));
      }),
    );
  });
});

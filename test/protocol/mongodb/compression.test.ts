import { constants, deflateSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decompress } from '../../../adapters/mongodb/compression.js';
import { limits } from '../../../src/core/limits.js';
import { bomb, compressed, compressedMessage, compressorId } from '../../support/mongodb-compression.js';
import { opMsg } from '../../support/mongodb-messages.js';
import { fixtures, inputs } from './compression-inputs.js';

const compressors = ['noop', 'snappy', 'zlib', 'zstd'] as const;
const packers = ['snappy', 'zlib', 'zstd'] as const;
const message = opMsg(
  { insert: 'users', documents: [{ a: 'a'.repeat(300) }], $db: 'shop' },
  { requestId: 41 },
);
const max = limits.maxMessageBytes;

/** A message with `content` as what was compressed; its header is that of `message`. */
function carrying(content: Buffer, declaredBytes: number, id: number): Buffer {
  return compressedMessage(message, content, { declaredBytes, compressorId: id });
}

/** Header and opcode as they were, and the length that all of it has. */
function expected(content: Buffer): Buffer {
  const header = Buffer.from(message.subarray(0, 16));
  header.writeInt32LE(16 + content.length, 0);
  return Buffer.concat([header, content]);
}

function whole(bytes: Buffer, maxBytes: number = max): Buffer | string {
  const around = Buffer.concat([Buffer.from('before'), bytes, Buffer.from('behind')]);
  return decompress(around, 6, 6 + bytes.length, maxBytes);
}

describe('compression', () => {
  it('gives the message as it would have come, ids and opcode included', () => {
    for (const compressor of compressors) {
      const bytes = compressed(message, compressor);
      expect(whole(bytes), compressor).toEqual(message);
    }
  });

  it('reads what zstd and Snappy themselves have made', () => {
    expect(fixtures.length).toBeGreaterThan(25);
    for (const { input, compressor, how, base64 } of fixtures) {
      const content = inputs[input];
      const bytes = carrying(Buffer.from(base64, 'base64'), content.length, compressorId[compressor]);
      const read = whole(bytes);
      expect(Buffer.isBuffer(read) && read.equals(expected(content)), `${input} ${compressor} ${how}`).toBe(
        true,
      );
    }
  });

  it('gives the beginning where no more is wanted, or no more is there', () => {
    for (const { input, compressor, base64 } of fixtures) {
      const content = inputs[input];
      const bytes = carrying(Buffer.from(base64, 'base64'), content.length, compressorId[compressor]);
      const all = expected(content);
      for (const wanted of [17, 20, 1_000, 100_000, all.length - 1]) {
        if (wanted >= all.length) continue;
        const read = whole(bytes, wanted);
        expect(Buffer.isBuffer(read) && read.equals(all.subarray(0, wanted))).toBe(true);
      }
      // zstd gives whole blocks, of which only the repeats have several
      const isInBlocks = compressor === 'zstd';
      const there = isInBlocks ? bytes.length - 6 : 25 + Math.floor((bytes.length - 25) / 2);
      const cut = whole(bytes.subarray(0, there));
      expect(Buffer.isBuffer(cut) && cut.length < all.length && cut.equals(all.subarray(0, cut.length))).toBe(
        true,
      );
      if (input === 'repeats' || (!isInBlocks && input !== 'tiny')) expect(cut.length).toBeGreaterThan(1_000);
    }
  });

  it('gives the beginning of what zlib made, however much it shrank', () => {
    for (const content of [inputs.documents, inputs.repeats, Buffer.alloc(20_000_000)]) {
      const bytes = carrying(deflateSync(content), content.length, compressorId.zlib);
      const all = expected(content);
      for (const wanted of [50, 5_000, 1_000_000]) {
        const size = Math.min(wanted, all.length);
        const read = whole(bytes, wanted);
        expect(Buffer.isBuffer(read) && read.equals(all.subarray(0, size))).toBe(true);
      }
      const half = whole(bytes.subarray(0, bytes.length / 2), 1_000_000);
      expect(Buffer.isBuffer(half) && half.length > 16 && half.equals(all.subarray(0, half.length))).toBe(
        true,
      );
    }
  });

  it('takes the declared size at its word, and content of another size for no message', () => {
    for (const compressor of compressors) {
      for (const off of [-1, 1, 100]) {
        const declaredBytes = message.length - 16 + off;
        const read = whole(compressed(message, compressor, { declaredBytes }));
        expect(['wrong_size', 'malformed'], `${compressor} ${off}`).toContain(read);
      }
    }
    expect(whole(carrying(bomb('zlib', 1_000), 999, compressorId.zlib))).toBe('wrong_size');
  });

  it('a declared size that no message has is refused before anything is read', () => {
    const sizes: [number, string][] = [
      [limits.maxMessageBytes - 15, 'too_large'],
      [0x7fffffff, 'too_large'],
      [0, 'malformed'],
      [-1, 'malformed'],
      [-0x80000000, 'malformed'],
    ];
    for (const compressor of compressors) {
      for (const [declaredBytes, fault] of sizes)
        expect(whole(compressed(message, compressor, { declaredBytes }))).toBe(fault);
    }
  });

  it('a bomb comes to no more than was asked for', () => {
    for (const compressor of packers) {
      for (const declared of [1_000, limits.maxMessageBytes - 16]) {
        const bytes = carrying(bomb(compressor, 60_000_000), declared, compressorId[compressor]);
        const before = process.memoryUsage().arrayBuffers;
        const read = whole(bytes, 1_000_000);
        expect(typeof read === 'string' ? 0 : read.length).toBeLessThanOrEqual(1_000_000);
        expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(20_000_000);
      }
      // where all is as it says, the beginning is there
      const honest = carrying(bomb(compressor, 40_000_000), 40_000_000, compressorId[compressor]);
      expect(whole(honest, 1_000_000)).toHaveLength(1_000_000);
    }
  });

  it('refuses compressors it does not know, messages within messages, and messages cut before their content', () => {
    expect(whole(compressed(message, 'noop', { compressorId: 4 }))).toBe('unknown_compressor');
    expect(whole(compressed(message, 'noop', { compressorId: 255 }))).toBe('unknown_compressor');
    const once = compressed(message, 'snappy');
    expect(whole(compressed(once, 'snappy'))).toBe('malformed');
    for (let size = 0; size < 25; size += 1) expect(whole(once.subarray(0, size))).toBe('malformed');
    expect(whole(message)).toBe('malformed');
  });

  it('a message cut anywhere, or changed anywhere, gives some of its bytes or a fault', () => {
    const content = Buffer.concat([inputs.letters.subarray(0, 400), inputs.tiny]);
    const zlib = deflateSync(content, { strategy: constants.Z_HUFFMAN_ONLY });
    const of = (name: 'letters' | 'skewed', compressor: 'zstd' | 'snappy'): Buffer[] =>
      fixtures
        .filter((one) => one.input === name && one.compressor === compressor)
        .map((one) =>
          carrying(Buffer.from(one.base64, 'base64'), inputs[name].length, compressorId[compressor]),
        );
    const all = [
      carrying(zlib, content.length, compressorId.zlib),
      ...of('letters', 'zstd'),
      ...of('letters', 'snappy'),
    ];
    for (const bytes of all) {
      for (let at = 25; at < bytes.length; at += 1) {
        const cut = whole(bytes.subarray(0, at));
        expect(typeof cut === 'string' || cut.length <= 16 + bytes.readInt32LE(20)).toBe(true);
        const changed = Buffer.from(bytes);
        changed[at] = (changed[at] as number) ^ (1 << (at % 8));
        const read = whole(changed);
        expect(typeof read === 'string' || read.length === 16 + bytes.readInt32LE(20)).toBe(true);
      }
    }
  });

  it('random content gives a message of the declared size or a fault', () => {
    const magic = Buffer.from([0x28, 0xb5, 0x2f, 0xfd]);
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 200 }),
        fc.constantFrom(1, 2, 3),
        fc.integer({ min: 1, max: 100_000 }),
        fc.boolean(),
        (random, id, declared, isFramed) => {
          const content = id === 3 && isFramed ? Buffer.concat([magic, random]) : Buffer.from(random);
          const read = whole(carrying(content, declared, id));
          expect(typeof read === 'string' || read.length === 16 + declared).toBe(true);
        },
      ),
      { numRuns: 2_000 },
    );
  });

  it('content that comes to more than it declares shows, even where it does not say its size itself', () => {
    const unsized = fixtures.find(
      ({ input, how }) => input === 'documents' && how.endsWith('--no-content-size'),
    );
    const frame = Buffer.from(unsized?.base64 ?? '', 'base64');
    const { length } = inputs.documents;
    expect(whole(carrying(frame, length, compressorId.zstd))).toEqual(expected(inputs.documents));
    for (const off of [-1, 1])
      expect(whole(carrying(frame, length + off, compressorId.zstd))).toBe('wrong_size');
    // a literal of three bytes where two are announced
    const snappy = Buffer.from([2, 2 << 2, 97, 98, 99]);
    expect(whole(carrying(snappy, 2, compressorId.snappy))).toBe('wrong_size');
    expect(whole(carrying(snappy, 3, compressorId.snappy))).toBe('malformed');
    expect(whole(carrying(snappy, 3, compressorId.snappy), 18)).toBe('malformed');
  });

  it('copies reach no further back than the content', () => {
    const snappy = (offset: number): Buffer => Buffer.from([5, 0, 97, (3 << 2) | 2, offset, 0]);
    expect(whole(carrying(snappy(1), 5, compressorId.snappy))).toEqual(expected(Buffer.from('aaaaa')));
    for (const offset of [0, 2, 200])
      expect(whole(carrying(snappy(offset), 5, compressorId.snappy))).toBe('malformed');

    // raw literals `ab`, one sequence: two literals, then three bytes from offset 1 + `more`
    const first = (more: number): Buffer => zstdBlock(false, [2 << 3, 97, 98, 1, 0x54, 2, 2, 0, 4 | more]);
    // no literals, one sequence: three bytes, from one less than the offset before
    const second = zstdBlock(true, [0, 1, 0x54, 0, 1, 0, 3]);
    expect(whole(carrying(frameOf(8, first(1), second), 8, compressorId.zstd))).toEqual(
      expected(Buffer.from('ababaaaa')),
    );
    // an offset of zero, and one of three
    for (const more of [0, 2])
      expect(whole(carrying(frameOf(8, first(more), second), 8, compressorId.zstd))).toBe('malformed');
  });

  it('a frame ends the content', () => {
    const { input, base64 } =
      fixtures.find(({ compressor }) => compressor === 'zstd') ?? expect.unreachable();
    const frame = Buffer.from(base64, 'base64');
    for (const more of [Buffer.alloc(1), Buffer.alloc(4), frame]) {
      const bytes = carrying(Buffer.concat([frame, more]), inputs[input].length, compressorId.zstd);
      expect(whole(bytes)).toBe('malformed');
    }
  });

  it('a frame of many blocks that hold next to nothing is no work to refuse', () => {
    // one literal, run-length coded, and no sequences
    const block = zstdBlock(false, [(1 << 3) | 1, 97, 0]);
    const last = zstdBlock(true, [(1 << 3) | 1, 97, 0]);
    const frame = (blocks: number): Buffer =>
      frameOf(blocks, ...new Array<Buffer>(blocks - 1).fill(block), last);
    expect(whole(carrying(frame(10_000), 10_000, compressorId.zstd))).toBe('malformed');
    expect(whole(carrying(frame(50), 50, compressorId.zstd))).toEqual(expected(Buffer.alloc(50, 'a')));
  });
});

/** A compressed block. */
function zstdBlock(isLast: boolean, content: readonly number[]): Buffer {
  return Buffer.from([(content.length << 3) | 4 | (isLast ? 1 : 0), 0, 0, ...content]);
}

/** A frame of one segment that says its size. */
function frameOf(size: number, ...blocks: readonly Buffer[]): Buffer {
  const head = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0xa0, 0, 0, 0, 0]);
  head.writeUInt32LE(size, 5);
  return Buffer.concat([head, ...blocks]);
}

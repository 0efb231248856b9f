import { describe, expect, it } from 'vitest';
import { KeptText } from '../../../src/wire/kept-text.js';
import type { Decoder } from '../../../src/wire/text-decoders.js';

class Text extends KeptText {
  static of(bytes: Buffer, start: number, end: number, decoding: Pick<Decoder, 'decode'>) {
    return new Text(bytes, start, end, true, decoding);
  }
}

describe('kept text', () => {
  it('is decoded from its own bytes, once, and only when asked for', () => {
    const calls: string[] = [];
    const text = Text.of(Buffer.from('before text after'), 7, 11, {
      decode(bytes, start, end) {
        calls.push(bytes.toString('latin1', start, end));
        return 'decoded';
      },
    });
    expect([text.byteLength, text.isTruncated, calls.length]).toEqual([4, true, 0]);
    expect([text.text(), text.text()]).toEqual(['decoded', 'decoded']);
    expect(calls).toEqual(['text']);
  });
});

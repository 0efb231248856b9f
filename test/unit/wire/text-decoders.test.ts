import { describe, expect, it } from 'vitest';
import {
  byteDecoder,
  type Decoder,
  decoderOf,
  utf8Decoder,
  windows1252Decoder,
} from '../../../src/wire/text-decoders.js';

const cases: readonly (readonly [string, Decoder, readonly number[], string])[] = [
  ['utf-8', utf8Decoder, [0xc3, 0xa9, 0xff], 'é\ufffd'],
  ['bytes', byteDecoder, [0xe9, 0x80], 'é\x80'],
  ['windows-1252', windows1252Decoder, [0x80, 0x41, 0x9f, 0xe9], '€AŸé'],
  ['windows-1251', decoderOf('windows-1251'), [0xff], 'я'],
  ['shift_jis', decoderOf('shift_jis'), [0x83, 0x5c], 'ソ'],
  ['gbk', decoderOf('gbk'), [0xd6, 0xd0], '中'],
  ['big5', decoderOf('big5'), [0xa4, 0xa4], '中'],
  ['euc-jp', decoderOf('euc-jp'), [0xa5, 0xbd], 'ソ'],
  ['utf-16be', decoderOf('utf-16be'), [0x00, 0x41], 'A'],
  ['one that no platform has', decoderOf('no-such-encoding'), [0x41, 0xe9], 'Aé'],
];

describe('text decoders', () => {
  it.each(cases)('%s', (_name, decoder, bytes, text) => {
    const around = Buffer.from([0x21, ...bytes, 0x21]);
    expect(decoder.decode(around, 1, around.length - 1)).toBe(text);
  });

  it('makes each decoder once', () => {
    expect(decoderOf('koi8-r')).toBe(decoderOf('koi8-r'));
  });
});

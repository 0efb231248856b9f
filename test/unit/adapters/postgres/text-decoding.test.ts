import { describe, expect, it } from 'vitest';
import { TextDecoding } from '../../../../adapters/postgres/text-decoding.js';

function decode(encoding: string, ...bytes: readonly number[]): string {
  const decoding = new TextDecoding();
  decoding.setEncoding(encoding);
  return decoding.decode(Buffer.from(bytes), 0, bytes.length);
}

describe('text decoding', () => {
  it.each([
    ['UTF8', [0xc3, 0xa9], 'é'],
    ['LATIN1', [0xe9], 'é'],
    ['SQL_ASCII', [0x61, 0xe9], 'aé'],
    ['WIN1252', [0x80, 0x41, 0x9f, 0xe9], '€AŸé'],
    ['WIN1251', [0xff], 'я'],
    ['LATIN9', [0xa4], '€'],
    ['SJIS', [0x83, 0x5c], 'ソ'],
    ['EUC_JP', [0xa5, 0xbd], 'ソ'],
    ['GBK', [0xd6, 0xd0], '中'],
    ['BIG5', [0xa4, 0xa4], '中'],
    ['MULE_INTERNAL', [0x61], 'a'],
  ])('%s', (encoding, bytes, text) => {
    expect(decode(encoding, ...bytes)).toBe(text);
  });
});

import { describe, expect, it } from 'vitest';
import {
  characterSetOf,
  decoderOfCharacterSet,
  isWideCharacterSet,
} from '../../../../adapters/mysql/character-sets.js';

describe('character sets', () => {
  it.each([
    [8, 'latin1'],
    [28, 'gbk'],
    [33, 'utf8mb4'],
    [45, 'utf8mb4'],
    [63, 'binary'],
    [255, 'utf8mb4'],
    [1032, 'latin1'],
    [1120, 'cp932'],
    [2310, 'utf8mb4'],
    [0, 'utf8mb4'],
  ])('collation %i: %s', (collation, name) => {
    expect(characterSetOf(collation)).toBe(name);
  });

  it.each([
    ['utf8mb4', [0xc3, 0xa9], 'é'],
    ['UTF8', [0xc3, 0xa9], 'é'],
    ['binary', [0xc3, 0xa9], 'é'],
    ['latin1', [0x80, 0xe9], '€é'],
    ['latin2', [0xb1], 'ą'],
    ['latin5', [0xfe], 'ş'],
    ['latin7', [0xe0], 'ą'],
    ['cp1251', [0xff], 'я'],
    ['koi8r', [0xd1], 'я'],
    ['greek', [0xe1], 'α'],
    ['hebrew', [0xe0], 'א'],
    ['tis620', [0xa1], 'ก'],
    ['sjis', [0x83, 0x5c], 'ソ'],
    ['cp932', [0x83, 0x5c], 'ソ'],
    ['ujis', [0xa5, 0xbd], 'ソ'],
    ['gbk', [0xd6, 0xd0], '中'],
    ['gb2312', [0xd6, 0xd0], '中'],
    ['gb18030', [0xd6, 0xd0], '中'],
    ['big5', [0xa4, 0xa4], '中'],
    ['euckr', [0xb0, 0xa1], '가'],
    ['keybcs2', [0x41, 0xe9], 'Aé'],
    ['nobody knows', [0x41, 0xe9], 'Aé'],
  ])('%s', (name, bytes, text) => {
    expect(decoderOfCharacterSet(name).decode(Buffer.from(bytes), 0, bytes.length)).toBe(text);
  });

  it('tells the wide ones', () => {
    expect(['utf16', 'UCS2', 'utf16le', 'utf32', 'utf8mb4', 'gbk'].map(isWideCharacterSet)).toEqual([
      true,
      true,
      true,
      true,
      false,
      false,
    ]);
  });
});

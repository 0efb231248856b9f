/**
 * Character sets by name and by the collation ids of logins (data; information_schema.COLLATIONS of MySQL 9.7 and
 * MariaDB 10.11), and how their bytes are read.
 */
import {
  byteDecoder,
  type Decoder,
  decoderOf,
  utf8Decoder,
  windows1252Decoder,
} from '../../src/wire/text-decoders.js';

const collationIds: Readonly<Record<string, readonly number[]>> = {
  armscii8: [32, 64],
  ascii: [11, 65],
  big5: [1, 84],
  binary: [63],
  cp1250: [26, 34, 44, 66, 99],
  cp1251: [14, 23, 50, 51, 52],
  cp1256: [57, 67],
  cp1257: [29, 58, 59],
  cp850: [4, 80],
  cp852: [40, 81],
  cp866: [36, 68],
  cp932: [95, 96],
  dec8: [3, 69],
  eucjpms: [97, 98],
  euckr: [19, 85],
  gb18030: [248, 249, 250],
  gb2312: [24, 86],
  gbk: [28, 87],
  geostd8: [92, 93],
  greek: [25, 70],
  hebrew: [16, 71],
  hp8: [6, 72],
  keybcs2: [37, 73],
  koi8r: [7, 74],
  koi8u: [22, 75],
  latin1: [5, 8, 15, 31, 47, 48, 49, 94],
  latin2: [2, 9, 21, 27, 77],
  latin5: [30, 78],
  latin7: [20, 41, 42, 79],
  macce: [38, 43],
  macroman: [39, 53],
  sjis: [13, 88],
  swe7: [10, 82],
  tis620: [18, 89],
  ujis: [12, 91],
};

const nameOfCollation = new Map(
  Object.entries(collationIds).flatMap(([name, ids]) => ids.map((id) => [id, name] as const)),
);

/** MariaDB numbers collations without padding so much above those they come of, and newer ones from there on. */
const noPadOffset = 1024;
const firstNewerId = 2048;

/** Ids not listed belong to a form of UTF-8, as nearly all do: a client cannot log in with UTF-16 or UTF-32. */
export function characterSetOf(collation: number): string {
  const isNoPad = collation > noPadOffset && collation < firstNewerId;
  return nameOfCollation.get(isNoPad ? collation - noPadOffset : collation) ?? 'utf8mb4';
}

const labels: Readonly<Record<string, string>> = {
  big5: 'big5',
  cp1250: 'windows-1250',
  cp1251: 'windows-1251',
  cp1256: 'windows-1256',
  cp1257: 'windows-1257',
  cp866: 'ibm866',
  cp932: 'shift_jis',
  eucjpms: 'euc-jp',
  euckr: 'euc-kr',
  gb18030: 'gb18030',
  gb2312: 'gbk',
  gbk: 'gbk',
  greek: 'iso-8859-7',
  hebrew: 'iso-8859-8',
  koi8r: 'koi8-r',
  koi8u: 'koi8-u',
  latin2: 'iso-8859-2',
  latin5: 'windows-1254',
  latin7: 'iso-8859-13',
  macroman: 'macintosh',
  sjis: 'shift_jis',
  tis620: 'windows-874',
  ujis: 'euc-jp',
};

/** `binary` is what clients say who send whatever their own strings are, UTF-8 nearly always. */
const utf8Names: ReadonlySet<string> = new Set(['utf8', 'utf8mb3', 'utf8mb4', 'binary']);

/** A character set that is not known is read byte for byte, which keeps ASCII right. */
export function decoderOfCharacterSet(name: string): Decoder {
  const key = name.toLowerCase();
  if (utf8Names.has(key)) return utf8Decoder;
  if (key === 'latin1') return windows1252Decoder;
  const label = labels[key];
  return label === undefined ? byteDecoder : decoderOf(label);
}

/** Character sets whose ASCII takes more than a byte; only results may be in them. */
const wideNames: ReadonlySet<string> = new Set(['ucs2', 'utf16', 'utf16le', 'utf32']);

export function isWideCharacterSet(name: string): boolean {
  return wideNames.has(name.toLowerCase());
}

/**
 * Turns a session's bytes into text by its `client_encoding` (docs 24.3.1). All client encodings keep ASCII bytes
 * ASCII when they do not follow a lead byte, so a NUL still ends a string whatever the encoding.
 */
import {
  byteDecoder,
  type Decoder,
  decoderOf,
  utf8Decoder,
  windows1252Decoder,
} from '../../src/wire/text-decoders.js';

/** PostgreSQL's names, without punctuation and in lower case, to WHATWG labels. */
const labels: Readonly<Record<string, string>> = {
  big5: 'big5',
  euccn: 'gbk',
  eucjp: 'euc-jp',
  euckr: 'euc-kr',
  gb18030: 'gb18030',
  gbk: 'gbk',
  iso88595: 'iso-8859-5',
  iso88596: 'iso-8859-6',
  iso88597: 'iso-8859-7',
  iso88598: 'iso-8859-8',
  koi8r: 'koi8-r',
  koi8u: 'koi8-u',
  latin2: 'iso-8859-2',
  latin3: 'iso-8859-3',
  latin4: 'iso-8859-4',
  latin5: 'windows-1254',
  latin6: 'iso-8859-10',
  latin7: 'iso-8859-13',
  latin8: 'iso-8859-14',
  latin9: 'iso-8859-15',
  latin10: 'iso-8859-16',
  sjis: 'shift_jis',
  uhc: 'euc-kr',
  win866: 'ibm866',
  win874: 'windows-874',
  win1250: 'windows-1250',
  win1251: 'windows-1251',
  win1253: 'windows-1253',
  win1254: 'windows-1254',
  win1255: 'windows-1255',
  win1256: 'windows-1256',
  win1257: 'windows-1257',
  win1258: 'windows-1258',
};

/** Decodes with the encoding last set; an encoding it does not know is read byte for byte, which keeps ASCII right. */
export class TextDecoding {
  #decoder: Decoder = utf8Decoder;

  setEncoding(name: string): void {
    const key = name.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
    if (key === 'utf8' || key === 'unicode') this.#decoder = utf8Decoder;
    else if (key === 'win1252') this.#decoder = windows1252Decoder;
    else this.#decoder = labels[key] === undefined ? byteDecoder : decoderOf(labels[key]);
  }

  decode(bytes: Buffer, start: number, end: number): string {
    return this.#decoder.decode(bytes, start, end);
  }
}

/**
 * Turns a session's bytes into text by its `client_encoding` (docs 24.3.1). All client encodings keep ASCII bytes
 * ASCII when they do not follow a lead byte, so a NUL still ends a string whatever the encoding.
 */

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

/** 0x80 to 0x9F of WIN1252; a TextDecoder of Node 20 reads them as control characters. */
const win1252Upper = '€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ';

function decodeWin1252(bytes: Buffer, start: number, end: number): string {
  const text = bytes.toString('latin1', start, end);
  return text.replace(
    /[\x80-\x9f]/g,
    (character) => win1252Upper[character.charCodeAt(0) - 0x80] ?? character,
  );
}

/** Decodes with the encoding last set; an encoding it does not know is read byte for byte, which keeps ASCII right. */
export class TextDecoding {
  #decoder: InstanceType<typeof TextDecoder> | 'utf8' | 'bytes' | 'win1252' = 'utf8';

  setEncoding(name: string): void {
    const key = name.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
    if (key === 'utf8' || key === 'unicode') {
      this.#decoder = 'utf8';
      return;
    }
    if (key === 'win1252') {
      this.#decoder = 'win1252';
      return;
    }
    const label = labels[key];
    try {
      this.#decoder = label === undefined ? 'bytes' : new TextDecoder(label);
    } catch {
      this.#decoder = 'bytes';
    }
  }

  decode(bytes: Buffer, start: number, end: number): string {
    if (this.#decoder === 'utf8') return bytes.toString('utf8', start, end);
    if (this.#decoder === 'bytes') return bytes.toString('latin1', start, end);
    if (this.#decoder === 'win1252') return decodeWin1252(bytes, start, end);
    return this.#decoder.decode(bytes.subarray(start, end));
  }
}

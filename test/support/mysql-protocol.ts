/**
 * The words and byte forms both ends of the MySQL protocol share, for tests: flags, command bytes, length-encoded
 * values, packet framing. Written from the protocol documentation ("Protocol Basics", "Data Types", "Packets"; for
 * MariaDB its "Clientserver Protocol" pages), not from the adapter, so that it can serve as an oracle.
 */

/** Capability flags of the greeting and of the login packet. */
export const capability = {
  longPassword: 1,
  foundRows: 1 << 1,
  longFlag: 1 << 2,
  connectWithDb: 1 << 3,
  compress: 1 << 5,
  localFiles: 1 << 7,
  ignoreSpace: 1 << 8,
  protocol41: 1 << 9,
  interactive: 1 << 10,
  tls: 1 << 11,
  transactions: 1 << 13,
  secureConnection: 1 << 15,
  multiStatements: 1 << 16,
  multiResults: 1 << 17,
  psMultiResults: 1 << 18,
  pluginAuth: 1 << 19,
  connectAttributes: 1 << 20,
  lenencAuthData: 1 << 21,
  handleExpiredPasswords: 1 << 22,
  sessionTrack: 1 << 23,
  deprecateEof: 1 << 24,
  optionalMetadata: 1 << 25,
  zstdCompression: 1 << 26,
  queryAttributes: 1 << 27,
  multiFactor: 1 << 28,
} as const;

/** MariaDB's second word of flags, in the reserved bytes of greeting and login packet when `longPassword` is off. */
export const mariadbCapability = {
  progress: 1,
  commandMulti: 1 << 1,
  bulkExecute: 1 << 2,
  extendedMetadata: 1 << 3,
  cacheMetadata: 1 << 4,
} as const;

export const status = {
  inTransaction: 1,
  autocommit: 2,
  moreResults: 8,
  noGoodIndex: 16,
  noIndex: 32,
  cursorExists: 64,
  lastRowSent: 128,
  noBackslashEscapes: 512,
  metadataChanged: 1024,
  outParameters: 0x1000,
  sessionStateChanged: 0x4000,
} as const;

export const command = {
  quit: 0x01,
  initDb: 0x02,
  query: 0x03,
  fieldList: 0x04,
  refresh: 0x07,
  statistics: 0x09,
  processInfo: 0x0a,
  processKill: 0x0c,
  debug: 0x0d,
  ping: 0x0e,
  changeUser: 0x11,
  binlogDump: 0x12,
  stmtPrepare: 0x16,
  stmtExecute: 0x17,
  stmtSendLongData: 0x18,
  stmtClose: 0x19,
  stmtReset: 0x1a,
  setOption: 0x1b,
  stmtFetch: 0x1c,
  resetConnection: 0x1f,
  bulkExecute: 0xfa,
} as const;

/** The largest payload of one packet; a payload that reaches it goes on in the next, which may be empty. */
export const maxPayloadBytes = 0xffffff;

/** One packet as it was on the wire, without its four-byte header. */
export interface Packet {
  readonly sequence: number;
  readonly payload: Buffer;
}

/** Bytes of one packet; `payload` must fit into one. */
export function packet(payload: Buffer, sequence: number): Buffer {
  const header = Buffer.alloc(4);
  header.writeUIntLE(payload.length, 0, 3);
  header[3] = sequence & 0xff;
  return Buffer.concat([header, payload]);
}

/** Bytes of a payload of any size: split at 16 MiB, numbered from `sequence`. */
export function packets(payload: Buffer, sequence = 0): Buffer {
  const parts: Buffer[] = [];
  let at = 0;
  let next = sequence;
  for (;;) {
    const part = payload.subarray(at, at + maxPayloadBytes);
    parts.push(packet(part, next));
    at += part.length;
    next += 1;
    if (part.length < maxPayloadBytes) return Buffer.concat(parts);
  }
}

/** Collects whole packets from chunks of any size. */
export class PacketSplitter {
  private parts: Buffer[] = [];
  private have = 0;
  /** Bytes without which no further packet can be complete. */
  private need = 4;

  push(chunk: Buffer): Packet[] {
    this.parts.push(chunk);
    this.have += chunk.length;
    if (this.have < this.need) return [];
    const whole = Buffer.concat(this.parts);
    const found: Packet[] = [];
    let at = 0;
    this.need = 4;
    while (whole.length - at >= 4) {
      const end = at + 4 + whole.readUIntLE(at, 3);
      if (end > whole.length) {
        this.need = end - at;
        break;
      }
      found.push({ sequence: whole[at + 3]!, payload: Buffer.from(whole.subarray(at + 4, end)) });
      at = end;
    }
    this.parts = [whole.subarray(at)];
    this.have = whole.length - at;
    return found;
  }

  /** The bytes of an unfinished packet, given up. */
  takeRest(): Buffer {
    const rest = Buffer.concat(this.parts);
    this.parts = [];
    this.have = 0;
    this.need = 4;
    return rest;
  }
}

export function uint(value: number, bytes: 1 | 2 | 3 | 4): Buffer {
  const buffer = Buffer.alloc(bytes);
  buffer.writeUIntLE(value >>> 0, 0, bytes);
  return buffer;
}

/** A length-encoded integer in its shortest form. */
export function lenenc(value: number): Buffer {
  if (value < 0xfb) return Buffer.from([value]);
  if (value <= 0xffff) return Buffer.concat([Buffer.from([0xfc]), uint(value, 2)]);
  if (value <= 0xffffff) return Buffer.concat([Buffer.from([0xfd]), uint(value, 3)]);
  const buffer = Buffer.alloc(9, 0xfe);
  buffer.writeBigUInt64LE(BigInt(value), 1);
  return buffer;
}

/** A length-encoded string; strings are UTF-8. */
export function lenencString(value: string | Buffer): Buffer {
  const bytes = typeof value === 'string' ? Buffer.from(value) : value;
  return Buffer.concat([lenenc(bytes.length), bytes]);
}

/** A NUL-terminated string. */
export function nulString(value: string): Buffer {
  return Buffer.from(`${value}\0`);
}

/** Reads the fields of one payload in order; throws a RangeError past its end, which in a test is a finding. */
export class PayloadReader {
  private at = 0;
  private readonly payload: Buffer;

  constructor(payload: Buffer, at = 0) {
    this.payload = payload;
    this.at = at;
  }

  get isAtEnd(): boolean {
    return this.at >= this.payload.length;
  }

  uint(bytes: 1 | 2 | 3 | 4): number {
    const value = this.payload.readUIntLE(this.at, bytes);
    this.at += bytes;
    return value;
  }

  bytes(length: number): Buffer {
    if (this.at + length > this.payload.length) throw new RangeError(`${length} bytes past the payload`);
    const value = this.payload.subarray(this.at, this.at + length);
    this.at += length;
    return value;
  }

  rest(): Buffer {
    return this.bytes(this.payload.length - this.at);
  }

  nulBytes(): Buffer {
    const end = this.payload.indexOf(0, this.at);
    if (end < 0) throw new RangeError('No NUL before the end of the payload');
    const value = this.payload.subarray(this.at, end);
    this.at = end + 1;
    return value;
  }

  nulString(): string {
    return this.nulBytes().toString();
  }

  /** Null for 0xFB, which in a row is SQL NULL. */
  lenenc(): number | null {
    const first = this.uint(1);
    if (first === 0xfb) return null;
    if (first === 0xfc) return this.uint(2);
    if (first === 0xfd) return this.uint(3);
    if (first !== 0xfe) return first;
    const value = Number(this.payload.readBigUInt64LE(this.at));
    this.at += 8;
    return value;
  }

  lenencBytes(): Buffer | null {
    const length = this.lenenc();
    return length === null ? null : this.bytes(length);
  }

  lenencString(): string | null {
    return this.lenencBytes()?.toString() ?? null;
  }
}

/**
 * Messages of MongoDB's wire protocol, built and read (MongoDB Wire Protocol; OP_COMPRESSED in mongodb-compression.ts).
 * Written from the documentation, shares nothing with the adapter.
 *
 *     opMsg({ find: 'users', $db: 'shop' }, { requestId: 7 })
 *     opMsg(body, { sequences: [{ identifier: 'documents', documents: [{ a: 1 }] }], areSequencesFirst: true })
 *     opMsg(body, { responseTo: 7, isChecksummed: true, flags: msgFlag.moreToCome })
 *     wireMessage(9999, payload)                          // any opcode, any bytes
 *     bodyOf(message)                                     // the command or the reply of any message
 */
import { type Document, deserialize, serialize } from 'bson';
import { crc32c } from './mongodb-checksum.js';
import { decompressed } from './mongodb-compression.js';

export const opcode = { reply: 1, query: 2004, compressed: 2012, msg: 2013 } as const;

export const msgFlag = { checksumPresent: 1, moreToCome: 2, exhaustAllowed: 1 << 16 } as const;

const headerBytes = 16;

/** One whole message as it came, header included. */
export interface Message {
  readonly bytes: Buffer;
  readonly requestId: number;
  readonly responseTo: number;
  readonly opcode: number;
}

export interface Sequence {
  readonly identifier: string;
  readonly documents: readonly Document[];
}

interface Ids {
  readonly requestId?: number;
  readonly responseTo?: number;
}

export interface MsgOptions extends Ids {
  readonly flags?: number;
  readonly sequences?: readonly Sequence[];
  /** Sections of kind 1 before the one of kind 0. */
  readonly areSequencesFirst?: boolean;
  readonly isChecksummed?: boolean;
}

/** A message of any opcode; the length is that of the bytes. */
export function wireMessage(code: number, payload: Buffer, ids: Ids = {}): Buffer {
  const header = Buffer.alloc(headerBytes);
  header.writeInt32LE(headerBytes + payload.length, 0);
  header.writeInt32LE(ids.requestId ?? 0, 4);
  header.writeInt32LE(ids.responseTo ?? 0, 8);
  header.writeInt32LE(code, 12);
  return Buffer.concat([header, payload]);
}

/** `body` may be bytes, for documents that no encoder makes. */
export function opMsg(body: Document | Buffer, options: MsgOptions = {}): Buffer {
  const kind0 = Buffer.concat([Buffer.from([0]), documentBytes(body)]);
  const kind1 = (options.sequences ?? []).map(sequenceSection);
  const sections = options.areSequencesFirst === true ? [...kind1, kind0] : [kind0, ...kind1];
  const isChecksummed = options.isChecksummed === true;
  const flags = (options.flags ?? 0) | (isChecksummed ? msgFlag.checksumPresent : 0);
  const message = wireMessage(opcode.msg, Buffer.concat([uint32(flags), ...sections]), options);
  if (!isChecksummed) return message;
  message.writeInt32LE(message.length + 4, 0);
  return Buffer.concat([message, uint32(crc32c(message))]);
}

/** Legacy commands go to the collection `$cmd`. */
export function opQuery(
  query: Document,
  options: Ids & { readonly namespace?: string; readonly numberToReturn?: number } = {},
): Buffer {
  const payload = [
    uint32(0),
    cstring(options.namespace ?? 'admin.$cmd'),
    int32(0),
    int32(options.numberToReturn ?? -1),
    documentBytes(query),
  ];
  return wireMessage(opcode.query, Buffer.concat(payload), options);
}

export function opReply(
  documents: readonly Document[],
  options: Ids & { readonly flags?: number; readonly cursorId?: bigint } = {},
): Buffer {
  const cursorId = Buffer.alloc(8);
  cursorId.writeBigInt64LE(options.cursorId ?? 0n);
  const payload = [uint32(options.flags ?? 8), cursorId, int32(0), int32(documents.length)];
  return wireMessage(opcode.reply, Buffer.concat([...payload, ...documents.map(documentBytes)]), options);
}

export function messageOf(bytes: Buffer): Message {
  return {
    bytes,
    requestId: bytes.readInt32LE(4),
    responseTo: bytes.readInt32LE(8),
    opcode: bytes.readInt32LE(12),
  };
}

export interface ReadMsg {
  readonly flags: number;
  readonly body: Document;
  /** The body's bytes, as they came. */
  readonly bodyBytes: Buffer;
  readonly sequences: readonly Sequence[];
  /** Null without one. */
  readonly isChecksumRight: boolean | null;
}

/** Throws for what is no OP_MSG. Integers of 64 bits become numbers where they are exact, as drivers have it. */
export function readMsg(message: Message): ReadMsg {
  const { bytes } = plain(message);
  if (bytes.readInt32LE(12) !== opcode.msg) throw new Error(`Opcode ${bytes.readInt32LE(12)} is not OP_MSG`);
  const flags = bytes.readUInt32LE(headerBytes);
  const hasChecksum = (flags & msgFlag.checksumPresent) !== 0;
  const end = bytes.length - (hasChecksum ? 4 : 0);
  const bodies: Buffer[] = [];
  const sequences: Sequence[] = [];
  let at = headerBytes + 4;
  while (at < end) {
    const kind = bytes[at];
    at += 1;
    const size = bytes.readInt32LE(at);
    const section = bytes.subarray(at, at + size);
    if (kind === 0) bodies.push(section);
    else if (kind === 1) sequences.push(readSequence(section));
    else throw new Error(`Section of kind ${kind}`);
    at += size;
  }
  const [bodyBytes] = bodies;
  if (bodyBytes === undefined || bodies.length > 1) throw new Error(`${bodies.length} sections of kind 0`);
  const isChecksumRight = hasChecksum ? bytes.readUInt32LE(end) === crc32c(bytes.subarray(0, end)) : null;
  return { flags, body: deserialize(bodyBytes), bodyBytes, sequences, isChecksumRight };
}

/** The command of a request or the first document of a reply, of any opcode this file knows. */
export function bodyOf(message: Message): Document {
  const read = plain(message);
  const { bytes } = read;
  if (read.opcode === opcode.msg) return readMsg(read).body;
  if (read.opcode === opcode.reply) return documentAt(bytes, headerBytes + 20);
  if (read.opcode === opcode.query) return documentAt(bytes, bytes.indexOf(0, headerBytes + 4) + 1 + 8);
  throw new Error(`Opcode ${read.opcode} has no document`);
}

/** Flag bits of an OP_MSG, compressed or not; 0 for every other opcode. */
export function flagsOf(message: Message): number {
  const read = plain(message);
  return read.opcode === opcode.msg ? read.bytes.readUInt32LE(headerBytes) : 0;
}

/** Cuts a stream into messages; a length that none can have throws. */
export class MessageSplitter {
  private pending: Buffer[] = [];
  private pendingBytes = 0;

  push(chunk: Buffer): Message[] {
    this.pending.push(chunk);
    this.pendingBytes += chunk.length;
    const found: Message[] = [];
    for (;;) {
      if (this.pendingBytes < headerBytes) return found;
      const length = this.joined(4).readInt32LE(0);
      if (length < headerBytes) throw new Error(`A message of ${length} bytes`);
      if (this.pendingBytes < length) return found;
      const all = this.joined(this.pendingBytes);
      found.push(messageOf(all.subarray(0, length)));
      this.pending = length < all.length ? [all.subarray(length)] : [];
      this.pendingBytes -= length;
    }
  }

  /** What came and is no whole message yet. */
  get restBytes(): number {
    return this.pendingBytes;
  }

  /** Joins what came only when that many bytes are not together yet. */
  private joined(bytes: number): Buffer {
    const [first] = this.pending;
    if (first !== undefined && first.length >= bytes) return first;
    const all = Buffer.concat(this.pending);
    this.pending = [all];
    return all;
  }
}

function plain(message: Message): Message {
  return message.opcode === opcode.compressed ? messageOf(decompressed(message.bytes)) : message;
}

function documentAt(bytes: Buffer, at: number): Document {
  return deserialize(bytes.subarray(at, at + bytes.readInt32LE(at)));
}

function documentBytes(body: Document | Buffer): Buffer {
  return Buffer.isBuffer(body) ? body : Buffer.from(serialize(body));
}

function sequenceSection({ identifier, documents }: Sequence): Buffer {
  const content = Buffer.concat([cstring(identifier), ...documents.map(documentBytes)]);
  return Buffer.concat([Buffer.from([1]), int32(content.length + 4), content]);
}

function readSequence(section: Buffer): Sequence {
  const identifierEnd = section.indexOf(0, 4);
  const documents: Document[] = [];
  for (let at = identifierEnd + 1; at < section.length; at += section.readInt32LE(at))
    documents.push(documentAt(section, at));
  return { identifier: section.toString('utf8', 4, identifierEnd), documents };
}

function cstring(text: string): Buffer {
  return Buffer.from(`${text}\0`);
}

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32LE(value);
  return bytes;
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

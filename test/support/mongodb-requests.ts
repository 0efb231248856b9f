/** Requests of a client byte for byte, and what a reply to one says. */
import { deserialize, serialize } from 'bson';

type Document = Record<string, unknown>;

export function message(opCode: number, requestId: number, body: Buffer, responseTo = 0): Buffer {
  const header = Buffer.alloc(16);
  [16 + body.length, requestId, responseTo, opCode].forEach((field, index) => {
    header.writeInt32LE(field, index * 4);
  });
  return Buffer.concat([header, body]);
}

export function opMsg(document: Document, { requestId = 7, flags = 0, responseTo = 0 } = {}): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt32LE(flags);
  return message(2013, requestId, Buffer.concat([head, serialize(document)]), responseTo);
}

export function opQuery(document: Document, { requestId = 7, collection = 'admin.$cmd' } = {}): Buffer {
  const numbers = Buffer.alloc(8);
  numbers.writeInt32LE(-1, 4);
  const body = [Buffer.alloc(4), Buffer.from(`${collection}\0`), numbers, serialize(document)];
  return message(2004, requestId, Buffer.concat(body));
}

/** As drivers say it, by either opcode. */
export const hello = opMsg({ hello: 1, client: { application: { name: 'probe' } }, $db: 'admin' });
export const oldHello = opQuery({ ismaster: 1, helloOk: true });

export interface Reply {
  readonly opCode: number;
  readonly responseTo: number;
  readonly body: Document;
}

/** Of just one reply of one document. */
export function readReply(bytes: Buffer): Reply {
  const opCode = bytes.readInt32LE(12);
  const start = opCode === 2013 ? 21 : 36;
  if (bytes.readInt32LE(0) !== bytes.length) throw new Error('Not just one reply');
  if (start + bytes.readInt32LE(start) !== bytes.length) throw new Error('Not just one document');
  return { opCode, responseTo: bytes.readInt32LE(8), body: deserialize(bytes.subarray(start)) };
}

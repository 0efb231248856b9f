// Decoding BSON and encoding it again does not give the same bytes (mongodb/js-bson#277).
import { afterEach, describe, expect, it } from 'vitest';
import { opMsg } from '../support/mongodb-messages.js';
import { openScriptedMongo, stopMongo } from './support/mongodb-sessions.js';
import { wireNote } from './support/watched-proxy.js';

afterEach(stopMongo);

const element = (type: number, key: string | Buffer, value: Buffer): Buffer =>
  Buffer.concat([Buffer.from([type]), Buffer.from(key), Buffer.from([0]), value]);

function made(...elements: readonly Buffer[]): Buffer {
  const document = Buffer.concat([Buffer.alloc(4), ...elements, Buffer.from([0])]);
  document.writeInt32LE(document.length);
  return document;
}

function string(text: string | Buffer): Buffer {
  const bytes = Buffer.concat([Buffer.alloc(4), Buffer.from(text), Buffer.from([0])]);
  bytes.writeInt32LE(bytes.length - 4);
  return bytes;
}

const double = (value: number): Buffer => {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleLE(value);
  return bytes;
};
const int32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32LE(value);
  return bytes;
};

/** What decoders refuse, fold together or write otherwise. */
const odd: readonly Buffer[] = [
  element(2, 'replacement', string('a\ufffdb')),
  element(2, 'invalid', string(Buffer.from([0x61, 0xff, 0xc3, 0x28, 0xed, 0xa0, 0x80]))),
  element(2, 'zero inside', string(Buffer.from('a\0b'))),
  element(2, Buffer.from([0xff, 0xfe]), string('a key that is no text')),
  element(0x10, 'one', int32(1)),
  element(0x12, 'one', Buffer.from([1, 0, 0, 0, 0, 0, 0, 0])),
  element(0x01, 'one', double(1)),
  element(0x01, 'minus zero', double(-0)),
  element(0x01, 'nan', Buffer.from([1, 0, 0, 0, 0, 0, 0xf8, 0x7f])),
  element(0x13, 'decimal', Buffer.from('00000000000000000000000000003c30', 'hex')),
  element(0x11, 'timestamp', Buffer.alloc(8, 0xff)),
  element(0x12, 'long', Buffer.from([0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f])),
  element(0x08, 'odd boolean', Buffer.from([7])),
  element(0x06, 'undefined', Buffer.alloc(0)),
  element(0x0e, 'symbol', string('s')),
  element(0x0c, 'pointer', Buffer.concat([string('shop.users'), Buffer.alloc(12, 3)])),
  element(0x0b, 'regex', Buffer.from('a+\0xi\0')),
  element(0x05, 'old binary', Buffer.concat([int32(8), Buffer.from([2]), int32(4), Buffer.from('abcd')])),
  element(0xff, 'min', Buffer.alloc(0)),
  element(0x7f, 'max', Buffer.alloc(0)),
  // An array whose indexes are none.
  element(4, 'array', made(element(0x10, 'x', int32(1)), element(0x10, '', int32(2)))),
];

const message = 'E11000 duplicate key \ufffd';
const long = string(wireNote.long);
const short = `${message}\n${wireNote.short}`;

interface Case {
  readonly name: string;
  readonly sent: Buffer;
  /** With the note of the wire. */
  readonly noted: Buffer;
}

const cases: readonly Case[] = [
  {
    name: 'around a failed write',
    ...pair((errmsg, note) =>
      made(
        ...odd,
        element(0x10, 'n', int32(0)),
        element(4, 'writeErrors', made(element(3, '0', made(...writeParts(errmsg), ...note)))),
        ...odd,
        element(1, 'ok', double(1)),
        ...odd,
      ),
    ),
  },
  {
    name: 'around a command that failed',
    ...pair((errmsg, note) =>
      made(...odd, element(1, 'ok', double(0)), ...errmsg, element(0x10, 'code', int32(26)), ...odd, ...note),
    ),
  },
  {
    name: 'around a write concern that was not met',
    ...pair((errmsg, note) =>
      made(
        element(0x10, 'ok', int32(1)),
        ...odd,
        element(3, 'writeConcernError', made(element(0x10, 'code', int32(64)), ...odd, ...errmsg, ...note)),
        ...odd,
      ),
    ),
  },
];

function writeParts(errmsg: readonly Buffer[]): Buffer[] {
  return [...odd, element(0x10, 'index', int32(0)), element(0x10, 'code', int32(11000)), ...errmsg, ...odd];
}

function pair(body: (errmsg: readonly Buffer[], note: readonly Buffer[]) => Buffer): Omit<Case, 'name'> {
  return {
    sent: body([element(2, 'errmsg', string(message))], []),
    noted: body([element(2, 'errmsg', string(short))], [element(2, 'note', long)]),
  };
}

describe.each(cases)('odd values $name', ({ sent, noted }) => {
  it.each([false, true])('are the same bytes, checksum: %s', async (isChecksummed) => {
    const { proxy, session, end } = await openScriptedMongo();
    for (let time = 1; time <= 3; time += 1) {
      await session.send(
        opMsg({ insert: 'users', documents: [{ _id: 1 }], $db: 'shop' }, { requestId: time }),
      );
      await end.mustRequest();
      const ids = { requestId: 900, responseTo: time };
      end.write(opMsg(sent, { ...ids, isChecksummed }));
      const expected = opMsg(time === 1 ? sent : noted, { ...ids, isChecksummed });
      expect((await session.message()).bytes.equals(expected), `time ${time}`).toBe(true);
    }
    expect(proxy.blind).toEqual([]);
  });
});

it('odd values of requests are the same bytes', async () => {
  const { proxy, session, end } = await openScriptedMongo();
  const body = made(element(2, 'insert', string('users')), element(2, '$db', string('shop')));
  const document = made(...odd);
  const section = Buffer.concat([
    int32(4 + 'documents'.length + 1 + document.length),
    Buffer.from('documents\0'),
    document,
  ]);
  const plain = opMsg(body, { requestId: 3 });
  const request = Buffer.concat([plain, Buffer.from([1]), section]);
  request.writeInt32LE(request.length);
  await session.send(request);
  expect((await end.mustRequest()).bytes.equals(request)).toBe(true);
  expect(proxy.blind).toEqual([]);
});

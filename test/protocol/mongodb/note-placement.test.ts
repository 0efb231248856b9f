import {
  Code,
  Decimal128,
  Double,
  deserialize,
  Int32,
  Long,
  MaxKey,
  ObjectId,
  serialize,
  Timestamp,
} from 'bson';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decompress } from '../../../adapters/mongodb/compression.js';
import { NotePlacement, type NoteTarget } from '../../../adapters/mongodb/note-placement.js';
import { limits } from '../../../src/core/limits.js';
import type { Note } from '../../../src/core/notes/note.js';
import type { Audience } from '../../../src/core/verdict.js';
import { compressed } from '../../support/mongodb-compression.js';
import { messageOf, opMsg, opReply, readMsg } from '../../support/mongodb-messages.js';

const note: Note = {
  recordId: '9f2c51d0',
  short: '[twiceshy 9f2c51d0] Short.',
  long: '[twiceshy 9f2c51d0] Long form.',
};
const failed = {
  ok: 0,
  errmsg: 'bad value',
  code: 2,
  codeName: 'BadValue',
  $clusterTime: { a: 1 },
  operationTime: 5,
};
const reply: NoteTarget = { kind: 'reply' };

/** Between other bytes, as it is in a chunk. */
function place(bytes: Buffer, targets: readonly NoteTarget[], audience: Audience = 'agent', which = note) {
  const around = Buffer.concat([Buffer.from('before'), bytes, Buffer.from('behind')]);
  const copy = Buffer.from(around);
  const placement = new NotePlacement(around, 6, 6 + bytes.length);
  const placed = targets.map((target) => placement.place(target, which, audience));
  const message = placement.finish();
  expect(around.equals(copy)).toBe(true);
  return { placed, message };
}

/** The message with the note, its lengths and checksum read again. */
function placedBody(bytes: Buffer, targets: readonly NoteTarget[], audience: Audience = 'agent') {
  const { placed, message } = place(bytes, targets, audience);
  expect(placed.every(Boolean)).toBe(true);
  if (message === null) throw new Error('No message');
  expect(message.readInt32LE(0)).toBe(message.length);
  expect(message.subarray(4, 20).equals(bytes.subarray(4, 20))).toBe(true);
  return readMsg(messageOf(message));
}

const writeErrors = [
  { index: 0, code: 11_000, errmsg: 'E11000 first', keyValue: { a: 1 } },
  { index: 3, code: 121, errmsg: 'second', errInfo: { details: [1, 2] } },
  { index: 5, code: 11_000, errmsg: 'third' },
];

describe('note placement', () => {
  it('an agent gets the short form behind errmsg and the long one in a field at the end, an application the field', () => {
    const bytes = opMsg(failed, { requestId: 9, responseTo: 4 });
    const agent = placedBody(bytes, [reply]).body;
    expect(agent).toEqual({ ...failed, errmsg: `bad value\n${note.short}`, note: note.long });
    expect(Object.keys(agent)).toEqual([...Object.keys(failed), 'note']);
    expect(placedBody(bytes, [reply], 'application').body).toEqual({ ...failed, note: note.long });
  });

  it('checksum, flags and sections are as they have to be', () => {
    const sequences = [{ identifier: 'more', documents: [{ errmsg: 'not this one' }] }];
    for (const areSequencesFirst of [false, true]) {
      const bytes = opMsg(failed, { isChecksummed: true, flags: 1 << 16, sequences, areSequencesFirst });
      const read = placedBody(bytes, [reply]);
      expect(read).toMatchObject({ isChecksumRight: true, flags: (1 << 16) | 1, sequences });
      expect(read.body['note']).toBe(note.long);
    }
  });

  it('a message with a wrong checksum stays as it is', () => {
    const bytes = opMsg(failed, { isChecksummed: true });
    bytes[bytes.length - 1] = (bytes[bytes.length - 1] as number) ^ 1;
    expect(place(bytes, [reply])).toEqual({ placed: [false], message: null });
  });

  it('OP_REPLY, and a reply that came compressed', () => {
    const bytes = opReply([failed, { other: 1 }], { requestId: 5, responseTo: 6, flags: 2 });
    const { message } = place(bytes, [reply]);
    expect(message?.readInt32LE(0)).toBe(message?.length);
    expect(message?.subarray(4, 36).equals(bytes.subarray(4, 36))).toBe(true);
    const size = message?.readInt32LE(36) ?? 0;
    expect(deserialize(message?.subarray(36, 36 + size) ?? Buffer.alloc(0))['note']).toBe(note.long);
    expect(message?.subarray(36 + size).equals(Buffer.from(serialize({ other: 1 })))).toBe(true);

    const original = opMsg(failed, { requestId: 77, responseTo: 78 });
    for (const compressor of ['noop', 'snappy', 'zlib', 'zstd'] as const) {
      const packed = compressed(original, compressor);
      const plain = decompress(packed, 0, packed.length, limits.maxHeldReplyBytes);
      expect(place(plain as Buffer, [reply]).message).toEqual(place(original, [reply]).message);
    }
    expect(place(compressed(original, 'zlib'), [reply]).placed).toEqual([false]);
  });

  it('several failures of one reply at once, in any order', () => {
    const concern = { code: 64, errmsg: 'waiting timed out', errInfo: { wtimeout: true } };
    const body = { n: 2, writeErrors, writeConcernError: concern, ok: 1, errorLabels: ['x'] };
    const targets: NoteTarget[] = [
      { kind: 'writeError', position: 0 },
      { kind: 'writeError', position: 2 },
      { kind: 'writeConcernError' },
    ];
    const noted = (one: object & { errmsg: string }): object => ({
      ...one,
      errmsg: `${one.errmsg}\n${note.short}`,
      note: note.long,
    });
    const [first, second, third] = writeErrors as [
      (typeof writeErrors)[0],
      (typeof writeErrors)[0],
      (typeof writeErrors)[0],
    ];
    const expected = {
      ...body,
      writeErrors: [noted(first), second, noted(third)],
      writeConcernError: noted(concern),
    };
    for (const isChecksummed of [false, true]) {
      for (const order of [targets, [...targets].reverse()]) {
        const read = placedBody(opMsg(body, { isChecksummed }), order);
        expect(read.body).toEqual(expected);
        expect(read.isChecksumRight).toBe(isChecksummed ? true : null);
      }
    }
  });

  it('elements of the batch of a bulkWrite', () => {
    const results = [
      { ok: 1, idx: 0, n: 1 },
      { ok: 0, idx: 1, code: 11_000, errmsg: 'E11000', n: 0 },
    ];
    const body = {
      cursor: { id: Long.ZERO, firstBatch: results, ns: 'admin.$cmd.bulkWrite' },
      nErrors: 1,
      ok: 1,
    };
    const read = placedBody(opMsg(body), [{ kind: 'batchError', position: 1 }]).body;
    expect(read['cursor'].firstBatch).toEqual([
      results[0],
      { ...results[1], errmsg: `E11000\n${note.short}`, note: note.long },
    ]);
    expect(read['nErrors']).toBe(1);
    expect(read['cursor'].ns).toBe('admin.$cmd.bulkWrite');
  });

  it('every subset of a hundred write errors is right', () => {
    const many = Array.from({ length: 100 }, (_, index) => ({ index, code: 1, errmsg: `e${index}` }));
    const bytes = opMsg({ n: 0, writeErrors: many, ok: 1 });
    fc.assert(
      fc.property(fc.uniqueArray(fc.nat(99)), (positions) => {
        const targets = positions.map((position): NoteTarget => ({ kind: 'writeError', position }));
        const { placed, message } = place(bytes, targets);
        expect(placed.every(Boolean)).toBe(true);
        const read = readMsg(messageOf(message ?? bytes)).body['writeErrors'] as { note?: string }[];
        expect(read.flatMap((one, index) => (one.note === undefined ? [] : [index]))).toEqual(
          positions.toSorted((left, right) => left - right),
        );
      }),
      { numRuns: 50 },
    );
  });

  it('no errmsg, or one that is no text, or no code: the field alone', () => {
    for (const body of [
      { ok: 0, code: 2 },
      { ok: 0, errmsg: 5, code: 2 },
      { ok: 0, errmsg: 'not master' },
    ])
      expect(placedBody(opMsg(body), [reply]).body).toEqual({ ...body, note: note.long });
    expect(placedBody(opMsg({}), [reply]).body).toEqual({ note: note.long });
    expect(placedBody(opMsg({ errmsg: '', code: 1 }), [reply]).body['errmsg']).toBe(`\n${note.short}`);
  });

  it('a note that is there already is left alone, and none comes twice', () => {
    const bytes = opMsg({ ...failed, note: 5 });
    for (const audience of ['agent', 'application'] as const)
      expect(place(bytes, [reply], audience)).toEqual({ placed: [false], message: null });
    const { placed, message } = place(opMsg(failed), [reply, reply]);
    expect(placed).toEqual([true, false]);
    expect(place(message as Buffer, [reply]).placed).toEqual([false]);
  });

  it('a target that is not there, or is no document, takes no note', () => {
    const body = { ok: 1, writeErrors: [1, { code: 2 }], writeConcernError: 'x', cursor: { firstBatch: {} } };
    const targets: NoteTarget[] = [
      { kind: 'writeError', position: 0 },
      { kind: 'writeError', position: 2 },
      { kind: 'writeError', position: -1 },
      { kind: 'writeConcernError' },
      { kind: 'batchError', position: 0 },
    ];
    expect(place(opMsg(body), targets)).toEqual({
      placed: [false, false, false, false, false],
      message: null,
    });
    const found = place(opMsg(body), [...targets, { kind: 'writeError', position: 1 }]);
    expect(found.placed.at(-1)).toBe(true);
    expect(place(opMsg({ ok: 1 }), targets).message).toBeNull();
  });

  it('document and message stay within their bounds', () => {
    const room = (size: number, sequenceBytes = 0): boolean => {
      const padding = Buffer.alloc(sequenceBytes);
      const bare = opMsg({ ok: 0, code: 1, pad: '' }).length - 21;
      const body = opMsg({ ok: 0, code: 1, pad: 'x'.repeat(size - bare) });
      const head = Buffer.from([1, 0, 0, 0, 0, 0]);
      head.writeInt32LE(5 + sequenceBytes, 1);
      const bytes = sequenceBytes === 0 ? body : Buffer.concat([body, head, padding]);
      bytes.writeInt32LE(bytes.length, 0);
      return place(bytes, [reply]).placed[0] as boolean;
    };
    const field = 1 + 5 + 4 + note.long.length + 1;
    expect(room(limits.maxDocumentBytes - field)).toBe(true);
    expect(room(limits.maxDocumentBytes - field + 1)).toBe(false);
    const document = 10_000_000;
    const rest = limits.maxMessageBytes - document - 21 - 6 - field;
    expect(room(document, rest)).toBe(true);
    expect(room(document, rest + 1)).toBe(false);
  });

  it('everything else stays byte for byte, however odd', () => {
    const odd = [
      element(2, 'errmsg', string('\ufffd and more')),
      element(0x10, 'code', Buffer.from([2, 0, 0, 0])),
      element(2, 'bad', Buffer.from([4, 0, 0, 0, 0xc3, 0x28, 0xff, 0])),
      element(1, 'zero', Buffer.from([0, 0, 0, 0, 0, 0, 0, 0x80])),
      element(1, 'nan', Buffer.from([1, 0, 0, 0, 0, 0, 0xf8, 0x7f])),
      element(2, 'errmsg', string('the same key again')),
      element(6, 'undefined', Buffer.alloc(0)),
      element(0x0b, 'regex', Buffer.from('a\0xi\0')),
      element(0x0c, 'pointer', Buffer.concat([string('a.b'), Buffer.alloc(12, 7)])),
      element(0x0e, 'symbol', string('sym')),
      element(8, 'boolean', Buffer.from([5])),
      element(3, '', Buffer.from([5, 0, 0, 0, 0])),
      ...elementsOf({
        decimal: Decimal128.fromString('-0E-6176'),
        int: new Int32(1),
        long: Long.fromNumber(1),
        double: new Double(1),
        time: new Timestamp({ t: 4_294_967_295, i: 1 }),
        id: new ObjectId(),
        code: new Code('f()', { a: 1 }),
        max: new MaxKey(),
      }),
    ];
    const bytes = opMsg(document(...odd), { responseTo: 3 });
    const expected = opMsg(
      document(
        element(2, 'errmsg', string(`\ufffd and more\n${note.short}`)),
        ...odd.slice(1),
        element(2, 'note', string(note.long)),
      ),
      { responseTo: 3 },
    );
    expect(place(bytes, [reply]).message).toEqual(expected);
  });

  it('a document that makes no sense takes no note; random changes make no message with wrong lengths', () => {
    const body = {
      n: 0,
      writeErrors,
      writeConcernError: failed,
      cursor: { firstBatch: writeErrors },
      ...failed,
    };
    const targets: NoteTarget[] = [
      { kind: 'writeError', position: 1 },
      { kind: 'writeConcernError' },
      { kind: 'batchError', position: 2 },
      reply,
    ];
    const good = opMsg(body);
    fc.assert(
      fc.property(fc.nat(good.length - 21), fc.nat(255), fc.nat(3), (at, byte, last) => {
        const bytes = Buffer.from(good);
        bytes[20 + at] = byte;
        if (last === 0) bytes.writeInt32LE(byte, 21);
        const { placed, message } = place(bytes, targets);
        expect(message === null).toBe(!placed.some(Boolean));
        if (message !== null) expect(message.readInt32LE(0)).toBe(message.length);
        if (message !== null)
          expect(message.readInt32LE(21) - bytes.readInt32LE(21)).toBe(message.length - bytes.length);
      }),
      { numRuns: 3_000 },
    );
    const broken = opMsg({ ...failed, last: 5 });
    broken[broken.indexOf('last') - 1] = 0x30;
    expect(place(broken, [reply]).placed).toEqual([false]);
    for (let size = 0; size < good.length; size += 1)
      expect(place(good.subarray(0, size), targets).message).toBeNull();
  });
});

function element(type: number, key: string, value: Buffer): Buffer {
  return Buffer.concat([Buffer.from([type]), Buffer.from(`${key}\0`), value]);
}

function string(text: string): Buffer {
  const value = Buffer.from(`1234${text}\0`);
  value.writeInt32LE(value.length - 4, 0);
  return value;
}

function document(...elements: Buffer[]): Buffer {
  const bytes = Buffer.concat([Buffer.alloc(4), ...elements, Buffer.alloc(1)]);
  bytes.writeInt32LE(bytes.length, 0);
  return bytes;
}

function elementsOf(values: Record<string, unknown>): Buffer[] {
  const bytes = Buffer.from(serialize(values));
  return [bytes.subarray(4, bytes.length - 1)];
}

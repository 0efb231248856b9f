import { deserialize } from 'bson';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OpMsg } from '../../../adapters/mongodb/messages/op-msg.js';
import { decodeOpQuery } from '../../../adapters/mongodb/messages/op-query.js';
import { decodeOpReply } from '../../../adapters/mongodb/messages/op-reply.js';
import { msgFlag, opcode, opMsg, opQuery, opReply, wireMessage } from '../../support/mongodb-messages.js';

const body = { insert: 'users', ordered: false, $db: 'shop' };
const sequences = [
  { identifier: 'documents', documents: [{ _id: 1 }, { _id: 2, name: 'x' }] },
  { identifier: 'none', documents: [] },
];

/** What the reader says of a message that lies between others; null where it is malformed. */
function read(bytes: Buffer, size = bytes.length) {
  const around = Buffer.concat([Buffer.from('before'), bytes, Buffer.from('behind')]);
  const message = new OpMsg();
  if (!message.read(around, 6, 6 + size)) return null;
  const documents = message.sequences().map(({ identifier, bytes: of, start, end }) => {
    const found: number[] = [];
    for (let at = start; at + 4 <= end; at += of.readInt32LE(at)) found.push(of.readInt32LE(at));
    return `${identifier}: ${found.length} in ${end - start}`;
  });
  return { message, body: around.subarray(message.bodyStart, message.bodyEnd), documents };
}

describe('messages', () => {
  it('OP_MSG: the body and the sequences, in any order, with a checksum or without', () => {
    for (const options of [{}, { areSequencesFirst: true }, { isChecksummed: true }]) {
      const found = read(opMsg(body, { sequences, ...options }));
      expect(found?.body && deserialize(found.body)).toEqual(body);
      expect(found?.documents).toEqual(['documents: 2 in 40', 'none: 0 in 0']);
      expect(found?.message.isTruncated).toBe(false);
      expect(found?.message.hasChecksum).toBe('isChecksummed' in options);
    }
    expect(read(opMsg(body))?.documents).toEqual([]);
  });

  it('OP_MSG: sequences around the body', () => {
    const [first, second] = sequences.map((sequence) =>
      opMsg(body, { sequences: [sequence], areSequencesFirst: true }).subarray(20),
    ) as [Buffer, Buffer];
    const bodyOnly = opMsg(body).subarray(20);
    const last = second.subarray(0, second.length - bodyOnly.length);
    const found = read(wireMessage(opcode.msg, Buffer.concat([Buffer.alloc(4), first, last])));
    expect(found?.documents).toEqual(['documents: 2 in 40', 'none: 0 in 0']);
    expect(found?.body && deserialize(found.body)).toEqual(body);
  });

  it('OP_MSG: flags, of which the low sixteen bits have to be known', () => {
    for (let bit = 0; bit < 31; bit += 1) {
      const flags = 2 ** bit;
      const bytes =
        flags === msgFlag.checksumPresent ? opMsg(body, { isChecksummed: true }) : opMsg(body, { flags });
      expect(read(bytes) !== null, `bit ${bit}`).toBe(bit < 2 || bit > 15);
    }
    expect(read(opMsg(body, { flags: msgFlag.moreToCome }))?.message.isMoreToCome).toBe(true);
    expect(read(opMsg(body, { flags: msgFlag.exhaustAllowed }))?.message.isExhaustAllowed).toBe(true);
    expect(read(opMsg(body))?.message).toMatchObject({ isMoreToCome: false, isExhaustAllowed: false });
  });

  it('OP_MSG: no body, two bodies, an unknown kind and sections that overrun are malformed', () => {
    const section = opMsg(body).subarray(20);
    const made = (...parts: Buffer[]): Buffer =>
      wireMessage(opcode.msg, Buffer.concat([Buffer.alloc(4), ...parts]));
    expect(read(made())).toBeNull();
    expect(read(made(section, section))).toBeNull();
    expect(read(made(section, Buffer.from([2, 5, 0, 0, 0, 0])))).toBeNull();
    expect(read(made(section, Buffer.from([1])))).toBeNull();
    expect(read(made(section, Buffer.from([0, 5])))).toBeNull();
    const kind1 = (size: number, rest: string): Buffer => {
      const head = Buffer.from([1, 0, 0, 0, 0]);
      head.writeInt32LE(size, 1);
      return Buffer.concat([head, Buffer.from(rest)]);
    };
    expect(read(made(section, kind1(7, 'ab\0')))?.documents).toEqual(['ab: 0 in 0']);
    for (const bad of [
      kind1(8, 'ab\0'),
      kind1(6, 'ab'),
      kind1(6, 'ab\0'),
      kind1(4, ''),
      kind1(0, ''),
      kind1(-1, 'ab\0'),
    ])
      expect(read(made(section, bad)), bad.toString('hex')).toBeNull();
    // a name that ends in what follows
    expect(read(made(kind1(6, 'ab'), section))).toBeNull();
    for (const size of [4, 0, -1, section.length, 0x7fffffff]) {
      const changed = Buffer.from(section);
      changed.writeInt32LE(size, 1);
      expect(read(made(changed))).toBeNull();
    }
    // the checksum is no section
    expect(read(made(section).fill(1, 16, 17))).toBeNull();
    for (let size = 0; size < 20; size += 1) expect(read(made(section).subarray(0, size))).toBeNull();
  });

  it('OP_MSG: the beginning of a message is read as far as it goes', () => {
    const bytes = opMsg(body, { sequences });
    const bodyAt = 21;
    const bodyEnd = bodyAt + bytes.readInt32LE(bodyAt);
    for (let size = 0; size < bytes.length; size += 1) {
      const found = read(bytes, size);
      expect(found !== null, `${size}`).toBe(size >= bodyAt + 4);
      if (found === null) continue;
      expect(found.message.isTruncated).toBe(true);
      expect(found.body.equals(bytes.subarray(bodyAt, Math.min(size, bodyEnd)))).toBe(true);
    }
    const cut = opMsg(body, { sequences: [...sequences].reverse(), areSequencesFirst: true });
    const documentsAt = cut.indexOf('documents') + 10;
    const whole = read(cut);
    expect(read(cut, cut.indexOf(whole?.body ?? '') + 6)?.message.sequences()).toHaveLength(2);
    expect(read(cut, documentsAt + 3)).toBeNull();
  });

  it('OP_MSG: one reader after the other reads what it was given, and nothing of the last', () => {
    const reader = new OpMsg();
    const first = opMsg(body, { sequences, flags: msgFlag.moreToCome });
    const second = opMsg({ ping: 1 });
    expect(reader.read(first, 0, first.length)).toBe(true);
    expect(reader.read(second, 0, second.length)).toBe(true);
    expect(reader.sequences()).toEqual([]);
    expect(reader.isMoreToCome).toBe(false);
    expect(reader.bodyEnd).toBe(second.length);
  });

  it('OP_MSG: random bytes behind a header are read within their bounds, or not at all', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 4, maxLength: 60 }), fc.nat(80), (random, more) => {
        const payload = Buffer.from(random);
        payload.fill(0, 0, 4);
        const bytes = wireMessage(opcode.msg, payload);
        bytes.writeInt32LE(bytes.length + more, 0);
        const message = new OpMsg();
        if (!message.read(bytes, 0, bytes.length)) return;
        for (const { start, end } of [
          { start: message.bodyStart, end: message.bodyEnd },
          ...message.sequences(),
        ]) {
          expect(start).toBeGreaterThanOrEqual(20);
          expect(end).toBeGreaterThanOrEqual(start);
          expect(end).toBeLessThanOrEqual(bytes.length);
        }
      }),
      { numRuns: 2_000 },
    );
  });

  it('OP_QUERY: the collection and the query; cut or with a wrong length it is malformed', () => {
    const bytes = opQuery({ isMaster: 1 }, { namespace: 'admin.$cmd' });
    const query = decodeOpQuery(bytes, 0, bytes.length);
    expect(query).toMatchObject({ flags: 0, fullCollectionName: 'admin.$cmd' });
    expect(query && deserialize(bytes.subarray(query.start, query.end))).toEqual({ isMaster: 1 });
    for (let size = 0; size < bytes.length; size += 1) expect(decodeOpQuery(bytes, 0, size)).toBeNull();
    const fields = Buffer.concat([bytes, bytes.subarray(query?.start)]);
    expect(decodeOpQuery(fields, 0, fields.length)).toEqual(query);
    for (const size of [4, 0, -1, 1_000]) {
      const changed = Buffer.from(bytes);
      changed.writeInt32LE(size, query?.start);
      expect(decodeOpQuery(changed, 0, changed.length)).toBeNull();
    }
    const endless = wireMessage(opcode.query, Buffer.alloc(10_000, 'a'));
    expect(decodeOpQuery(endless, 0, endless.length)).toBeNull();
  });

  it('OP_REPLY: the first document and how many there are', () => {
    const bytes = opReply([{ ok: 1 }, { more: 1 }], { flags: 8 });
    const reply = decodeOpReply(bytes, 0, bytes.length);
    expect(reply).toMatchObject({ flags: 8, documentCount: 2 });
    expect(reply && deserialize(bytes.subarray(reply.start, reply.end))).toEqual({ ok: 1 });
    for (let size = 0; size < 40; size += 1) expect(decodeOpReply(bytes, 0, size)).toBeNull();
    const none = opReply([], { flags: 1 });
    expect(decodeOpReply(none, 0, none.length)).toEqual({ flags: 1, documentCount: 0, start: 0, end: 0 });
    none.writeInt32LE(1, 32);
    expect(decodeOpReply(none, 0, none.length)).toBeNull();
    none.writeInt32LE(-1, 32);
    expect(decodeOpReply(none, 0, none.length)).toBeNull();
  });
});

import { type Document, deserialize, Long, ObjectId } from 'bson';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { editTopology, type TopologyTerms } from '../../../adapters/mongodb/topology-edit.js';
import { messageOf, opMsg, opReply, readMsg } from '../../support/mongodb-messages.js';

const address = '127.0.0.1:27900';
const terms: TopologyTerms = { address, isCompressionCleared: false };
const members = ['a.example:27017', 'b.example:27017', 'c.example:27017'];
const primary = {
  helloOk: true,
  isWritablePrimary: true,
  topologyVersion: { processId: new ObjectId('64a000000000000000000001'), counter: Long.fromNumber(6) },
  hosts: members.slice(0, 2),
  passives: ['d.example:27017'],
  arbiters: ['e.example:27017'],
  setName: 'rs0',
  setVersion: 3,
  secondary: false,
  primary: 'a.example:27017',
  me: 'a.example:27017',
  electionId: new ObjectId('7fffffff0000000000000001'),
  lastWrite: { opTime: 1 },
  compression: ['snappy', 'zstd'],
  maxWireVersion: 21,
  saslSupportedMechs: ['SCRAM-SHA-256'],
  ok: 1,
};

function edit(bytes: Buffer, which = terms): Buffer | null {
  const around = Buffer.concat([Buffer.from('before'), bytes, Buffer.from('behind')]);
  return editTopology(around, 6, 6 + bytes.length, which);
}

function edited(body: Document, which = terms): Document | null {
  const message = edit(opMsg(body, { requestId: 4, responseTo: 3 }), which);
  if (message === null) return null;
  expect(message.readInt32LE(0)).toBe(message.length);
  expect(message.readInt32LE(4)).toBe(4);
  const found = readMsg(messageOf(message)).body;
  expect(Object.keys(found).filter((key) => key !== 'compression')).toEqual(
    Object.keys(body).filter((key) => key !== 'compression'),
  );
  return found;
}

/** What a driver makes of a reply from `address` (Server Discovery And Monitoring, updateRSFromPrimary and the others). */
function followed(body: Document): string[] {
  const named = [
    ...(body['hosts'] ?? []),
    ...(body['passives'] ?? []),
    ...(body['arbiters'] ?? []),
  ] as string[];
  const isMember = 'hosts' in body || 'setName' in body;
  const stays =
    body['isWritablePrimary'] === true ? named.includes(address) : (body['me'] ?? address) === address;
  const kept = !isMember || stays ? [address] : [];
  return [...new Set([...kept, ...named])].toSorted();
}

describe('topology', () => {
  it('a primary names the listener and nobody else; all other fields stay', () => {
    const body = edited(primary);
    expect(body).toEqual({
      ...deserialize(opMsg(primary).subarray(21)),
      ...{ hosts: [address], passives: [], arbiters: [], primary: address, me: address },
    });
  });

  it('drivers stay with every kind of member, and go to no other', () => {
    const { isWritablePrimary, primary: _, ...rest } = { ...primary, isWritablePrimary: false };
    const secondary = { ...rest, isWritablePrimary, secondary: true, primary: members[0] };
    const kinds: Document[] = [
      primary,
      secondary,
      { ...rest, secondary: true },
      { ...secondary, passive: true, me: 'd.example:27017' },
      { ...secondary, hidden: true, me: 'h.example:27017' },
      { ...secondary, secondary: false, arbiterOnly: true, me: 'e.example:27017' },
      { ...secondary, hosts: [], passives: ['d.example:27017'], me: 'd.example:27017' },
      {
        isWritablePrimary: true,
        setName: 'rs0',
        passives: ['d.example:27017'],
        me: 'd.example:27017',
        ok: 1,
      },
      { isWritablePrimary: true, setName: 'rs0', arbiters: members, passives: [], ok: 1 },
    ];
    for (const kind of kinds) {
      expect(followed(kind)).not.toEqual([address]);
      expect(followed(edited(kind) ?? {}), JSON.stringify(kind)).toEqual([address]);
    }
  });

  it('nothing is added: a server that is in no set, and a mongos, answer as they did', () => {
    for (const body of [
      { isWritablePrimary: true, maxWireVersion: 21, ok: 1 },
      { ismaster: true, msg: 'isdbgrid', ok: 1 },
      { isreplicaset: true, info: 'Does not have a valid replica set config', ok: 1 },
      { ok: 0, errmsg: 'Unauthorized', code: 13 },
      { hosts: [], passives: [], arbiters: [], me: 5, primary: null, ok: 1 },
      {},
    ])
      expect(edited(body)).toBeNull();
  });

  it('a reply that names the listener already is not touched', () => {
    const own = { ...primary, hosts: [address], passives: [], arbiters: [], primary: address, me: address };
    expect(edited(own)).toBeNull();
    expect(edited({ ...own, me: 'x:1' })).toMatchObject({ me: address });
  });

  it('compression is taken out where it is to be, with addresses or without', () => {
    const { compression, ...rest } = primary;
    expect(compression).toHaveLength(2);
    const cleared = edited(primary, { address: null, isCompressionCleared: true });
    expect(cleared).toEqual(deserialize(opMsg(rest).subarray(21)));
    expect(edited(primary, { address, isCompressionCleared: true })).toEqual(edited(rest));
    expect(edited(rest, { address: null, isCompressionCleared: true })).toBeNull();
    expect(edited(primary, { address: null, isCompressionCleared: false })).toBeNull();
  });

  it('flags and checksum of a streamed reply; OP_REPLY', () => {
    const flags = 2 | (1 << 16);
    const message = edit(opMsg(primary, { isChecksummed: true, flags }));
    expect(readMsg(messageOf(message as Buffer))).toMatchObject({ flags: flags | 1, isChecksumRight: true });
    const bytes = opReply([primary], { requestId: 1, responseTo: 2, flags: 8 });
    const reply = edit(bytes) as Buffer;
    expect(reply.readInt32LE(0)).toBe(reply.length);
    expect(reply.subarray(4, 36).equals(bytes.subarray(4, 36))).toBe(true);
    expect(reply.subarray(36).equals((edit(opMsg(primary)) as Buffer).subarray(21))).toBe(true);
  });

  it('bytes around the changed elements stay as they are', () => {
    const before = Buffer.from('\x02odd\0\x04\0\0\0\xc3\x28\xff\0\x01zero\0\0\0\0\0\0\0\0\x80', 'latin1');
    const behind = Buffer.from('\x02odd\0\x02\0\0\0x\0\x06gone\0', 'latin1');
    const made = (...elements: Buffer[]): Buffer => {
      const body = Buffer.concat([Buffer.alloc(4), ...elements, Buffer.alloc(1)]);
      body.writeInt32LE(body.length, 0);
      return body;
    };
    const me = (host: string): Buffer => opMsg({ me: host }).subarray(25, -1);
    const message = edit(opMsg(made(before, me('h:1'), behind)));
    expect(message).toEqual(opMsg(made(before, me(address), behind)));
  });

  it('a reply that makes no sense is left alone', () => {
    const good = opMsg(primary);
    for (let size = 0; size < good.length; size += 1) expect(edit(good.subarray(0, size))).toBeNull();
    fc.assert(
      fc.property(fc.nat(good.length - 22), fc.nat(255), (at, byte) => {
        const bytes = Buffer.from(good);
        bytes[21 + at] = byte;
        const message = edit(bytes, { address, isCompressionCleared: true });
        if (message === null) return;
        expect(message.readInt32LE(0)).toBe(message.length);
        expect(message.readInt32LE(21)).toBe(message.length - 21);
      }),
      { numRuns: 2_000 },
    );
  });
});

/**
 * Bytes that make no sense, of each kind, from either end of a running proxy: they are passed on as they came, the session is
 * followed on or is blind, as the metrics say, the process lives and the neighbours are as before.
 */
import { deflateSync } from 'node:zlib';
import { type Document, serialize } from 'bson';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ScriptedServer } from '../../integration/proxy/scripted-ends.js';
import type { TestDatabase } from '../../servers/database.js';
import { createMongoDatabase } from '../../servers/mongodb-database.js';
import { bomb, compressed, compressedMessage, compressorId } from '../../support/mongodb-compression.js';
import { msgFlag, opMsg, opQuery, opReply, wireMessage } from '../../support/mongodb-messages.js';
import { describeEachMongo } from '../../support/mongodb-servers.js';
import { socketCount } from '../../support/process-figures.js';
import { RawMongo } from '../../support/raw-mongodb.js';
import { type RunningProxy, startProxy } from '../../support/start-proxy.js';
import { steady, until } from '../../support/until.js';

const settleMs = 60_000;

function withInt(bytes: Buffer, at: number, value: number): Buffer {
  const changed = Buffer.from(bytes);
  changed.writeInt32LE(value, at);
  return changed;
}

/** A document within a document, this many times, its lengths right. */
function nested(depth: number): Buffer {
  const size = (level: number): number => 5 + level * 8;
  const bytes = Buffer.alloc(size(depth));
  let at = 0;
  for (let level = depth; level > 0; level -= 1) {
    bytes.writeInt32LE(size(level), at);
    bytes.write('\u0003a\0', at + 4, 'latin1');
    at += 7;
  }
  bytes.writeInt32LE(5, at);
  return bytes;
}

function made(...elements: readonly Buffer[]): Buffer {
  const document = Buffer.concat([Buffer.alloc(4), ...elements, Buffer.from([0])]);
  document.writeInt32LE(document.length);
  return document;
}

const element = (type: number, key: string, value: Buffer): Buffer =>
  Buffer.concat([Buffer.from([type]), Buffer.from(key), Buffer.from([0]), value]);
const int32 = (value: number): Buffer => withInt(Buffer.alloc(4), 0, value);
const string = (text: string | Buffer, length = text.length + 1): Buffer =>
  Buffer.concat([int32(length), Buffer.from(text), Buffer.from([0])]);

const find = { find: 'users', filter: { a: 1 }, $db: 'shop' };
const command = opMsg(find, { requestId: 5 });
/** Where the body of an OP_MSG with nothing before it begins. */
const bodyAt = 21;

/** Seen: the session goes on being followed. */
type Outcome = 'followed' | 'malformed_client_frame' | 'malformed_server_frame' | 'not_followed';
type Case = readonly [name: string, bytes: Buffer, outcome: Outcome];

const fromClient: readonly Case[] = [
  ['a length of 0', wireless(0), 'malformed_client_frame'],
  ['a length of 15', wireless(15), 'malformed_client_frame'],
  ['a negative length', wireless(-2_147_483_648), 'malformed_client_frame'],
  ['a length over the limit', wireless(48_000_001), 'malformed_client_frame'],
  ['a header alone', wireMessage(2013, Buffer.alloc(0)), 'malformed_client_frame'],
  ['no section', wireMessage(2013, Buffer.alloc(4)), 'malformed_client_frame'],
  ['an unknown required flag', opMsg(find, { flags: 1 << 5 }), 'malformed_client_frame'],
  ['a section of an unknown kind', replaced(command, 20, 2), 'malformed_client_frame'],
  ['a body that overruns', withInt(command, bodyAt, command.length), 'malformed_client_frame'],
  ['a body that ends early', withInt(command, bodyAt, 20), 'malformed_client_frame'],
  ['two bodies', twice(command), 'malformed_client_frame'],
  ['a sequence that overruns', sequenceOf(1_000_000), 'malformed_client_frame'],
  ['a sequence without a name', sequenceOf(6), 'malformed_client_frame'],
  [
    'a string that overruns',
    opMsg(made(element(2, 'find', string('users', 5000)))),
    'malformed_client_frame',
  ],
  ['a string of no length', opMsg(made(element(2, 'find', string('users', 0)))), 'malformed_client_frame'],
  ['an unknown type', opMsg(made(element(0x44, 'find', int32(1)))), 'malformed_client_frame'],
  [
    'a regular expression without an end',
    opMsg(made(element(0x0b, 'find', Buffer.from('aa')))),
    'malformed_client_frame',
  ],
  ['a key without an end', opMsg(cutKey()), 'malformed_client_frame'],
  [
    '100,000 documents in each other',
    opMsg(made(element(2, 'find', string('users')), element(3, 'filter', nested(100_000)))),
    'followed',
  ],
  [
    'a key of a megabyte',
    opMsg({ find: 'users', filter: { ['k'.repeat(1_000_000)]: 1 }, $db: 'shop' }),
    'followed',
  ],
  ['a name of a megabyte', opMsg({ ['c'.repeat(1_000_000)]: 1, $db: 'shop' }), 'followed'],
  ['200,000 keys', opMsg({ find: 'users', filter: manyKeys(200_000), $db: 'shop' }), 'followed'],
  ['no key at all', opMsg({}), 'followed'],
  ['a database whose name is none', opMsg({ find: 'users', $db: 'a\0b/c$' }), 'followed'],
  [
    'OP_QUERY without a document',
    wireMessage(2004, Buffer.from('\0\0\0\0shop.$cmd\0', 'latin1')),
    'malformed_client_frame',
  ],
  [
    'OP_QUERY without an end of its name',
    wireMessage(2004, Buffer.alloc(400, 0x61)),
    'malformed_client_frame',
  ],
  ['OP_QUERY', opQuery({ ping: 1 }), 'followed'],
  ['OP_COMPRESSED that is cut', wireMessage(2012, Buffer.alloc(5)), 'malformed_client_frame'],
  ['an unknown compressor', packed({ compressorId: 77 }), 'not_followed'],
  [
    'compression within compression',
    compressed(compressed(command, 'zlib'), 'zlib'),
    'malformed_client_frame',
  ],
  [
    'compressed noise',
    compressedMessage(command, Buffer.alloc(99, 0xa5), { declaredBytes: 99, compressorId: 2 }),
    'malformed_client_frame',
  ],
  ['a size that is a lie', packed({ declaredBytes: 7 }), 'malformed_client_frame'],
  ['an unknown opcode', wireMessage(31_337, Buffer.alloc(100, 1)), 'followed'],
];

const reply = (body: Document | Buffer): Buffer => opMsg(body, { responseTo: 77 });
const failed = { ok: 0, errmsg: 'no', code: 26 };
const ok = element(1, 'ok', Buffer.alloc(8));

/** The request they answer has id 77. */
const fromServer: readonly Case[] = [
  ['a length of 0', wireless(0), 'malformed_server_frame'],
  ['a length of 15', wireless(15), 'malformed_server_frame'],
  ['a negative length', wireless(-1), 'malformed_server_frame'],
  ['a length over the limit', wireless(48_000_001), 'malformed_server_frame'],
  ['a header alone', wireMessage(2013, Buffer.alloc(0), { responseTo: 77 }), 'malformed_server_frame'],
  ['an unknown required flag', opMsg(failed, { flags: 1 << 7, responseTo: 77 }), 'malformed_server_frame'],
  ['a body that overruns', withInt(reply(failed), bodyAt, 1_000_000), 'malformed_server_frame'],
  ['two bodies', twice(reply(failed)), 'malformed_server_frame'],
  [
    'an element that overruns',
    reply(made(ok, element(2, 'errmsg', string('no', 999)))),
    'malformed_server_frame',
  ],
  ['an unknown type', reply(made(ok, element(0x55, 'x', int32(1)))), 'malformed_server_frame'],
  ['a failure without anything else', reply(made(ok)), 'followed'],
  [
    'fields of a failure of other types',
    reply({ ok: '0', errmsg: 5, code: 'x', codeName: [], errorLabels: 3 }),
    'followed',
  ],
  [
    'a failure whose fields have other types',
    reply({ ok: 0, errmsg: { a: 1 }, code: 1.5, errorLabels: [1, {}], note: 4 }),
    'followed',
  ],
  ['a code of all sizes', reply({ ok: false, errmsg: 'x', code: Number.MAX_VALUE }), 'followed'],
  ['write errors that are no documents', reply({ ok: 1, writeErrors: [1, 'x', null, [], [1]] }), 'followed'],
  [
    'write errors that are broken inside',
    reply(
      made(
        element(
          4,
          'writeErrors',
          made(element(3, '0', Buffer.concat([int32(9), Buffer.from([2, 65, 0, 7, 0])]))),
        ),
      ),
    ),
    'followed',
  ],
  [
    'an index that is far off',
    reply({ ok: 1, writeErrors: [{ index: -5, code: 1 }, { index: 2 ** 31, code: 1 }, { index: 1e300 }] }),
    'followed',
  ],
  [
    '100,000 write errors',
    reply({
      ok: 1,
      writeErrors: Array.from({ length: 20_000 }, (_, index) => ({ index, code: 11000, errmsg: 'x' })),
    }),
    'followed',
  ],
  [
    '100,000 documents in each other',
    reply(made(ok, element(3, 'errInfo', nested(100_000)), element(2, 'errmsg', string('no')))),
    'followed',
  ],
  [
    'a text that is no text',
    reply(
      made(
        ok,
        element(2, 'errmsg', string(Buffer.from([0xff, 0xc3, 0x28]))),
        element(0x10, 'code', int32(26)),
      ),
    ),
    'followed',
  ],
  [
    'OP_REPLY that counts more than it has',
    withInt(opReply([failed], { responseTo: 77 }), 32, 9),
    'followed',
  ],
  [
    'OP_REPLY that counts less than nothing',
    withInt(opReply([failed], { responseTo: 77 }), 32, -9),
    'malformed_server_frame',
  ],
  ['OP_REPLY without a document', wireMessage(1, Buffer.alloc(20), { responseTo: 77 }), 'followed'],
  ['OP_REPLY that is cut', wireMessage(1, Buffer.alloc(7), { responseTo: 77 }), 'malformed_server_frame'],
  ['an unknown compressor', packedReply({ compressorId: 9 }), 'not_followed'],
  [
    'compressed noise',
    compressedMessage(reply(failed), Buffer.alloc(99, 0xa5), { declaredBytes: 99, compressorId: 1 }),
    'malformed_server_frame',
  ],
  [
    'a bomb',
    compressedMessage(reply(failed), bomb('zlib', 40_000_000), { declaredBytes: 500, compressorId: 2 }),
    'malformed_server_frame',
  ],
  ['an unknown opcode', wireMessage(31_337, Buffer.alloc(9), { responseTo: 77 }), 'followed'],
  ['a reply to nothing', opMsg(failed, { responseTo: 4_242 }), 'followed'],
  [
    'a chain without an end',
    opMsg({ ok: 1 }, { responseTo: 77, requestId: 77, flags: msgFlag.moreToCome }),
    'followed',
  ],
];

/** A header with any length, and bytes behind it. */
function wireless(length: number): Buffer {
  return withInt(wireMessage(2013, Buffer.alloc(40, 0x33)), 0, length);
}

function replaced(bytes: Buffer, at: number, value: number): Buffer {
  const changed = Buffer.from(bytes);
  changed[at] = value;
  return changed;
}

function twice(message: Buffer): Buffer {
  return withInt(Buffer.concat([message, message.subarray(20)]), 0, message.length * 2 - 20);
}

function sequenceOf(size: number): Buffer {
  const section = Buffer.concat([Buffer.from([1]), int32(size), Buffer.from('xx')]);
  return withInt(Buffer.concat([command, section]), 0, command.length + section.length);
}

function cutKey(): Buffer {
  return withInt(Buffer.concat([int32(0), Buffer.from([2]), Buffer.from('find'), Buffer.from([0])]), 0, 10);
}

function manyKeys(count: number): Document {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, index]));
}

function packed(lies: { declaredBytes?: number; compressorId?: number }): Buffer {
  return compressed(command, 'zlib', lies);
}

function packedReply(lies: { compressorId: number }): Buffer {
  const content = deflateSync(serialize(failed));
  return compressedMessage(reply(failed), content, { declaredBytes: 99, ...lies });
}

describe('bytes that make no sense', () => {
  let upstream: ScriptedServer;
  let proxy: RunningProxy;
  let neighbour: RawMongo;
  let sessions = 0;
  let idleSockets: number;

  beforeAll(async () => {
    expect(compressorId.zlib).toBe(2);
    upstream = await new ScriptedServer((end) => {
      end.socket.once('end', () => end.socket.end());
      // Whoever greets is answered; what comes behind it is the test's.
      end.socket.once('data', (first: Buffer) => {
        const responseTo = first.readInt32LE(4);
        const greeting = { isWritablePrimary: true, maxWireVersion: 21, ok: 1 };
        end.socket.write(
          first.readInt32LE(12) === 2004
            ? opReply([greeting], { responseTo })
            : opMsg(greeting, { responseTo }),
        );
      });
    }).listen();
    const upstreamUrl = `mongodb://127.0.0.1:${upstream.port}/shop`;
    proxy = await startProxy({ upstreamUrl, args: ['--admin', '127.0.0.1:0'] });
    [neighbour] = await open('neighbour');
    idleSockets = await steady(() => socketCount(proxy.pid), settleMs, 'a steady number of sockets');
  });

  afterAll(async () => {
    neighbour.close();
    const exit = await proxy.stop();
    await upstream.stopListening();
    expect(exit).toMatchObject({ code: 0 });
    expect(exit.stderr.split('\n').filter((line) => /"(error|fatal)"/.test(line))).toEqual([]);
  });

  /** A greeted session, and the server's end of it. */
  async function open(name: string) {
    const session = await RawMongo.dial(proxy.through('mongodb://127.0.0.1/shop'));
    session.socket.on('error', () => undefined);
    const known = upstream.connections.length;
    await session.run({ hello: 1, client: { application: { name } }, $db: 'admin' });
    const isMine = (): boolean =>
      upstream.connections.slice(known).some(({ bytes }) => bytes.includes(`${name}\0`));
    await until(isMine, settleMs, 'the upstream connection');
    const end = upstream.connections.slice(known).find(({ bytes }) => bytes.includes(`${name}\0`));
    if (end === undefined) throw new Error('No upstream connection');
    return [session, end] as const;
  }

  async function metrics(): Promise<ReadonlyMap<string, number>> {
    const line =
      proxy
        .stderr()
        .split('\n')
        .find((one) => one.includes('Admin listening')) ?? '{}';
    const { host, port } = JSON.parse(line) as { host: string; port: number };
    const text = await (await fetch(`http://${host}:${port}/metrics`)).text();
    const lines = text.matchAll(/^twiceshy_blind_sessions_total\{reason="(\w+)"\} (\d+)$/gm);
    return new Map([...lines].map(([, reason = '', count]) => [reason, Number(count)]));
  }

  /** What the sessions since `before` have become. */
  async function outcomeSince(before: ReadonlyMap<string, number>): Promise<string[]> {
    const now = await metrics();
    return [...now].filter(([reason, count]) => count > (before.get(reason) ?? 0)).map(([reason]) => reason);
  }

  async function expectUnharmed(): Promise<void> {
    const before = neighbourEnd().length;
    const asking = neighbour.runMessage({ ping: 1 });
    const end = neighbourEnd();
    await until(() => end.length > before, settleMs, 'the neighbour’s request');
    end.socket.write(opMsg({ ok: 1 }, { responseTo: end.bytes.readInt32LE(before + 4) }));
    expect((await asking).opcode).toBe(2013);
  }

  const neighbourEnd = () => {
    const found = upstream.connections.find(({ bytes }) => bytes.includes('neighbour\0'));
    if (found === undefined) throw new Error('No neighbour');
    return found;
  };

  it.each(fromClient)('from the client: %s', async (_name, bytes, outcome) => {
    sessions += 1;
    const before = await metrics();
    const [session, end] = await open(`client-${sessions}`);
    const already = end.length;
    await session.send(bytes, command);
    await end.read(already + bytes.length + command.length);
    expect(end.bytes.subarray(already).equals(Buffer.concat([bytes, command]))).toBe(true);
    const answer = opMsg(failed, { responseTo: 5 });
    const received = session.socket.bytesRead;
    end.socket.write(answer);
    await until(() => session.socket.bytesRead === received + answer.length, settleMs, 'the answer');
    expect(await outcomeSince(before)).toEqual(outcome === 'followed' ? [] : [outcome]);
    session.close();
    await expectUnharmed();
  });

  it.each(fromServer)('from the server: %s', async (_name, bytes, outcome) => {
    sessions += 1;
    const before = await metrics();
    const [session, end] = await open(`server-${sessions}`);
    const already = end.length;
    const asked = opMsg({ insert: 'users', documents: [{ a: 1 }], $db: 'shop' }, { requestId: 77 });
    await session.send(asked);
    await end.read(already + asked.length);
    const chunks: Buffer[] = [];
    session.socket.removeAllListeners('data');
    session.socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    const behind = opMsg({ ok: 1 }, { responseTo: 78 });
    end.socket.write(Buffer.concat([bytes, behind]));
    const whole = bytes.length + behind.length;
    await until(() => Buffer.concat(chunks).length >= whole, settleMs, 'all of the bytes');
    expect(Buffer.concat(chunks).equals(Buffer.concat([bytes, behind]))).toBe(true);
    expect(await outcomeSince(before)).toEqual(outcome === 'followed' ? [] : [outcome]);
    session.close();
    await expectUnharmed();
  });

  it('leave no socket behind', async () => {
    // Room for the catalog, which tries again and again, and for whoever reads the metrics.
    const room = 4;
    expect(sessions).toBeGreaterThan(10 * room);
    await until(() => socketCount(proxy.pid) <= idleSockets + room, settleMs, 'the sockets to close');
  });
});

describeEachMongo('messages cut anywhere and changed anywhere', (server) => {
  let database: TestDatabase;
  let proxy: RunningProxy;

  beforeAll(async () => {
    database = await createMongoDatabase(server.url, async (db) => void (await db.createCollection('users')));
    proxy = await startProxy({ upstreamUrl: database.url });
  });

  afterAll(async () => {
    expect(await proxy.stop()).toMatchObject({ code: 0 });
    await database.drop();
  });

  it('leave a process that serves, in front of a real server', async () => {
    const whole = opMsg({ find: 'users', filter: { a: { $nope: 1 } }, $db: database.name }, { requestId: 9 });
    const url = proxy.through(database.url);
    for (let at = 0; at < whole.length; at += 3) {
      const cut = await RawMongo.open(url);
      cut.socket.on('error', () => undefined);
      await cut.send(whole.subarray(0, at));
      cut.socket.resetAndDestroy();
      const changed = await RawMongo.open(url);
      changed.socket.on('error', () => undefined);
      await changed.send(replaced(whole, at, (whole[at] ?? 0) ^ 0xa5));
      changed.socket.end();
      await changed.ended();
      changed.close();
    }
    const session = await RawMongo.open(url);
    for (let time = 1; time <= 3; time += 1) {
      const said = await session.run({ find: 'users', filter: { a: { $nope: 1 } } });
      if (time === 3) expect(said).toHaveProperty('note');
    }
    session.close();
  });
});

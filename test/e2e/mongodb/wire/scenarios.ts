/** What a client may send, message by message; each resolves to every message that answered. Adding a case is adding an entry. */
import type { Document } from 'bson';
import { Long } from 'bson';
import type { Db } from 'mongodb';
import { compressed } from '../../../support/mongodb-compression.js';
import {
  bodyOf,
  type Message,
  type MsgOptions,
  msgFlag,
  opMsg,
  opQuery,
  wireMessage,
} from '../../../support/mongodb-messages.js';
import type { RawMongo } from '../../../support/raw-mongodb.js';

export type Run = (session: RawMongo) => Promise<readonly Message[]>;

export interface WireScenario {
  readonly name: string;
  readonly run: Run;
  /** The failure in it is annotated from its second time on. */
  readonly isNoted?: true;
  /** It fails in the same way many times within one reply: it is annotated the first time, and spent the second. */
  readonly isRepeated?: true;
  /** Too long to be sent a byte at a time. */
  readonly isLarge?: true;
}

export async function wireSchema(db: Db): Promise<void> {
  const users = db.collection<Document>('users');
  await users.createIndex({ email: 1 }, { unique: true, name: 'users_email' });
  await users.insertMany(
    Array.from({ length: 25 }, (_, _id) => ({ _id, email: `${_id}@example.org`, age: _id % 7 }) as Document),
  );
  await db.collection<Document>('big').insertOne({ _id: 1, body: 'x'.repeat(3_000_000) } as Document);
}

type Asked = readonly [command: Document, options?: MsgOptions];

/** All in one write, then their answers in order. */
function together(...asked: readonly Asked[]): Run {
  return async (session) => {
    const messages = asked.map(([command, options]) =>
      opMsg({ ...command, $db: session.database }, { requestId: session.nextRequestId(), ...options }),
    );
    await session.send(...messages);
    const answers: Message[] = [];
    while (answers.length < asked.length) answers.push(await session.message());
    return answers;
  };
}

function inTurn(...commands: readonly Document[]): Run {
  return async (session) => {
    const answers: Message[] = [];
    for (const command of commands) answers.push(await session.runMessage(command));
    return answers;
  };
}

function byQuery(...commands: readonly Document[]): Run {
  return async (session) => {
    const answers: Message[] = [];
    for (const command of commands) {
      await session.send(opQuery(command, { requestId: session.nextRequestId() }));
      answers.push(await session.message());
    }
    return answers;
  };
}

/** Every batch of a cursor. */
const exhausted: Run = async (session) => {
  const answers = [await session.runMessage({ find: 'users', filter: {}, sort: { _id: 1 }, batchSize: 4 })];
  for (;;) {
    const { cursor } = bodyOf(answers.at(-1) as Message);
    if (Number(cursor.id) === 0) return answers;
    answers.push(
      await session.runMessage({ getMore: Long.fromValue(cursor.id), collection: 'users', batchSize: 9 }),
    );
  }
};

const killed: Run = async (session) => {
  const first = await session.runMessage({ find: 'users', filter: {}, batchSize: 4 });
  const id = Long.fromValue(bodyOf(first)['cursor'].id);
  return [first, await session.runMessage({ killCursors: 'users', cursors: [id] })];
};

const insert = (...documents: Document[]): Document => ({ insert: 'users', documents });
const inSequence = (documents: Document[], more: MsgOptions = {}): MsgOptions => ({
  sequences: [{ identifier: 'documents', documents }],
  ...more,
});

const find = (filter: Document): Document => ({ find: 'users', filter });

export const wireScenarios: readonly WireScenario[] = [
  { name: 'hello', run: inTurn({ hello: 1 }, { isMaster: 1 }, { ping: 1 }, { buildInfo: 1 }) },
  { name: 'hello by OP_QUERY', run: byQuery({ isMaster: 1 }, { ismaster: 1, helloOk: true }) },
  {
    name: 'rows',
    run: inTurn(find({ age: { $gt: 3 } }), { count: 'users' }, { distinct: 'users', key: 'age' }),
  },
  {
    name: 'a pipeline of requests',
    run: together(...Array.from({ length: 20 }, (_, _id): Asked => [find({ _id })])),
  },
  {
    name: 'a pipeline with failures',
    isNoted: true,
    run: together([{ ping: 1 }], [find({ a: { $pipelined: 1 } })], [{ ping: 1 }]),
  },
  { name: 'a cursor', run: exhausted },
  { name: 'a cursor that is killed', run: killed },
  { name: 'a cursor that is not', run: inTurn({ getMore: Long.fromNumber(5), collection: 'users' }) },
  {
    name: 'writes',
    run: inTurn(
      insert({ _id: 100 }),
      { update: 'users', updates: [{ q: { _id: 100 }, u: { $set: { a: 1 } } }] },
      { delete: 'users', deletes: [{ q: { _id: 100 }, limit: 1 }] },
    ),
  },
  {
    name: 'writes in sequences',
    run: together(
      [{ insert: 'users' }, inSequence([{ _id: 101 }, { _id: 102 }])],
      [
        { delete: 'users' },
        {
          sequences: [{ identifier: 'deletes', documents: [{ q: { _id: { $gte: 101 } }, limit: 0 }] }],
          areSequencesFirst: true,
        },
      ],
    ),
  },
  {
    name: 'with checksums',
    run: together([{ ping: 1 }, { isChecksummed: true }], [find({ _id: 1 }), { isChecksummed: true }]),
  },
  { name: 'a duplicate', isNoted: true, run: inTurn(insert({ _id: 1 })) },
  {
    name: 'a duplicate in a sequence, with a checksum',
    isNoted: true,
    run: together([{ insert: 'users' }, inSequence([{ _id: 3, name: 'x' }], { isChecksummed: true })]),
  },
  {
    name: 'duplicates among others, unordered',
    isNoted: true,
    run: async (session) => {
      const documents = [
        { _id: 200, a: 1 },
        { _id: 1, a: 2 },
        { _id: 201, a: 3 },
        { _id: 2, b: 4 },
      ];
      return inTurn(
        { insert: 'users', documents, ordered: false },
        { delete: 'users', deletes: [{ q: { _id: { $gte: 200 } }, limit: 0 }] },
      )(session);
    },
  },
  {
    name: 'an update of an unknown kind',
    isNoted: true,
    run: inTurn({
      update: 'users',
      updates: [
        { q: { _id: 1 }, u: { $set: { a: 1 } } },
        { q: { _id: 2 }, u: { $nope: { a: 1 } } },
      ],
    }),
  },
  { name: 'an unknown operator', isNoted: true, run: inTurn(find({ a: { $nope: 1 } })) },
  {
    name: 'an unknown stage',
    isNoted: true,
    run: inTurn({ aggregate: 'users', pipeline: [{ $nope: {} }], cursor: {} }),
  },
  { name: 'an unknown command', isNoted: true, run: inTurn({ nobodys: 1, with: { a: [1, 'x'] } }) },
  { name: 'an index that is not', isNoted: true, run: inTurn({ dropIndexes: 'users', index: 'nope' }) },
  { name: 'a command without its name', run: inTurn({ $db: 'admin' }) },
  {
    name: 'a field of the wrong type',
    run: inTurn({ find: 5 }, { find: 'users', limit: 'x' }, { insert: 'users' }),
  },
  {
    name: 'an exhaust that the server may not do',
    run: together([find({ _id: 1 }), { flags: msgFlag.exhaustAllowed }]),
  },
  { name: 'a large reply', isLarge: true, run: inTurn({ find: 'big', filter: {} }) },
  {
    name: 'a large write that fails',
    isLarge: true,
    run: inTurn(insert({ _id: 1, body: 'y'.repeat(3_000_000) })),
  },
  {
    name: 'many failures at once',
    isLarge: true,
    isRepeated: true,
    run: inTurn({
      insert: 'users',
      documents: Array.from({ length: 300 }, (_, index) => ({ _id: index % 25, many: 1 })),
      ordered: false,
    }),
  },
];

const checksummed = opMsg({ ping: 1, $db: 'admin' }, { requestId: 1, isChecksummed: true });
const wrongChecksum = Buffer.concat([checksummed.subarray(0, -4), Buffer.from('oops')]);

/** What ends a session, or what the server may not know. */
export const sessionScenarios: readonly WireScenario[] = [
  { name: 'an unknown opcode', run: ended(wireMessage(9999, Buffer.alloc(20), { requestId: 1 })) },
  { name: 'OP_QUERY for rows', run: ended(opQuery({}, { namespace: 'shop.users', requestId: 1 })) },
  { name: 'OP_GET_MORE', run: ended(wireMessage(2005, Buffer.alloc(40), { requestId: 1 })) },
  { name: 'OP_KILL_CURSORS', run: ended(wireMessage(2007, Buffer.alloc(16), { requestId: 1 })) },
  {
    name: 'compression that was not agreed on',
    run: ended(compressed(opMsg({ ping: 1, $db: 'admin' }, { requestId: 1 }), 'zlib')),
  },
  { name: 'an unknown flag', run: ended(opMsg({ ping: 1, $db: 'admin' }, { requestId: 1, flags: 8 })) },
  {
    name: 'an unknown section',
    run: ended(opMsg({ ping: 1, $db: 'admin' }, { requestId: 1 }).fill(9, 20, 21)),
  },
  {
    name: 'a wrong checksum',
    run: ended(wrongChecksum),
  },
  { name: 'a length of 3', run: ended(Buffer.from([3, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1])) },
  { name: 'half a message', run: ended(opMsg({ ping: 1, $db: 'admin' }, { requestId: 1 }).subarray(0, 30)) },
  { name: 'nothing at all', run: ended(Buffer.alloc(0)) },
  { name: 'HTTP', run: ended(Buffer.from('GET / HTTP/1.1\r\nHost: x\r\n\r\n')) },
];

/** Sends it, ends its side, and takes what there is. */
function ended(bytes: Buffer): Run {
  return async (session) => {
    session.socket.on('error', () => undefined);
    if (bytes.length > 0) await session.send(bytes);
    session.socket.end();
    return session.ended();
  };
}

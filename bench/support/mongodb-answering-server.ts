/**
 * Answers MongoDB's protocol at once and keeps nothing, so that what is measured is what stands before it. It is no
 * MongoDB: a real one would take most of the time of every figure. Prints its port.
 */
import net from 'node:net';
import { BSON } from 'bson';
import { opcode, opMsg, opReply } from '../../test/support/mongodb-messages.js';

const headerBytes = 16;

const hello = {
  isWritablePrimary: true,
  ismaster: true,
  helloOk: true,
  maxBsonObjectSize: 16_777_216,
  maxMessageSizeBytes: 48_000_000,
  maxWriteBatchSize: 100_000,
  minWireVersion: 0,
  maxWireVersion: 21,
  readOnly: false,
  ok: 1,
};
const document = { name: 'Ada', city: 'London', age: 36, tags: ['a', 'b'] };
const namespace = { id: BSON.Long.ZERO, ns: 'bench.things' };
const batch = (count: number, each: object) => ({
  cursor: { firstBatch: Array.from({ length: count }, (_, _id) => ({ _id, ...each })), ...namespace },
  ok: 1,
});
const kilobyte = 'x'.repeat(1024);

/** By the collection that is asked for. */
const answers = new Map<string, Buffer>([
  ['things', opMsg(batch(1, document))],
  ['rows', opMsg(batch(100_000, { value: 'x'.repeat(40) }))],
  ['blobs', opMsg(batch(3_900, { value: kilobyte.repeat(4) }))],
  ['one', opMsg(batch(1, { value: kilobyte.repeat(16 * 1024 - 1) }))],
]);
const greeting = opMsg(hello);
const legacyGreeting = opReply([hello]);
const plain = opMsg({ ok: 1 });
const empty = opMsg({ cursor: { firstBatch: [], id: BSON.Long.ZERO, ns: 'bench.$cmd' }, ok: 1 });
const refused = opMsg({ ok: 0, errmsg: 'unknown operator: $nothing', code: 2, codeName: 'BadValue' });

function answerTo(message: Buffer): Buffer {
  if (message.readInt32LE(12) === opcode.query) return legacyGreeting;
  const at = headerBytes + 5;
  const [command, value] = Object.entries(
    BSON.deserialize(message.subarray(at, at + message.readInt32LE(at))),
  )[0] as [string, unknown];
  if (command === 'hello' || command === 'isMaster' || command === 'ismaster') return greeting;
  if (command.startsWith('list')) return empty;
  if (value === 'nothing') return refused;
  return command === 'find' ? (answers.get(String(value)) ?? empty) : plain;
}

const server = net.createServer({ noDelay: true }, (socket) => {
  let held = Buffer.alloc(0);
  socket.on('error', () => undefined);
  socket.on('data', (chunk) => {
    held = held.length === 0 ? chunk : Buffer.concat([held, chunk]);
    while (held.length >= headerBytes && held.length >= held.readInt32LE(0)) {
      const message = held.subarray(0, held.readInt32LE(0));
      held = held.subarray(message.length);
      const answer = answerTo(message);
      const header = Buffer.from(answer.subarray(0, headerBytes));
      header.writeInt32LE(message.readInt32LE(4), 8);
      socket.write(header);
      socket.write(answer.subarray(headerBytes));
    }
  });
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (address !== null && typeof address === 'object') process.stdout.write(`port ${address.port}\n`);
});

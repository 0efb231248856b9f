// A proxy answered OP_MSG with OP_REPLY, and the shell refused the connection (gravitational/teleport#18549).
import { Double } from 'bson';
import { afterEach, expect, it } from 'vitest';
import { hello, oldHello, onlyReply } from '../support/mongodb-first-requests.js';
import { opcode, opMsg, opQuery } from '../support/mongodb-messages.js';
import { RawMongo } from '../support/raw-mongodb.js';
import { closedPort } from '../support/tcp-relay.js';
import { drivers, listenMongo, stopMongo, watchMongo } from './support/mongodb-sessions.js';

afterEach(stopMongo);

const cannot = /^The upstream database server refused the connection/;

it.each([
  ['OP_MSG', hello, opcode.msg, 7],
  ['OP_QUERY', oldHello, opcode.reply, 7],
  ['OP_MSG that is no hello', opMsg({ find: 'users', $db: 'shop' }, { requestId: -9 }), opcode.msg, -9],
  ['OP_MSG with a checksum', opMsg({ ping: 1 }, { requestId: 5, isChecksummed: true }), opcode.msg, 5],
  [
    'OP_QUERY that is no command',
    opQuery({ a: 1 }, { namespace: 'shop.users', requestId: 6 }),
    opcode.reply,
    6,
  ],
])('%s gets what the proxy has to say in its own opcode', async (_what, request, code, responseTo) => {
  const proxy = await watchMongo(await closedPort());
  const session = await RawMongo.dial(proxy.through('mongodb://127.0.0.1/shop'));
  await session.send(request);
  const all = await session.ended();
  const reply = onlyReply(Buffer.concat(all.map(({ bytes }) => bytes)));
  expect(reply).toMatchObject({
    opcode: code,
    responseTo,
    body: { ok: 0, code: 6, codeName: 'HostUnreachable' },
  });
  expect(reply.body['errmsg']).toMatch(cannot);
});

it.each(drivers)('%s shows it as the reason why there is no server', async (_name, { MongoClient }) => {
  const proxy = await watchMongo(await closedPort());
  const url = proxy.through('mongodb://127.0.0.1/shop');
  // The older drivers begin with OP_QUERY, those that were told of the Stable API with OP_MSG.
  for (const serverApi of [undefined, '1'] as const) {
    const options = { serverSelectionTimeoutMS: 300, ...(serverApi === undefined ? {} : { serverApi }) };
    const client = new MongoClient(url, options);
    await expect(client.db().command({ ping: 1 })).rejects.toThrow(
      /refused the connection|cannot be reached/i,
    );
    await client.close();
  }
});

it('the server may end a session that was let in, and nothing is added to what it said', async () => {
  const upstream = await listenMongo(async (end) => {
    const request = await end.handshake();
    end.reply(request, { ok: new Double(0), errmsg: 'gone', code: 91 });
    end.end();
  });
  const proxy = await watchMongo(upstream.port);
  const session = await RawMongo.dial(proxy.through(upstream.url));
  await session.send(hello);
  expect(await session.ended()).toHaveLength(2);
});

// Drivers that still greet, log in and ask for the last error by OP_QUERY met a server, or a proxy, that knew OP_MSG alone
// (FerretDB/FerretDB#2516, FerretDB/FerretDB#4066).
import { Binary, type Document } from 'bson';
import { afterEach, expect, it } from 'vitest';
import { createMongoDatabase } from '../servers/mongodb-database.js';
import { bodyOf, type Message, opcode, opQuery, opReply } from '../support/mongodb-messages.js';
import { ScramClient } from '../support/mongodb-scram.js';
import { describeEachMongo } from '../support/mongodb-servers.js';
import { RawMongo } from '../support/raw-mongodb.js';
import {
  failuresIn,
  failuresOf,
  openScriptedMongo,
  outcome,
  stopMongo,
  watchMongo,
} from './support/mongodb-sessions.js';

afterEach(stopMongo);

async function ask(session: RawMongo, command: Document, namespace = 'admin.$cmd'): Promise<Message> {
  const requestId = session.nextRequestId();
  await session.send(opQuery(command, { requestId, namespace }));
  const reply = await session.message();
  expect(reply.responseTo).toBe(requestId);
  return reply;
}

const failing = { getLastError: 1, w: 9 };
const refused = {
  ok: 0,
  errmsg: 'waiting for replication timed out',
  code: 64,
  codeName: 'WriteConcernFailed',
};

it('a failure is seen in an OP_REPLY, and noted there', async () => {
  const { proxy, session, end } = await openScriptedMongo();
  const got: Message[] = [];
  for (let time = 1; time <= 2; time += 1) {
    const asking = ask(session, failing, 'shop.$cmd');
    const request = await end.mustRequest();
    expect(request.opcode).toBe(opcode.query);
    const answer = opReply([refused], { responseTo: request.requestId, requestId: 900 + time, flags: 8 });
    end.write(answer);
    got.push(await asking);
    expect(got.at(-1)?.bytes.equals(answer)).toBe(time === 1);
  }
  expect(got.map(({ opcode: code }) => code)).toEqual([opcode.reply, opcode.reply]);
  expect(got.map((message) => outcome(bodyOf(message)))).toEqual(['E[64]', 'E[64 noted]']);
  // Flags, cursor, position and count stay.
  expect(got[1]?.bytes.subarray(16, 36)).toEqual(got[0]?.bytes.subarray(16, 36));
  expect(failuresOf(proxy.sessions[0])[0]).toBe(
    'failed 64 <{ getLastError ?number w ?number }> execute k=0 idle',
  );
  expect(proxy.blind).toEqual([]);
});

it('a query that failed says so by its flags', async () => {
  const { proxy, session, end } = await openScriptedMongo();
  for (let time = 1; time <= 2; time += 1) {
    const asking = ask(session, { $query: { a: 1 } }, 'shop.users');
    const request = await end.mustRequest();
    const answer = opReply([{ $err: 'too many text expressions', code: 17287 }], {
      responseTo: request.requestId,
      flags: 2,
    });
    end.write(answer);
    expect((await asking).responseTo).toBe(request.requestId);
  }
  expect(failuresIn(proxy).filter((event) => event.startsWith('failed 17287'))).toHaveLength(2);
  expect(proxy.blind).toEqual([]);
});

it('rows of a collection are no verdict, whatever their fields are called', async () => {
  const { proxy, session, end } = await openScriptedMongo();
  const asking = ask(session, { a: 1 }, 'shop.users');
  const request = await end.mustRequest();
  const rows = [{ ok: 0, errmsg: 'kept from yesterday', code: 8, $err: 'x' }, { a: 1 }];
  const answer = opReply(rows, { responseTo: request.requestId, flags: 8 });
  end.write(answer);
  expect((await asking).bytes.equals(answer)).toBe(true);
  expect(failuresIn(proxy)).toEqual([]);
});

describeEachMongo('a client that says all by OP_QUERY', (server) => {
  it('logs in with the wrong password, then the right one, and asks on', async () => {
    const database = await createMongoDatabase(server.url);
    const proxy = await watchMongo(server.url);
    const direct = await conversation(database.url);
    const proxied = await conversation(proxy.through(database.url));
    expect(proxied.map(withoutVarying)).toEqual(direct.map(withoutVarying));
    expect(failuresIn(proxy).join('\n')).not.toContain('payload');
    expect(proxy.blind).toEqual([]);
    await database.drop();
  });
});

/** Every reply, as this server gives it: FerretDB takes fewer commands by OP_QUERY than drivers have sent. */
async function conversation(url: string): Promise<Document[]> {
  const session = await RawMongo.dial(url);
  const { username, password } = new URL(url);
  const replies: Document[] = [];
  const say = async (command: Document): Promise<Document> => {
    const reply = bodyOf(await ask(session, command));
    replies.push(reply);
    return reply;
  };
  await say({ ismaster: 1, helloOk: true, client: { application: { name: 'old' } } });
  for (const secret of ['wrong', password]) {
    const scram = new ScramClient(username, secret);
    const start = { saslStart: 1, mechanism: 'SCRAM-SHA-256', payload: new Binary(scram.first()) };
    const first = await say({ ...start, options: { skipEmptyExchange: true } });
    if (first['payload'] === undefined) continue;
    const final = scram.final(Buffer.from((first['payload'] as Binary).buffer));
    const { conversationId } = first;
    await say({ saslContinue: 1, conversationId, payload: new Binary(final) });
  }
  await say({ getLastError: 1 });
  await say({ ping: 1 });
  session.close();
  return replies;
}

function withoutVarying(reply: Document): Document {
  const varying = { localTime: 0, connectionId: 0, payload: 0, conversationId: 0 };
  return Object.fromEntries(
    Object.entries(reply).map(([key, value]) => [key, key in varying ? 'varies' : value]),
  );
}

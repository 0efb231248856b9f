// OP_MSG was unknown: no statement was seen, every message was a decoding error (envoyproxy/envoy#5648, #16908).
import { afterEach, expect, it } from 'vitest';
import { bodyOf, opMsg, wireMessage } from '../support/mongodb-messages.js';
import { RawMongo } from '../support/raw-mongodb.js';
import {
  drivers,
  failuresOf,
  listenMongo,
  openScriptedMongo,
  outcome,
  serveMongo,
  stopMongo,
  watchMongo,
} from './support/mongodb-sessions.js';

afterEach(stopMongo);

const failing = { find: 'nope', filter: { a: 1 }, $db: 'shop' };
const refused = { ok: 0, errmsg: 'ns does not exist', code: 26, codeName: 'NamespaceNotFound' };
const text = '{ find nope filter { a ?number } }';

it.each(drivers)('%s: every OP_MSG is seen', async (_name, { MongoClient }) => {
  const upstream = await serveMongo((command) => (command['find'] === undefined ? undefined : refused));
  const proxy = await watchMongo(upstream.port);
  const client = new MongoClient(proxy.through(upstream.url), { maxPoolSize: 1, retryReads: false });
  const coll = client.db('shop').collection('nope');
  for (let time = 1; time <= 2; time += 1)
    await expect(coll.find({ a: time }).toArray()).rejects.toMatchObject({ code: 26 });
  await client.db('shop').command({ insert: 'users', documents: [{ a: 1 }] });
  await client.close();
  const events = proxy.sessions.flatMap(({ events: all }) => all);
  expect(events.filter((event) => event.startsWith('failed'))).toHaveLength(2);
  expect(events).toContain(`failed 26 <${text}> execute k=0 idle`);
  expect(events).toContain('ok <{ insert users documents [ { a:number } ] }> 0');
  expect(events.filter((event) => event.startsWith('bypassed'))).toEqual([]);
  expect(proxy.blind).toEqual([]);
});

it('an unknown one passes either way, is counted, and the connection goes on', async () => {
  const { proxy, session, end } = await openScriptedMongo();
  const outcomes: string[] = [];
  for (let time = 1; time <= 2; time += 1) {
    const odd = wireMessage(9999, Buffer.from('whatever this is'), { requestId: 50 + time });
    await session.send(odd, opMsg(failing, { requestId: 60 + time }));
    expect((await end.mustRequest()).bytes.equals(odd)).toBe(true);
    const request = await end.mustRequest();
    const answer = wireMessage(9998, Buffer.alloc(40, 7), { requestId: 1, responseTo: 50 + time });
    end.write(answer);
    end.reply(request, refused);
    expect((await session.message()).bytes.equals(answer)).toBe(true);
    outcomes.push(outcome(bodyOf(await session.message())));
  }
  expect(outcomes).toEqual(['E[26]', 'E[26 noted]']);
  const events = failuresOf(proxy.sessions[0]).filter((event) => event.startsWith('bypassed'));
  expect(events).toEqual([
    'bypassed unknown_message',
    'bypassed reply_without_request',
    'bypassed unknown_message',
    'bypassed reply_without_request',
  ]);
  expect(proxy.blind).toEqual([]);
});

it('an unknown one in reply to a known request answers it', async () => {
  const { proxy, session, end } = await openScriptedMongo();
  await session.send(opMsg(failing, { requestId: 8 }));
  await end.mustRequest();
  const answer = wireMessage(9998, Buffer.alloc(4), { requestId: 1, responseTo: 8 });
  end.write(answer);
  expect((await session.message()).bytes.equals(answer)).toBe(true);
  // The id is free again: what answers to it now is the next request's.
  await session.send(opMsg(failing, { requestId: 8 }));
  end.reply(await end.mustRequest(), refused);
  expect(outcome(bodyOf(await session.message()))).toBe('E[26]');
  expect(failuresOf(proxy.sessions[0])).toEqual([
    'bypassed unknown_message',
    `failed 26 <${text}> execute k=0 idle`,
    'settled idle',
  ]);
  expect(proxy.blind).toEqual([]);
});

it('an unknown one passes as the first word, too', async () => {
  const upstream = await listenMongo(async (end) => {
    const request = await end.mustRequest();
    end.write(wireMessage(9998, Buffer.alloc(4), { responseTo: request.requestId }));
    await end.serve((command) => (command['find'] === undefined ? undefined : refused));
  });
  const proxy = await watchMongo(upstream.port);
  const session = await RawMongo.dial(proxy.through(upstream.url));
  await session.send(wireMessage(9999, Buffer.alloc(100), { requestId: 3 }));
  expect((await session.message()).opcode).toBe(9998);
  const outcomes = [outcome(await session.run(failing)), outcome(await session.run(failing))];
  expect(outcomes).toEqual(['E[26]', 'E[26 noted]']);
  expect(proxy.blind).toEqual([]);
});

it('the messages of old that are never answered owe nothing', async () => {
  const { proxy, session, end } = await openScriptedMongo();
  for (const opcode of [2001, 2002, 2006, 2007])
    await session.send(wireMessage(opcode, Buffer.alloc(40), { requestId: 4 }));
  await session.send(wireMessage(2005, Buffer.alloc(40), { requestId: 5 }), opMsg(failing, { requestId: 4 }));
  for (let count = 0; count < 5; count += 1) await end.mustRequest();
  end.reply(await end.mustRequest(), refused);
  expect(outcome(bodyOf(await session.message()))).toBe('E[26]');
  expect(failuresOf(proxy.sessions[0])).toEqual([`failed 26 <${text}> execute k=0 idle`, 'settled idle']);
  expect(proxy.blind).toEqual([]);
});

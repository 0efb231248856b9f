// A streamed hello, one request and many replies of which each answers to the one before, was taken for replies to nothing, or
// for requests without end (zookzook/elixir-mongodb-driver#106, mongodb/specifications#791).
import { type Document, Long, ObjectId } from 'bson';
import { afterEach, describe, expect, it } from 'vitest';
import { limits } from '../../src/core/limits.js';
import { bodyOf, flagsOf, type Message, messageOf, msgFlag, opMsg } from '../support/mongodb-messages.js';
import type { ScriptedMongoSession } from '../support/scripted-mongodb-server.js';
import { until } from '../support/until.js';
import {
  drivers,
  failuresIn,
  openScriptedMongo,
  outcome,
  serveMongo,
  stopMongo,
  watchMongo,
} from './support/mongodb-sessions.js';
import { describePymongo, runPymongo } from './support/pymongo.js';

afterEach(stopMongo);

const settleMs = 30_000;
const processId = new ObjectId();
const version = (counter: number): Document => ({ processId, counter: Long.fromNumber(counter) });

/** A member of rs0 whose address nobody can reach. */
const member = {
  setName: 'rs0',
  setVersion: 1,
  hosts: ['db1.invalid:27017', 'db2.invalid:27017'],
  me: 'db1.invalid:27017',
  primary: 'db1.invalid:27017',
  electionId: new ObjectId(),
};

/** Goes on with the one stream that a client's monitor has asked for. */
class Streams {
  private readonly open: { session: ScriptedMongoSession; last: Message }[] = [];

  /** Takes the request of a stream; false for any other. */
  begins(session: ScriptedMongoSession, command: Document, request: Message): boolean {
    const isStream = (flagsOf(request) & msgFlag.exhaustAllowed) !== 0 && command['hello'] !== undefined;
    if (isStream) this.open.push({ session, last: request });
    return isStream;
  }

  get count(): number {
    return this.open.length;
  }

  say(hello: Document): void {
    for (const stream of this.open) {
      const bytes = stream.session.replyTo(stream.last, hello, { flags: msgFlag.moreToCome });
      stream.session.write(bytes);
      stream.last = messageOf(bytes);
    }
  }
}

describe.each(drivers)('%s', (_name, { MongoClient }) => {
  it.each([
    ['replicaSet=rs0', { replicaSet: 'rs0' }],
    ['directConnection=true', { directConnection: true }],
  ])('with %s follows the server through many heartbeats and a step-down', async (_how, options) => {
    const streams = new Streams();
    const upstream = await serveMongo(
      (command, request, session) => (streams.begins(session, command, request) ? null : undefined),
      { hello: { ...member, topologyVersion: version(0) } },
    );
    const proxy = await watchMongo(upstream.port);
    const client = new MongoClient(proxy.through(upstream.url), { ...options, heartbeatFrequencyMS: 500 });
    let awaited = 0;
    const types: string[] = [];
    client.on('serverHeartbeatSucceeded', (event) => {
      if (event.awaited) awaited += 1;
    });
    client.on('serverDescriptionChanged', ({ newDescription }) => void types.push(newDescription.type));
    await client.connect();
    await until(() => streams.count === 1, settleMs, 'a stream');

    const base = { helloOk: true, maxWireVersion: 21, minWireVersion: 0, ok: 1, ...member };
    const primary = { ...base, isWritablePrimary: true };
    const beats = 300;
    for (let beat = 1; beat <= beats; beat += 1) streams.say({ ...primary, topologyVersion: version(1) });
    await until(() => awaited >= beats, settleMs, 'every heartbeat');
    const { primary: _, ...follower } = base;
    streams.say({ ...follower, isWritablePrimary: false, secondary: true, topologyVersion: version(2) });
    await until(() => types.at(-1) === 'RSSecondary', settleMs, 'the step-down');
    streams.say({ ...primary, electionId: new ObjectId(), topologyVersion: version(3) });
    await until(() => types.at(-1) === 'RSPrimary', settleMs, 'the election');
    expect(await client.db('shop').command({ ping: 1 })).toEqual({ ok: 1 });

    // The client has gone to nobody else, and the stream is still the one that it asked for.
    expect(types.filter((type) => type === 'Unknown')).toEqual([]);
    expect(streams.count).toBe(1);
    expect(new Set(upstream.sessions.map(({ isEnded }) => isEnded))).toEqual(new Set([false]));
    await client.close();
    expect(failuresIn(proxy)).toEqual([]);
    expect(proxy.blind).toEqual([]);
  });
});

describePymongo('a monitor', () => {
  it('follows the stream', async () => {
    const streams = new Streams();
    const upstream = await serveMongo(
      (command, request, session) => (streams.begins(session, command, request) ? null : undefined),
      { hello: { ...member, topologyVersion: version(0) } },
    );
    const proxy = await watchMongo(upstream.port);
    const program = `
from pymongo import monitoring
class Beats(monitoring.ServerHeartbeatListener):
    awaited = 0
    def started(self, event): pass
    def succeeded(self, event): self.awaited += 1 if event.awaited else 0
    def failed(self, event): pass
beats = Beats()
client = pymongo.MongoClient(url, replicaSet="rs0", event_listeners=[beats])
ping = client.admin.command("ping")
deadline = time.time() + 60
while beats.awaited < 100 and time.time() < deadline: time.sleep(0.01)
say([ping, beats.awaited >= 100, sorted(":".join(map(str, node)) for node in client.nodes)])
client.close()
`;
    const running = runPymongo(program, proxy.through(upstream.url));
    await until(() => streams.count === 1, settleMs, 'a stream');
    const hello = {
      helloOk: true,
      isWritablePrimary: true,
      maxWireVersion: 21,
      minWireVersion: 0,
      ok: 1,
      ...member,
    };
    for (let beat = 1; beat <= 100; beat += 1) streams.say({ ...hello, topologyVersion: version(1) });
    expect(await running).toEqual([{ ok: 1 }, true, [`127.0.0.1:${proxy.proxy.port}`]]);
    expect(failuresIn(proxy)).toEqual([]);
    expect(proxy.blind).toEqual([]);
  });
});

it('a chain of more replies than may be owed keeps its links, and the session its place', async () => {
  const { proxy, session, end } = await openScriptedMongo();
  const flags = msgFlag.exhaustAllowed;
  await session.send(opMsg({ hello: 1, $db: 'admin' }, { requestId: 40, flags }));
  let last = await end.mustRequest();
  const count = limits.maxRequestsInFlight + 100;
  const sent: Buffer[] = [];
  for (let index = 0; index < count; index += 1) {
    const bytes = end.replyTo(
      last,
      { ok: 1, n: index },
      { flags: index < count - 1 ? msgFlag.moreToCome : 0 },
    );
    sent.push(bytes);
    last = messageOf(bytes);
  }
  end.write(Buffer.concat(sent));
  const got: Buffer[] = [];
  for (let index = 0; index < count; index += 1) got.push((await session.message()).bytes);
  expect(Buffer.concat(got).equals(Buffer.concat(sent))).toBe(true);

  // The last was the end: what now answers to its id is the reply to nothing, and the next request is told from it.
  await session.send(opMsg({ find: 'nope', $db: 'shop' }, { requestId: 41 }));
  const request = await end.mustRequest();
  end.reply(last, { ok: 0, errmsg: 'x', code: 26 });
  end.reply(request, { ok: 0, errmsg: 'x', code: 26 });
  expect(outcome(bodyOf(await session.message()))).toBe('E[26]');
  expect(outcome(bodyOf(await session.message()))).toBe('E[26]');
  expect(failuresIn(proxy)).toEqual([
    'bypassed reply_without_request',
    'failed 26 <{ find nope }> execute k=0 idle',
  ]);
  expect(proxy.blind).toEqual([]);
});

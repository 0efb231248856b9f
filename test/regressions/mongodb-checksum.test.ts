// Messages with a checksum were parsed past their end (mpihlak/mongoproxy#5, coinbase/mongobetween#27).
import { afterEach, expect, it } from 'vitest';
import { createMongoDatabase } from '../servers/mongodb-database.js';
import { opMsg, readMsg } from '../support/mongodb-messages.js';
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

const insert = { insert: 'users', ordered: true, $db: 'shop' };
const sequences = [{ identifier: 'documents', documents: [{ _id: 1 }] }];
const duplicate = { index: 0, code: 11000, errmsg: 'E11000 duplicate key' };

it('requests and replies keep theirs, and it is right where a note was put in', async () => {
  const { proxy, session, end } = await openScriptedMongo();
  const replies: (boolean | null)[] = [];
  const outcomes: string[] = [];
  for (let time = 1; time <= 3; time += 1) {
    const sent = opMsg(insert, {
      requestId: 70 + time,
      sequences,
      isChecksummed: true,
      areSequencesFirst: time === 2,
    });
    await session.send(sent);
    const request = await end.mustRequest();
    expect(request.bytes.equals(sent)).toBe(true);
    const answer = end.replyTo(request, { n: 0, ok: 1, writeErrors: [duplicate] }, { isChecksummed: true });
    end.write(answer);
    const got = await session.message();
    expect(got.bytes.equals(answer)).toBe(time === 1);
    const { body, isChecksumRight } = readMsg(got);
    replies.push(isChecksumRight);
    outcomes.push(outcome(body));
  }
  expect(replies).toEqual([true, true, true]);
  expect(outcomes).toEqual(['ok W[11000]', 'ok W[11000 noted]', 'ok W[11000 noted]']);
  expect(failuresOf(proxy.sessions[0])).not.toContain('bypassed note_does_not_fit');
  expect(proxy.blind).toEqual([]);
});

it('a wrong one stays wrong, and its message as it came', async () => {
  const { proxy, session, end } = await openScriptedMongo();
  for (let time = 1; time <= 3; time += 1) {
    await session.send(opMsg(insert, { requestId: 70 + time, sequences }));
    const answer = end.replyTo(
      await end.mustRequest(),
      { ok: 0, errmsg: 'x', code: 26 },
      { isChecksummed: true },
    );
    answer[answer.length - 1] = (answer.at(-1) ?? 0) ^ 1;
    end.write(answer);
    expect((await session.message()).bytes.equals(answer)).toBe(true);
  }
  expect(failuresIn(proxy).filter((event) => event.startsWith('bypassed'))).toEqual([
    'bypassed note_does_not_fit',
    'bypassed note_does_not_fit',
  ]);
  expect(proxy.blind).toEqual([]);
});

it('a last section that reaches into the checksum is no section', async () => {
  const { proxy, session, end } = await openScriptedMongo();
  const sent = opMsg({ ping: 1, $db: 'shop' }, { isChecksummed: true, requestId: 7 });
  // the body is said to be four bytes longer than it is
  sent.writeInt32LE(sent.readInt32LE(21) + 4, 21);
  await session.send(sent);
  expect((await end.mustRequest()).bytes.equals(sent)).toBe(true);
  expect(proxy.blind).toEqual(['malformed_client_frame']);
});

describeEachMongo('a client that checksums', (server) => {
  it('gets the same, and its failures are seen', async () => {
    const database = await createMongoDatabase(server.url);
    const proxy = await watchMongo(server.url);
    const session = await RawMongo.open(proxy.through(database.url));
    const outcomes: string[] = [];
    for (let time = 1; time <= 4; time += 1) {
      const reply = await session.run({ insert: 'users' }, { sequences, isChecksummed: true });
      outcomes.push(outcome(reply));
    }
    expect(outcomes).toEqual(['ok', 'ok W[11000]', 'ok W[11000 noted]', 'ok W[11000 noted]']);
    expect(proxy.blind).toEqual([]);
    session.close();
    await database.drop();
  });
});

// Drivers look for words in the message of an error that has no code: a note must not bring them in, nor change such a
// message at all (mongodb/specifications#920, mongodb/mongo-ruby-driver#2206, mongodb/mongo-c-driver#745).
import type { Document } from 'bson';
import { afterEach, describe, expect, it } from 'vitest';
import { RawMongo } from '../support/raw-mongodb.js';
import {
  type Driver,
  drivers,
  outcome,
  servePrimary,
  stopMongo,
  watchMongo,
} from './support/mongodb-sessions.js';

afterEach(stopMongo);

/** With the words, and without. */
const messages = [
  'not master',
  'node is recovering',
  'not primary and secondaryOk=false',
  'a failure of its own',
  '',
];

const answering =
  (errmsg: string) =>
  (command: Document): Document | undefined =>
    command['find'] === undefined ? undefined : { ok: 0, errmsg };

async function behaviour({ MongoClient }: Driver, url: string): Promise<unknown[]> {
  const told: unknown[] = [];
  const client = new MongoClient(url, {
    minHeartbeatFrequencyMS: 50,
    serverMonitoringMode: 'poll',
    replicaSet: 'rs0',
    retryReads: false,
  });
  client.on('serverDescriptionChanged', ({ newDescription }) => void told.push(newDescription.type));
  client.on('connectionPoolCleared', () => void told.push('pool cleared'));
  for (let time = 1; time <= 3; time += 1) {
    const error: unknown = await client
      .db('shop')
      .collection('users')
      .findOne()
      .catch((caught: unknown) => caught);
    const { name, message, code, errorResponse } = error as Document;
    told.push({ name, message, code, errmsg: errorResponse?.errmsg });
  }
  await client.close();
  return told;
}

describe.each(messages)('"%s"', (errmsg) => {
  it.each(drivers)('is to %s what it is without a proxy', async (_name, driver) => {
    const upstream = await servePrimary(answering(errmsg));
    const proxy = await watchMongo(upstream.port);
    const direct = await behaviour(driver, upstream.url);
    expect(await behaviour(driver, proxy.through(upstream.url))).toEqual(direct);
    expect(direct.includes('Unknown')).toBe(/not master|recovering/.test(errmsg));
    expect(proxy.blind).toEqual([]);
  });

  it('stays as it is, the note being a field of its own', async () => {
    const upstream = await servePrimary(answering(errmsg));
    const proxy = await watchMongo(upstream.port, { audience: 'agent' });
    const session = await RawMongo.dial(proxy.through(upstream.url));
    const replies = [await session.run({ find: 'users' }), await session.run({ find: 'users' })];
    expect(replies.map(outcome)).toEqual(['E[-]', 'E[- noted]']);
    expect(replies.map((reply) => reply['errmsg'])).toEqual([errmsg, errmsg]);
  });
});

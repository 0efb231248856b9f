// A login that fails within hello shows by a field that is missing from a reply that is ok (FerretDB/FerretDB#4111,
// mongodb/specifications#728).
import type { Document } from 'bson';
import { afterEach, expect, it } from 'vitest';
import { asMongoAccount } from '../servers/mongodb-database.js';
import { describeEachMongo } from '../support/mongodb-servers.js';
import { drivers, failuresIn, serveMongo, stopMongo, watchMongo } from './support/mongodb-sessions.js';
import { startApp } from './support/running-app.js';

afterEach(stopMongo);

const failed = {
  ok: 0,
  errmsg: 'Authentication failed.',
  code: 18,
  codeName: 'AuthenticationFailed',
};

it.each(drivers)(
  '%s: hello is a success, and what comes of saslStart is the verdict',
  async (_name, { MongoClient }) => {
    const seen: string[] = [];
    const upstream = await serveMongo(
      (command) => {
        const [name = ''] = Object.keys(command);
        if ('speculativeAuthenticate' in command) seen.push(`${name} with a login`);
        else if (name.startsWith('sasl')) seen.push(name);
        return name.startsWith('sasl') ? failed : undefined;
      },
      { hello: { saslSupportedMechs: ['SCRAM-SHA-256'] } },
    );
    const proxy = await watchMongo(upstream.port);
    const url = proxy.through(upstream.url).replace('//', '//ann:hunter2@');
    for (let time = 1; time <= 2; time += 1) {
      const client = new MongoClient(`${url}?authMechanism=SCRAM-SHA-256&authSource=admin`);
      await expect(client.connect()).rejects.toMatchObject({ code: 18 });
      await client.close();
    }
    const once = ['hello with a login', 'saslStart'];
    expect(seen.map((what) => what.replace('ismaster', 'hello'))).toEqual([...once, ...once]);
    const events = failuresIn(proxy);
    expect(events.filter((event) => !event.startsWith('note'))).toEqual([
      'failed 18 <{ saslStart ?number }> execute k=0 idle',
      'failed 18 <{ saslStart ?number }> execute k=0 idle',
    ]);
    expect(JSON.stringify(proxy.sessions)).not.toContain('n=ann');
    // Who was not let in is nobody.
    expect(proxy.sessions.map(({ context }) => context.user)).not.toContain('ann');
    expect(proxy.blind).toEqual([]);
  },
);

it('where the server takes it up, the user is known once it is done', async () => {
  const [, driver] = drivers[0] ?? [];
  const { MongoClient } = driver ?? (await import('mongodb'));
  const upstream = await serveMongo((command) => {
    const begun = command['speculativeAuthenticate'] as Document | undefined;
    return begun === undefined
      ? undefined
      : { ok: 1, helloOk: true, isWritablePrimary: true, maxWireVersion: 21 };
  });
  const proxy = await watchMongo(upstream.port);
  const url = proxy.through(upstream.url).replace('//', '//ann:hunter2@');
  const client = new MongoClient(`${url}?authMechanism=PLAIN&authSource=$external`);
  await client.connect();
  await client.close();
  expect(proxy.sessions.some(({ context }) => context.user === 'ann')).toBe(false);
  expect(proxy.blind).toEqual([]);
});

describeEachMongo('a wrong password', (server) => {
  it.each(drivers)(
    '%s is told of it as without a proxy, and nothing of it is kept',
    async (_name, { MongoClient }) => {
      const app = await startApp(server.url);
      const secret = 'Wr0ngHunter2Password';
      const wrong = asMongoAccount(server.url, { name: 'app', password: secret });
      const refusal = async (url: string): Promise<object> => {
        const client = new MongoClient(url, { authMechanism: 'SCRAM-SHA-256' });
        const error: unknown = await client.connect().catch((caught: unknown) => caught);
        await client.close();
        const { message, code, codeName } = error as Document;
        return { message, code, codeName };
      };
      const direct = await refusal(wrong);
      expect(direct).toMatchObject({ code: 18 });
      for (let time = 1; time <= 3; time += 1) expect(await refusal(app.through(wrong))).toEqual(direct);
      const log = app.log();
      expect(await app.stop()).toEqual([]);
      expect(log).not.toContain(secret);
      expect(log).not.toMatch(/n=app|r=|payload/);
    },
  );
});

/** Logins, topologies, heartbeats, several sessions at once: what is between the driver and the server. */
import { asMongoAccount } from '../../../../servers/mongodb-database.js';
import { until } from '../../../../support/until.js';
import type { Transcript } from '../../../battery/transcript.js';
import { withoutVarying } from '../../battery/plain.js';
import { type Driver, NodeSession, waitMs } from './session.js';

type Part = (driver: Driver, url: string, log: Transcript) => Promise<void>;

export const logins: Part = async (driver, url, log) => {
  const ping = (step: string, target: string): Promise<void> =>
    NodeSession.with(driver, target, log, (session) =>
      session.step(step, () => session.db.command({ ping: 1 })),
    );
  const nobody = { name: 'nobody', password: 'secretpw' };
  await ping('login', url);
  await ping('login with a mechanism', withParameter(url, 'authMechanism', 'SCRAM-SHA-256'));
  for (let time = 1; time <= 2; time += 1) {
    await ping(
      `login with a wrong password ${time}`,
      asMongoAccount(url, { name: 'app', password: 'wrong' }),
    );
    await ping(`login of nobody ${time}`, asMongoAccount(url, nobody));
    await ping(`login by an unknown mechanism ${time}`, withParameter(url, 'authMechanism', 'SCRAM-SHA-1'));
  }
};

export const topologies: Part = async (driver, url, log) => {
  for (const directConnection of [true, false]) {
    await NodeSession.with(
      driver,
      url,
      log,
      async (session) => {
        await session.step(`hello, direct connection ${directConnection}`, () =>
          session.db.admin().command({ hello: 1 }),
        );
        await session.step(`find, direct connection ${directConnection}`, () =>
          session.collection('users').findOne({ _id: 1 }),
        );
      },
      { directConnection },
    );
  }
};

/** What the driver's monitor hears in three rounds; it is a session of its own beside the one that works. */
export const heartbeats: Part = async (driver, url, log) => {
  const heard: unknown[] = [];
  await NodeSession.with(
    driver,
    url,
    log,
    async (session) => {
      session.client.on('serverHeartbeatSucceeded', ({ reply }) => heard.push(Object.keys(reply).sort()));
      session.client.on('serverHeartbeatFailed', ({ failure }) => heard.push(session.describeError(failure)));
      await session.client.connect();
      await until(() => heard.length >= 3, 4 * waitMs, 'three heartbeats');
      await session.step('heartbeats and a command', () => session.db.command({ ping: 1 }));
    },
    { heartbeatFrequencyMS: 7500 },
  );
  log.add('heartbeats', { heard: withoutVarying(heard.slice(0, 3)) });
};

/** Failures of sessions that run at the same time reach the session they belong to. */
export const several: Part = async (driver, url, log) => {
  const told = Array.from({ length: 8 }, () => '');
  await NodeSession.with(
    driver,
    url,
    log,
    async (session) => {
      await Promise.all(
        told.map(async (_, index) => {
          const filter = { [`field${index}`]: { [`$nope${index}`]: index } };
          for (let time = 1; time <= 5; time += 1) {
            await session.collection('many').findOne({ _id: index });
            await session
              .collection('many')
              .findOne(filter)
              .catch((error: Error) => {
                told[index] = error.message.split('\n')[0] ?? '';
              });
          }
        }),
      );
    },
    { maxPoolSize: 4, monitorCommands: false },
  );
  log.add('several at once', { told: told.map((text, index) => text.includes(`$nope${index}`)) });
};

function withParameter(url: string, name: string, value: string): string {
  const changed = new URL(url);
  changed.searchParams.set(name, value);
  return changed.href;
}

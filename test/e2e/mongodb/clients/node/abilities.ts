/** What only some servers can do: transactions, change streams, the command bulkWrite, compression. */
import type { MongoCapabilities } from '../../../../servers/mongodb-capabilities.js';
import type { Transcript } from '../../../battery/transcript.js';
import { repetitions } from '../../battery/failing-commands.js';
import { type Driver, NodeSession } from './session.js';

export async function abilities(
  driver: Driver,
  url: string,
  log: Transcript,
  capabilities: MongoCapabilities,
): Promise<void> {
  await NodeSession.with(driver, url, log, async (session) => {
    if (capabilities.hasTransactions) await transactions(session);
    if (capabilities.hasChangeStreams) await changeStreams(session);
    if (capabilities.hasBulkWriteCommand) await bulkWriteCommand(session);
  });
  for (const compressor of capabilities.compressors) await compression(driver, url, log, compressor);
}

async function transactions(session: NodeSession): Promise<void> {
  const users = session.collection('users');
  for (let time = 1; time <= repetitions; time += 1) {
    await session.client.withSession(async (inside) => {
      await session.step(`transaction ${time}`, () =>
        inside.withTransaction(async () => {
          await users.updateOne({ _id: 1 }, { $set: { age: 36 } }, { session: inside });
        }),
      );
      inside.startTransaction();
      await session.step(`duplicate in a transaction ${time}`, () =>
        users.insertOne({ _id: 1, email: 'x' }, { session: inside }),
      );
      await session.step(`after a failure in a transaction ${time}`, () =>
        users.findOne({ _id: 1 }, { session: inside }),
      );
      await session.step(`abort ${time}`, () => inside.abortTransaction());
    });
    await session.step(`commit of nothing ${time}`, () =>
      session.db.admin().command({ commitTransaction: 1 }),
    );
    await conflict(session, time);
  }
}

/** Two transactions that write one document: the second to do so fails, with a label that says to try again. */
async function conflict(session: NodeSession, time: number): Promise<void> {
  const users = session.collection('users');
  await session.client.withSession((first) =>
    session.client.withSession(async (second) => {
      first.startTransaction();
      second.startTransaction();
      await users.updateOne({ _id: 2 }, { $set: { age: 41 } }, { session: first });
      await session.step(`write conflict ${time}`, () =>
        users.updateOne({ _id: 2 }, { $set: { age: 41 } }, { session: second }),
      );
      await session.step(`after a write conflict ${time}`, () => users.findOne({}, { session: second }));
      await first.commitTransaction();
      await second.abortTransaction();
    }),
  );
}

async function changeStreams(session: NodeSession): Promise<void> {
  await session.step('change stream', async () => {
    const stream = session.collection('many').watch([], { maxAwaitTimeMS: 100 });
    const change = stream.next();
    await session.collection('many').insertOne({ _id: 5000, word: 'new' });
    const { operationType, documentKey } = (await change) as { operationType: string; documentKey?: unknown };
    await stream.close();
    return { operationType, documentKey };
  });
  for (let time = 1; time <= repetitions; time += 1)
    await session.step(`change stream with an unknown stage ${time}`, async () => {
      const stream = session.collection('many').watch([{ $nope: {} }]);
      try {
        return await stream.tryNext();
      } finally {
        await stream.close();
      }
    });
}

async function bulkWriteCommand(session: NodeSession): Promise<void> {
  const namespace = `${session.db.databaseName}.users`;
  const models = [
    { namespace, name: 'insertOne' as const, document: { _id: 400, email: '400@example.org' } },
    { namespace, name: 'insertOne' as const, document: { _id: 1, email: '1@example.org' } },
    { namespace, name: 'deleteOne' as const, filter: { _id: 400 } },
  ];
  for (const ordered of [true, false])
    for (let time = 1; time <= repetitions; time += 1)
      await session.step(`bulk write by one command, ordered ${ordered} ${time}`, () =>
        session.client.bulkWrite(models as never, { ordered }),
      );
}

async function compression(driver: Driver, url: string, log: Transcript, compressor: string): Promise<void> {
  const compressors = [compressor as 'zlib'];
  await NodeSession.with(
    driver,
    url,
    log,
    async (session) => {
      const users = session.collection('users');
      for (let time = 1; time <= repetitions; time += 1)
        await session.step(`duplicate under ${compressor} ${time}`, () =>
          users.insertOne({ _id: 1, email: 'x' }),
        );
      await session.step(`cursor under ${compressor}`, () => session.collection('many').find().toArray());
    },
    { compressors },
  );
}

/** What an application does with one session: commands that fail, documents, bulk writes, cursors, pipelines. */

import type { MongoCapabilities } from '../../../../servers/mongodb-capabilities.js';
import { type Command, failingCommands, repetitions } from '../../battery/failing-commands.js';
import type { Driver, NodeSession } from './session.js';

export async function failures(
  session: NodeSession,
  driver: Driver,
  capabilities: MongoCapabilities,
): Promise<void> {
  const parse = (command: Command) => driver.BSON.EJSON.parse(JSON.stringify(command), { relaxed: true });
  for (const { kind, command } of failingCommands(capabilities)) {
    for (let time = 1; time <= repetitions; time += 1)
      await session.step(`${kind} #${time}`, () => session.db.command(parse(command)));
  }
}

export async function documents(session: NodeSession): Promise<void> {
  const users = session.collection('users');
  const { step } = bound(session);
  await step('insert one', () => users.insertOne({ _id: 100, email: '100@example.org', nested: { a: [1] } }));
  await step('insert many', () =>
    users.insertMany([
      { _id: 101, email: '101@e' },
      { _id: 102, email: '102@e' },
    ]),
  );
  await step('find', () =>
    users
      .find({ _id: { $gte: 100 } })
      .sort({ _id: 1 })
      .toArray(),
  );
  await step('find one', () => users.findOne({ email: 'ada@example.org' }, { projection: { name: 1 } }));
  await step('find nothing', () => users.findOne({ email: 'nobody' }));
  await step('count', () => users.countDocuments({ city: 'London' }));
  await step('distinct', () => users.distinct('city', {}));
  await step('update one', () => users.updateOne({ _id: 100 }, { $set: { age: 1 }, $unset: { city: true } }));
  await step('update many', () => users.updateMany({ _id: { $gte: 100 } }, { $set: { late: true } }));
  await step('upsert', () => users.updateOne({ _id: 103 }, { $set: { email: '103@e' } }, { upsert: true }));
  await step('replace', () => users.replaceOne({ _id: 103 }, { email: '103@example.org' }));
  await step('find and update', () =>
    users.findOneAndUpdate({ _id: 100 }, { $set: { age: 2 } }, { returnDocument: 'after' }),
  );
  await step('find and replace', () => users.findOneAndReplace({ _id: 101 }, { email: '101@example.org' }));
  await step('find and delete', () => users.findOneAndDelete({ _id: 102 }));
  await step('delete one', () => users.deleteOne({ _id: 103 }));
  await step('delete many', () => users.deleteMany({ _id: { $gte: 100 } }));
  await step('list collections', async () => names(await session.db.listCollections().toArray()));
  await step('list indexes', async () => names(await users.indexes()));
}

export async function unacknowledged(session: NodeSession): Promise<void> {
  const users = session.collection('users');
  const { step } = bound(session);
  await step('unacknowledged', () =>
    users.insertOne({ _id: 110, email: '110@e' }, { writeConcern: { w: 0 } }),
  );
  await step('unacknowledged failure', () =>
    users.insertOne({ _id: 1, email: '1@e' }, { writeConcern: { w: 0 } }),
  );
  await step('after unacknowledged', () => users.deleteOne({ _id: 110 }));
}

export async function bulkWrites(session: NodeSession): Promise<void> {
  const users = session.collection('users');
  const { step } = bound(session);
  const operations = [
    { insertOne: { document: { _id: 200, email: '200@example.org' } } },
    { insertOne: { document: { _id: 1, bulk: true } } },
    { updateOne: { filter: { _id: 2 }, update: { $nope: { age: 1 } } } },
    { updateOne: { filter: { _id: 2 }, update: { $set: { age: 41 } } } },
    { deleteOne: { filter: { _id: 200 } } },
  ];
  for (const ordered of [true, false]) {
    for (let time = 1; time <= repetitions; time += 1) {
      const name = `bulk write ${ordered ? 'ordered' : 'unordered'} ${time}`;
      await step(name, () => users.bulkWrite(operations, { ordered }));
      await step(`after ${name}`, () => users.deleteMany({ _id: { $gte: 200 } }));
    }
  }
  await step('bulk write without failures', () => users.bulkWrite([operations[0]!, operations[4]!]));
  const many = Array.from({ length: 1500 }, (_, index) => ({
    _id: 1000 + (index % 1400),
    email: `${index}@m`,
    isOneOfMany: true,
  }));
  for (let time = 1; time <= repetitions; time += 1) {
    await step(`many inserts with duplicates ${time}`, () => users.insertMany(many, { ordered: false }));
    await step(`after many inserts ${time}`, () => users.deleteMany({ _id: { $gte: 1000 } }));
  }
}

export async function cursors(session: NodeSession): Promise<void> {
  const many = session.collection('many');
  const { step } = bound(session);
  for (const batchSize of [1000, 101, 50])
    await step(`cursor in batches of ${batchSize}`, () =>
      many.find({}, { batchSize }).sort({ _id: 1 }).toArray(),
    );
  await step('cursor left early', async () => {
    const cursor = many.find({}, { batchSize: 10 });
    const first = await cursor.next();
    await cursor.close();
    return first;
  });
  await step('cursor of a pipeline', () =>
    many.aggregate([{ $match: { _id: { $lt: 120 } } }, { $sort: { _id: -1 } }], { batchSize: 30 }).toArray(),
  );
  await step('limit and skip', () => many.find().sort({ _id: 1 }).skip(40).limit(7).toArray());
  for (let time = 1; time <= repetitions; time += 1)
    await step(`cursor that fails ${time}`, () =>
      many
        .aggregate([
          { $sort: { _id: 1 } },
          { $project: { a: { $divide: [1, { $subtract: ['$_id', 300] }] } } },
        ])
        .toArray(),
    );
}

export async function pipelines(session: NodeSession): Promise<void> {
  const users = session.collection('users');
  const { step } = bound(session);
  await step('group', () =>
    users.aggregate([{ $group: { _id: '$city', n: { $sum: 1 } } }, { $sort: { _id: 1 } }]).toArray(),
  );
  await step('lookup', () =>
    users
      .aggregate([
        { $lookup: { from: 'many', localField: '_id', foreignField: '_id', as: 'words' } },
        { $sort: { _id: 1 } },
      ])
      .toArray(),
  );
  await step('unwind', () => users.aggregate([{ $unwind: '$tags' }, { $sort: { tags: 1 } }]).toArray());
  await step('explain', async () => Object.keys(await users.find({ city: 'Rome' }).explain()).sort());
  await step('ping', () => session.db.command({ ping: 1 }));
  await step('index made twice', async () => [
    await users.createIndex({ age: 1 }, { name: 'users_age' }),
    await users.createIndex({ age: 1 }, { name: 'users_age' }),
  ]);
  await step('index dropped', () => users.dropIndex('users_age'));
  for (let time = 1; time <= repetitions; time += 1) {
    await step(`unknown stage by aggregate ${time}`, () => users.aggregate([{ $explode: {} }]).toArray());
    await step(`unknown operator by find ${time}`, () => users.find({ city: { $like: 'L%' } }).toArray());
    await step(`duplicate by insert one ${time}`, () =>
      users.insertOne({ _id: 300, email: 'eve@example.org', by: 'insert one' }),
    );
    await step(`duplicate by update ${time}`, () =>
      users.updateOne({ _id: 1 }, { $set: { email: 'eve@example.org' } }),
    );
    await step(`duplicate by find and update ${time}`, () =>
      users.findOneAndUpdate({ _id: 1 }, { $set: { email: 'eve@example.org' } }),
    );
  }
}

function bound(session: NodeSession): { step: NodeSession['step'] } {
  return { step: session.step.bind(session) };
}

/** Their order is not the server's promise. */
function names(list: readonly { readonly name?: unknown }[]): string[] {
  return list.map(({ name }) => String(name)).sort();
}

/** What a person writes has the shape of what the driver sends for it. */
import { BSON, type Db, MongoClient } from 'mongodb';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { commandText } from '../../../adapters/mongodb/command-text.js';
import { createMongoShaper } from '../../../adapters/mongodb/shape.js';
import { defaultLexicalOptions } from '../../../src/core/verdict.js';
import type { TestDatabase } from '../../servers/database.js';
import { createMongoDatabase } from '../../servers/mongodb-database.js';
import { describeEachMongo } from '../../support/mongodb-servers.js';

const shaper = createMongoShaper();
const shapesOf = (text: string): string[] =>
  shaper.shape(text, defaultLexicalOptions, false).statements.map((one) => one.shape);

const calls = [
  'db.collection("users").insertOne({ name: "a", age: 5 })',
  'db.collection("users").insertMany([{ name: "a", age: 5 }, { name: "b", tags: ["x"] }], { ordered: false })',
  'db.collection("users").find({ age: { $gt: 1 } }).sort({ name: 1 }).limit(5).skip(1).project({ name: 1, _id: 0 }).toArray()',
  'db.collection("users").find({ age: { $gt: 1.5 } }, { projection: { name: 1 }, sort: { age: -1 } }).toArray()',
  'db.collection("users").findOne({ name: /a/i })',
  'db.collection("users").updateOne({ name: "a" }, { $set: { age: 6 } })',
  'db.collection("users").updateMany({ name: "a" }, { $set: { age: 6 } }, { upsert: true })',
  'db.collection("users").updateOne({ name: "a" }, [{ $set: { age: { $add: ["$age", 1] } } }])',
  'db.collection("users").replaceOne({ name: "a" }, { name: "b", age: 1 }, { upsert: true })',
  'db.collection("users").deleteOne({ name: "zz" })',
  'db.collection("users").deleteMany({ name: { $in: ["q", "r"] } })',
  'db.collection("users").findOneAndUpdate({ name: "a" }, { $inc: { age: 1 } }, { returnDocument: "after", sort: { age: 1 } })',
  'db.collection("users").findOneAndReplace({ name: "a" }, { name: "c" })',
  'db.collection("users").findOneAndDelete({ name: "c" })',
  'db.collection("users").countDocuments({ age: { $gt: 1 } })',
  'db.collection("users").countDocuments()',
  'db.collection("users").estimatedDocumentCount()',
  'db.collection("users").distinct("name", { age: { $gt: 1 } })',
  'db.collection("users").aggregate([{ $match: { age: 1 } }, { $group: { _id: "$name", n: { $sum: 1 } } }]).toArray()',
  'db.collection("users").createIndex({ name: 1, age: -1 })',
  'db.collection("users").createIndexes([{ key: { tags: 1 }, name: "t" }])',
  'db.collection("users").dropIndex("t")',
  'db.collection("users").indexes()',
  'db.collection("users").bulkWrite([{ insertOne: { document: { name: "z" } } }, { updateMany: { filter: {}, update: { $set: { age: 1 } } } }, { deleteOne: { filter: { name: "z" } } }], { ordered: false })',
  'db.createCollection("made", { capped: false })',
  'db.collection("made").drop()',
  'db.command({ ping: 1 })',
  'db.listCollections().toArray()',
];

describeEachMongo('shapes of calls', (server) => {
  let database: TestDatabase;
  let client: MongoClient;
  let sent: object[] = [];

  beforeAll(async () => {
    database = await createMongoDatabase(server.url);
    client = new MongoClient(database.url, { monitorCommands: true });
    client.on('commandStarted', ({ command }) => sent.push(command));
    await client.connect();
  });

  afterAll(async () => {
    await client.close();
    await database.drop();
  });

  it.each(calls)('%s', async (call) => {
    sent = [];
    const run = new Function('db', `return ${call}`) as (db: Db) => Promise<unknown>;
    await run(client.db());
    const onTheWire = sent.flatMap((command) => {
      const body = Buffer.from(BSON.serialize(command, { ignoreUndefined: true }));
      const kept = { body, start: 0, end: body.length, sequences: [], operation: null, isTruncated: false };
      return shapesOf(commandText(kept).text);
    });
    expect(onTheWire.length).toBeGreaterThan(0);
    expect(shapesOf(call)).toEqual(onTheWire);
  });
});

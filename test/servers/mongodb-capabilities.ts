/** What a server that speaks MongoDB's protocol can do: asked of it by doing it once, not assumed from its name. */
import { randomBytes } from 'node:crypto';
import { type Db, type Document, MongoClient } from 'mongodb';
import { msgFlag, opMsg } from '../support/mongodb-messages.js';
import { RawMongo } from '../support/raw-mongodb.js';

export interface MongoCapabilities {
  readonly version: string;
  readonly isFerret: boolean;
  readonly hasTransactions: boolean;
  readonly hasChangeStreams: boolean;
  /** A document that breaks a `$jsonSchema` validator, set by collMod, is refused; the code is 121 on MongoDB. */
  readonly hasValidators: boolean;
  /** The command `bulkWrite`, of MongoDB 8.0 and later. */
  readonly hasBulkWriteCommand: boolean;
  /** Fail points (`configureFailPoint`), for servers started with test commands. */
  readonly hasFailPoints: boolean;
  /** Sends no reply to a request with moreToCome, as the protocol has it; FerretDB sends one. */
  readonly hasUnacknowledgedWrites: boolean;
  /** Member of a replica set, or a mongos. */
  readonly hasTopology: boolean;
  /** Compressors it agrees to, of those the drivers know. */
  readonly compressors: readonly string[];
}

const offered = ['snappy', 'zlib', 'zstd'];

/** Rejects when the server does not answer; makes a database of its own and drops it. */
export async function askMongo(url: string): Promise<MongoCapabilities> {
  const client = new MongoClient(url, { serverSelectionTimeoutMS: 10_000 });
  const database = client.db(`twiceshy_${randomBytes(6).toString('hex')}`);
  const admin = client.db('admin');
  try {
    const info = await admin.command({ buildInfo: 1 });
    const hello = await admin.command({ hello: 1, compression: offered });
    return {
      version: String(info['version']),
      isFerret: 'ferretdb' in info,
      hasTransactions: await works(() => commitOne(client, database)),
      hasChangeStreams: await works(() => openChangeStream(database)),
      hasValidators: !(await works(() => breakValidator(database))),
      hasBulkWriteCommand: await works(() => bulkWriteOne(admin, database.databaseName)),
      hasFailPoints: await works(() =>
        admin.command({ configureFailPoint: 'failCommand', mode: 'off', data: { failCommands: [] } }),
      ),
      hasUnacknowledgedWrites: await isSilent(url, database.databaseName),
      hasTopology: 'setName' in hello || hello['msg'] === 'isdbgrid',
      compressors: compressorsIn(hello),
    };
  } finally {
    await database.dropDatabase().catch(() => undefined);
    await client.close();
  }
}

function compressorsIn(hello: Document): string[] {
  const list: unknown = hello['compression'];
  return Array.isArray(list) ? list.map(String) : [];
}

async function commitOne(client: MongoClient, database: Db): Promise<void> {
  await database.createCollection('transactions').catch(() => undefined);
  await client.withSession(async (session) => {
    session.startTransaction();
    await database.collection('transactions').insertOne({ a: 1 }, { session });
    await session.commitTransaction();
  });
}

async function openChangeStream(database: Db): Promise<void> {
  const { cursor } = await database.command({
    aggregate: 'changes',
    pipeline: [{ $changeStream: {} }],
    cursor: {},
  });
  await database.command({ killCursors: 'changes', cursors: [cursor.id] });
}

async function breakValidator(database: Db): Promise<void> {
  const validator = { $jsonSchema: { bsonType: 'object', required: ['a'] } };
  await database.createCollection('validated');
  await database.command({ collMod: 'validated', validator });
  await database.collection('validated').insertOne({ b: 1 });
}

/** Whether the first reply after a write with moreToCome is that to the request behind it. */
async function isSilent(url: string, database: string): Promise<boolean> {
  const session = await RawMongo.open(url);
  try {
    const write = {
      insert: 'unacknowledged',
      documents: [{ _id: 1 }],
      writeConcern: { w: 0 },
      $db: database,
    };
    const [first, second] = [session.nextRequestId(), session.nextRequestId()];
    await session.send(
      opMsg(write, { requestId: first, flags: msgFlag.moreToCome }),
      opMsg({ ping: 1, $db: database }, { requestId: second }),
    );
    return (await session.message()).responseTo === second;
  } finally {
    session.close();
  }
}

async function bulkWriteOne(admin: Db, database: string): Promise<void> {
  await admin.command({
    bulkWrite: 1,
    ops: [{ insert: 0, document: { a: 1 } }],
    nsInfo: [{ ns: `${database}.bulk` }],
  });
}

async function works(attempt: () => Promise<unknown>): Promise<boolean> {
  try {
    await attempt();
    return true;
  } catch {
    return false;
  }
}

/**
 * The demonstration on a MongoDB server of the user's, or one that speaks like it: there is none that comes along.
 * Everything happens in a database of its own, dropped at the end.
 */
import { randomBytes } from 'node:crypto';
import { type Db, type Document, MongoClient, MongoServerError } from 'mongodb';
import { adapterFor } from '../../app.js';
import { TwiceshyError } from '../../core/errors.js';
import { visible } from '../memory-output.js';
import { mongodbScenes } from './script.js';
import { type DemoAnswer, type DemoClient, type DemoStage, labelled } from './stage.js';

export async function openMongodbStage(url: string): Promise<DemoStage> {
  if (adapterFor(url)?.name !== 'mongodb') {
    throw new TwiceshyError('USAGE', '--mongodb: expected a URL such as mongodb://user@host:27017');
  }
  const database = `twiceshy_demo_${randomBytes(4).toString('hex')}`;
  const owner = await connect(new URL(url)).catch((cause: unknown) => {
    const reason = cause instanceof Error ? visible(cause.message) : 'unknown reason';
    throw new TwiceshyError('DEMO_FAILED', `--mongodb: the server cannot be reached: ${reason}`, { cause });
  });
  const db = owner.db(database);
  const close = async () => {
    await db.dropDatabase();
    await owner.close();
  };
  try {
    await db.collection('users').createIndex({ email: 1 }, { unique: true });
    await db.collection('users').insertOne({ email: 'ada@example.org', name: 'Ada' });
    await db.collection('orders').insertOne({ user: 'ada@example.org', total: 12 });
    const server = await describeServer(db);
    const inDatabase = new URL(url);
    // Where it says nothing, the account is one of the server's own.
    if (!inDatabase.searchParams.has('authSource') && inDatabase.username !== '') {
      inDatabase.searchParams.set('authSource', inDatabase.pathname.slice(1) || 'admin');
    }
    inDatabase.pathname = `/${database}`;
    return {
      server,
      url: inDatabase.href,
      scenes: mongodbScenes,
      connect: async ({ host, port }) => {
        const proxied = new URL(inDatabase);
        proxied.host = host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
        return clientOf(await connect(proxied), database);
      },
      close,
    };
  } catch (cause) {
    await close().catch(() => undefined);
    if (!(cause instanceof MongoServerError)) throw cause;
    const said = visible(cause.message);
    throw new TwiceshyError('DEMO_FAILED', `--mongodb: a database of its own cannot be made: ${said}`, {
      cause,
    });
  }
}

function connect(url: URL): Promise<MongoClient> {
  return new MongoClient(url.href, { serverSelectionTimeoutMS: 5_000 }).connect();
}

async function describeServer(db: Db): Promise<string> {
  const { version, ferretdb } = await db.command({ buildInfo: 1 });
  return ferretdb === undefined ? `MongoDB ${version}` : `FerretDB (as MongoDB ${version})`;
}

function clientOf(client: MongoClient, database: string): DemoClient {
  return {
    ask: (text) => answerOf(client.db(database), JSON.parse(text) as Document),
    end: () => client.close(),
  };
}

async function answerOf(db: Db, command: Document): Promise<DemoAnswer> {
  try {
    const { ok, n, nModified, writeErrors, cursor } = await db.command(command);
    const [refused] = (writeErrors ?? []) as readonly { readonly code: number; readonly errmsg: string }[];
    if (refused !== undefined) return refusal(refused.code, refused.errmsg);
    const documents = ((cursor as Document | undefined)?.['firstBatch'] ?? []) as readonly Document[];
    const counts = JSON.stringify({ n, nModified, ok });
    const lines = cursor === undefined ? [counts] : documents.map((each) => JSON.stringify(each));
    return { isOk: true, errorText: '', lines };
  } catch (error) {
    if (!(error instanceof MongoServerError)) throw error;
    return refusal(Number(error.code), error.errmsg ?? error.message);
  }
}

function refusal(code: number, text: string): DemoAnswer {
  return { isOk: false, errorText: text, lines: labelled(`ERROR ${code}: `, text) };
}

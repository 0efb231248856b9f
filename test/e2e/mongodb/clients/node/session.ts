/**
 * How the battery uses the mongodb package, of whichever major version, and writes down what it got: results, every
 * field of errors, and the replies that the driver's monitoring shows.
 */
import type * as Mongodb from 'mongodb';
import type { Transcript } from '../../../battery/transcript.js';
import { withoutVarying } from '../../battery/plain.js';

/** The package as its major versions share it. */
export type Driver = typeof Mongodb;

type Options = Mongodb.MongoClientOptions;

/** Ids are numbers, so that two runs have the same. */
interface Row {
  _id: number;
  [field: string]: unknown;
}

export const waitMs = 20_000;

export class NodeSession {
  readonly client: Mongodb.MongoClient;
  readonly db: Mongodb.Db;
  private readonly driver: Driver;
  private readonly log: Transcript;
  private seen: unknown[] = [];

  private constructor(driver: Driver, url: string, log: Transcript, options: Options) {
    this.driver = driver;
    this.log = log;
    this.client = new driver.MongoClient(url, {
      monitorCommands: true,
      maxPoolSize: 1,
      serverSelectionTimeoutMS: waitMs,
      ...options,
    });
    this.db = this.client.db();
    this.client.on('commandSucceeded', ({ commandName, reply }) => {
      this.seen.push({ succeeded: commandName, reply });
    });
    this.client.on('commandFailed', ({ commandName, failure }) => {
      this.seen.push({ failed: commandName, failure: this.describeError(failure) });
    });
  }

  /** Opens a client for `work` and closes it, whatever happens. */
  static async with(
    driver: Driver,
    url: string,
    log: Transcript,
    work: (session: NodeSession) => Promise<void>,
    options: Options = {},
  ): Promise<void> {
    const session = new NodeSession(driver, url, log, options);
    try {
      await work(session);
    } finally {
      await session.client.close();
    }
  }

  /** Writes down what `work` gives or throws, and the replies it caused. */
  async step(name: string, work: () => Promise<unknown>): Promise<void> {
    this.seen = [];
    let outcome: Record<string, unknown>;
    try {
      outcome = { value: await work() };
    } catch (error) {
      outcome = { error: this.describeError(error) };
    }
    this.log.add(name, this.plain({ ...outcome, replies: this.seen }));
  }

  collection(name: string): Mongodb.Collection<Row> {
    return this.db.collection(name);
  }

  /** All that a program can read of an error, but its stack. */
  describeError(error: unknown): Record<string, unknown> {
    if (!(error instanceof Error)) return { thrown: error };
    const { stack: _, ...fields } = Object.fromEntries(Object.entries(error));
    const own = error as Error & Record<string, unknown>;
    return {
      name: error.name,
      message: error.message,
      code: own['code'],
      labels: own['errorLabels'],
      counts: countsOf(own['result']),
      ...fields,
      ...(fields['cause'] instanceof Error ? { cause: this.describeError(fields['cause']) } : {}),
      // The driver's own objects and not the server's words.
      connectionGeneration: undefined,
      connection: undefined,
    };
  }

  private plain(value: Record<string, unknown>): Record<string, unknown> {
    const text = this.driver.BSON.EJSON.stringify(value, { relaxed: true });
    return withoutVarying(JSON.parse(text)) as Record<string, unknown>;
  }
}

/** Of a bulk write; the driver keeps them behind getters. */
function countsOf(result: unknown): unknown {
  if (typeof result !== 'object' || result === null || !('insertedCount' in result)) return undefined;
  const names = ['insertedCount', 'matchedCount', 'modifiedCount', 'deletedCount', 'upsertedCount'];
  return names.map((name) => (result as Record<string, unknown>)[name]);
}

/** A session that runs commands and tells, for each, what the proxy had to say about it. */
import { type Db, type Document, MongoClient, type MongoClientOptions } from 'mongodb';
import { noteIn } from '../../support/leaks.js';

/** null where the command ran; '' where it failed and nothing was said; else the note. */
export type Told = string | null;

export class Asking {
  readonly client: MongoClient;
  readonly db: Db;

  private constructor(client: MongoClient) {
    this.client = client;
    this.db = client.db();
  }

  /** One connection for all commands, so that they are one session of the proxy. */
  static async open(url: string, options: MongoClientOptions = {}): Promise<Asking> {
    const client = new MongoClient(url, { maxPoolSize: 1, serverSelectionTimeoutMS: 20_000, ...options });
    await client.connect();
    return new Asking(client);
  }

  async ask(...commands: readonly Document[]): Promise<Told[]> {
    const told: Told[] = [];
    for (const command of commands) told.push(await this.tell(command));
    return told;
  }

  async tell(command: Document, db: Db = this.db): Promise<Told> {
    return noteOf(await answerTo(db, command));
  }

  end(): Promise<void> {
    return this.client.close();
  }
}

/** The commands in a session of their own. */
export async function ask(url: string, ...commands: readonly Document[]): Promise<Told[]> {
  const session = await Asking.open(url);
  try {
    return await session.ask(...commands);
  } finally {
    await session.end();
  }
}

/** The whole reply, of success or failure. */
export async function answerTo(db: Db, command: Document): Promise<Document> {
  try {
    return await db.command(command);
  } catch (error) {
    const reply = (error as { errorResponse?: Document }).errorResponse;
    if (reply === undefined) throw error;
    return reply;
  }
}

/** Of the first failure that the reply declares. */
function noteOf(reply: Document): Told {
  const [first] = (reply['writeErrors'] ?? []) as Document[];
  const failed = first ?? (Number(reply['ok']) === 1 ? undefined : reply);
  if (failed === undefined) return null;
  return noteIn(String(failed['note'] ?? '')) ?? '';
}

/** What an agent reads at the end of the message of the first failure; '' without one. */
export function suffixOf(reply: Document): string {
  const [first = reply] = (reply['writeErrors'] ?? []) as Document[];
  return noteIn(String(first['errmsg'] ?? '')) ?? '';
}

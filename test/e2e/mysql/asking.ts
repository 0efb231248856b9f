/** Sessions of a client library that asks and writes down what it was told: the note, '' without one, null on success. */
import { type Connection, type ConnectionOptions, createConnection } from 'mysql2/promise';
import { noteIn } from '../../support/leaks.js';

export type Told = string | null;

export class Asking {
  readonly connection: Connection;

  private constructor(connection: Connection) {
    this.connection = connection;
  }

  static async open(url: string, options: ConnectionOptions = {}): Promise<Asking> {
    const connection = await createConnection({ uri: url, multipleStatements: true, ...options });
    connection.on('error', () => {});
    return new Asking(connection);
  }

  /** Each as a text, one after the other. */
  async ask(...texts: readonly string[]): Promise<Told[]> {
    const told: Told[] = [];
    for (const text of texts) told.push(await toldBy(this.connection.query(text)));
    return told;
  }

  prepared(text: string, values: string[] = []): Promise<Told> {
    return toldBy(this.connection.execute(text, values));
  }

  /** For what must succeed. */
  async run(...texts: readonly string[]): Promise<void> {
    for (const text of texts) await this.connection.query(text);
  }

  end(): Promise<void> {
    return this.connection.end();
  }
}

/** What one new session is told. */
export async function ask(url: string, ...texts: readonly string[]): Promise<Told[]> {
  const session = await Asking.open(url);
  try {
    return await session.ask(...texts);
  } finally {
    await session.end();
  }
}

/** What a client is told by the outcome of a statement; rejects when it failed by anything but the server's refusal. */
export async function toldBy(statement: Promise<unknown>): Promise<Told> {
  try {
    await statement;
    return null;
  } catch (error) {
    if (typeof (error as { errno?: unknown }).errno !== 'number') throw error;
    return noteIn((error as Error).message) ?? '';
  }
}

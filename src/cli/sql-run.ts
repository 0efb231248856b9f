/** One SQL statement on a MongoDB database, through the memory. */
import { text as readAll } from 'node:stream/consumers';
import { EJSON } from 'bson';
import { MongoClient } from 'mongodb';
import { adapterFor } from '../app.js';
import { TwiceshyError } from '../core/errors.js';
import { type DocumentSql, openSql, SqlRefusedError, type SqlResult } from '../mongodb.js';
import { toJson, visible } from './memory-output.js';
import { print } from './output.js';

export interface SqlOptions {
  readonly mongodb?: string;
  readonly memory: string;
  readonly param: readonly string[];
  readonly name?: string;
  readonly json?: boolean;
}

const connectTimeoutMs = 10_000;

export async function runSql(sql: string, options: SqlOptions): Promise<void> {
  const url = options.mongodb ?? process.env['TWICESHY_MONGODB_URL'] ?? '';
  if (adapterFor(url)?.name !== 'mongodb') {
    throw new TwiceshyError(
      'USAGE',
      '--mongodb: expected a URL such as mongodb://user@host:27017/shop, here or in TWICESHY_MONGODB_URL',
    );
  }
  const text = sql === '-' ? await readAll(process.stdin) : sql;
  const client = await connect(url);
  try {
    const { memory, name } = options;
    const db = await openSql(client.db(), {
      ...{ memory, application: 'twiceshy sql', audience: 'application' },
      ...(name !== undefined && { upstream: name }),
    });
    try {
      await runOn(db, text, options);
    } finally {
      await db.close();
    }
  } finally {
    await client.close();
  }
}

async function runOn(db: DocumentSql, text: string, options: SqlOptions): Promise<void> {
  try {
    const result = await db.sql(text, options.param.map(parameterOf));
    if (options.json === true) print(EJSON.stringify(result, { relaxed: true }));
    else printResult(result);
  } catch (error) {
    const failure = failureOf(error);
    if (failure === null) throw error;
    if (options.json === true) print(toJson({ error: failure }));
    const { code, message, note, position } = failure;
    const place = position === undefined ? '' : ` (at character ${position})`;
    const lines = [`${code}: ${visible(message)}${place}`, ...(note === null ? [] : [note])];
    throw new TwiceshyError('STATEMENT_FAILED', lines.join('\n'), { cause: error });
  }
}

function printResult(result: SqlResult): void {
  if (result.kind === 'count') print(`${result.count} document${result.count === 1 ? '' : 's'}`);
  else for (const row of result.rows) print(EJSON.stringify(row, { relaxed: true }));
}

interface Failure {
  readonly code: string;
  readonly message: string;
  readonly note: string | null;
  /** 1-based, in characters of the statement. */
  readonly position?: number;
}

/** What there is to say of a refusal, or of an error that the server sent; null for anything else. */
function failureOf(error: unknown): Failure | null {
  if (error instanceof SqlRefusedError) {
    const { code, message, position, note } = error;
    return { code, message, note, ...(position !== null && { position }) };
  }
  if (!(error instanceof Error) || !error.name.startsWith('Mongo')) return null;
  const { code, note } = error as { readonly code?: unknown; readonly note?: unknown };
  return {
    code: code === undefined ? error.name : String(code),
    message: error.message,
    note: typeof note === 'string' ? note : null,
  };
}

/** `30`, `"30"`, `{"$date": …}`; what is no JSON is text. */
function parameterOf(written: string): unknown {
  try {
    return EJSON.parse(written, { relaxed: true });
  } catch {
    return written;
  }
}

/** The driver's own words quote hosts, never passwords; the URL is not repeated. */
async function connect(url: string): Promise<MongoClient> {
  try {
    return await new MongoClient(url, { serverSelectionTimeoutMS: connectTimeoutMs }).connect();
  } catch (cause) {
    const reason = cause instanceof Error ? visible(cause.message) : 'unknown reason';
    throw new TwiceshyError('UPSTREAM_UNREACHABLE', `The server cannot be reached: ${reason}`, { cause });
  }
}

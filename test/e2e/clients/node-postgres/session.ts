/** How the node-postgres battery connects, asks and writes down what it got. */
import pg from 'pg';
import { until } from '../../../support/until.js';
import { type ErrorEntry, errorFields, type Transcript } from '../../battery/transcript.js';

export const waitMs = 20_000;

export async function connect(
  url: string,
  log: Transcript,
  options: pg.ClientConfig = {},
): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url, ...options });
  client.on('notice', (notice) => log.add('notice', { notice: describeError(notice) }));
  await client.connect();
  return client;
}

export function describeError(error: unknown): ErrorEntry | { readonly other: string } {
  const fields = error as Readonly<Record<string, unknown>>;
  if (typeof fields['severity'] !== 'string')
    return { other: error instanceof Error ? error.message : String(error) };
  return Object.fromEntries(errorFields.map((name) => [name, fields[name] ?? null])) as unknown as ErrorEntry;
}

export function attempt(
  client: pg.Client,
  log: Transcript,
  step: string,
  query: string | pg.QueryConfig,
): Promise<void> {
  const work = async (): Promise<unknown> => answers(await client.query(query));
  return log.attempt(step, work, describeError, () => transactionStatus(client));
}

/** An error settles its query before the ReadyForQuery that carries the status has been read. */
export async function transactionStatus(client: pg.Client): Promise<unknown> {
  const isReady = (): boolean => (client as unknown as { readyForQuery: boolean }).readyForQuery;
  await until(isReady, waitMs, 'ReadyForQuery');
  return client.getTransactionStatus();
}

export function answers(result: pg.QueryResult | pg.QueryResult[]): unknown {
  return [result].flat().map((one) => ({
    command: one.command,
    count: one.rowCount,
    columns: one.fields.map((field) => `${field.name}:${field.dataTypeID}:${field.format}`),
    rows: one.rows,
  }));
}

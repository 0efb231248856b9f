/** How the mysql2 battery connects, asks and writes down what it got. */
import mysql from 'mysql2';
import type { Connection, ConnectionOptions, FieldPacket } from 'mysql2/promise';
import { createConnection } from 'mysql2/promise';
import type { Transcript } from '../../../battery/transcript.js';

export const waitMs = 20_000;

export function connect(url: string, options: ConnectionOptions = {}): Promise<Connection> {
  return createConnection({ uri: url, ...options });
}

/** The callback interface of the same client. */
export function connectWithCallbacks(
  url: string,
  options: ConnectionOptions = {},
): Promise<mysql.Connection> {
  const connection = mysql.createConnection({ uri: url, ...options });
  return new Promise((resolve, reject) => {
    connection.connect((error) => (error === null ? resolve(connection) : reject(error)));
  });
}

export function describeError(error: unknown): unknown {
  const { errno, code, sqlState, message, sqlMessage, fatal } = error as Record<string, unknown>;
  if (typeof errno !== 'number') return { other: String(message ?? error) };
  return { errno, code, sqlState, message, sqlMessage, fatal };
}

/** What a result is made of, without the way the client parsed it. */
export function describeResult(result: unknown, fields: unknown): unknown {
  if (!Array.isArray(result)) return result;
  const isSeveral = Array.isArray(fields) && fields.some((one) => Array.isArray(one) || one === undefined);
  if (isSeveral) return result.map((one, index) => describeResult(one, (fields as unknown[])[index]));
  return { columns: describeColumns(fields), rows: result };
}

function describeColumns(fields: unknown): unknown {
  return (fields as FieldPacket[] | undefined)?.map((field) => {
    const { name, orgName, table, orgTable, columnType, columnLength, characterSet, flags, decimals } = field;
    return { name, orgName, table, orgTable, columnType, columnLength, characterSet, flags, decimals };
  });
}

/** One statement by text or prepared, with the status flags of the session after it. */
export async function attempt(
  connection: Connection,
  log: Transcript,
  step: string,
  sql: string,
  options: { isPrepared?: boolean; values?: readonly unknown[] } = {},
): Promise<void> {
  const values = options.values as string[] | undefined;
  const work = async (): Promise<unknown> => {
    const [result, fields] =
      options.isPrepared === true
        ? await connection.execute(sql, values)
        : await connection.query(sql, values);
    return describeResult(result, fields);
  };
  await log.attempt(step, work, describeError, () => statusFlags(connection));
}

/** SERVER_STATUS_IN_TRANS and its like, as an OK packet carries them. */
async function statusFlags(connection: Connection): Promise<unknown> {
  try {
    const [result] = await connection.query('do 0');
    return (result as { serverStatus: number }).serverStatus;
  } catch (error) {
    return describeError(error);
  }
}

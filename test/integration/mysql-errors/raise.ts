/** What a real server answers to a statement that it refuses. */
import type { Connection } from 'mysql2/promise';

export interface RaisedError {
  readonly code: string;
  readonly sqlState: string;
  readonly message: string;
}

interface DriverError {
  readonly errno?: number;
  readonly sqlState?: string;
  readonly sqlMessage?: string;
}

/** Runs `statement`, which must fail on the server. */
export async function raisedBy(connection: Connection, statement: string): Promise<RaisedError> {
  try {
    await connection.query(statement);
  } catch (error) {
    const { errno, sqlState, sqlMessage } = error as DriverError;
    if (errno === undefined || sqlMessage === undefined) throw error;
    return { code: String(errno), sqlState: sqlState ?? '', message: sqlMessage };
  }
  throw new Error(`The server took what it should refuse: ${statement}`);
}

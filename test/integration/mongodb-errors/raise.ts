/** What a real server answers to a command that it refuses, as the observer would read it from the reply. */
import { type Db, type Document, MongoServerError } from 'mongodb';
import { serverError } from '../../../adapters/mongodb/error-fields.js';
import type { ServerError } from '../../../src/core/verdict.js';

interface ErrorDocument {
  readonly code?: number;
  readonly codeName?: string;
  readonly errmsg?: string;
  readonly errorLabels?: readonly string[];
  readonly keyPattern?: Readonly<Record<string, unknown>>;
  readonly index?: number;
}

export interface RaisedError {
  /** What the server sent as `code`. */
  readonly sent: number | undefined;
  readonly error: ServerError;
  /** Which of the command's operations failed; null for the command. */
  readonly operation: number | null;
}

/** Runs `command`, which must fail on the server: as a whole, or the first of its writes that does. */
export async function raisedBy(database: Db, command: Document): Promise<RaisedError> {
  const [declared, isWrite] = await declaredBy(database, command);
  return {
    sent: declared.code,
    error: serverError({
      code: declared.code ?? null,
      codeName: declared.codeName ?? null,
      errmsg: declared.errmsg ?? '',
      labels: declared.errorLabels ?? [],
      keyPattern: Object.keys(declared.keyPattern ?? {}),
    }),
    operation: isWrite ? (declared.index ?? 0) : null,
  };
}

async function declaredBy(database: Db, command: Document): Promise<readonly [ErrorDocument, boolean]> {
  let reply: Document;
  try {
    reply = await database.command(command);
  } catch (error) {
    if (!(error instanceof MongoServerError)) throw error;
    return [error.errorResponse as ErrorDocument, false];
  }
  const [first] = (reply['writeErrors'] ?? []) as ErrorDocument[];
  const declared = first ?? (reply['writeConcernError'] as ErrorDocument | undefined);
  if (declared === undefined)
    throw new Error(`The server took what it should refuse: ${JSON.stringify(command)}`);
  return [declared, first !== undefined];
}

/** The command in an OP_QUERY: a query on a database's `$cmd`, wrapped in `$query` where the client sends more with it. */
import { BsonCursor } from './bson/cursor.js';
import { decodeOpQuery } from './messages/op-query.js';

export interface QueryCommand {
  readonly database: string;
  /** The command document. */
  readonly start: number;
  readonly end: number;
}

const commandCollection = '.$cmd';

/** `bytes[start, end)` is the message. Null where it is malformed, 'query' where it asks for documents of a collection. */
export function readQueryCommand(bytes: Buffer, start: number, end: number): QueryCommand | 'query' | null {
  const query = decodeOpQuery(bytes, start, end);
  if (query === null) return null;
  const cursor = new BsonCursor();
  if (!cursor.open(bytes, query.start, query.end)) return null;
  const { fullCollectionName: name } = query;
  if (!name.endsWith(commandCollection)) return 'query';
  const database = name.slice(0, -commandCollection.length);
  const isWrapped = cursor.next() && cursor.isContainer && (cursor.isKey('$query') || cursor.isKey('query'));
  if (isWrapped && cursor.enter(cursor)) return { database, start: cursor.start, end: cursor.end };
  return { database, start: query.start, end: query.end };
}

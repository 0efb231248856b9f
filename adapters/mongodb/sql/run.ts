/** Runs what was compiled, on the part of the MongoDB driver's `Db` that it takes. Errors are the driver's own. */
import type { SqlCommand, SqlDocument } from './compiled.js';

interface Cursor {
  toArray(): Promise<unknown[]>;
}

interface SqlCollection {
  find(filter: object, options: object): Cursor;
  aggregate(pipeline: object[], options: object): Cursor;
  insertMany(documents: object[], options: object): Promise<{ readonly insertedCount: number }>;
  updateMany(
    filter: object,
    update: object | object[],
    options: object,
  ): Promise<{ readonly matchedCount: number }>;
  deleteMany(filter: object, options: object): Promise<{ readonly deletedCount: number }>;
}

/** A `Db` of the package mongodb is one. */
export interface SqlDatabase {
  collection(name: string): SqlCollection;
}

export type SqlResult =
  | { readonly kind: 'rows'; readonly columns: readonly string[] | null; readonly rows: SqlDocument[] }
  /** Documents inserted or deleted, or matched by an update. */
  | { readonly kind: 'count'; readonly count: number };

/** `options` go to the driver as they are, such as `session` and `maxTimeMS`. */
export async function runCompiled(
  db: SqlDatabase,
  command: SqlCommand,
  options: object = {},
): Promise<SqlResult> {
  const collection = db.collection(command.collection);
  switch (command.operation) {
    case 'find': {
      const { filter, sort, skip, limit } = command;
      const bounds = {
        ...(sort === null ? {} : { sort }),
        ...(skip === null ? {} : { skip }),
        ...(limit === null ? {} : { limit }),
      };
      return rowsOf(command, await collection.find(filter, { ...options, ...bounds }).toArray());
    }
    case 'aggregate':
      return rowsOf(command, await collection.aggregate([...command.pipeline], options).toArray());
    case 'insertMany':
      return counted((await collection.insertMany([...command.documents], options)).insertedCount);
    case 'updateMany':
      return counted((await collection.updateMany(command.filter, command.update, options)).matchedCount);
    case 'deleteMany':
      return counted((await collection.deleteMany(command.filter, options)).deletedCount);
  }
}

function rowsOf({ columns }: SqlCommand, found: unknown[]): SqlResult {
  const rows = found as SqlDocument[];
  return { kind: 'rows', columns, rows: columns === null ? rows : rows.map((row) => inOrder(row, columns)) };
}

/** Servers put `_id` first, and what is worked out where they like. */
function inOrder(row: SqlDocument, columns: readonly string[]): SqlDocument {
  const keys = Object.keys(row);
  if (keys.every((key, index) => key === columns[index])) return row;
  return Object.fromEntries(columns.map((column) => [column, row[column]]));
}

function counted(count: number): SqlResult {
  return { kind: 'count', count };
}

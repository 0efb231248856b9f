/**
 * What the top-level elements of a reply's body say of its command (MongoDB manual, "Database Commands", "Response"): walked
 * once for every reply, in place. Positions are kept, values are read by who needs them.
 */
import { BsonCursor } from './bson/cursor.js';
import { bsonType } from './bson/types.js';

/** Where a value lies; `start` is -1 where the reply has none. */
export interface Place {
  start: number;
  end: number;
}

export class ReplyBody {
  readonly #cursor = new BsonCursor();
  bytes: Buffer = Buffer.alloc(0);
  /** The body, as [start, end). */
  start = 0;
  end = 0;
  /** An `ok` that is not true, or the `$err` of a query that failed. */
  isFailed = false;
  /** Failed operations of a bulkWrite; -1 where the reply does not say. */
  errorCount = -1;
  /** The conversation of an authentication is over. */
  isDone = false;
  hasSpeculativeAuthenticate = false;
  readonly writeErrors: Place = { start: -1, end: -1 };
  readonly writeConcernError: Place = { start: -1, end: -1 };
  readonly errorLabels: Place = { start: -1, end: -1 };
  readonly resultCursor: Place = { start: -1, end: -1 };

  /** False where `bytes[start, end)` is no document. */
  read(bytes: Buffer, start: number, end: number): boolean {
    this.#reset(bytes, start);
    const cursor = this.#cursor;
    if (!cursor.open(bytes, start, end)) return false;
    this.end = cursor.end;
    while (cursor.next()) this.#element(cursor);
    return !cursor.isMalformed;
  }

  /** Nothing is known of the reply but that it came. */
  readNothing(): void {
    this.#reset(emptyDocument, 0);
    this.end = emptyDocument.length;
  }

  #reset(bytes: Buffer, start: number): void {
    this.bytes = bytes;
    this.start = start;
    this.end = start;
    this.isFailed = false;
    this.errorCount = -1;
    this.isDone = false;
    this.hasSpeculativeAuthenticate = false;
    this.writeErrors.start = -1;
    this.writeConcernError.start = -1;
    this.errorLabels.start = -1;
    this.resultCursor.start = -1;
  }

  #element(cursor: BsonCursor): void {
    switch (cursor.keyEnd - cursor.keyStart) {
      case 2:
        if (cursor.isKey('ok') && cursor.number() === 0) this.isFailed = true;
        break;
      case 4:
        if (cursor.isKey('$err')) this.isFailed = true;
        else if (cursor.isKey('done')) this.isDone = cursor.number() === 1;
        break;
      case 6:
        if (cursor.type === bsonType.document && cursor.isKey('cursor')) place(this.resultCursor, cursor);
        break;
      case 7:
        if (cursor.isKey('nErrors')) this.errorCount = cursor.number();
        break;
      case 11:
        if (cursor.type !== bsonType.array) break;
        if (cursor.isKey('writeErrors')) place(this.writeErrors, cursor);
        else if (cursor.isKey('errorLabels')) place(this.errorLabels, cursor);
        break;
      case 17:
        if (cursor.type === bsonType.document && cursor.isKey('writeConcernError'))
          place(this.writeConcernError, cursor);
        break;
      case 23:
        if (cursor.isKey('speculativeAuthenticate')) this.hasSpeculativeAuthenticate = true;
        break;
      default:
    }
  }
}

const emptyDocument = Buffer.from([5, 0, 0, 0, 0]);

function place(into: Place, cursor: BsonCursor): void {
  into.start = cursor.valueStart;
  into.end = cursor.valueEnd;
}

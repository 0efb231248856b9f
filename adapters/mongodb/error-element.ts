/** Reads the document that declares one failure: the reply itself, an element of `writeErrors`, a `writeConcernError`. */
import { limits } from '../../src/core/limits.js';
import { BsonCursor } from './bson/cursor.js';
import { bsonType } from './bson/types.js';
import type { ErrorReply } from './error-fields.js';

/** Which operation of the command failed, where the element says so (`index` of writeErrors, `idx` of bulkWrite). */
export interface ErrorElement extends ErrorReply {
  readonly operation: number | null;
}

const maxLabels = 16;
const maxKeyFields = 32;
const maxNameBytes = 256;

/** `bytes[start, end)` is the document; `labels` are those of the reply around it. Null where it is malformed. */
export function readErrorElement(
  bytes: Buffer,
  start: number,
  end: number,
  labels: readonly string[],
): ErrorElement | null {
  const cursor = new BsonCursor();
  if (!cursor.open(bytes, start, end)) return null;
  let code: number | null = null;
  let codeName: string | null = null;
  let errmsg = '';
  let operation: number | null = null;
  let ownLabels: readonly string[] = [];
  let keyPattern: readonly string[] = [];
  while (cursor.next()) {
    if (cursor.isKey('code')) code = integer(cursor);
    else if (cursor.isKey('codeName')) codeName = clipped(cursor, maxNameBytes);
    else if (cursor.isKey('errmsg') || cursor.isKey('$err'))
      errmsg = clipped(cursor, limits.maxErrorFrameBytes) ?? '';
    else if (cursor.isKey('index') || cursor.isKey('idx')) operation = integer(cursor);
    else if (cursor.isKey('errorLabels')) ownLabels = readLabels(bytes, cursor.valueStart, cursor.valueEnd);
    else if (cursor.isKey('keyPattern')) keyPattern = readKeys(cursor);
  }
  if (cursor.isMalformed) return null;
  const all = ownLabels.length === 0 ? labels : [...new Set([...labels, ...ownLabels])];
  return { code, codeName, errmsg, labels: all, keyPattern, operation };
}

/** The strings of the array `bytes[start, end)`. */
export function readLabels(bytes: Buffer, start: number, end: number): readonly string[] {
  const labels: string[] = [];
  const cursor = new BsonCursor();
  if (start < 0 || !cursor.open(bytes, start, end)) return labels;
  while (labels.length < maxLabels && cursor.next()) {
    const label = clipped(cursor, maxNameBytes);
    if (label !== null) labels.push(label);
  }
  return labels;
}

function readKeys(element: BsonCursor): readonly string[] {
  const keys: string[] = [];
  const cursor = new BsonCursor();
  if (!element.isContainer || !cursor.enter(element)) return keys;
  while (keys.length < maxKeyFields && cursor.next()) {
    if (cursor.keyEnd - cursor.keyStart <= maxNameBytes) keys.push(cursor.key());
  }
  return keys;
}

function integer(cursor: BsonCursor): number | null {
  const value = cursor.number();
  return Number.isSafeInteger(value) ? value : null;
}

/** The current string, no more than `maxBytes` of it. */
function clipped(cursor: BsonCursor, maxBytes: number): string | null {
  if (cursor.type !== bsonType.string) return null;
  const start = cursor.valueStart + 4;
  return cursor.bytes.toString('utf8', start, Math.min(cursor.valueEnd - 1, start + maxBytes));
}

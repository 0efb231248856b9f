/**
 * Puts notes into a reply: behind `errmsg` after a newline, and as a field `note` at the end of the document that holds
 * the failure. Everything else stays byte for byte; lengths around it and the checksum are put right.
 *
 * An `agent` gets both, the short form in `errmsg`; an `application` the field alone, since programs parse messages. So
 * does everyone where the failure has no code: there it is the message by which drivers know it.
 */
import type { Note } from '../../src/core/notes/note.js';
import type { Audience } from '../../src/core/verdict.js';
import { BsonCursor } from './bson/cursor.js';
import { stringElement } from './bson/elements.js';
import { bsonType } from './bson/types.js';
import { ReplyEdit } from './reply-edit.js';

/** Which document of the reply holds the failure; `position` counts the elements of the array as they stand. */
export type NoteTarget =
  | { readonly kind: 'reply' }
  | { readonly kind: 'writeError'; readonly position: number }
  | { readonly kind: 'writeConcernError' }
  /** An element of `cursor.firstBatch` (bulkWrite). */
  | { readonly kind: 'batchError'; readonly position: number };

/** A document that can take a note: where it is, and where the lengths of what encloses it within the body stand. */
interface Place {
  readonly start: number;
  readonly end: number;
  readonly lengthsAt: readonly number[];
}

const lengthBytes = 4;

/** The notes of one reply. Positions are asked for in ascending order, or found from the start again. */
export class NotePlacement {
  readonly #edit: ReplyEdit | null;
  readonly #noted = new Set<number>();
  /** Goes through the array that was asked for last, and stands on the element of this position. */
  readonly #elements = new BsonCursor();
  #kind: NoteTarget['kind'] | null = null;
  #position = -1;
  #lengthsAt: readonly number[] = [];

  /** `bytes[start, end)`: a whole OP_MSG or OP_REPLY, header included, not compressed. */
  constructor(bytes: Buffer, start: number, end: number) {
    this.#edit = ReplyEdit.open(bytes, start, end);
  }

  /**
   * True: the note will be in what `finish` returns. False: it cannot be, because there is a `note` already, the target
   * is not there, the reply cannot be read (or its checksum is wrong), or it would grow over a bound.
   */
  place(target: NoteTarget, note: Note, audience: Audience): boolean {
    const edit = this.#edit;
    const place = edit === null ? null : this.#find(edit, target);
    if (edit === null || place === null || this.#noted.has(place.start)) return false;
    const document = new BsonCursor();
    let messageEnd = -1;
    let messageAt = -1;
    let hasCode = false;
    document.open(edit.bytes, place.start, place.end);
    while (document.next()) {
      if (document.isKey('note')) return false;
      if (document.isKey('code')) hasCode = true;
      if (messageAt < 0 && document.type === bsonType.string && document.isKey('errmsg')) {
        messageAt = document.valueStart;
        messageEnd = document.valueEnd;
      }
    }
    if (document.isMalformed) return false;
    const field = stringElement('note', note.long);
    const suffix = audience === 'agent' && hasCode && messageAt >= 0 ? Buffer.from(`\n${note.short}`) : null;
    if (!edit.hasRoomFor(field.length + (suffix?.length ?? 0))) return false;
    if (suffix !== null)
      edit.replace(messageEnd - 1, messageEnd - 1, suffix, [...place.lengthsAt, messageAt]);
    edit.replace(place.end - 1, place.end - 1, field, place.lengthsAt);
    this.#noted.add(place.start);
    return true;
  }

  /** The message with all notes that were placed, or null where none was. */
  finish(): Buffer | null {
    const edit = this.#edit;
    return edit?.isChanged ? edit.finish() : null;
  }

  #find(edit: ReplyEdit, target: NoteTarget): Place | null {
    switch (target.kind) {
      case 'reply':
        return { start: edit.bodyStart, end: edit.bodyEnd, lengthsAt: [] };
      case 'writeConcernError':
        return this.#findConcern(edit);
      default:
        return this.#findElement(edit, target.kind, target.position);
    }
  }

  #findConcern(edit: ReplyEdit): Place | null {
    const body = bodyOf(edit);
    if (!goTo(body, 'writeConcernError', bsonType.document)) return null;
    return { start: body.valueStart, end: body.valueEnd, lengthsAt: [body.valueStart] };
  }

  #findElement(edit: ReplyEdit, kind: 'writeError' | 'batchError', position: number): Place | null {
    if (kind !== this.#kind || position < this.#position) this.#openArray(edit, kind);
    const elements = this.#elements;
    while (this.#position < position) {
      if (!elements.next()) return null;
      this.#position += 1;
    }
    if (position < 0 || elements.type !== bsonType.document) return null;
    const { valueStart: start, valueEnd: end } = elements;
    return { start, end, lengthsAt: [...this.#lengthsAt, start] };
  }

  #openArray(edit: ReplyEdit, kind: 'writeError' | 'batchError'): void {
    this.#kind = kind;
    this.#position = -1;
    const around = bodyOf(edit);
    const lengthsAt: number[] = [];
    let isThere = true;
    if (kind === 'batchError') {
      isThere = goTo(around, 'cursor', bsonType.document);
      if (isThere) lengthsAt.push(around.valueStart);
      isThere &&= around.enter(around);
    }
    isThere &&= goTo(around, kind === 'writeError' ? 'writeErrors' : 'firstBatch', bsonType.array);
    if (isThere) lengthsAt.push(around.valueStart);
    this.#lengthsAt = lengthsAt;
    // what is not there has no elements
    const at = isThere ? around.valueStart : edit.bodyEnd - 1;
    this.#elements.open(edit.bytes, at, isThere ? around.valueEnd : at + lengthBytes);
  }
}

function bodyOf(edit: ReplyEdit): BsonCursor {
  const body = new BsonCursor();
  body.open(edit.bytes, edit.bodyStart, edit.bodyEnd);
  return body;
}

/** Moves on to the first element of this key and type. */
function goTo(document: BsonCursor, key: string, type: number): boolean {
  while (document.next()) {
    if (document.type === type && document.isKey(key)) return true;
  }
  return false;
}

/**
 * Puts notes into a reply: behind `errmsg` after a newline, and as a field `note` at the end of the document that holds
 * the failure. Everything else stays byte for byte; lengths around it and the checksum are put right.
 *
 * An `agent` gets both, the short form in `errmsg`; an `application` the field alone, since programs parse messages.
 */
import type { Note } from '../../src/core/notes/note.js';
import type { Audience } from '../../src/core/verdict.js';

/** Which document of the reply holds the failure; `position` counts the elements of the array as they stand. */
export type NoteTarget =
  | { readonly kind: 'reply' }
  | { readonly kind: 'writeError'; readonly position: number }
  | { readonly kind: 'writeConcernError' }
  /** An element of `cursor.firstBatch` (bulkWrite). */
  | { readonly kind: 'batchError'; readonly position: number };

/** The notes of one reply. Positions are asked for in ascending order, or found from the start again. */
export class NotePlacement {
  /** `bytes[start, end)`: a whole OP_MSG or OP_REPLY, header included, not compressed. */
  constructor(bytes: Buffer, start: number, end: number) {
    void bytes;
    void start;
    void end;
  }

  /**
   * True: the note will be in what `finish` returns. False: it cannot be, because there is a `note` already, the target
   * is not there, the reply cannot be read (or its checksum is wrong), or it would grow over a bound.
   */
  place(target: NoteTarget, note: Note, audience: Audience): boolean {
    void target;
    void note;
    void audience;
    throw new Error('to come');
  }

  /** The message with all notes that were placed, or null where none was. */
  finish(): Buffer | null {
    throw new Error('to come');
  }
}

/**
 * Puts a note into an ErrorResponse frame: which fields, by audience, and the splice itself.
 *
 * Agents often show only MESSAGE (node-postgres, pgx), so they get the short form there, after a newline, and the long
 * form in HINT after the server's own. Programs read MESSAGE and DETAIL by position or up to the end (Prisma, Sequelize,
 * sails), so an `application` gets HINT only. Every other byte and the order of fields stay as the server sent them.
 */
import { type Note, notePrefix } from '../../src/core/notes/note.js';
import type { Audience } from '../../src/core/verdict.js';
import { cstringEnd } from './messages/cstring.js';
import { errorField } from './messages/error-response.js';

const headerBytes = 5;

/**
 * The frame with the note in it, or null when it already carries one (a proxy behind this one) or has no end we can
 * find. `frame` is a whole ErrorResponse, header included.
 */
export function placeNote(frame: Buffer, note: Note, audience: Audience): Buffer | null {
  if (frame.includes(notePrefix, headerBytes, 'latin1')) return null;
  const ends = findFieldEnds(frame);
  if (ends === null) return null;
  const hasHint = ends.hint >= 0;
  const hint = hasHint ? Buffer.from(`\n${note.long}`, 'latin1') : Buffer.from(`H${note.long}\0`, 'latin1');
  // A new HINT goes where the server would have put it: after DETAIL, else after MESSAGE, else last.
  const hintAt = hasHint
    ? ends.hint
    : ends.detail >= 0
      ? ends.detail + 1
      : ends.message >= 0
        ? ends.message + 1
        : ends.last;
  const pieces: Buffer[] = [];
  let from = 0;
  const insertAt = (at: number, bytes: Buffer): void => {
    pieces.push(frame.subarray(from, at), bytes);
    from = at;
  };
  const message =
    audience === 'agent' && ends.message >= 0 ? Buffer.from(`\n${note.short}`, 'latin1') : Buffer.alloc(0);
  if (message.length > 0 && ends.message < hintAt) insertAt(ends.message, message);
  insertAt(hintAt, hint);
  if (message.length > 0 && ends.message > hintAt) insertAt(ends.message, message);
  pieces.push(frame.subarray(from));
  const placed = Buffer.concat(pieces);
  placed.writeInt32BE(placed.length - 1, 1);
  return placed;
}

interface FieldEnds {
  /** Index of the NUL that ends the field's text; -1 where the frame has no such field. */
  message: number;
  detail: number;
  hint: number;
  /** Index of the zero byte that ends the list of fields. */
  last: number;
}

function findFieldEnds(frame: Buffer): FieldEnds | null {
  const ends: FieldEnds = { message: -1, detail: -1, hint: -1, last: -1 };
  let at = headerBytes;
  while (at < frame.length && frame[at] !== 0) {
    const field = frame[at];
    const end = cstringEnd(frame, at + 1, frame.length);
    if (end < 0) return null;
    if (field === errorField.message) ends.message = end;
    else if (field === errorField.detail) ends.detail = end;
    else if (field === errorField.hint) ends.hint = end;
    at = end + 1;
  }
  if (at >= frame.length) return null;
  ends.last = at;
  return ends;
}

import type { Note } from '../core/notes/note.js';
import type { Audience } from '../core/verdict.js';

/** A statement that cannot be said in the database's own language: refused before anything was sent. */
export class SqlRefusedError extends Error {
  /** Stable: `SQL_JOIN`, `SQL_DISTINCT`, …; docs/sql-on-documents.md lists them. */
  readonly code: string;
  /** 1-based index of the character in the statement at which the refused construct begins; null where it has no place. */
  readonly position: number | null;
  /** What the memory says of it, where the same was refused before; null the first time. */
  readonly note: string | null;

  constructor(
    { code, message, position }: { code: string; message: string; position: number | null },
    note: Note | null,
    audience: Audience,
  ) {
    super(note === null || audience === 'application' ? message : `${message}\n${note.short}`);
    this.name = 'SqlRefusedError';
    this.code = code;
    this.position = position;
    this.note = note?.long ?? null;
  }
}

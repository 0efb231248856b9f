/** A finished note: plain ASCII text in two lengths, made from a record by our templates. */
export interface Note {
  /** The record it was made from. */
  readonly recordId: string;
  /** At most `limits.maxShortNoteBytes`, one line, starts with `[twiceshy <8 hex of the id>] `. */
  readonly short: string;
  /** At most `limits.maxLongNoteBytes`, one line, same prefix. */
  readonly long: string;
}

/** Every note begins with this, followed by eight hexadecimal digits of the record's id and `] `. */
export const notePrefix = '[twiceshy ';

/**
 * What a note looks like in what a client prints, written from the documented form, not from the proxy's code: this
 * is how a reader, or another test, would find and remove one.
 */

/** Marker, id, and the rest of that line. */
const marker = /[ \n]*\[twiceshy [0-9a-f]{8}\] [\x20-\x7e]*/g;

export function hasNote(text: string): boolean {
  return text.includes('[twiceshy ');
}

/** A hint line of a terminal client that holds a note and nothing else: without the note there is no such line. */
const hintLine = /^HINT: {2}\[twiceshy [0-9a-f]{8}\] .*\n/gm;

/** The text without its notes; an empty string when there was nothing else. */
export function withoutNotes(text: string): string {
  return text.replaceAll(hintLine, '').replaceAll(marker, '');
}

/** Removes notes from every string in a value; an error's hint that was only a note becomes `null`, as without one. */
export function stripNotes(value: unknown): unknown {
  if (typeof value === 'string') return withoutNotes(value);
  if (Array.isArray(value)) return value.map(stripNotes);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => {
      const stripped = stripNotes(inner);
      return [key, key === 'hint' && stripped === '' && inner !== '' ? null : stripped];
    }),
  );
}

/**
 * Tables of text for people: columns aligned, the last one cut to what the terminal has left. Where that is too little, the
 * widest columns give some of theirs; never the first, by which a line is named.
 */

const gap = '  ';
const minLastColumn = 20;
const minColumn = 8;
/** Shown where there is no terminal to fit: whole for nearly every value, bounded for the rest. */
const maxUnfittedCells = 400;
const ellipsis = '…';

const wide =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/u;
const combining = /\p{Mark}/u;

/** Lines of a table; `width` null: not for a terminal. Cells are single lines of visible characters. */
export function formatTable(
  header: readonly string[],
  rows: readonly (readonly string[])[],
  width: number | null,
): string[] {
  const last = header.length - 1;
  const widths = header.map((title, column) =>
    column === last
      ? 0
      : rows.reduce((most, row) => Math.max(most, cellsOf(row[column] ?? '')), cellsOf(title)),
  );
  const room = width === null ? maxUnfittedCells : shrink(widths, width);
  return [header, ...rows].map((row) =>
    row
      .map((cell, column) =>
        column === last ? cut(cell, room) : pad(cut(cell, widths[column] ?? 0), widths[column] ?? 0),
      )
      .join(gap)
      .trimEnd(),
  );
}

/** Narrows `widths` in place until the last column has room enough, or nothing more can give; returns that room. */
function shrink(widths: number[], width: number): number {
  const last = widths.length - 1;
  let room = width - widths.reduce((sum, cells) => sum + cells, gap.length * last);
  while (room < minLastColumn) {
    let widest = 0;
    for (let column = 1; column < last; column++) {
      if (widest === 0 || (widths[column] ?? 0) > (widths[widest] ?? 0)) widest = column;
    }
    const cells = widths[widest] ?? 0;
    if (widest === 0 || cells <= minColumn) return Math.max(1, room);
    widths[widest] = cells - 1;
    room++;
  }
  return room;
}

/** At most `cells` terminal cells of `text`, the end marked where something was cut. */
export function cut(text: string, cells: number): string {
  if (cellsOf(text) <= cells) return text;
  let used = 1;
  let kept = '';
  for (const character of text) {
    used += cellsOf(character);
    if (used > cells) break;
    kept += character;
  }
  return kept + ellipsis;
}

/** Breaks `text` at blanks into lines of at most `cells` cells; longer words are cut through. */
export function wrap(text: string, cells: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    let rest = word;
    if (line !== '' && cellsOf(line) + 1 + cellsOf(rest) <= cells) {
      line = `${line} ${rest}`;
      continue;
    }
    if (line !== '') lines.push(line);
    while (rest.length > cells) {
      lines.push(rest.slice(0, cells));
      rest = rest.slice(cells);
    }
    line = rest;
  }
  lines.push(line);
  return lines;
}

function pad(text: string, cells: number): string {
  return text + ' '.repeat(Math.max(0, cells - cellsOf(text)));
}

function cellsOf(text: string): number {
  if (/^[\x20-\x7e]*$/.test(text)) return text.length;
  let cells = 0;
  for (const character of text) {
    if (wide.test(character)) cells += 2;
    else if (!combining.test(character)) cells += 1;
  }
  return cells;
}

/**
 * Where MySQL and MariaDB stopped reading a statement. Error 1064 says `near '…' at line N`: the text from the token it
 * stopped at to the end of the statement, at most 80 bytes of it, and the line counted from the statement's own start.
 * Pure; a place that is not certain is no place.
 */

/** The server cuts at 80 bytes; a character that does not fit any more makes it a few less. */
const minCutBytes = 76;
/** MariaDB says so where it cut. */
const ellipsis = '...';
const englishOpening = " near '";
/** More of one fragment are not told apart. */
const maxPlaces = 16;
const lineAfter = /^[^0-9'"`]*(\d{1,9})[^0-9'"`]*$/;

/**
 * 1-based index of the character (not byte) in `statementText` at which the server stopped reading, by the message of
 * error 1064 in any language; undefined where the fragment is empty, is not there, or is there more than once.
 * `statementText` is the text as it was sent, all of its statements.
 */
export function positionOfNear(message: string, statementText: string): number | undefined {
  const close = message.lastIndexOf("'");
  const line = lineAfter.exec(message.slice(close + 1))?.[1];
  if (close < 0 || line === undefined) return undefined;
  const text = statementText.slice(0, statementText.length - trailingLength(statementText));
  for (const open of openings(message)) {
    const fragment = message.slice(open + 1, close);
    const index = open < close && fragment !== '' ? indexOf(fragment, text, Number(line)) : undefined;
    if (index !== undefined) return characterAt(text, index);
  }
  return undefined;
}

/** Where the fragment may begin: the fragment may hold quotes, and so may the words before it in some languages. */
function openings(message: string): readonly number[] {
  const english = message.indexOf(englishOpening);
  if (english >= 0) return [english + englishOpening.length - 1];
  const first = message.indexOf("'");
  const second = message.indexOf("'", first + 1);
  // The longest one that fits is meant.
  return first < 0 ? [] : second < 0 ? [first] : [first, second, message.indexOf("'", second + 1)];
}

/** The server takes these off the end of a statement before it reads it. */
function trailingLength(text: string): number {
  let length = 0;
  while (length < text.length && /[\s;\0]/.test(text[text.length - 1 - length] ?? '')) length += 1;
  return length;
}

function indexOf(fragment: string, text: string, line: number): number | undefined {
  const cut = cutFragment(fragment);
  if (cut !== null) return uniqueIndex(cut, text, line);
  // Shorter, it is the rest of the text.
  return text.endsWith(fragment) ? text.length - fragment.length : undefined;
}

/** What is certain of a fragment that the server cut; null where it is whole. */
function cutFragment(fragment: string): string | null {
  const isMarked = fragment.endsWith(ellipsis);
  const whole = isMarked ? fragment.slice(0, -ellipsis.length) : fragment;
  if (Buffer.byteLength(fragment) < minCutBytes) return null;
  // Half a character may have become another one, or two.
  return whole.replace(/[^\x20-\x7e]{1,3}$/u, '');
}

function uniqueIndex(fragment: string, text: string, line: number): number | undefined {
  const found: number[] = [];
  for (let at = text.indexOf(fragment); at >= 0; at = text.indexOf(fragment, at + 1)) {
    if (found.push(at) > maxPlaces) return undefined;
  }
  if (found.length === 1) return found[0];
  // Lines count from the statement's start: behind a semicolon that start is not known here.
  const semicolon = text.indexOf(';');
  if (semicolon >= 0 && found.some((at) => at > semicolon)) return undefined;
  const onLine = found.filter((at) => lineOf(text, at) === line);
  return onLine.length === 1 ? onLine[0] : undefined;
}

function lineOf(text: string, index: number): number {
  let line = 1;
  for (let at = text.indexOf('\n'); at >= 0 && at < index; at = text.indexOf('\n', at + 1)) line += 1;
  return line;
}

function characterAt(text: string, index: number): number {
  let position = 1;
  for (let at = 0; at < index; position += 1) at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
  return position;
}

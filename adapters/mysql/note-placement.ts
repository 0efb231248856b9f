/**
 * Puts a note into an ERR packet: behind the message, after a newline. Error number, SQLSTATE, sequence number and every
 * byte of the message stay as they are; only the length changes.
 *
 * Clients keep 512 bytes of a message, the end mark included (MYSQL_ERRMSG_SIZE), so message and note together take at
 * most 511: the long form where it fits, else the short one. There is no other field to put a note into, so programs
 * that read messages by their last word or up to their end (Prisma, Sequelize) would take the note for part of a name:
 * for an `application` the numbers they do that with get none.
 */
import { type Note, notePrefix } from '../../src/core/notes/note.js';
import type { Audience } from '../../src/core/verdict.js';
import { byteDecoder, type Decoder, decoderOf } from '../../src/wire/text-decoders.js';
import { decodeError } from './messages/error.js';

const headerBytes = 4;
const maxMessageBytes = 511;

/** The name stands at the very end of the message. */
const readToTheEnd: ReadonlySet<number> = new Set([
  1044, // ER_DBACCESS_DENIED_ERROR
  1049, // ER_BAD_DB_ERROR
  1062, // ER_DUP_ENTRY
  1263, // ER_WARN_NULL_TO_NOTNULL
  1698, // ER_ACCESS_DENIED_NO_PASSWORD_ERROR
]);

/**
 * The packet with the note in it, or null where none may or can be: it carries one already (a proxy behind this one), it
 * does not fit, or it is not certain how its message is encoded. `packet` is a whole ERR packet, header included;
 * `isWide` says that the session's results are in a character set whose ASCII takes more than a byte.
 */
export function placeNote(packet: Buffer, note: Note, audience: Audience, isWide: boolean): Buffer | null {
  const error = decodeError(packet, headerBytes, packet.length);
  if (error === null) return null;
  if (audience === 'application' && readToTheEnd.has(error.errno)) return null;
  const width = characterWidth(packet, error.messageStart, packet.length);
  if (width === null || (isWide && width.bytes === 1)) return null;
  const message = packet.subarray(error.messageStart);
  if (message.includes(encode(notePrefix, width))) return null;
  const room = maxMessageBytes - message.length;
  const text = [note.long, note.short].find((one) => (one.length + 1) * width.bytes <= room);
  if (text === undefined) return null;
  const placed = Buffer.concat([packet, encode(`\n${text}`, width)]);
  placed.writeUIntLE(placed.length - headerBytes, 0, 3);
  return placed;
}

/** A message as text: by its bytes where they tell, else by the session's character set for results. */
export function decodeMessage(
  bytes: Buffer,
  start: number,
  end: number,
  session: { readonly results: Decoder; readonly isResultsWide: boolean },
): string {
  const width = characterWidth(bytes, start, end);
  if (width === null) return byteDecoder.decode(bytes, start, end);
  // The servers stop at the first zero byte of a message in such a character set, which leaves next to nothing.
  if (width.bytes === 1)
    return (session.isResultsWide ? byteDecoder : session.results).decode(bytes, start, end);
  if (width.bytes === 2)
    return decoderOf(width.zeros === 0 ? 'utf-16be' : 'utf-16le').decode(bytes, start, end);
  let text = '';
  for (let at = start; at + 4 <= end; at += 4) {
    const code = bytes.readUInt32BE(at);
    text += code <= 0x10ffff ? String.fromCodePoint(code) : '\ufffd';
  }
  return text;
}

/** How many bytes an ASCII character takes, and where in it the zeros are: before the character, or behind it. */
interface CharacterWidth {
  readonly bytes: 1 | 2 | 4;
  readonly zeros: 0 | 1;
}

const oneByte: CharacterWidth = { bytes: 1, zeros: 0 };

/**
 * Read from the message itself: a message in a character set that keeps ASCII has no zero byte. Null where there are
 * some and they do not stand as in any of the wide character sets.
 */
function characterWidth(bytes: Buffer, start: number, end: number): CharacterWidth | null {
  const firstZero = bytes.indexOf(0, start);
  if (firstZero < 0 || firstZero >= end) return oneByte;
  const size = end - start;
  const isZero = (at: number): boolean => bytes[start + at] === 0;
  if (size % 4 === 0 && isZero(0) && isZero(1) && !isZero(3)) return { bytes: 4, zeros: 0 };
  if (size % 2 !== 0) return null;
  // Messages begin with an ASCII letter in every language that has them, or with a few of another script.
  if (isZero(0) && !isZero(1)) return { bytes: 2, zeros: 0 };
  return isZero(1) && !isZero(0) ? { bytes: 2, zeros: 1 } : null;
}

function encode(ascii: string, { bytes, zeros }: CharacterWidth): Buffer {
  const plain = Buffer.from(ascii, 'latin1');
  if (bytes === 1) return plain;
  const wide = Buffer.alloc(plain.length * bytes);
  for (let index = 0; index < plain.length; index += 1) {
    wide[index * bytes + (zeros === 0 ? bytes - 1 : 0)] = plain[index] as number;
  }
  return wide;
}

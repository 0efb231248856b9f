/**
 * The first packets of a client, before frames have types (docs "Frontend/Backend Protocol", 54.2.1 "Start-up", 54.2.8
 * "Canceling Requests in Progress", 54.2.10 "SSL Session Encryption", 54.2.11 "GSSAPI Session Encryption").
 *
 * Owns the reading of one such packet and of what it says of the session. Packets are views of the bytes given.
 */
import { limits } from '../../src/core/limits.js';
import { parseSearchPath } from './search-path.js';

const requestCode = {
  cancel: 80_877_102,
  ssl: 80_877_103,
  gssEncryption: 80_877_104,
} as const;

/** First byte of a TLS record that carries a ClientHello. */
const tlsHandshakeByte = 0x16;
const headerBytes = 8;
/** Minor versions are the server's to judge (it answers NegotiateProtocolVersion); the major fixes the layout. */
const followedMajor = 3;

export const sslRequest: Buffer = Buffer.from([0, 0, 0, 8, 0x04, 0xd2, 0x16, 0x2f]);

export type StartupPacket =
  | { readonly kind: 'incomplete' }
  | { readonly kind: 'malformed' }
  /** A TLS ClientHello without an SSLRequest before it (PostgreSQL 17 and later). */
  | { readonly kind: 'direct-tls' }
  | { readonly kind: 'ssl' | 'gss-encryption'; readonly bytes: number }
  /** `key` is all that follows the request code: process id and secret, of whatever length. */
  | { readonly kind: 'cancel'; readonly packet: Buffer; readonly key: string }
  | { readonly kind: 'startup'; readonly packet: Buffer; readonly parameters: StartupParameters }
  /** A protocol that we cannot follow; the server may know it. */
  | { readonly kind: 'unknown'; readonly packet: Buffer };

/** Name/value pairs in the order sent, values as bytes: their encoding is not known yet. */
export type StartupParameters = readonly { readonly name: string; readonly value: Buffer }[];

/** Reads the packet at the start of `bytes`. */
export function readStartupPacket(bytes: Buffer): StartupPacket {
  const first = bytes[0];
  if (first === undefined) return { kind: 'incomplete' };
  if (first === tlsHandshakeByte) return { kind: 'direct-tls' };
  if (first !== 0) return { kind: 'malformed' };
  if (bytes.length < 4) return { kind: 'incomplete' };
  const length = bytes.readInt32BE(0);
  if (length < headerBytes || length > limits.maxStartupPacketBytes) return { kind: 'malformed' };
  if (bytes.length < headerBytes) return { kind: 'incomplete' };
  const code = bytes.readInt32BE(4);
  if (code === requestCode.ssl || code === requestCode.gssEncryption) {
    if (length !== headerBytes) return { kind: 'malformed' };
    return { kind: code === requestCode.ssl ? 'ssl' : 'gss-encryption', bytes: headerBytes };
  }
  if (bytes.length < length) return { kind: 'incomplete' };
  const packet = bytes.subarray(0, length);
  if (code === requestCode.cancel) {
    return { kind: 'cancel', packet, key: packet.toString('latin1', headerBytes, length) };
  }
  if (code >>> 16 !== followedMajor) return { kind: 'unknown', packet };
  return { kind: 'startup', packet, parameters: decodeStartupParameters(packet) };
}

/** Pairs up to the terminating zero byte; what is malformed is left to the server, which refuses it itself. */
function decodeStartupParameters(packet: Buffer): StartupParameters {
  const parameters: { name: string; value: Buffer }[] = [];
  let at = headerBytes;
  while (at < packet.length && packet[at] !== 0) {
    const nameEnd = packet.indexOf(0, at);
    if (nameEnd < 0) break;
    const valueEnd = packet.indexOf(0, nameEnd + 1);
    if (valueEnd < 0) break;
    parameters.push({
      name: packet.toString('latin1', at, nameEnd),
      value: packet.subarray(nameEnd + 1, valueEnd),
    });
    at = valueEnd + 1;
  }
  return parameters;
}

/** The last value wins, as in the server. */
export function startupParameter(parameters: StartupParameters, name: string): string | null {
  const found = parameters.findLast((parameter) => parameter.name === name);
  return found === undefined ? null : found.value.toString();
}

/**
 * Physical replication (docs 54.4): the session is in no database, whatever name the client gives (libpq's tools say
 * `replication`). The server reads the value as a boolean, or as the word that asks for a database after all.
 */
export function isWithoutDatabase(parameters: StartupParameters): boolean {
  return /^(?:t|tr|tru|true|y|ye|yes|on|1)$/i.test(startupParameter(parameters, 'replication') ?? '');
}

/** The same packet for another user; protocol version, order and every other byte stay. */
export function withUser(packet: Buffer, user: string): Buffer {
  const pieces: Buffer[] = [packet.subarray(0, headerBytes)];
  for (const { name, value } of decodeStartupParameters(packet)) {
    pieces.push(
      Buffer.from(`${name}\0`, 'latin1'),
      name === 'user' ? Buffer.from(user) : value,
      Buffer.alloc(1),
    );
  }
  pieces.push(Buffer.alloc(1));
  const rebuilt = Buffer.concat(pieces);
  rebuilt.writeInt32BE(rebuilt.length, 0);
  return rebuilt;
}

/** What the startup packet sets `search_path` to, as schema names; null where it does not. */
export function startupSearchPath(parameters: StartupParameters): readonly string[] | null {
  // The server applies `options` first, then the named parameters.
  const named = startupParameter(parameters, 'search_path');
  if (named !== null) return parseSearchPath(named);
  const options = startupParameter(parameters, 'options');
  if (options === null) return null;
  const value = optionValue(options, 'search_path');
  return value === null ? null : parseSearchPath(value);
}

/** Value of a setting in a command-line options string: `-c name=value`, `-cname=value`, `--name=value`. */
function optionValue(options: string, setting: string): string | null {
  const words = splitOptions(options);
  let value: string | null = null;
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? '';
    let assignment: string | null = null;
    if (word === '-c') {
      at += 1;
      assignment = words[at] ?? null;
    } else if (word.startsWith('--')) assignment = word.slice(2);
    else if (word.startsWith('-c')) assignment = word.slice(2);
    const equals = assignment?.indexOf('=') ?? -1;
    if (assignment === null || equals < 0) continue;
    // The server takes dashes for underscores in names.
    const name = assignment.slice(0, equals).trim().replaceAll('-', '_').toLowerCase();
    if (name === setting) value = assignment.slice(equals + 1);
  }
  return value;
}

/** Words end at white space; a backslash keeps the character after it. */
function splitOptions(options: string): readonly string[] {
  const words: string[] = [];
  let word: string | null = null;
  for (let at = 0; at < options.length; at += 1) {
    const character = options.charAt(at);
    if (/\s/.test(character)) {
      if (word !== null) words.push(word);
      word = null;
    } else if (character === '\\') {
      at += 1;
      word = (word ?? '') + options.charAt(at);
    } else {
      word = (word ?? '') + character;
    }
  }
  if (word !== null) words.push(word);
  return words;
}

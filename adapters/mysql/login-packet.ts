/**
 * The client's first packets: its request for TLS and its login, read for where they want to go, and re-emitted with
 * nothing changed but what differs between the legs (MySQL "Protocol::SSLRequest", "Protocol::HandshakeResponse41",
 * "Protocol::HandshakeResponse320"; MariaDB "SSLRequest Packet", "Handshake Response Packet").
 *
 * Invariant: what a client sent in clear together with a request for TLS is never read as its login.
 */
import { capability } from './capabilities.js';
import { characterSetOf, decoderOfCharacterSet } from './character-sets.js';
import { buildPacket, headerBytes } from './handshake-packets.js';
import { lengthEncodedAt, lengthEncodedBytes } from './messages/length-encoded.js';

/** Flags, longest packet, character set, reserved bytes: all of a request for TLS, the beginning of a login. */
const headBytes = 32;
const oldHeadBytes = 5;

export interface LoginPacket {
  readonly capabilities: number;
  /** MariaDB's second word as the client sent it; its meaning depends on the server. */
  readonly extendedCapabilities: number;
  /** Collation id. */
  readonly characterSet: number;
  readonly user: string;
  readonly authData: Buffer;
  /** Empty: none. */
  readonly database: string;
  /** The plugin that made `authData`; empty where the client names none. */
  readonly plugin: string;
  /** The connection attribute `program_name`. */
  readonly application: string;
  /** Where `authData` is in the payload, its length included. */
  readonly authStart: number;
  readonly authEnd: number;
}

/** A packet with authentication data in it, as far as an exchange of such data looks at it. */
export type AuthPacket = Pick<LoginPacket, 'capabilities' | 'plugin' | 'authData' | 'authStart' | 'authEnd'>;

export type ClientPacket =
  | { readonly kind: 'tls-request' }
  | { readonly kind: 'login'; readonly login: LoginPacket }
  /** From a client older than protocol 4.1. */
  | { readonly kind: 'old-login' }
  | { readonly kind: 'malformed' };

export interface ClientLeg {
  readonly isTlsOffered: boolean;
  readonly isSecure: boolean;
}

const malformed: ClientPacket = { kind: 'malformed' };

export function readClientPacket(payload: Buffer, leg: ClientLeg): ClientPacket {
  if (payload.length < oldHeadBytes) return malformed;
  const flags = payload.readUInt16LE(0);
  const asksTls = (flags & capability.tls) !== 0 && !leg.isSecure;
  if ((flags & capability.protocol41) === 0) {
    return asksTls && (leg.isTlsOffered || payload.length === oldHeadBytes)
      ? malformed
      : { kind: 'old-login' };
  }
  if (payload.length < headBytes) return malformed;
  // As servers do: the flag decides, and a login that came with it in clear is not looked at.
  if (asksTls && leg.isTlsOffered) return { kind: 'tls-request' };
  return readLogin(payload);
}

function readLogin(payload: Buffer): ClientPacket {
  const capabilities = payload.readUInt32LE(0) | 0;
  const has = (flag: number): boolean => (capabilities & flag) !== 0;
  const characterSet = payload[8] ?? 0;
  const decoder = decoderOfCharacterSet(characterSetOf(characterSet));
  const userEnd = payload.indexOf(0, headBytes);
  if (userEnd < 0) return malformed;
  const authStart = userEnd + 1;
  const auth = has(capability.lengthEncodedAuthData)
    ? lengthEncoded(payload, authStart)
    : has(capability.secureConnection)
      ? shortString(payload, authStart)
      : terminated(payload, authStart);
  if (auth === null) return malformed;
  const database = has(capability.connectWithDatabase) ? upToNul(payload, auth.end) : nothingAt(auth.end);
  const plugin = has(capability.pluginAuthentication)
    ? upToNul(payload, database.end)
    : nothingAt(database.end);
  const attributes = has(capability.connectAttributes) ? lengthEncoded(payload, plugin.end) : null;
  return {
    kind: 'login',
    login: {
      capabilities,
      extendedCapabilities: payload.readUInt32LE(headBytes - 4),
      characterSet,
      user: decoder.decode(payload, headBytes, userEnd),
      authData: auth.bytes,
      database: decoder.decode(database.bytes, 0, database.bytes.length),
      plugin: plugin.bytes.toString('latin1'),
      application: attributes === null ? '' : programName(attributes.bytes),
      authStart,
      authEnd: auth.end,
    },
  };
}

/** The proxy's own request for TLS on the upstream's leg, in the client's words. */
export function tlsRequest(login: Buffer): Buffer {
  const head = Buffer.from(login.subarray(headerBytes, headerBytes + headBytes));
  head.writeUInt16LE(head.readUInt16LE(0) | capability.tls, 0);
  return buildPacket(head, 1);
}

/** The login with its flag for TLS as the upstream's leg is; itself where it says so already. */
export function withTlsFlag(packet: Buffer, isTls: boolean): Buffer {
  const flags = packet.readUInt16LE(headerBytes);
  const told = isTls ? flags | capability.tls : flags & ~capability.tls;
  if (told === flags) return packet;
  const copy = Buffer.from(packet);
  copy.writeUInt16LE(told, headerBytes);
  return copy;
}

/** The packet with other authentication data; `data` is shorter than 251 bytes or the client counts lengths in full. */
export function withAuthData(packet: Buffer, login: AuthPacket, data: Buffer): Buffer {
  const payload = packet.subarray(headerBytes);
  const isTerminated =
    (login.capabilities & (capability.lengthEncodedAuthData | capability.secureConnection)) === 0;
  const length = isTerminated ? [] : [Buffer.from([data.length])];
  const end = isTerminated ? [Buffer.from([0])] : [];
  const parts = [payload.subarray(0, login.authStart), ...length, data, ...end];
  return buildPacket(Buffer.concat([...parts, payload.subarray(login.authEnd)]), packet[3] ?? 0);
}

interface Field {
  readonly bytes: Buffer;
  readonly end: number;
}

const empty = Buffer.alloc(0);

function nothingAt(end: number): Field {
  return { bytes: empty, end };
}

/** Null where the payload ends before the field does. */
function cut(payload: Buffer, start: number, length: number): Field | null {
  const end = start + length;
  return end > payload.length ? null : { bytes: payload.subarray(start, end), end };
}

function lengthEncoded(payload: Buffer, start: number): Field | null {
  const size = lengthEncodedBytes(payload, start, payload.length);
  return size === 0 ? null : cut(payload, start + size, lengthEncodedAt(payload, start));
}

function shortString(payload: Buffer, start: number): Field | null {
  const length = payload[start];
  return length === undefined ? null : cut(payload, start + 1, length);
}

function terminated(payload: Buffer, start: number): Field | null {
  const end = payload.indexOf(0, start);
  return end < 0 ? null : { bytes: payload.subarray(start, end), end: end + 1 };
}

/** Some clients leave out the last terminator. */
function upToNul(payload: Buffer, start: number): Field {
  return terminated(payload, start) ?? { bytes: payload.subarray(start), end: payload.length };
}

/** Broken attributes have no names: servers take the login without them. */
function programName(attributes: Buffer): string {
  let at = 0;
  while (at < attributes.length) {
    const name = lengthEncoded(attributes, at);
    const value = name === null ? null : lengthEncoded(attributes, name.end);
    if (name === null || value === null) return '';
    if (name.bytes.toString('latin1') === 'program_name') return value.bytes.toString('utf8');
    at = value.end;
  }
  return '';
}

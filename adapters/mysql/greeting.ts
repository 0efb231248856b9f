/**
 * The server's first packet: read for what the login and the observer need, and shown to the client with the two
 * offers that are not the server's to make (MySQL "Protocol::HandshakeV10"; MariaDB "Initial Handshake Packet").
 *
 * Invariant: only the bits of compression and TLS ever change; every other byte, MariaDB's second word of
 * capabilities among them, is the server's.
 */
import type { Engine } from '../../src/core/verdict.js';
import { capability } from './capabilities.js';
import { headerBytes } from './handshake-packets.js';

const handshakeV10 = 10;
const errHeader = 0xff;
/** Plugins of all products use 20 bytes; the byte after them is a terminator. */
const scrambleBytes = 20;
const firstScrambleBytes = 8;

export interface Greeting {
  readonly version: string;
  readonly engine: Extract<Engine, 'mysql' | 'mariadb'>;
  readonly connectionId: number;
  /** As the server offers them. */
  readonly capabilities: number;
  /** MariaDB's second word; 0 where the server is none. */
  readonly extendedCapabilities: number;
  readonly scramble: Buffer;
  /** Where the lower and upper half of the capabilities are in the payload. */
  readonly lowerAt: number;
  readonly upperAt: number;
}

export type ReadGreeting =
  | { readonly kind: 'greeting'; readonly greeting: Greeting }
  /** An ERR packet instead, without SQLSTATE: too many connections, a host that is blocked or not allowed. */
  | { readonly kind: 'refusal' }
  /** Another version of the protocol, or a server older than 4.1. */
  | { readonly kind: 'unknown' }
  | { readonly kind: 'malformed' };

export function readGreeting(payload: Buffer): ReadGreeting {
  const version = payload[0];
  if (version === undefined) return { kind: 'malformed' };
  if (version === errHeader) return { kind: 'refusal' };
  if (version !== handshakeV10) return { kind: 'unknown' };
  const versionEnd = payload.indexOf(0, 1);
  // Connection id, first part of the scramble, filler, lower capabilities.
  const lowerAt = versionEnd + 1 + 4 + firstScrambleBytes + 1;
  if (versionEnd < 0 || payload.length < lowerAt + 2) return { kind: 'malformed' };
  const lower = payload.readUInt16LE(lowerAt);
  if ((lower & capability.protocol41) === 0) return { kind: 'unknown' };
  // Character set, status flags, upper capabilities, length of the scramble, 10 reserved bytes.
  const upperAt = lowerAt + 2 + 1 + 2;
  const reservedAt = upperAt + 2 + 1;
  const secondScrambleAt = reservedAt + 10;
  if (payload.length < secondScrambleAt) return { kind: 'malformed' };
  const capabilities = lower | (payload.readUInt16LE(upperAt) << 16);
  const scrambleAt = versionEnd + 1 + 4;
  const serverVersion = payload.toString('latin1', 1, versionEnd);
  return {
    kind: 'greeting',
    greeting: {
      version: serverVersion,
      engine: /mariadb/i.test(serverVersion) ? 'mariadb' : 'mysql',
      connectionId: payload.readUInt32LE(versionEnd + 1),
      capabilities,
      extendedCapabilities:
        (capabilities & capability.longPassword) === 0 ? payload.readUInt32LE(reservedAt + 6) : 0,
      scramble: Buffer.concat([
        payload.subarray(scrambleAt, scrambleAt + firstScrambleBytes),
        payload.subarray(secondScrambleAt, secondScrambleAt + scrambleBytes - firstScrambleBytes),
      ]),
      lowerAt,
      upperAt,
    },
  };
}

export const compressionFlags = capability.compress | capability.zstdCompression;

/** The packet as the client gets it: with our TLS instead of the server's, and without compression if so told. */
export function shownGreeting(
  packet: Buffer,
  greeting: Greeting,
  shown: { readonly isTlsOffered: boolean; readonly isCompressionCleared: boolean },
): Buffer {
  const { capabilities, lowerAt, upperAt } = greeting;
  const withTls = shown.isTlsOffered ? capabilities | capability.tls : capabilities & ~capability.tls;
  const offered = shown.isCompressionCleared ? withTls & ~compressionFlags : withTls;
  if (offered === capabilities) return packet;
  const copy = Buffer.from(packet);
  copy.writeUInt16LE(offered & 0xffff, headerBytes + lowerAt);
  copy.writeUInt16LE(offered >>> 16, headerBytes + upperAt);
  return copy;
}

/**
 * The header of every MongoDB message (Wire Protocol, "Standard Message Header": messageLength, requestID, responseTo,
 * opCode, four 32-bit integers, little-endian), and which lengths make one.
 */
import { limits } from '../../src/core/limits.js';

export const headerBytes = 16;

export const opCode = {
  reply: 1,
  query: 2004,
  getMore: 2005,
  killCursors: 2007,
  compressed: 2012,
  msg: 2013,
} as const;

/** All of these want a header that lies whole in `bytes` at `start`. */
export function messageLengthOf(bytes: Buffer, start: number): number {
  return bytes.readInt32LE(start);
}

export function requestIdOf(bytes: Buffer, start: number): number {
  return bytes.readInt32LE(start + 4);
}

export function responseToOf(bytes: Buffer, start: number): number {
  return bytes.readInt32LE(start + 8);
}

export function opCodeOf(bytes: Buffer, start: number): number {
  return bytes.readInt32LE(start + 12);
}

/** False for a length that no message has: the stream is not what it seems, and there is no way back into step. */
export function isMessageLength(length: number): boolean {
  return length >= headerBytes && length <= limits.maxMessageBytes;
}

/**
 * Stands between the catalog connection's bytes and the driver's parser, which reads strings up to a zero byte that it
 * trusts to be there: a frame without one would hold the whole process in a loop. A frame that cannot be read to its
 * end closes the connection instead, and the catalog is tried again later.
 */
import { EventEmitter } from 'node:events';
import type { Readable } from 'node:stream';
import { limits } from '../../src/core/limits.js';
import { FrameScanner, noWantedBytes } from './framing.js';
import { cstringEnd } from './messages/cstring.js';
import { serverMessage } from './messages/message-type.js';

const noticeResponse = 0x4e; // N
const notificationResponse = 0x41; // A
const columnFactsBytes = 18;
const saslMechanisms = 10;

const wanted = noWantedBytes();
for (const type of [
  serverMessage.authentication,
  serverMessage.backendKeyData,
  serverMessage.commandComplete,
  serverMessage.errorResponse,
  serverMessage.parameterStatus,
  serverMessage.readyForQuery,
  serverMessage.rowDescription,
  noticeResponse,
  notificationResponse,
]) {
  wanted[type] = limits.maxCatalogFrameBytes;
}

/** What the driver listens to instead of `stream`; a frame it could not read destroys `stream` with an error. */
export function guardedStream(stream: Readable): EventEmitter {
  const guarded = new EventEmitter();
  let isReadable = true;
  const refuse = (): void => {
    isReadable = false;
  };
  const scanner = new FrameScanner(wanted, {
    frame(type, bytes, start, end, isWhole) {
      if (!isWhole || !canBeRead(type, bytes, start, end)) refuse();
      return null;
    },
    malformed: refuse,
  });
  stream.on('data', (chunk: Buffer) => {
    if (!isReadable) return;
    scanner.scan(chunk, null);
    try {
      if (isReadable) guarded.emit('data', chunk);
    } catch {
      refuse();
    }
    if (!isReadable) stream.destroy(new Error('The server sent a message that cannot be read.'));
  });
  stream.on('end', () => guarded.emit('end'));
  return guarded;
}

/** True where every string of the frame ends within it. */
function canBeRead(type: number, bytes: Buffer, start: number, end: number): boolean {
  switch (type) {
    case serverMessage.errorResponse:
    case noticeResponse:
      return listEnds(bytes, start, end, 1);
    case serverMessage.authentication:
      if (end - start < 4) return false;
      return bytes.readInt32BE(start) !== saslMechanisms || listEnds(bytes, start + 4, end, 0);
    case serverMessage.parameterStatus:
      return stringsEnd(bytes, start, end, 2);
    case serverMessage.commandComplete:
      return stringsEnd(bytes, start, end, 1);
    case notificationResponse:
      return stringsEnd(bytes, start + 4, end, 2);
    case serverMessage.rowDescription:
      return columnsEnd(bytes, start, end);
    case serverMessage.backendKeyData:
      return end - start >= 8;
    case serverMessage.readyForQuery:
      return end > start;
    default:
      return true;
  }
}

/** Strings, each after `prefix` bytes, up to a zero byte in the place of the next. */
function listEnds(bytes: Buffer, start: number, end: number, prefix: 0 | 1): boolean {
  let at = start;
  while (at < end && bytes[at] !== 0) {
    const stringEnd = cstringEnd(bytes, at + prefix, end);
    if (stringEnd < 0) return false;
    at = stringEnd + 1;
  }
  return at < end;
}

function stringsEnd(bytes: Buffer, start: number, end: number, count: number): boolean {
  let at = start;
  for (let index = 0; index < count; index += 1) {
    const stringEnd = cstringEnd(bytes, at, end);
    if (stringEnd < 0) return false;
    at = stringEnd + 1;
  }
  return true;
}

function columnsEnd(bytes: Buffer, start: number, end: number): boolean {
  if (end - start < 2) return false;
  let at = start + 2;
  for (let left = bytes.readInt16BE(start); left > 0; left -= 1) {
    const nameEnd = cstringEnd(bytes, at, end);
    if (nameEnd < 0) return false;
    at = nameEnd + 1 + columnFactsBytes;
    if (at > end) return false;
  }
  return true;
}

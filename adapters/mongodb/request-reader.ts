/**
 * Reads each request of the client as far as following it needs: what it owes, which kind of command it is, which database
 * it names; of a login, who it is for. Wire Protocol, "OP_MSG", "OP_QUERY".
 *
 * Invariant: a request that lies alone in its chunk, as drivers send them, costs no allocation.
 */
import { limits } from '../../src/core/limits.js';
import type { SessionContext } from '../../src/core/verdict.js';
import { BsonCursor } from './bson/cursor.js';
import { bsonType } from './bson/types.js';
import { commandKind, isSecret, readCommandKind } from './command-kind.js';
import { decompress } from './compression.js';
import type { DatabaseScopes } from './database-scopes.js';
import { messageLengthOf, opCode, opCodeOf, requestIdOf } from './framing.js';
import { type Login, readApplication } from './login.js';
import { OpMsg } from './messages/op-msg.js';
import type { OwedRequest, OwedRequests } from './owed-requests.js';
import { readQueryCommand } from './query-command.js';
import { keepMessage } from './request-splitter.js';

/** What became of a request. */
export type Reading =
  | 'read'
  | 'over limit'
  | 'malformed'
  /** Compressed in a way that is not known here. */
  | 'not followed'
  /** A message of an unknown kind: passed by. */
  | 'unknown';

/** Messages of old that are never answered: OP_UPDATE, OP_INSERT, OP_DELETE, OP_KILL_CURSORS. */
const unanswered: ReadonlySet<number> = new Set([2001, 2002, 2006, opCode.killCursors]);

export interface RequestReaderParts {
  readonly owed: OwedRequests;
  readonly scopes: DatabaseScopes;
  readonly login: Login;
  readonly session: Pick<SessionContext, 'application'>;
}

export class RequestReader {
  readonly #parts: RequestReaderParts;
  readonly #message = new OpMsg();
  readonly #cursor = new BsonCursor();
  readonly #pipeline = new BsonCursor();
  readonly #stage = new BsonCursor();
  /** What is being read, as it came: kept so, since a kilobyte may come to a megabyte. */
  #compressed: { readonly bytes: Buffer; readonly start: number; readonly end: number } | null = null;

  #decompressedBytes = 0;

  constructor(parts: RequestReaderParts) {
    this.#parts = parts;
  }

  /** What follows was read from the socket in one go. */
  beginRead(): void {
    this.#decompressedBytes = 0;
  }

  /** `bytes[start, end)` is a message, or as much of its `length` as is kept. */
  read(bytes: Buffer, start: number, end: number, length: number): Reading {
    switch (opCodeOf(bytes, start)) {
      case opCode.msg:
        return this.#readMessage(bytes, start, end, length);
      case opCode.query:
        return this.#readQuery(bytes, start, end, length);
      case opCode.compressed:
        return this.#readCompressed(bytes, start, end);
      case opCode.getMore:
        return this.#owe(bytes, start) === null ? 'over limit' : 'read';
      default:
        return unanswered.has(opCodeOf(bytes, start)) ? 'read' : 'unknown';
    }
  }

  #readCompressed(bytes: Buffer, start: number, end: number): Reading {
    const message = decompress(bytes, start, end, limits.maxKeptRequestBytes);
    if (message === 'unknown_compressor') return 'not followed';
    if (typeof message === 'string' || opCodeOf(message, 0) === opCode.compressed) return 'malformed';
    this.#decompressedBytes += message.length;
    if (this.#decompressedBytes > limits.maxDecompressedBytesPerRead) return 'over limit';
    this.#compressed = { bytes, start, end };
    const reading = this.read(message, 0, message.length, messageLengthOf(message, 0));
    this.#compressed = null;
    return reading;
  }

  #readMessage(bytes: Buffer, start: number, end: number, length: number): Reading {
    const message = this.#message;
    if (!message.read(bytes, start, end)) {
      // A body that begins behind more than is kept may be sound; flags say whether it is answered.
      if (end - start === length) return 'malformed';
      return message.isMoreToCome || this.#owe(bytes, start) !== null ? 'read' : 'over limit';
    }
    if (message.isMoreToCome) return 'read';
    const request = this.#owe(bytes, start);
    if (request === null) return 'over limit';
    request.isExhaustAllowed = message.isExhaustAllowed;
    request.isTruncated = message.isTruncated;
    if (!this.#readBody(request, bytes, message.bodyStart, message.bodyEnd)) return 'malformed';
    // Drivers write the database last: of a body that was cut, it may not be known where it works.
    if (!request.isTruncated || request.scope !== null) this.#keep(request, bytes, start, end);
    return 'read';
  }

  #readQuery(bytes: Buffer, start: number, end: number, length: number): Reading {
    const request = this.#owe(bytes, start);
    if (request === null) return 'over limit';
    request.isQuery = true;
    const command = readQueryCommand(bytes, start, end);
    if (command === null) return end - start === length ? 'malformed' : 'read';
    if (command === 'query') return 'read';
    if (!this.#readBody(request, bytes, command.start, command.end)) return 'malformed';
    request.scope ??= this.#parts.scopes.of(command.database);
    this.#keep(request, bytes, start, end);
    return 'read';
  }

  #owe(bytes: Buffer, start: number): OwedRequest | null {
    const { owed } = this.#parts;
    return owed.isFull ? null : owed.add(requestIdOf(bytes, start));
  }

  #readBody(request: OwedRequest, bytes: Buffer, start: number, end: number): boolean {
    const cursor = this.#cursor;
    if (!cursor.open(bytes, start, end, request.isTruncated)) return false;
    if (cursor.next()) request.kind = readCommandKind(bytes, cursor.keyStart, cursor.keyEnd);
    while (cursor.next()) {
      if (cursor.type === bsonType.string && cursor.isKey('$db'))
        request.scope = this.#parts.scopes.read(bytes, cursor.valueStart + 4, cursor.valueEnd - 1);
      else if (request.kind === commandKind.aggregate && cursor.isKey('pipeline'))
        request.writesCollection = this.#endsInWrite(cursor);
    }
    if (cursor.isMalformed && !cursor.isCut) return false;
    if (isSecret(request.kind)) this.#readLogin(request, bytes, start, end);
    return true;
  }

  #endsInWrite(element: BsonCursor): boolean {
    const pipeline = this.#pipeline;
    const stage = this.#stage;
    let isWrite = false;
    if (!element.isContainer || !pipeline.enter(element)) return false;
    while (pipeline.next()) {
      isWrite = pipeline.isContainer && stage.enter(pipeline) && stage.next();
      isWrite &&= stage.isKey('$out') || stage.isKey('$merge');
    }
    return isWrite;
  }

  #readLogin({ kind }: OwedRequest, bytes: Buffer, start: number, end: number): void {
    const { login, session } = this.#parts;
    login.requested(kind, bytes, start, end);
    if (kind !== commandKind.hello) return;
    const application = readApplication(bytes, start, end);
    if (application !== null) session.application = application;
  }

  #keep(request: OwedRequest, bytes: Buffer, start: number, end: number): void {
    if (isSecret(request.kind)) return;
    const came = this.#compressed ?? { bytes, start, end };
    this.#parts.owed.keep(request, keepMessage(came.bytes, came.start, came.end));
  }
}

/**
 * Reads each reply of the server as far as a verdict needs: its flags, the top-level elements of its body. Wire Protocol,
 * "OP_MSG", "OP_REPLY", "OP_COMPRESSED".
 */
import { limits } from '../../src/core/limits.js';
import { commandKind, isSecret } from './command-kind.js';
import { decompress } from './compression.js';
import { headerBytes, opCode, opCodeOf } from './framing.js';
import { decodeOpCompressed } from './messages/op-compressed.js';
import { msgFlag, OpMsg } from './messages/op-msg.js';
import { decodeOpReply, replyFlag } from './messages/op-reply.js';
import type { OwedRequest } from './owed-requests.js';
import { ReplyBody } from './reply-body.js';
import type { PassedReply } from './reply-splitter.js';

export type ReplyReading =
  | 'read'
  /** Compressed, and longer than a failure is worth looking for. */
  | 'too long'
  | 'malformed'
  /** Compressed in a way that is not known here. */
  | 'not followed'
  /** A message of an unknown kind: passed by. */
  | 'unknown';

export class ReplyReader {
  readonly #message = new OpMsg();
  readonly body = new ReplyBody();
  /** The message that was read, without compression. */
  bytes: Buffer = Buffer.alloc(0);
  start = 0;
  end = 0;
  /** Another reply follows by itself. */
  isMoreToCome = false;

  /** `bytes[start, end)` is a whole message. */
  read(request: OwedRequest, bytes: Buffer, start: number, end: number): ReplyReading {
    this.bytes = bytes;
    this.start = start;
    this.end = end;
    this.isMoreToCome = false;
    this.body.readNothing();
    switch (opCodeOf(bytes, start)) {
      case opCode.msg:
        return this.#readMessage(bytes, start, end);
      case opCode.reply:
        return this.#readReply(request, bytes, start, end);
      case opCode.compressed:
        return this.#readCompressed(request, bytes, start, end);
      default:
        return 'unknown';
    }
  }

  /** Of a message that was not held there is a summary. */
  readPassed(request: OwedRequest, passed: PassedReply): ReplyReading {
    const { opCode: code, flags, summary } = passed;
    this.isMoreToCome = false;
    this.body.readNothing();
    switch (code) {
      case opCode.msg:
        this.isMoreToCome = (flags & msgFlag.moreToCome) !== 0;
        break;
      case opCode.reply:
        if (!isVerdict(request, flags)) return 'read';
        break;
      case opCode.compressed:
        return 'too long';
      default:
        return 'unknown';
    }
    if (summary === null || !this.body.read(summary, 0, summary.length)) return 'malformed';
    if (code === opCode.reply) this.body.isFailed ||= hasFailed(flags);
    return 'read';
  }

  /** Lets go of what was read. */
  clear(): void {
    this.bytes = nothing;
    this.body.readNothing();
  }

  #readMessage(bytes: Buffer, start: number, end: number): ReplyReading {
    const message = this.#message;
    if (!message.read(bytes, start, end)) return 'malformed';
    this.isMoreToCome = message.isMoreToCome;
    return this.body.read(bytes, message.bodyStart, message.bodyEnd) ? 'read' : 'malformed';
  }

  #readReply(request: OwedRequest, bytes: Buffer, start: number, end: number): ReplyReading {
    const reply = decodeOpReply(bytes, start, end);
    if (reply === null) return 'malformed';
    if (reply.documentCount === 0 || !isVerdict(request, reply.flags)) return 'read';
    if (!this.body.read(bytes, reply.start, reply.end)) return 'malformed';
    this.body.isFailed ||= hasFailed(reply.flags);
    return 'read';
  }

  #readCompressed(request: OwedRequest, bytes: Buffer, start: number, end: number): ReplyReading {
    const compressed = decodeOpCompressed(bytes, start, end);
    if (compressed === null) return 'malformed';
    const isRead = request.kind === commandKind.plain;
    const maxBytes = isRead ? limits.maxErrorFrameBytes : limits.maxHeldReplyBytes;
    if (compressed.uncompressedBytes > maxBytes) return 'too long';
    const message = decompress(bytes, start, end, headerBytes + maxBytes);
    if (message === 'unknown_compressor') return 'not followed';
    if (typeof message === 'string' || opCodeOf(message, 0) === opCode.compressed) return 'malformed';
    return this.read(request, message, 0, message.length);
  }
}

const nothing = Buffer.alloc(0);

function hasFailed(flags: number): boolean {
  return (flags & replyFlag.queryFailure) !== 0;
}

/** Documents of a collection say nothing of the query, whatever their fields are called. */
function isVerdict(request: OwedRequest, flags: number): boolean {
  return hasFailed(flags) || request.isKept || isSecret(request.kind);
}

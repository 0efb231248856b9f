/**
 * What the proxy itself has to say to a client that is not relayed yet, as a server's reply to its first request (Wire
 * Protocol, "OP_MSG", "OP_REPLY"): the opcode answers the request's, `responseTo` names it.
 *
 * Drivers show `errmsg` of a failed `hello` as the reason why no server could be selected. The codes are those with which
 * servers tell of the network and of their end: none says that the server stopped being a primary.
 */
import { Double, serialize } from 'bson';
import type { FirstRequest } from './first-words.js';
import { headerBytes, opCode } from './framing.js';

export const refusalError = {
  /** Whatever is wrong with the connection to the server; drivers try once more. */
  hostUnreachable: { code: 6, codeName: 'HostUnreachable' },
  /** The same to drivers of old; others keep the connections they have and come back later. */
  overloaded: {
    code: 6,
    codeName: 'HostUnreachable',
    errorLabels: ['SystemOverloadedError', 'RetryableError'],
  },
  shuttingDown: { code: 91, codeName: 'ShutdownInProgress' },
  tlsRequired: { code: 141, codeName: 'SSLHandshakeFailed' },
} as const;

export type RefusalError = (typeof refusalError)[keyof typeof refusalError];

/** Of OP_REPLY: flags, cursor, position and count come before the one document. */
const replyHeadBytes = 20;
/** Of OP_MSG: flags, and the kind of the one section. */
const msgHeadBytes = 5;

/** `message` must be ours, never the client's text. Null where the request is not to be answered. */
export function refusalReply(request: FirstRequest, error: RefusalError, message: string): Buffer | null {
  if (request.replyOpCode === null) return null;
  const body = serialize({ ok: new Double(0), errmsg: message, ...error });
  const headBytes = request.replyOpCode === opCode.msg ? msgHeadBytes : replyHeadBytes;
  const reply = Buffer.alloc(headerBytes + headBytes + body.length);
  reply.writeInt32LE(reply.length, 0);
  reply.writeInt32LE(request.id, 8);
  reply.writeInt32LE(request.replyOpCode, 12);
  if (request.replyOpCode === opCode.reply) reply.writeInt32LE(1, headerBytes + 16);
  reply.set(body, headerBytes + headBytes);
  return reply;
}

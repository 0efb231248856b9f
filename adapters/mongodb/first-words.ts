/**
 * What a client says first: a request (Wire Protocol, "Standard Message Header"), TLS (RFC 8446, 5.1), or something else.
 *
 * Invariant: a length is checked as soon as its four bytes are here. No more is gathered than a first request may have
 * and what came in one read with its end; bytes are joined once, however many pieces they came in.
 */
import { limits } from '../../src/core/limits.js';
import { BsonCursor } from './bson/cursor.js';
import { commandKind, readCommandKind } from './command-kind.js';
import { headerBytes, isMessageLength, messageLengthOf, opCode, opCodeOf, requestIdOf } from './framing.js';
import { OpMsg } from './messages/op-msg.js';
import { decodeOpQuery } from './messages/op-query.js';

export interface FirstRequest {
  readonly id: number;
  readonly lengthBytes: number;
  /** How a reply to it is written; null: it wants none, or none that can be written here. */
  readonly replyOpCode: typeof opCode.msg | typeof opCode.reply | null;
  /** It asks who the server is and changes nothing: another connection may be asked the same. */
  readonly isHello: boolean;
}

export type FirstWords =
  /** Nothing can be told before so many bytes are here. */
  | { readonly kind: 'incomplete'; readonly neededBytes: number }
  | { readonly kind: 'tls' }
  | { readonly kind: 'request'; readonly request: FirstRequest }
  /** HTTP, a header of the PROXY protocol, noise: for the server to judge. */
  | { readonly kind: 'foreign' };

const lengthBytes = 4;
/** Of a TLS record with a ClientHello: its type, its version of old, its length, the type of the handshake message. */
const clientHelloBytes = 6;
const nothing = Buffer.alloc(0);

/** Bytes of the client from which its first words are read; what came behind them stays. */
export class ClientInbox {
  #chunks: Buffer[] = [];
  #length = 0;
  #neededBytes = lengthBytes;

  get isEmpty(): boolean {
    return this.#length === 0;
  }

  push(chunk: Buffer): void {
    if (chunk.length === 0) return;
    this.#chunks.push(chunk);
    this.#length += chunk.length;
  }

  read(): FirstWords {
    if (this.#length < this.#neededBytes) return { kind: 'incomplete', neededBytes: this.#neededBytes };
    const bytes = this.takeAll();
    this.push(bytes);
    const words = readFirstWords(bytes);
    this.#neededBytes = words.kind === 'incomplete' ? words.neededBytes : lengthBytes;
    return words;
  }

  /** The first bytes, which must be here; the rest stays. */
  take(length: number): Buffer {
    const all = this.takeAll();
    this.push(all.subarray(length));
    return all.subarray(0, length);
  }

  takeAll(): Buffer {
    const [first = nothing] = this.#chunks;
    const all = this.#chunks.length > 1 ? Buffer.concat(this.#chunks) : first;
    this.#chunks = [];
    this.#length = 0;
    return all;
  }
}

function readFirstWords(bytes: Buffer): FirstWords {
  const isTls = looksLikeTls(bytes);
  if (isTls === null) return { kind: 'incomplete', neededBytes: clientHelloBytes };
  if (isTls) return { kind: 'tls' };
  const length = messageLengthOf(bytes, 0);
  if (!isMessageLength(length)) return { kind: 'foreign' };
  // A long one is no hello: it is not worth gathering.
  const neededBytes = length > limits.maxFirstRequestBytes ? headerBytes : length;
  if (bytes.length < neededBytes) return { kind: 'incomplete', neededBytes };
  const request = { id: requestIdOf(bytes, 0), lengthBytes: length, replyOpCode: null, isHello: false };
  return {
    kind: 'request',
    request: neededBytes < length ? request : { ...request, ...judge(bytes, length) },
  };
}

/**
 * As servers tell it. A request may begin with the first two bytes too, being 790 bytes long; its third is zero then, which
 * no record's is. Null: it depends on bytes to come.
 */
function looksLikeTls(bytes: Buffer): boolean | null {
  const [type, major, minor = 0] = bytes;
  if (type !== 0x16 || major !== 3 || minor < 1 || minor > 4) return false;
  return bytes.length < clientHelloBytes ? null : bytes[5] === 1;
}

function judge(bytes: Buffer, end: number): Pick<FirstRequest, 'replyOpCode' | 'isHello'> {
  switch (opCodeOf(bytes, 0)) {
    case opCode.msg: {
      const message = new OpMsg();
      if (!message.read(bytes, 0, end)) return { replyOpCode: opCode.msg, isHello: false };
      const replyOpCode = message.isMoreToCome ? null : opCode.msg;
      return { replyOpCode, isHello: isHello(bytes, message.bodyStart, message.bodyEnd) };
    }
    case opCode.query: {
      const query = decodeOpQuery(bytes, 0, end);
      return {
        replyOpCode: opCode.reply,
        isHello:
          query?.fullCollectionName.endsWith('.$cmd') === true && isHello(bytes, query.start, query.end),
      };
    }
    default:
      return { replyOpCode: null, isHello: false };
  }
}

function isHello(bytes: Buffer, start: number, end: number): boolean {
  const command = new BsonCursor();
  if (!command.open(bytes, start, end) || !command.next()) return false;
  return readCommandKind(bytes, command.keyStart, command.keyEnd) === commandKind.hello;
}

/**
 * The server's first word to a startup packet that went without TLS: does it take plain connections? PostgreSQL
 * refuses by pg_hba.conf with 28000, before anything else is said (docs 21.1).
 */
import { takeFrame } from './handshake-frames.js';
import { decodeErrorResponse } from './messages/error-response.js';
import { serverMessage } from './messages/message-type.js';
import { TextDecoding } from './text-decoding.js';

const refusedByHostRule = '28000';

export class PlainAnswer {
  #bytes: Buffer = Buffer.alloc(0);

  /** `refused`: only TLS may help. Everything else the server may say is for the client, read to its end or not. */
  read(chunk: Buffer): 'incomplete' | 'accepted' | 'refused' {
    this.#bytes = this.#bytes.length === 0 ? chunk : Buffer.concat([this.#bytes, chunk]);
    if (this.#bytes[0] !== serverMessage.errorResponse) return 'accepted';
    const taken = takeFrame(this.#bytes);
    if (taken.kind === 'incomplete') return 'incomplete';
    if (taken.kind === 'malformed') return 'accepted';
    const error = decodeErrorResponse(taken.body, 0, taken.body.length, new TextDecoding());
    return error?.code === refusedByHostRule ? 'refused' : 'accepted';
  }

  take(): Buffer {
    const bytes = this.#bytes;
    this.#bytes = Buffer.alloc(0);
    return bytes;
  }
}

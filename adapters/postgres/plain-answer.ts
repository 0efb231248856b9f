/**
 * The server's first word to a startup packet that went without TLS: does it take plain connections? PostgreSQL
 * refuses by pg_hba.conf with 28000, before anything else is said (docs 21.1).
 */
import { takeFrame } from './handshake-frames.js';
import { cstringEnd } from './messages/cstring.js';
import { errorField } from './messages/error-response.js';
import { serverMessage } from './messages/message-type.js';

const refusedByHostRule = '28000';

export class PlainAnswer {
  #bytes: Buffer = Buffer.alloc(0);

  /** `refused`: only TLS may help. Everything else the server may say is for the client, read to its end or not. */
  read(chunk: Buffer): 'incomplete' | 'accepted' | 'refused' {
    this.#bytes = this.#bytes.length === 0 ? chunk : Buffer.concat([this.#bytes, chunk]);
    if (this.#bytes[0] !== serverMessage.errorResponse) return 'accepted';
    const taken = takeFrame(this.#bytes);
    if (taken.kind === 'incomplete') return 'incomplete';
    return taken.kind === 'frame' && sqlState(taken.body) === refusedByHostRule ? 'refused' : 'accepted';
  }

  take(): Buffer {
    const bytes = this.#bytes;
    this.#bytes = Buffer.alloc(0);
    return bytes;
  }
}

function sqlState(body: Buffer): string | null {
  let at = 0;
  while (at < body.length && body[at] !== 0) {
    const end = cstringEnd(body, at + 1, body.length);
    if (end < 0) return null;
    if (body[at] === errorField.code) return body.toString('latin1', at + 1, end);
    at = end + 1;
  }
  return null;
}

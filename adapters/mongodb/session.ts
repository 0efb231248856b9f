/**
 * The state of one connection as both sides have declared it: which requests are owed a reply, and who is logged in. A
 * reducer: messages in, state and answers out; no policy. Wire Protocol, "Standard Message Header", "OP_MSG".
 *
 * Rules it rests on:
 * - a reply names its request by `responseTo`; a request with `moreToCome`, such as an unacknowledged write, gets none;
 * - where the client allows it (`exhaustAllowed`), replies with `moreToCome` follow each other, each of them answering to the
 *   id of the one before;
 * - a reply that answers to nothing known is no sign of being out of step: it is passed by.
 */
import type { SessionContext } from '../../src/core/verdict.js';
import { DatabaseScopes } from './database-scopes.js';
import { Login } from './login.js';
import { type OwedRequest, OwedRequests } from './owed-requests.js';
import { ReplyReader } from './reply-reader.js';
import { type Reading, RequestReader } from './request-reader.js';

export class SessionState {
  readonly scopes: DatabaseScopes;
  /** The reply that was read last. */
  readonly reply = new ReplyReader();
  readonly #login = new Login();
  readonly #owed = new OwedRequests();
  readonly #requests: RequestReader;

  constructor(session: Pick<SessionContext, 'scope' | 'application'>) {
    this.scopes = new DatabaseScopes(session.scope.upstream);
    this.#requests = new RequestReader({
      owed: this.#owed,
      scopes: this.scopes,
      login: this.#login,
      session,
    });
  }

  /** The requests that follow were read from the client in one go. */
  beginRead(): void {
    this.#requests.beginRead();
  }

  /** `bytes[start, end)` is a request, or as much of its `length` as is kept. */
  requested(bytes: Buffer, start: number, end: number, length: number): Reading {
    return this.#requests.read(bytes, start, end, length);
  }

  /** The request that a reply with this `responseTo` belongs to. */
  requestOf(responseTo: number): OwedRequest | null {
    return this.#owed.find(responseTo);
  }

  /** The name of the user whom this reply lets in, '' where it is not known; null where it lets nobody in. */
  userLetIn(request: OwedRequest): string | null {
    return this.#login.replied(request.kind, this.reply.body);
  }

  /** The reply that was read last, with this id, is dealt with. */
  replied(request: OwedRequest, replyId: number): void {
    if (this.reply.isMoreToCome) request.id = replyId;
    else this.#owed.remove(request);
    this.reply.clear();
  }

  clear(): void {
    this.#owed.clear();
    this.reply.clear();
  }
}

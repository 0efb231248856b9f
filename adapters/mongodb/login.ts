/**
 * Who a connection's user is, from the commands that authenticate it: the name in a client's first message counts once the
 * server has said that the conversation is over. Driver specification "Authentication"; RFC 5802, section 5.1.
 *
 * Invariant: payloads are read where they lie, and nothing of them but a user's name is kept.
 */
import { limits } from '../../src/core/limits.js';
import { BsonCursor } from './bson/cursor.js';
import { bsonType } from './bson/types.js';
import { type CommandKind, commandKind } from './command-kind.js';
import type { ReplyBody } from './reply-body.js';

/** What a request for authentication says of its user. */
interface Claim {
  readonly mechanism: string;
  readonly user: string;
}

export class Login {
  /** Whom the server will have let in when it says so. */
  #claimed: string | null = null;
  #isX509 = false;

  /** A command that may begin an authentication; `bytes[start, end)` is its body. */
  requested(kind: CommandKind, bytes: Buffer, start: number, end: number): void {
    if (kind === commandKind.saslContinue) return;
    const claim =
      kind === commandKind.hello ? readSpeculative(bytes, start, end) : readClaim(bytes, start, end);
    this.#claimed = claim === null || claim.user === '' ? null : claim.user;
    this.#isX509 = claim?.mechanism === 'MONGODB-X509';
  }

  /** The reply to one. The user's name where it has been let in ('' where it is not known), else null. */
  replied(kind: CommandKind, body: ReplyBody): string | null {
    if (body.isFailed) {
      this.#claimed = null;
      return null;
    }
    switch (kind) {
      case commandKind.hello:
        // SCRAM goes on with saslContinue; where the server does not take it up, the field is simply missing.
        return body.hasSpeculativeAuthenticate && this.#isX509 ? this.#letIn(body) : null;
      case commandKind.saslStart:
      case commandKind.saslContinue:
        return body.isDone ? this.#letIn(null) : null;
      case commandKind.authenticate:
        return this.#letIn(body);
      default:
        return null;
    }
  }

  /** A client with a certificate need not name itself: the reply does. */
  #letIn(body: ReplyBody | null): string {
    const claimed = this.#claimed;
    this.#claimed = null;
    return claimed ?? (body === null ? '' : readNamedUser(body));
  }
}

/** `client.application.name` of a hello; null where it names none. */
export function readApplication(bytes: Buffer, start: number, end: number): string | null {
  const cursor = new BsonCursor();
  if (!cursor.open(bytes, start, end)) return null;
  if (!enterKey(cursor, 'client') || !enterKey(cursor, 'application')) return null;
  while (cursor.next()) {
    if (cursor.isKey('name') && cursor.valueEnd - cursor.valueStart <= limits.maxNameBytes)
      return cursor.text();
  }
  return null;
}

/** `user` of the reply, or of its `speculativeAuthenticate`. */
function readNamedUser({ bytes, start, end, hasSpeculativeAuthenticate }: ReplyBody): string {
  const cursor = new BsonCursor();
  if (!cursor.open(bytes, start, end)) return '';
  if (hasSpeculativeAuthenticate && !enterKey(cursor, 'speculativeAuthenticate')) return '';
  while (cursor.next()) {
    if (cursor.isKey('user') && cursor.valueEnd - cursor.valueStart <= limits.maxNameBytes)
      return cursor.text() ?? '';
  }
  return '';
}

function readSpeculative(bytes: Buffer, start: number, end: number): Claim | null {
  const cursor = new BsonCursor();
  if (!cursor.open(bytes, start, end) || !enterKey(cursor, 'speculativeAuthenticate')) return null;
  return readClaim(bytes, cursor.start, cursor.end);
}

/** Moves into the document under this key of the one that `cursor` is in. */
function enterKey(cursor: BsonCursor, key: string): boolean {
  while (cursor.next()) {
    if (cursor.type === bsonType.document && cursor.isKey(key)) return cursor.enter(cursor);
  }
  return false;
}

function readClaim(bytes: Buffer, start: number, end: number): Claim | null {
  const cursor = new BsonCursor();
  if (!cursor.open(bytes, start, end)) return null;
  let mechanism = '';
  let named = '';
  let payloadStart = 0;
  let payloadEnd = 0;
  while (cursor.next()) {
    if (cursor.valueEnd - cursor.valueStart > limits.maxNameBytes) continue;
    if (cursor.isKey('mechanism')) mechanism = cursor.text() ?? '';
    else if (cursor.isKey('user')) named = cursor.text() ?? '';
    else if (cursor.isKey('payload') && cursor.type === bsonType.binary) {
      payloadStart = cursor.valueStart + 5;
      payloadEnd = cursor.valueEnd;
    }
  }
  const user = mechanism.startsWith('SCRAM-') ? scramUser(bytes, payloadStart, payloadEnd) : named;
  return { mechanism, user };
}

const comma = 0x2c;

/** The name in a client-first-message: `n,,n=user,r=nonce`, `=2C` and `=3D` standing for a comma and an equals sign. */
function scramUser(bytes: Buffer, start: number, end: number): string {
  let at = start;
  // the channel binding, and whom to act for
  for (let commas = 0; commas < 2; commas += 1) {
    at = bytes.indexOf(comma, at) + 1;
    if (at === 0 || at > end) return '';
  }
  if (bytes.toString('latin1', at, at + 2) !== 'n=') return '';
  const found = bytes.indexOf(comma, at);
  const nameEnd = found < 0 || found > end ? end : found;
  const name = bytes.toString('utf8', at + 2, nameEnd);
  return name.replaceAll('=2C', ',').replaceAll('=3D', '=');
}

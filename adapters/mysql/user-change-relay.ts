/**
 * COM_CHANGE_USER in a session of whose legs one has TLS: the login inside the session, relayed as the first one was
 * (MySQL "COM_CHANGE_USER"). Every other byte passes, and the observer inside sees the session as if the change had been
 * answered at once.
 *
 * Invariants: as with the first login, a password in clear never goes to a server without TLS that is not on this
 * machine. A change waits until everything before it is answered; what the client sends behind it waits for its end.
 */
import type { BlindReason, ByteOutput, CancellableObserver, SessionEnds } from '../../src/core/adapter.js';
import { limits } from '../../src/core/limits.js';
import { AuthRelay, type AuthStep } from './auth-relay.js';
import { capability } from './capabilities.js';
import {
  errPacket,
  headerBytes,
  PacketInbox,
  type RefusalError,
  refusalError,
  renumbered,
} from './handshake-packets.js';
import type { AuthPacket } from './login-packet.js';
import { command } from './messages/command.js';
import type { MysqlObserver } from './observer.js';
import type { ProxyKey } from './rsa-password.js';
import type { MixedLegsTerms } from './session-identity.js';

const nowhere: ByteOutput = { write: () => undefined };
const nothing = Buffer.alloc(0);

/** `inner` as far as it is needed here. */
type Inner = CancellableObserver & Pick<MysqlObserver, 'isIdle' | 'isSendingFile'>;

export class UserChangeRelay implements CancellableObserver {
  readonly #inner: Inner;
  readonly #terms: MixedLegsTerms;
  readonly #proxyKey: ProxyKey;
  #ends: SessionEnds = { toServer: nowhere, toClient: nowhere, close: () => undefined };
  /** The beginning of a packet, too little of it to know which. */
  #head: Buffer = nothing;
  /** Bytes of the packet that is passing. */
  #passingBytes = 0;
  /** From a COM_CHANGE_USER on: what the client said and nobody has got. Null while everything passes. */
  #waiting: PacketInbox | null = null;
  #change: AuthRelay | null = null;
  #fromServer = new PacketInbox();

  constructor(inner: Inner, terms: MixedLegsTerms, proxyKey: ProxyKey) {
    this.#inner = inner;
    this.#terms = terms;
    this.#proxyKey = proxyKey;
  }

  get blindReason(): BlindReason | null {
    return this.#inner.blindReason;
  }

  takeOver(ends: SessionEnds): void {
    this.#ends = ends;
  }

  toServer(chunk: Buffer): void {
    if (this.#waiting === null) {
      this.#pass(this.#head.length === 0 ? chunk : Buffer.concat([this.#head, chunk]));
      return;
    }
    if (this.#change !== null) {
      this.#advance(this.#change.clientBytes(chunk));
    } else {
      this.#waiting.push(chunk);
      this.#begin();
    }
    this.#bound();
  }

  toClient(chunk: Buffer, out: ByteOutput): void {
    if (this.#change !== null) {
      this.#advance(this.#change.serverBytes(chunk));
      return;
    }
    this.#inner.toClient(chunk, out);
    if (this.#waiting !== null) this.#begin();
  }

  end(out: ByteOutput): void {
    this.#inner.end(out);
  }

  cancelRelayed(): void {
    this.#inner.cancelRelayed();
  }

  /** Sends on what comes before a COM_CHANGE_USER, which is kept with all that follows. */
  #pass(bytes: Buffer): void {
    this.#head = nothing;
    let passed = 0;
    let at = Math.min(this.#passingBytes, bytes.length);
    this.#passingBytes -= at;
    while (at < bytes.length) {
      const left = bytes.length - at;
      const length = left < headerBytes ? 0 : bytes.readUIntLE(at, 3);
      if (left < headerBytes || (left === headerBytes && length > 0)) {
        this.#head = bytes.subarray(at);
        break;
      }
      if (length > 0 && bytes[at + 3] === 0 && bytes[at + headerBytes] === command.changeUser) {
        this.#send(bytes.subarray(passed, at));
        passed = at;
        // In a file these bytes mean nothing.
        if (!this.#inner.isSendingFile) {
          this.#waiting = new PacketInbox();
          this.#waiting.push(bytes.subarray(at));
          this.#begin();
          this.#bound();
          return;
        }
      }
      const end = at + headerBytes + length;
      this.#passingBytes = Math.max(0, end - bytes.length);
      at = end;
    }
    this.#send(bytes.subarray(passed, bytes.length - this.#head.length));
  }

  #send(bytes: Buffer): void {
    if (bytes.length === 0) return;
    this.#ends.toServer.write(bytes);
    this.#inner.toServer(bytes);
  }

  /** The change begins once it is whole and nothing is owed before it. */
  #begin(): void {
    const waiting = this.#waiting;
    if (waiting === null || !this.#inner.isIdle) return;
    const taken = waiting.take(limits.maxLoginPacketBytes);
    if (taken.kind === 'incomplete') return;
    const login = taken.kind === 'packet' ? readChange(taken.payload) : null;
    if (taken.kind === 'too-long' || login === null) {
      // No server takes it either, and what it holds may be secret.
      this.#refuse(refusalError.badHandshake, 'Bad handshake', 1);
      return;
    }
    this.#inner.toServer(taken.packet);
    const { legs, scramble, capabilities } = this.#terms;
    this.#change = new AuthRelay({
      legs,
      fromClient: waiting,
      fromServer: this.#fromServer,
      packet: taken.packet,
      login,
      offset: 0,
      scramble,
      hasFactors: (capabilities & capability.multiFactorAuthentication) !== 0,
      proxyKey: this.#proxyKey,
    });
    this.#advance(this.#change.start());
  }

  #advance({ toClient, toServer, outcome }: AuthStep): void {
    const { toClient: client, toServer: server } = this.#ends;
    for (const bytes of toServer) server.write(bytes);
    for (const bytes of toClient) if (bytes.length > 0) client.write(bytes);
    switch (outcome.kind) {
      case 'pending':
        return;
      case 'refused':
        this.#refuse(outcome.error, outcome.message, this.#change?.nextToClient ?? 1);
        return;
      case 'accepted':
      case 'rejected':
        this.#over(outcome.end);
    }
  }

  #refuse(error: RefusalError, message: string, sequence: number): void {
    this.#ends.toClient.write(errPacket(error, message, sequence, true));
    this.#ends.close();
  }

  /** The observer gets the end of the exchange as if it had been all of it. */
  #over(end: Buffer): void {
    const behind = this.#waiting?.takeRest() ?? nothing;
    this.#change = null;
    this.#waiting = null;
    this.#inner.toClient(renumbered(end, 1), nowhere);
    const rest = this.#fromServer.takeRest();
    if (rest.length > 0) this.#inner.toClient(rest, this.#ends.toClient);
    if (behind.length > 0) this.#pass(behind);
  }

  /** Throws where a client goes on and on behind a change that is not answered: the session ends. */
  #bound(): void {
    if ((this.#waiting?.length ?? 0) > limits.maxHandshakeBacklogBytes) {
      throw new RangeError('Too much was sent behind COM_CHANGE_USER');
    }
  }
}

/** Null where it does not have all that servers need: user, authentication data, database. */
function readChange(payload: Buffer): AuthPacket | null {
  const authStart = payload.indexOf(0, 1) + 1;
  const authLength = payload[authStart];
  if (authStart === 0 || authLength === undefined) return null;
  const authEnd = authStart + 1 + authLength;
  const databaseEnd = payload.indexOf(0, authEnd);
  if (authEnd > payload.length || databaseEnd < 0) return null;
  const pluginAt = databaseEnd + 1 + 2;
  const pluginEnd = payload.indexOf(0, pluginAt);
  return {
    // Lengths of authentication data are one byte here.
    capabilities: capability.secureConnection,
    plugin: pluginEnd < 0 ? '' : payload.toString('latin1', pluginAt, pluginEnd),
    authData: payload.subarray(authStart + 1, authEnd),
    authStart,
    authEnd,
  };
}

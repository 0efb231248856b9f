/**
 * The time before a session is relayed, as a pure reducer: TLS on the client's leg, the client's first request, and the
 * upstream's leg. Nothing is negotiated and no login is read here: from its first request on a session is relayed.
 *
 * Invariants: the client speaks first, and the server is dialled only then, so that health checks and scanners cost it
 * nothing. A request is sent a second time only if it is a `hello`, the server answered nothing, and nothing else was sent.
 * What is no request is passed on unread, for the server to judge.
 */
import type { Handshake, HandshakeAction, LegPolicy, Refusal } from '../../src/core/adapter.js';
import { limits } from '../../src/core/limits.js';
import { ClientInbox, type FirstRequest } from './first-words.js';
import { leavesTlsOpen } from './leg-policy.js';
import { PlainAnswer } from './plain-answer.js';
import { type RefusalError, refusalError, refusalReply } from './refusal-reply.js';
import { type ServerLeg, serverLegOf } from './server-leg.js';
import { RequestSentBefore, type SessionBeginning, sessionIdentity } from './session-identity.js';

type State =
  /** The client owes its first words. */
  | 'listening'
  | 'securing-client'
  | 'connecting'
  | 'securing-server'
  /** A hello went without TLS; only the server's first bytes tell whether it takes that. */
  | 'plain-answer'
  /** Relaying, or closing: nothing more is asked of the handshake. */
  | 'done';

/** TLS alert record: fatal, handshake_failure. What a TLS client understands where there is no TLS. */
const tlsRefusal = Buffer.from([0x15, 0x03, 0x01, 0x00, 0x02, 0x02, 0x28]);
const nothing = Buffer.alloc(0);
const wantsTls = 'The upstream database server takes TLS only, and TLS with it could not be set up.';

interface HandshakeOptions {
  now(): number;
}

class MongoHandshake implements Handshake {
  readonly #policy: LegPolicy;
  #state: State = 'listening';
  readonly #fromClient = new ClientInbox();
  #isClientSecure = false;
  /** The first request; null until it is here, and for what is none. */
  #request: FirstRequest | null = null;
  readonly #leg: ServerLeg;
  readonly #options: HandshakeOptions;
  /** Whether the upstream's leg gets TLS, until the server turns it away. */
  #isServerTls: boolean;
  #isRetried = false;
  /** The hello that went without TLS, for the observer, or to be sent again. */
  #hello: Buffer = nothing;
  readonly #plainAnswer = new PlainAnswer();
  #pendingRefusal: Refusal | null = null;

  constructor(policy: LegPolicy, options: HandshakeOptions) {
    this.#policy = policy;
    this.#options = options;
    this.#leg = serverLegOf(policy);
    this.#isServerTls = this.#leg.isTls(options.now());
  }

  opened(): readonly HandshakeAction[] {
    return [];
  }

  clientBytes(chunk: Buffer): readonly HandshakeAction[] {
    if (this.#state === 'done') return [];
    this.#fromClient.push(chunk);
    return this.#state === 'listening' ? this.#listen() : [];
  }

  serverBytes(chunk: Buffer): readonly HandshakeAction[] {
    if (this.#state !== 'plain-answer') return [];
    switch (this.#plainAnswer.read(chunk)) {
      case 'incomplete':
        return [];
      case 'wants-tls':
        return this.#isRetried ? this.#refused(refusalError.hostUnreachable, wantsTls) : this.#retry();
      case 'accepted':
        this.#serverTook(false);
        return this.#relay({
          serverBacklog: this.#plainAnswer.bytes,
          negotiated: new RequestSentBefore(this.#hello),
        });
    }
  }

  clientSecured(): readonly HandshakeAction[] {
    if (this.#state !== 'securing-client') return [];
    this.#isClientSecure = true;
    this.#state = 'listening';
    return this.#listen();
  }

  serverConnected(): readonly HandshakeAction[] {
    if (this.#state !== 'connecting') return [];
    if (this.#isServerTls) {
      this.#state = 'securing-server';
      const isLastResort = this.#isRetried || !leavesTlsOpen(this.#policy);
      const bound = isLastResort ? {} : { timeoutMs: limits.optionalTlsTimeoutMs };
      return [{ kind: 'secure-server', alpn: null, ...bound }];
    }
    if (this.#request?.isHello !== true || !leavesTlsOpen(this.#policy)) return this.#relay();
    this.#state = 'plain-answer';
    // What came behind it waits: alone it can be answered, and sent again.
    this.#hello = this.#fromClient.take(this.#request.lengthBytes);
    return [{ kind: 'write-server', bytes: this.#hello }];
  }

  serverSecured(): readonly HandshakeAction[] {
    if (this.#state !== 'securing-server') return [];
    this.#serverTook(true);
    return this.#relay();
  }

  serverFailed(message: string): readonly HandshakeAction[] {
    if (this.#state === 'done') return [];
    const isTurnedAway =
      (this.#state === 'plain-answer' && this.#plainAnswer.bytes.length === 0) ||
      (this.#state === 'securing-server' && leavesTlsOpen(this.#policy));
    if (isTurnedAway && !this.#isRetried) return this.#retry();
    return this.#refused(refusalError.hostUnreachable, message);
  }

  clientEnded(): readonly HandshakeAction[] {
    // With its request on the way, the client may still read what comes of it.
    const isSpeaking = this.#state === 'listening' || this.#state === 'securing-client';
    return isSpeaking ? this.#closed('client_closed') : [];
  }

  refuse(refusal: Refusal): readonly HandshakeAction[] {
    if (this.#state === 'done') return [];
    if (this.#state !== 'listening' && this.#state !== 'securing-client') return this.#refuseNow(refusal);
    // A client with a request to come reads no reply before it; one that has said nothing may never.
    const isSilent = this.#state === 'listening' && !this.#isClientSecure && this.#fromClient.isEmpty;
    const isLeft = refusal.reason === 'shutting_down' && isSilent;
    if (refusal.reason === 'handshake_timeout' || isLeft) return this.#closed(refusal.reason);
    this.#pendingRefusal = refusal;
    return [];
  }

  #listen(): readonly HandshakeAction[] {
    const words = this.#fromClient.read();
    switch (words.kind) {
      case 'incomplete':
        return [];
      case 'tls':
        return this.#secureClient();
      case 'request':
        this.#request = words.request;
        return this.#admit();
      case 'foreign':
        return this.#admit();
    }
  }

  #secureClient(): readonly HandshakeAction[] {
    if (this.#isClientSecure) return this.#closed('protocol_error');
    if (this.#policy.clientTls === null) {
      return [{ kind: 'write-client', bytes: tlsRefusal }, ...this.#closed('tls_not_offered')];
    }
    this.#state = 'securing-client';
    const pending = this.#fromClient.takeAll();
    return [{ kind: 'secure-client', alpn: null, isAlpnRequired: false, pending }];
  }

  #admit(): readonly HandshakeAction[] {
    if (this.#policy.clientTls?.isRequired === true && !this.#isClientSecure) {
      return this.#refused(
        refusalError.tlsRequired,
        'This proxy accepts TLS connections only: connect with tls=true.',
      );
    }
    if (this.#pendingRefusal !== null) return this.#refuseNow(this.#pendingRefusal);
    return this.#connect();
  }

  #connect(): readonly HandshakeAction[] {
    this.#state = 'connecting';
    return [{ kind: 'connect-server' }];
  }

  /** The server may want the other kind of connection. */
  #retry(): readonly HandshakeAction[] {
    this.#isRetried = true;
    this.#isServerTls = !this.#isServerTls;
    return this.#connect();
  }

  #serverTook(isTls: boolean): void {
    if (this.#isRetried) this.#leg.tookInstead(isTls, this.#options.now());
  }

  #relay(beginning: Partial<SessionBeginning> = {}): readonly HandshakeAction[] {
    this.#state = 'done';
    const isRequestSent = beginning.negotiated !== undefined;
    const behind = this.#fromClient.takeAll();
    const identity = sessionIdentity({
      clientBacklog:
        isRequestSent || this.#hello.length === 0 ? behind : Buffer.concat([this.#hello, behind]),
      serverBacklog: nothing,
      blindReason: this.#request === null ? 'unknown_protocol' : null,
      ...beginning,
    });
    return [{ kind: 'relay', identity }];
  }

  #refuseNow({ reason, message }: Refusal): readonly HandshakeAction[] {
    const error = {
      too_many_connections: refusalError.overloaded,
      handshake_timeout: refusalError.hostUnreachable,
      shutting_down: refusalError.shuttingDown,
    }[reason];
    return this.#refused(error, message);
  }

  /** An error where the client asked for something and waits for its answer, and the end of the connection. */
  #refused(error: RefusalError, message: string): readonly HandshakeAction[] {
    const reply = this.#request === null ? null : refusalReply(this.#request, error, message);
    const close = this.#closed(String(error.code));
    return reply === null ? close : [{ kind: 'write-client', bytes: reply }, ...close];
  }

  #closed(reason: string): readonly HandshakeAction[] {
    this.#state = 'done';
    return [{ kind: 'close', reason }];
  }
}

/** `options` is where a test puts its own clock. */
export function createHandshake(policy: LegPolicy, options: HandshakeOptions = { now: Date.now }): Handshake {
  return new MongoHandshake(policy, options);
}

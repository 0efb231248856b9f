/**
 * The time before a session is relayed, as a pure reducer: encryption of the client's leg, the startup packet, the
 * upstream's leg, and authentication where it cannot simply be relayed (docs 54.2.1, 54.2.8, 54.2.10, 54.2.11).
 *
 * Invariants: an SSLRequest or GSSENCRequest is answered by one byte or by closing, never by an error; bytes that came
 * unencrypted together with a request for encryption are never interpreted; a cancel request is never answered; what
 * the server gets is the client's own startup packet (`auth: terminate` alone puts another user in).
 */
import { randomBytes } from 'node:crypto';
import type { Handshake, HandshakeAction, LegPolicy, Refusal } from '../../src/core/adapter.js';
import type { AuthenticationStep } from './authentication.js';
import { fatalError, refusalCode } from './handshake-frames.js';
import { acceptsPlainUpstream, asksUpstreamTls, retriesWithTls, stripsChannelBinding } from './leg-policy.js';
import { PlainAnswer } from './plain-answer.js';
import { RelayedAuthentication } from './relayed-authentication.js';
import { type SessionGoal, sessionIdentity } from './session-goal.js';
import { readStartupPacket, sslRequest } from './startup.js';
import { TerminatedAuthentication } from './terminated-authentication.js';
import { terminatedUsersOf } from './terminated-users.js';

/** TLS alert record: fatal, handshake_failure. What a TLS client understands where there is no TLS. */
const tlsRefusal = Buffer.from([0x15, 0x03, 0x01, 0x00, 0x02, 0x02, 0x28]);
const alpn = 'postgresql';
const answerYes = 0x53; // S
const answerNo = 0x4e; // N
const empty = Buffer.alloc(0);

type State =
  /** Reading the client's requests up to its startup packet. */
  | 'startup'
  | 'securing-client'
  /** `auth: terminate`: the client proves itself. */
  | 'checking-client'
  | 'connecting'
  | 'tls-answer'
  | 'securing-server'
  /** A startup packet went without TLS; only the server's first word tells whether it takes that. */
  | 'plain-answer'
  /** Login frames pass through us. */
  | 'authenticating'
  /** Relaying, or closing: nothing more is asked of the handshake. */
  | 'done';

interface HandshakeOptions {
  randomBytes(size: number): Buffer;
}

class PostgresHandshake implements Handshake {
  readonly #policy: LegPolicy;
  readonly #options: HandshakeOptions;
  #state: State = 'startup';
  /** Client bytes not interpreted yet: part of a startup packet, later what came after it. */
  #fromClient: Buffer = empty;
  #isClientSecure = false;
  #isTlsAnswered = false;
  #isGssAnswered = false;
  #goal: SessionGoal | null = null;
  #isServerSecure = false;
  /** Set once TLS was preferred and failed: the next connection stays plain. */
  #isPlainForced = false;
  #authentication: RelayedAuthentication | TerminatedAuthentication | null = null;
  readonly #plainAnswer = new PlainAnswer();
  /** Set once the server refused a plain connection: the next one asks for TLS. */
  #plainRefusal: Buffer | null = null;
  #pendingRefusal: Refusal | null = null;

  constructor(policy: LegPolicy, options: HandshakeOptions) {
    this.#policy = policy;
    this.#options = options;
  }

  /** The client speaks first. */
  opened(): readonly HandshakeAction[] {
    return [];
  }

  clientBytes(chunk: Buffer): readonly HandshakeAction[] {
    switch (this.#state) {
      case 'checking-client':
      case 'authenticating':
        return this.#authentication === null ? [] : this.#advance(this.#authentication.clientBytes(chunk));
      case 'done':
        return [];
      case 'startup':
        this.#keep(chunk);
        return this.#readStartup();
      case 'securing-client':
      case 'connecting':
      case 'tls-answer':
      case 'securing-server':
      case 'plain-answer':
        this.#keep(chunk);
        return [];
    }
  }

  serverBytes(chunk: Buffer): readonly HandshakeAction[] {
    if (this.#state === 'authenticating' && this.#authentication !== null) {
      return this.#advance(this.#authentication.serverBytes(chunk));
    }
    if (this.#state === 'plain-answer') return this.#readPlainAnswer(chunk);
    if (this.#state !== 'tls-answer') return [];
    const answer = chunk[0];
    if (chunk.length !== 1 || (answer !== answerYes && answer !== answerNo)) {
      return this.#refused(
        refusalCode.cannotConnect,
        'The upstream database server did not answer the request for TLS as PostgreSQL does.',
      );
    }
    if (answer === answerYes) {
      this.#state = 'securing-server';
      return [{ kind: 'secure-server', alpn }];
    }
    if (this.#plainRefusal !== null) return this.#passPlainRefusal(this.#plainRefusal);
    if (!acceptsPlainUpstream(this.#policy)) {
      return this.#refused(
        refusalCode.cannotConnect,
        'The upstream database server does not offer TLS, which the proxy is told to require.',
      );
    }
    return this.#startServer();
  }

  #readPlainAnswer(chunk: Buffer): readonly HandshakeAction[] {
    const verdict = this.#plainAnswer.read(chunk);
    if (verdict === 'incomplete') return [];
    const bytes = this.#plainAnswer.take();
    if (verdict === 'accepted') return this.#relay(this.#fromClient, bytes, false);
    this.#plainRefusal = bytes;
    return this.#connect();
  }

  /** TLS cannot be had either: the client gets the server's own words. */
  #passPlainRefusal(bytes: Buffer): readonly HandshakeAction[] {
    return [{ kind: 'write-client', bytes }, ...this.#closed('server_refused')];
  }

  clientSecured(): readonly HandshakeAction[] {
    if (this.#state !== 'securing-client') return [];
    this.#isClientSecure = true;
    this.#state = 'startup';
    return this.#readStartup();
  }

  serverConnected(): readonly HandshakeAction[] {
    if (this.#state !== 'connecting') return [];
    const asksTls = this.#plainRefusal !== null || asksUpstreamTls(this.#policy, this.#isClientSecure);
    if (this.#isPlainForced || !asksTls) return this.#startServer();
    this.#state = 'tls-answer';
    return [{ kind: 'write-server', bytes: sslRequest }];
  }

  serverSecured(): readonly HandshakeAction[] {
    if (this.#state !== 'securing-server') return [];
    this.#isServerSecure = true;
    return this.#startServer();
  }

  serverFailed(message: string): readonly HandshakeAction[] {
    if (this.#plainRefusal !== null && this.#state !== 'done' && this.#state !== 'authenticating') {
      return this.#passPlainRefusal(this.#plainRefusal);
    }
    const isTlsOptional = acceptsPlainUpstream(this.#policy) && !this.#isPlainForced;
    if (this.#state === 'securing-server' && isTlsOptional) {
      this.#isPlainForced = true;
      this.#state = 'connecting';
      return [{ kind: 'connect-server' }];
    }
    if (this.#state === 'done') return [];
    const isUnderWay = this.#state === 'authenticating' || this.#state === 'plain-answer';
    const code = isUnderWay ? refusalCode.connectionLost : refusalCode.cannotConnect;
    return this.#refused(code, message);
  }

  refuse(refusal: Refusal): readonly HandshakeAction[] {
    if (this.#state === 'done') return [];
    const isStartupRead = this.#goal !== null;
    if (isStartupRead || refusal.reason === 'handshake_timeout') return this.#refuseNow(refusal);
    this.#pendingRefusal = refusal;
    return [];
  }

  #keep(chunk: Buffer): void {
    this.#fromClient = this.#fromClient.length === 0 ? chunk : Buffer.concat([this.#fromClient, chunk]);
  }

  #takeFromClient(): Buffer {
    const taken = this.#fromClient;
    this.#fromClient = empty;
    return taken;
  }

  #readStartup(): readonly HandshakeAction[] {
    const packet = readStartupPacket(this.#fromClient);
    switch (packet.kind) {
      case 'incomplete':
        return [];
      case 'malformed':
        // As the server does: what cannot be read as a request is not from a client that waits for an answer.
        return this.#closed('protocol_error');
      case 'direct-tls':
        return this.#secureDirectly();
      case 'ssl':
      case 'gss-encryption':
        return this.#answerEncryption(packet.kind, packet.bytes);
      case 'cancel':
        this.#goal = packet;
        // Whatever follows a cancel request has no reader.
        this.#fromClient = empty;
        return this.#connect();
      case 'startup':
      case 'unknown':
        this.#goal = packet;
        this.#fromClient = this.#fromClient.subarray(packet.packet.length);
        return this.#pendingRefusal === null ? this.#admit() : this.#refuseNow(this.#pendingRefusal);
    }
  }

  #secureDirectly(): readonly HandshakeAction[] {
    // Inside TLS, or after a request for encryption was answered, a ClientHello is out of place.
    if (this.#isClientSecure || this.#isTlsAnswered || this.#isGssAnswered)
      return this.#closed('protocol_error');
    if (this.#policy.clientTls === null) {
      this.#state = 'done';
      return [
        { kind: 'write-client', bytes: tlsRefusal },
        { kind: 'close', reason: 'tls_not_offered' },
      ];
    }
    const pending = this.#takeFromClient();
    this.#state = 'securing-client';
    return [{ kind: 'secure-client', alpn, isAlpnRequired: true, pending }];
  }

  #answerEncryption(kind: 'ssl' | 'gss-encryption', bytes: number): readonly HandshakeAction[] {
    const isRepeated = kind === 'ssl' ? this.#isTlsAnswered || this.#isClientSecure : this.#isGssAnswered;
    const hasMore = this.#fromClient.length > bytes;
    if (isRepeated || hasMore) return this.#closed('protocol_error');
    this.#fromClient = empty;
    if (kind === 'ssl') this.#isTlsAnswered = true;
    else this.#isGssAnswered = true;
    const isAccepted = kind === 'ssl' && this.#policy.clientTls !== null;
    const answer = Buffer.from([isAccepted ? answerYes : answerNo]);
    if (!isAccepted) return [{ kind: 'write-client', bytes: answer }];
    this.#state = 'securing-client';
    return [
      { kind: 'write-client', bytes: answer },
      { kind: 'secure-client', alpn, isAlpnRequired: false, pending: null },
    ];
  }

  /** The startup packet is read: checks what we demand of the client, then goes for the upstream. */
  #admit(): readonly HandshakeAction[] {
    const goal = this.#goal;
    if (this.#policy.clientTls?.isRequired === true && !this.#isClientSecure) {
      return this.#refused(
        refusalCode.invalidAuthorization,
        'This proxy accepts TLS connections only: connect with sslmode=require.',
      );
    }
    if (this.#policy.auth === 'relay' || goal === null) return this.#connect();
    if (goal.kind !== 'startup') {
      return this.#refused(
        refusalCode.notSupported,
        'The proxy checks logins itself and does not know this protocol version.',
      );
    }
    const authentication = new TerminatedAuthentication({
      users: terminatedUsersOf(this.#policy),
      packet: goal.packet,
      parameters: goal.parameters,
      randomBytes: this.#options.randomBytes,
    });
    this.#authentication = authentication;
    this.#state = 'checking-client';
    const actions = this.#advance(authentication.start());
    if (this.#fromClient.length === 0) return actions;
    return [...actions, ...this.clientBytes(this.#takeFromClient())];
  }

  #connect(): readonly HandshakeAction[] {
    this.#state = 'connecting';
    return [{ kind: 'connect-server' }];
  }

  /** The upstream's leg is as secure as it will be: the client's first packet can go. */
  #startServer(): readonly HandshakeAction[] {
    const goal = this.#goal;
    if (goal === null) return this.#closed('protocol_error');
    const actions: HandshakeAction[] = [{ kind: 'write-server', bytes: goal.packet }];
    if (goal.kind === 'cancel') {
      this.#state = 'done';
      return [{ kind: 'note-cancel', key: goal.key }, ...actions, { kind: 'close-after-server' }];
    }
    if (this.#authentication instanceof TerminatedAuthentication) {
      this.#authentication.serverReady(this.#isServerSecure || this.#policy.isUpstreamLoopback === true);
      this.#state = 'authenticating';
      // It keeps what the client sends ahead of time, in order.
      return [...actions, ...this.#advance(this.#authentication.clientBytes(this.#takeFromClient()))];
    }
    if (goal.kind === 'startup' && stripsChannelBinding(this.#policy, this.#isServerSecure)) {
      const authentication = new RelayedAuthentication();
      this.#authentication = authentication;
      this.#state = 'authenticating';
      return [...actions, ...this.#advance(authentication.clientBytes(this.#takeFromClient()))];
    }
    if (goal.kind === 'startup' && !this.#isServerSecure && retriesWithTls(this.#policy)) {
      this.#state = 'plain-answer';
      return actions;
    }
    return [...actions, ...this.#relay(this.#fromClient, empty, false)];
  }

  #advance(step: AuthenticationStep): readonly HandshakeAction[] {
    const actions: HandshakeAction[] = [];
    for (const bytes of step.toClient) if (bytes.length > 0) actions.push({ kind: 'write-client', bytes });
    for (const bytes of step.toServer) if (bytes.length > 0) actions.push({ kind: 'write-server', bytes });
    const { outcome } = step;
    switch (outcome.kind) {
      case 'pending':
        return actions;
      case 'client-accepted':
        this.#goal =
          this.#goal?.kind === 'startup' ? { ...this.#goal, packet: outcome.upstreamStartup } : null;
        return [...actions, ...this.#connect()];
      case 'accepted':
      case 'relay':
        return [
          ...actions,
          ...this.#relay(outcome.fromClient, outcome.fromServer, outcome.kind === 'accepted'),
        ];
      case 'refused':
        return [...actions, ...this.#refused(outcome.code, outcome.message)];
      case 'rejected':
        return [...actions, ...this.#closed('server_refused')];
    }
  }

  #relay(clientBacklog: Buffer, serverBacklog: Buffer, isAuthenticated: boolean): readonly HandshakeAction[] {
    this.#state = 'done';
    const identity = sessionIdentity(this.#goal, this.#policy, {
      clientBacklog,
      serverBacklog,
      isAuthenticated,
    });
    return [{ kind: 'relay', identity }];
  }

  #refuseNow(refusal: Refusal): readonly HandshakeAction[] {
    const code = {
      too_many_connections: refusalCode.tooManyConnections,
      handshake_timeout: refusalCode.timedOut,
      shutting_down: refusalCode.shuttingDown,
    }[refusal.reason];
    return this.#refused(code, refusal.message);
  }

  /** An error where the client can read one, and the end of the connection. */
  #refused(code: string, message: string): readonly HandshakeAction[] {
    const isReadable = this.#goal?.kind !== 'cancel' && this.#goal?.kind !== 'unknown';
    const isInClear = this.#state !== 'securing-client';
    this.#state = 'done';
    const close: HandshakeAction = { kind: 'close', reason: code };
    return isReadable && isInClear
      ? [{ kind: 'write-client', bytes: fatalError(code, message) }, close]
      : [close];
  }

  #closed(reason: string): readonly HandshakeAction[] {
    this.#state = 'done';
    return [{ kind: 'close', reason }];
  }
}

/** `options` is where a test puts its own nonces. */
export function createHandshake(policy: LegPolicy, options: HandshakeOptions = { randomBytes }): Handshake {
  return new PostgresHandshake(policy, options);
}

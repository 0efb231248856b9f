/**
 * The time before a session is relayed, as a pure reducer: the server's greeting, encryption of the client's leg, the
 * login packet, the upstream's leg, and the login itself (MySQL "Connection Phase"; MariaDB "Connecting").
 *
 * Invariants: the server speaks first, so it is dialled at once; of its greeting the offers of TLS and compression alone
 * are changed. Bytes that came unencrypted together with a request for TLS are never interpreted. A login does not leave
 * before the upstream's leg is as secure as the policy demands.
 */
import type { Handshake, HandshakeAction, LegPolicy, Refusal } from '../../src/core/adapter.js';
import { limits } from '../../src/core/limits.js';
import { AuthRelay, type AuthStep, type RelayLegs } from './auth-relay.js';
import { capability } from './capabilities.js';
import { type Greeting, readGreeting, shownGreeting } from './greeting.js';
import {
  errPacket,
  headerBytes,
  PacketInbox,
  type RefusalError,
  refusalError,
  renumbered,
} from './handshake-packets.js';
import { demandsUpstreamTls, offersClientTls, takesUpstreamTls } from './leg-policy.js';
import { type LoginPacket, readClientPacket, tlsRequest, withTlsFlag } from './login-packet.js';
import { type ProxyKey, proxyKey } from './rsa-password.js';
import { type Backlogs, sessionIdentity, unknownIdentity } from './session-identity.js';

type State =
  /** The upstream is dialled, or owes its greeting. */
  | 'greeting'
  /** The client has the greeting and owes its next packet. */
  | 'login'
  | 'securing-client'
  | 'securing-server'
  | 'authenticating'
  /** Relaying, or closing: nothing more is asked of the handshake. */
  | 'done';

/** First byte of a TLS handshake record: all that may follow a request for TLS. */
const tlsHandshakeRecord = 0x16;
const errHeader = 0xff;

const notMysql = 'The upstream database server does not speak the protocol of MySQL.';

interface HandshakeOptions {
  readonly proxyKey: ProxyKey;
}

class MysqlHandshake implements Handshake {
  readonly #policy: LegPolicy;
  readonly #proxyKey: ProxyKey;
  #state: State = 'greeting';
  readonly #fromClient = new PacketInbox();
  readonly #fromServer = new PacketInbox();
  #greeting: Greeting | null = null;
  /** The client reads an SQLSTATE in errors: it has the greeting, and is not older than that. */
  #hasSqlState = false;
  #isClientSecure = false;
  #isServerSecure = false;
  /** The login packet, from its arrival to its leaving. */
  #packet: Buffer | null = null;
  #login: LoginPacket | null = null;
  #authentication: AuthRelay | null = null;
  /** Number of the client's last packet. */
  #lastOfClient = 0;
  #pendingRefusal: Refusal | null = null;

  constructor(policy: LegPolicy, options: HandshakeOptions) {
    this.#policy = policy;
    this.#proxyKey = options.proxyKey;
  }

  opened(): readonly HandshakeAction[] {
    return [{ kind: 'connect-server' }];
  }

  clientBytes(chunk: Buffer): readonly HandshakeAction[] {
    switch (this.#state) {
      case 'authenticating':
        return this.#authentication === null ? [] : this.#advance(this.#authentication.clientBytes(chunk));
      case 'login':
        this.#fromClient.push(chunk);
        return this.#readClient();
      case 'greeting':
      case 'securing-client':
      case 'securing-server':
        this.#fromClient.push(chunk);
        return [];
      case 'done':
        return [];
    }
  }

  serverBytes(chunk: Buffer): readonly HandshakeAction[] {
    switch (this.#state) {
      case 'authenticating':
        return this.#authentication === null ? [] : this.#advance(this.#authentication.serverBytes(chunk));
      case 'greeting':
        this.#fromServer.push(chunk);
        return this.#readGreeting();
      case 'login':
      case 'securing-client':
        this.#fromServer.push(chunk);
        return this.#readUnasked();
      case 'securing-server':
      case 'done':
        return [];
    }
  }

  clientSecured(): readonly HandshakeAction[] {
    if (this.#state !== 'securing-client') return [];
    this.#isClientSecure = true;
    this.#state = 'login';
    return this.#readClient();
  }

  serverConnected(): readonly HandshakeAction[] {
    return [];
  }

  serverSecured(): readonly HandshakeAction[] {
    if (this.#state !== 'securing-server') return [];
    this.#isServerSecure = true;
    return this.#authenticate();
  }

  serverFailed(message: string): readonly HandshakeAction[] {
    return this.#state === 'done' ? [] : this.#refused(refusalError.upstreamFailed, message);
  }

  clientEnded(): readonly HandshakeAction[] {
    // With its login on the way, the client may still read what comes of it.
    const isLoggingIn = this.#state === 'securing-server' || this.#state === 'authenticating';
    return isLoggingIn || this.#state === 'done' ? [] : this.#closed('client_closed');
  }

  refuse(refusal: Refusal): readonly HandshakeAction[] {
    const isClientBusy = this.#state === 'login' || this.#state === 'securing-client';
    // What the client sends next may be a request for TLS: only its login is answered.
    if (isClientBusy && refusal.reason !== 'handshake_timeout') {
      this.#pendingRefusal = refusal;
      return [];
    }
    return this.#state === 'done' ? [] : this.#refuseNow(refusal);
  }

  #readGreeting(): readonly HandshakeAction[] {
    const taken = this.#fromServer.take(limits.maxLoginPacketBytes);
    if (taken.kind === 'incomplete') return [];
    if (taken.kind === 'too-long') return this.#refused(refusalError.upstreamFailed, notMysql);
    const { packet } = taken;
    const read = readGreeting(taken.payload);
    switch (read.kind) {
      case 'refusal':
        return this.#passRefusal(packet);
      case 'malformed':
        return this.#refused(refusalError.upstreamFailed, notMysql);
      case 'unknown':
        return this.#relayUnknown({
          clientBacklog: this.#fromClient.takeRest(),
          serverBacklog: Buffer.concat([packet, this.#fromServer.takeRest()]),
        });
      case 'greeting':
        return this.#greet(packet, read.greeting);
    }
  }

  #greet(packet: Buffer, greeting: Greeting): readonly HandshakeAction[] {
    if (demandsUpstreamTls(this.#policy) && (greeting.capabilities & capability.tls) === 0) {
      return this.#refused(
        refusalError.upstreamFailed,
        'The upstream database server does not offer TLS, which the proxy is told to require.',
      );
    }
    this.#greeting = greeting;
    this.#hasSqlState = true;
    this.#state = 'login';
    const shown = shownGreeting(packet, greeting, {
      isTlsOffered: this.#offersTls(greeting),
      isCompressionCleared: this.#policy.compression === 'clear',
    });
    const actions: HandshakeAction[] = [{ kind: 'write-client', bytes: shown }];
    if (this.#fromServer.length > 0) actions.push(...this.#readUnasked());
    return this.#state === 'login' ? [...actions, ...this.#readClient()] : actions;
  }

  #offersTls({ capabilities }: Greeting): boolean {
    return offersClientTls(this.#policy, (capabilities & capability.tls) !== 0);
  }

  /** The server says something while the client is to speak: it gives up waiting, or it is none of ours. */
  #readUnasked(): readonly HandshakeAction[] {
    const taken = this.#fromServer.take(limits.maxLoginPacketBytes);
    if (taken.kind === 'incomplete') return [];
    if (taken.kind === 'packet' && taken.payload[0] === errHeader && this.#state === 'login') {
      return this.#passRefusal(taken.packet);
    }
    return this.#refused(refusalError.upstreamFailed, notMysql);
  }

  #passRefusal(packet: Buffer): readonly HandshakeAction[] {
    // A client that came with TLS has sent one packet that the server knows nothing of.
    const shown = renumbered(packet, (packet[3] ?? 0) + Number(this.#isClientSecure));
    const bytes = Buffer.concat([shown, this.#fromServer.takeRest()]);
    return [{ kind: 'write-client', bytes }, ...this.#closed('server_refused')];
  }

  #readClient(): readonly HandshakeAction[] {
    const taken = this.#fromClient.take(limits.maxLoginPacketBytes);
    if (taken.kind === 'incomplete') return [];
    if (taken.kind === 'too-long') {
      return this.#refused(refusalError.packetTooLong, 'The packet is longer than any of a login.');
    }
    const { payload, packet, sequence } = taken;
    const isTlsOffered = this.#greeting !== null && this.#offersTls(this.#greeting);
    const read = readClientPacket(payload, { isTlsOffered, isSecure: this.#isClientSecure });
    if (read.kind === 'tls-request') return this.#secureClient(sequence);
    this.#lastOfClient = sequence;
    this.#hasSqlState = read.kind !== 'old-login';
    // From here the client waits.
    this.#state = 'securing-server';
    if (this.#pendingRefusal !== null) return this.#refuseNow(this.#pendingRefusal);
    if (read.kind === 'malformed') return this.#refused(refusalError.badHandshake, 'Bad handshake');
    if (this.#policy.clientTls?.isRequired === true && !this.#isClientSecure) {
      return this.#refused(
        refusalError.tlsRequired,
        'This proxy accepts TLS connections only: connect with --ssl-mode=REQUIRED or --ssl.',
      );
    }
    if (read.kind === 'old-login') {
      return this.#relayUnknown({
        clientBacklog: Buffer.concat([packet, this.#fromClient.takeRest()]),
        serverBacklog: this.#fromServer.takeRest(),
      });
    }
    this.#packet = packet;
    this.#login = read.login;
    return this.#secureServer(packet);
  }

  #secureClient(sequence: number): readonly HandshakeAction[] {
    if (sequence !== this.#lastOfClient + 1) {
      return this.#refused(refusalError.packetsOutOfOrder, 'Got packets out of order');
    }
    this.#lastOfClient = sequence;
    const pending = this.#fromClient.takeRest();
    if (pending.length > 0 && pending[0] !== tlsHandshakeRecord) return this.#closed('protocol_error');
    this.#state = 'securing-client';
    return [{ kind: 'secure-client', alpn: null, isAlpnRequired: false, pending }];
  }

  #secureServer(packet: Buffer): readonly HandshakeAction[] {
    const isOffered = ((this.#greeting?.capabilities ?? 0) & capability.tls) !== 0;
    if (!takesUpstreamTls(this.#policy, isOffered, this.#isClientSecure)) return this.#authenticate();
    // Whatever came in clear would look as if it had come through TLS.
    if (this.#fromServer.length > 0) return this.#refused(refusalError.upstreamFailed, notMysql);
    return [
      { kind: 'write-server', bytes: tlsRequest(packet) },
      { kind: 'secure-server', alpn: null },
    ];
  }

  /** The upstream's leg is as secure as it will be: the login can go. */
  #authenticate(): readonly HandshakeAction[] {
    const packet = this.#packet;
    const login = this.#login;
    const greeting = this.#greeting;
    if (packet === null || login === null || greeting === null) return this.#closed('protocol_error');
    this.#packet = null;
    const legs = this.#legs();
    // Some clients set the flag without asking for TLS; a server that has TLS would wait for it.
    const isTlsEverywhere = legs.isClientSecure && legs.isServerSecure;
    const authentication = new AuthRelay({
      legs,
      fromClient: this.#fromClient,
      fromServer: this.#fromServer,
      packet: isTlsEverywhere ? packet : withTlsFlag(packet, legs.isServerSecure),
      login,
      // A request for TLS is a packet too.
      offset: Number(legs.isClientSecure) - Number(legs.isServerSecure),
      scramble: greeting.scramble,
      hasFactors: (greeting.capabilities & login.capabilities & capability.multiFactorAuthentication) !== 0,
      proxyKey: this.#proxyKey,
    });
    this.#authentication = authentication;
    this.#state = 'authenticating';
    return this.#advance(authentication.start());
  }

  #legs(): RelayLegs {
    return {
      isClientSecure: this.#isClientSecure,
      isServerSecure: this.#isServerSecure,
      isServerLocal: this.#policy.isUpstreamLoopback === true,
    };
  }

  #advance(step: AuthStep): readonly HandshakeAction[] {
    const actions: HandshakeAction[] = [];
    for (const bytes of step.toClient) if (bytes.length > 0) actions.push({ kind: 'write-client', bytes });
    for (const bytes of step.toServer) if (bytes.length > 0) actions.push({ kind: 'write-server', bytes });
    const { outcome } = step;
    switch (outcome.kind) {
      case 'pending':
        return actions;
      case 'accepted':
        return [...actions, ...this.#relay(outcome.end.subarray(headerBytes))];
      case 'refused':
        return [...actions, ...this.#refused(outcome.error, outcome.message)];
      case 'rejected': {
        // The server closes after it; what follows is its own affair.
        const rest = this.#fromServer.takeRest();
        if (rest.length > 0) actions.push({ kind: 'write-client', bytes: rest });
        return [...actions, ...this.#closed('server_refused')];
      }
    }
  }

  #relay(ok: Buffer): readonly HandshakeAction[] {
    if (this.#greeting === null || this.#login === null) return this.#closed('protocol_error');
    this.#state = 'done';
    const identity = sessionIdentity(this.#greeting, this.#login, ok, this.#legs(), {
      clientBacklog: this.#fromClient.takeRest(),
      serverBacklog: this.#fromServer.takeRest(),
    });
    return [{ kind: 'relay', identity }];
  }

  /** A protocol that is passed on unread, which leaves no way to put TLS on either leg. */
  #relayUnknown(backlogs: Backlogs): readonly HandshakeAction[] {
    const needsTls = demandsUpstreamTls(this.#policy) || this.#policy.clientTls?.isRequired === true;
    if (needsTls || this.#isClientSecure) {
      return this.#refused(
        refusalError.badHandshake,
        'The proxy cannot use TLS with a client or server older than protocol 4.1.',
      );
    }
    this.#state = 'done';
    return [{ kind: 'relay', identity: unknownIdentity(backlogs) }];
  }

  #refuseNow(refusal: Refusal): readonly HandshakeAction[] {
    const error = {
      too_many_connections: refusalError.tooManyConnections,
      handshake_timeout: refusalError.timedOut,
      shutting_down: refusalError.shuttingDown,
    }[refusal.reason];
    return this.#refused(error, refusal.message);
  }

  /** An error where the client can read one, and the end of the connection. */
  #refused(error: RefusalError, message: string): readonly HandshakeAction[] {
    const isInClear = this.#state !== 'securing-client';
    const sequence = this.#nextToClient();
    this.#state = 'done';
    const close: HandshakeAction = { kind: 'close', reason: String(error.code) };
    if (!isInClear) return [close];
    const bytes = errPacket(error, message, sequence, this.#hasSqlState);
    return [{ kind: 'write-client', bytes }, close];
  }

  /** The number under which the client takes a word of the proxy itself. */
  #nextToClient(): number {
    if (this.#authentication !== null) return this.#authentication.nextToClient;
    if (this.#greeting === null) return 0;
    // Where the client is to speak, its packet comes first in the count.
    return this.#lastOfClient + (this.#state === 'login' ? 2 : 1);
  }

  #closed(reason: string): readonly HandshakeAction[] {
    this.#state = 'done';
    return [{ kind: 'close', reason }];
  }
}

/** `options` is where a test puts its own key. */
export function createHandshake(policy: LegPolicy, options: HandshakeOptions = { proxyKey }): Handshake {
  return new MysqlHandshake(policy, options);
}

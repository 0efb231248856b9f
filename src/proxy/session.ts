/**
 * One client connection from accept to close: runs the handshake's actions on the two sockets, then hands them to the
 * pump. Owns both sockets and the timer of the connection phase.
 *
 * Invariant: whatever happens, `onClosed` is called exactly once, after which no socket, timer or key of the session is
 * left. Errors of sockets end this session and nothing else.
 */
import type { Socket } from 'node:net';
import type { Handshake, HandshakeAction, Refusal, SessionIdentity } from '../core/adapter.js';
import { limits } from '../core/limits.js';
import { closeGently } from './close-gently.js';
import { startObserving } from './observation.js';
import { Pump } from './pump.js';
import type { SessionEnvironment } from './session-environment.js';
import { secureClient, secureUpstream } from './tls.js';
import { openUpstream } from './upstream.js';
import {
  describeConnectFailure,
  describeTlsFailure,
  errorCode,
  upstreamClosed,
  upstreamTimedOut,
} from './upstream-failure.js';

const ignore = (): void => undefined;

export class Session {
  readonly id: string;
  /** The listener was full when it came: it is only here to be told so. */
  readonly isSurplus: boolean;
  readonly #env: SessionEnvironment;
  readonly #onClosed: (session: Session) => void;
  readonly #handshake: Handshake;
  readonly #rawClient: Socket;
  /** The accepted socket, or TLS on it. */
  #client: Socket;
  #rawServer: Socket | null = null;
  #server: Socket | null = null;
  #pump: Pump | null = null;
  #handshakeTimer: NodeJS.Timeout | null = null;
  #connectTimer: NodeJS.Timeout | null = null;
  #backlogBytes = 0;
  #isClosing = false;
  /** A cancel request is with the server, whose end is all that is waited for. */
  #isCancelSent = false;
  /** Tells the session that was to be cancelled that this request is over. */
  #cancelOver: (() => void) | null = null;
  #closeReason = 'client_closed';

  constructor(
    id: string,
    socket: Socket,
    env: SessionEnvironment,
    refusal: Refusal | null,
    onClosed: (session: Session) => void,
  ) {
    this.id = id;
    this.isSurplus = refusal !== null;
    this.#env = env;
    this.#onClosed = onClosed;
    this.#handshake = env.adapter.createHandshake(env.policy);
    this.#rawClient = socket;
    this.#client = socket;
    this.#boundHandshake(env.handshakeTimeoutMs);
    this.#attachClient(socket);
    if (refusal !== null) this.refuse(refusal);
    // A refusal may have to wait for what the client says first.
    if (!this.#isClosing) this.#run(this.#handshake.opened());
  }

  get isRelaying(): boolean {
    return this.#pump !== null;
  }

  /** Ends a session that is not relaying yet in its protocol's own words; one that relays is left alone. */
  refuse(refusal: Refusal): void {
    if (this.#pump === null && !this.#isClosing) this.#run(this.#handshake.refuse(refusal));
  }

  /** Ends the session at once; whatever is buffered is lost. */
  destroy(): void {
    this.#closeReason = 'destroyed';
    this.#server?.destroy();
    this.#client.destroy();
  }

  #attachClient(client: Socket): void {
    client.on('error', ignore);
    client.on('data', this.#clientBytes);
    client.on('end', this.#clientEnded);
    client.once('close', () => this.#clientClosed(client));
  }

  #detachClient(): void {
    this.#client.removeListener('data', this.#clientBytes);
    this.#client.removeListener('end', this.#clientEnded);
  }

  readonly #clientBytes = (chunk: Buffer): void => {
    if (this.#server !== null) {
      this.#backlogBytes += chunk.length;
      if (this.#backlogBytes > limits.maxHandshakeBacklogBytes) this.#client.pause();
    }
    this.#run(this.#handshake.clientBytes(chunk));
  };

  /** It may still wait for the server (a cancel is sent and left), but not for long. */
  readonly #clientEnded = (): void => {
    if (!this.#isClosing) this.#run(this.#handshake.clientEnded?.() ?? []);
    if (this.#server === null) this.#client.end();
    else this.#boundHandshake(limits.lingerMs);
  };

  #clientClosed(client: Socket): void {
    // Under TLS the outer socket speaks for both.
    if (client !== this.#client) return;
    this.#clearTimers();
    this.#rawClient.destroy();
    if (this.#pump !== null) return;
    this.#dropServer();
    this.#end(this.#closeReason);
  }

  #run(actions: readonly HandshakeAction[]): void {
    for (const action of actions) {
      if (this.#client.destroyed) return;
      this.#perform(action);
    }
  }

  #perform(action: HandshakeAction): void {
    switch (action.kind) {
      case 'write-client':
        this.#client.write(action.bytes);
        break;
      case 'write-server':
        this.#server?.write(action.bytes);
        break;
      case 'secure-client':
        this.#secureClient(action.alpn, action.isAlpnRequired, action.pending);
        break;
      case 'connect-server':
        this.#connectServer();
        break;
      case 'secure-server':
        this.#secureServer(action.alpn, action.timeoutMs);
        break;
      case 'relay':
        this.#relay(action.identity);
        break;
      case 'note-cancel':
        this.#env.counters.count('cancels_relayed');
        this.#cancelOver = this.#env.cancelKeys.cancel(action.key);
        break;
      case 'close-after-server':
        this.#closeAfterServer();
        break;
      case 'close':
        this.#close(action.reason);
        break;
    }
  }

  #secureClient(alpn: string | null, isAlpnRequired: boolean, pending: Buffer | null): void {
    const raw = this.#client;
    const context = this.#env.clientContext;
    if (context === null) {
      this.#close('tls_not_configured');
      return;
    }
    this.#detachClient();
    const secure = secureClient(raw, context, alpn, pending);
    this.#client = secure;
    this.#attachClient(secure);
    secure.once('secure', () => {
      if (isAlpnRequired && secure.alpnProtocol !== alpn) this.#close('alpn_missing');
      else this.#run(this.#handshake.clientSecured());
    });
  }

  #connectServer(): void {
    this.#dropServer();
    const { upstream, readBuffer } = this.#env;
    const server = openUpstream(upstream.address, readBuffer, (chunk) => this.#serverBytes(server, chunk));
    this.#rawServer = server;
    this.#server = server;
    server.on('error', (error) => this.#serverFailed(server, describeConnectFailure(error), error));
    server.once('end', () => this.#serverFailed(server, upstreamClosed));
    server.once('close', () => this.#serverFailed(server, upstreamClosed));
    server.once('connect', () => {
      if (this.#server === server) this.#run(this.#handshake.serverConnected());
    });
    this.#awaitServer(server);
  }

  /** Bounds the next step of the upstream's side: its connection, its first word, its TLS handshake. */
  #awaitServer(server: Socket, timeoutMs = this.#env.connectTimeoutMs): void {
    this.#clearConnectTimer();
    this.#connectTimer = setTimeout(
      () => this.#serverFailed(server, upstreamTimedOut),
      Math.min(timeoutMs, this.#env.connectTimeoutMs),
    );
  }

  #serverBytes(server: Socket, chunk: Buffer): void {
    if (this.#pump !== null) this.#pump.fromServer(chunk);
    else if (this.#server === server) {
      this.#clearConnectTimer();
      this.#run(this.#handshake.serverBytes(chunk));
    }
  }

  #secureServer(alpn: string | null, timeoutMs?: number): void {
    const raw = this.#rawServer;
    if (raw === null) return;
    const { policy, upstream, upstreamContext } = this.#env;
    const secure = secureUpstream(raw, policy.upstreamTls, upstreamContext, upstream.address.host, alpn);
    this.#server = secure;
    secure.on('data', (chunk: Buffer) => this.#serverBytes(secure, chunk));
    secure.on('error', (error) => this.#serverFailed(secure, describeTlsFailure(error), error));
    secure.once('end', () => this.#serverFailed(secure, upstreamClosed));
    secure.once('close', () => this.#serverFailed(secure, upstreamClosed));
    secure.once('secureConnect', () => {
      if (this.#server !== secure) return;
      this.#clearConnectTimer();
      this.#run(this.#handshake.serverSecured());
    });
    this.#awaitServer(secure, timeoutMs);
  }

  /** The upstream's end before relaying; later ends are the pump's. Of one socket only the first counts. */
  #serverFailed(server: Socket, message: string, error?: Error): void {
    if (this.#pump !== null || this.#server !== server) return;
    if (this.#isCancelSent) {
      this.#close('cancel_sent');
      return;
    }
    this.#env.log.warn(
      { session: this.id, code: error === undefined ? undefined : errorCode(error) },
      message,
    );
    this.#dropServer();
    this.#run(this.#handshake.serverFailed(message));
  }

  #closeAfterServer(): void {
    this.#clearConnectTimer();
    this.#isCancelSent = true;
    if (this.#server === null) this.#close('cancel_sent');
  }

  #relay(identity: SessionIdentity): void {
    const server = this.#server;
    const client = this.#client;
    if (server === null) return;
    this.#clearTimers();
    this.#detachClient();
    server.removeAllListeners('data');
    const observation = startObserving(this.#env, this.id, identity, localAddressOf(this.#rawClient));
    this.#pump = new Pump(client, server, observation.observer, (end) => {
      observation.close();
      const { counters } = this.#env;
      counters.count('bytes_to_server', undefined, this.#rawServer?.bytesWritten ?? 0);
      counters.count('bytes_to_client', undefined, this.#rawServer?.bytesRead ?? 0);
      this.#end(this.#closeReason === 'destroyed' ? 'destroyed' : end);
    });
    this.#pump.start(identity.clientBacklog, identity.serverBacklog, server !== this.#rawServer);
  }

  #boundHandshake(timeoutMs: number): void {
    if (this.#handshakeTimer !== null) clearTimeout(this.#handshakeTimer);
    this.#handshakeTimer = setTimeout(() => this.#handshakeTimedOut(), timeoutMs);
  }

  #handshakeTimedOut(): void {
    this.#handshakeTimer = null;
    this.#run(
      this.#handshake.refuse({
        reason: 'handshake_timeout',
        message: 'The connection was not set up in time.',
      }),
    );
    // The handshake may be over without a session: a cancel whose server does not close.
    if (!this.#isClosing) this.#close('handshake_timeout');
  }

  /** Everything is said: the client gets it, then both ends go. */
  #close(reason: string): void {
    if (this.#isClosing) return;
    this.#isClosing = true;
    this.#closeReason = reason;
    this.#clearTimers();
    this.#dropServer();
    closeGently(this.#client, limits.lingerMs);
  }

  /** Forgets the upstream's socket; its late events find that it is not ours any more. */
  #dropServer(): void {
    this.#clearConnectTimer();
    this.#cancelOver?.();
    this.#cancelOver = null;
    const server = this.#server;
    this.#server = null;
    server?.destroy();
    this.#rawServer?.destroy();
    this.#rawServer = null;
  }

  #clearConnectTimer(): void {
    if (this.#connectTimer !== null) clearTimeout(this.#connectTimer);
    this.#connectTimer = null;
  }

  #clearTimers(): void {
    this.#clearConnectTimer();
    if (this.#handshakeTimer !== null) clearTimeout(this.#handshakeTimer);
    this.#handshakeTimer = null;
  }

  #end(reason: string): void {
    this.#env.counters.count('connections_closed', reason);
    this.#env.log.debug({ session: this.id, reason }, 'session closed');
    this.#onClosed(this);
  }
}

/** `host:port` at which the client reached us; a socket that is gone has none. */
function localAddressOf({ localAddress, localPort }: Socket): string {
  if (localAddress === undefined) return '';
  return localAddress.includes(':') ? `[${localAddress}]:${localPort}` : `${localAddress}:${localPort}`;
}

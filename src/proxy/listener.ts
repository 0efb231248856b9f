/**
 * One address where clients connect: accepts, bounds the number of sessions, stops and drains. Sessions live on their
 * own; the listener knows which there are.
 */
import { randomBytes } from 'node:crypto';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import type { Logger } from 'pino';
import type {
  DatabaseAdapter,
  LegPolicy,
  Refusal,
  SessionIdentity,
  UpstreamAddress,
} from '../core/adapter.js';
import type { Counters } from '../core/counters.js';
import { TwiceshyError } from '../core/errors.js';
import { limits } from '../core/limits.js';
import { isLoopbackHost } from '../core/loopback.js';
import type { CancelKeys } from './cancel-keys.js';
import { Session } from './session.js';
import type { OpenedSession, SessionEnvironment } from './session-environment.js';
import { clientSecureContext, upstreamSecureContext } from './tls.js';
import { ReadBuffer } from './upstream.js';
import { errorCode } from './upstream-failure.js';

export interface ListenerOptions {
  readonly name: string;
  readonly host: string;
  /** 0: any free port, told by `listen`. */
  readonly port: number;
  readonly adapter: DatabaseAdapter;
  readonly upstream: { readonly name: string; readonly address: UpstreamAddress };
  readonly policy: LegPolicy;
  readonly maxConnections: number;
  readonly handshakeTimeoutMs: number;
  readonly connectTimeoutMs: number;
  /** Shared by the listeners of one upstream. */
  readonly cancelKeys: CancelKeys;
  readonly counters: Counters;
  readonly log: Logger;
  /** Called when a session's handshake is over; must not throw or wait. */
  openSession(identity: SessionIdentity, sessionId: string): OpenedSession;
}

const shuttingDown: Refusal = { reason: 'shutting_down', message: 'The proxy is shutting down.' };
const full: Refusal = {
  reason: 'too_many_connections',
  message: 'The proxy has as many connections as it is told to accept.',
};

export class Listener {
  readonly name: string;
  readonly #options: ListenerOptions;
  readonly #env: SessionEnvironment;
  readonly #server: Server;
  readonly #sessions = new Set<Session>();
  readonly #log: Logger;
  /** Session ids differ between runs, because they end up in stored evidence. */
  readonly #run = randomBytes(4).toString('hex');
  #opened = 0;
  #surplus = 0;
  #isDraining = false;
  #onEmpty: (() => void) | null = null;

  /** Throws CONFIG_INVALID when certificates cannot be used. */
  constructor(options: ListenerOptions) {
    this.name = options.name;
    this.#options = options;
    this.#log = options.log.child({ listener: options.name });
    const { policy, upstream } = options;
    this.#env = {
      adapter: options.adapter,
      policy: { ...policy, isUpstreamLoopback: isLoopbackHost(upstream.address.host) },
      upstream,
      handshakeTimeoutMs: options.handshakeTimeoutMs,
      connectTimeoutMs: options.connectTimeoutMs,
      cancelKeys: options.cancelKeys,
      counters: options.counters,
      log: this.#log,
      clientContext: policy.clientTls === null ? null : clientSecureContext(policy.clientTls),
      upstreamContext: upstreamSecureContext(policy.upstreamTls),
      readBuffer: new ReadBuffer(),
      openSession: (identity, sessionId) => options.openSession(identity, sessionId),
    };
    options.adapter.prepare?.(policy);
    this.#server = createServer({
      allowHalfOpen: true,
      noDelay: true,
      keepAlive: true,
      keepAliveInitialDelay: limits.keepAliveInitialDelayMs,
    });
    this.#server.on('connection', (socket) => this.#accept(socket));
  }

  /** Sessions of any state, those being refused included. */
  get sessions(): number {
    return this.#sessions.size;
  }

  /** Resolves once clients are accepted; rejects with LISTEN_FAILED. */
  listen(): Promise<{ readonly host: string; readonly port: number }> {
    const { host, port, name } = this.#options;
    return new Promise((resolve, reject) => {
      const failed = (cause: Error): void => {
        const message = `Listener ${name} cannot listen on ${host}:${port} (${errorCode(cause)}).`;
        reject(new TwiceshyError('LISTEN_FAILED', message, { cause }));
      };
      this.#server.once('error', failed);
      this.#server.listen({ host, port }, () => {
        this.#server.removeListener('error', failed);
        // Out of file descriptors and the like: the next accept may work.
        this.#server.on('error', (error) => this.#log.warn({ code: errorCode(error) }, 'accept failed'));
        const address = this.#server.address() as AddressInfo;
        resolve({ host: address.address, port: address.port });
      });
    });
  }

  /** Stops accepting; sessions that relay go on, others are told. */
  close(): Promise<void> {
    this.#isDraining = true;
    for (const session of this.#sessions) session.refuse(shuttingDown);
    if (!this.#server.listening) return Promise.resolve();
    return new Promise((resolve) => {
      // The callback of `close` waits for every connection; the port is free at once.
      this.#server.close();
      resolve();
    });
  }

  /** Stops accepting and resolves when the last session has ended; after `timeoutMs` the rest is cut off. */
  async drain(timeoutMs: number): Promise<void> {
    await this.close();
    if (this.#sessions.size === 0) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(() => this.destroyAll(), timeoutMs);
      this.#onEmpty = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  destroyAll(): void {
    for (const session of this.#sessions) session.destroy();
  }

  #accept(socket: Socket): void {
    const { counters, maxConnections } = this.#options;
    counters.count('connections_accepted', this.name);
    const isFull = this.#sessions.size - this.#surplus >= maxConnections;
    const refusal = this.#isDraining ? shuttingDown : isFull ? full : null;
    if (refusal !== null) {
      counters.count('connections_refused', refusal.reason);
      if (this.#surplus >= limits.maxRefusingConnections) {
        socket.on('error', () => undefined);
        socket.destroy();
        return;
      }
      this.#surplus += 1;
    }
    this.#opened += 1;
    const id = `${this.#run}-${this.#opened.toString(36)}`;
    this.#sessions.add(new Session(id, socket, this.#env, refusal, (session) => this.#closed(session)));
  }

  #closed(session: Session): void {
    this.#sessions.delete(session);
    if (session.isSurplus) this.#surplus -= 1;
    if (this.#sessions.size === 0) this.#onEmpty?.();
  }
}

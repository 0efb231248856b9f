/** What every session of one listener shares. */
import type { SecureContext } from 'node:tls';
import type { Logger } from 'pino';
import type {
  DatabaseAdapter,
  LegPolicy,
  SessionIdentity,
  UpstreamAddress,
  VerdictHandler,
} from '../core/adapter.js';
import type { Counters } from '../core/counters.js';
import type { SessionContext } from '../core/verdict.js';
import type { CancelKeys } from './cancel-keys.js';
import type { ReadBuffer } from './upstream.js';

/** What the application gives a session that starts being relayed. */
export interface OpenedSession {
  readonly context: SessionContext;
  readonly handler: VerdictHandler & { close(): void };
  /** The server let the client in. */
  onReady?(): void;
  /** The session has ended and its handler is closed. */
  onClosed?(): void;
}

export interface SessionEnvironment {
  readonly adapter: DatabaseAdapter;
  readonly policy: LegPolicy;
  readonly upstream: { readonly name: string; readonly address: UpstreamAddress };
  readonly handshakeTimeoutMs: number;
  readonly connectTimeoutMs: number;
  readonly cancelKeys: CancelKeys;
  readonly counters: Counters;
  readonly log: Logger;
  readonly clientContext: SecureContext | null;
  readonly upstreamContext: SecureContext;
  readonly readBuffer: ReadBuffer;
  openSession(identity: SessionIdentity, sessionId: string): OpenedSession;
}

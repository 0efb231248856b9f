/**
 * The configuration as the rest of the process sees it: resolved, files read, defaults in place. Types only.
 * Made by load.ts; whoever holds one has nothing left to refuse.
 */
import type { DatabaseAdapter, LegPolicy, UpstreamAddress, UpstreamTls } from '../core/adapter.js';
import type { Audience } from '../core/verdict.js';

export type FsyncPolicy = 'always' | 'interval' | 'never';
export type LogLevel = 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace';
export type LogFormat = 'json' | 'text' | 'auto';

export interface HostPort {
  readonly host: string;
  /** 0: any free one. */
  readonly port: number;
}

export interface UpstreamConfig {
  /** Half of the scope that every record of this server is kept under. */
  readonly name: string;
  readonly adapter: DatabaseAdapter;
  readonly address: UpstreamAddress;
  readonly tls: UpstreamTls;
}

/** Overrides the listener's audience for the sessions it matches; the first that matches counts. */
export interface AudienceRule {
  readonly user: string | null;
  readonly application: string | null;
  readonly audience: Audience;
}

export interface ListenerConfig extends HostPort {
  readonly name: string;
  readonly upstream: UpstreamConfig;
  readonly audience: Audience;
  readonly audiences: readonly AudienceRule[];
  readonly policy: LegPolicy;
  /** No certificate was given, and none was ruled out: one is made where clients expect it. */
  readonly makesOwnCertificate: boolean;
  readonly maxConnections: number;
  readonly handshakeTimeoutMs: number;
}

export interface RecallConfig {
  /** False: failures are recorded, nothing is ever attached. */
  readonly isEnabled: boolean;
  /** Share of sessions, 0 to 1, that get no notes, for comparison. */
  readonly holdback: number;
  /** How often one record's note is shown in one session. */
  readonly notesPerSession: number;
}

export interface Config {
  readonly memory: { readonly folder: string; readonly fsync: FsyncPolicy };
  /** Null: no admin server. */
  readonly admin: HostPort | null;
  readonly log: { readonly level: LogLevel; readonly format: LogFormat };
  readonly upstreams: readonly UpstreamConfig[];
  readonly listeners: readonly ListenerConfig[];
  readonly recall: RecallConfig;
  readonly shutdown: { readonly drainTimeoutMs: number };
}

/** Who reads the errors of a session, by the listener's rules. */
export function audienceOf(
  listener: Pick<ListenerConfig, 'audience' | 'audiences'>,
  session: { readonly user: string; readonly application: string },
): Audience {
  for (const rule of listener.audiences) {
    const isUser = rule.user === null || rule.user === session.user;
    const isApplication = rule.application === null || rule.application === session.application;
    if (isUser && isApplication) return rule.audience;
  }
  return listener.audience;
}

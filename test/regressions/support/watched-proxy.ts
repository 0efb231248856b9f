/**
 * The real listener, session, pump and observer over real sockets, with a handler that writes down every verdict and
 * answers a repeated failure with a note of its own. No memory, no catalog: what is looked at is the wire.
 */
import { postgresAdapter } from '../../../adapters/postgres/adapter.js';
import type { DatabaseAdapter, LegPolicy } from '../../../src/core/adapter.js';
import type { Note } from '../../../src/core/notes/note.js';
import type { Audience, SessionContext, StatementFailure } from '../../../src/core/verdict.js';
import { type ProxyUnderTest, startProxy } from '../../integration/proxy/scripted-ends.js';
import { testSession } from '../../support/session-context.js';

/** One session as the observer told it. */
export interface Watched {
  readonly context: SessionContext;
  /** One line a verdict, in order: `failed 22012 <select 1/0> execute k=0 idle`, `settled idle`, `ok <select 1> 0`. */
  readonly events: string[];
}

export interface WatchedProxy {
  readonly proxy: ProxyUnderTest;
  /** In the order in which their handshakes ended. */
  readonly sessions: readonly Watched[];
  /** `url` (default: any user and database) with this proxy's address. */
  through(url?: string): string;
  /** Sessions that lost their place, by reason: none, with a server that keeps to the protocol. */
  readonly blind: readonly string[];
}

export interface WatchOptions {
  /** Default: PostgreSQL's. */
  readonly adapter?: DatabaseAdapter;
  readonly audience?: Audience;
  readonly policy?: Partial<LegPolicy>;
  /** Also writes down successes. */
  readonly wantsSuccess?: boolean;
  readonly maxConnections?: number;
  /** What has failed before, for all sessions; default: each knows its own failures. */
  readonly failedBefore?: Set<string>;
}

export const wireNote: Note = {
  recordId: '9f2c51d07a3be844',
  short: '[twiceshy 9f2c51d0] Short form.',
  long: '[twiceshy 9f2c51d0] Long form of the instruction.',
};

/** Text that only a note has. */
export const noteMark = '[twiceshy 9f2c51d0]';

/** In front of a port of ours, or of the server of a URL. Stopped by `stopProxies`. */
export async function watch(upstream: number | string, options: WatchOptions = {}): Promise<WatchedProxy> {
  const { hostname, port } =
    typeof upstream === 'string' ? new URL(upstream) : { hostname: '127.0.0.1', port: String(upstream) };
  const address = { host: hostname, port: Number(port), user: '', password: '', database: '' };
  const sessions: Watched[] = [];
  const blind: string[] = [];
  const proxy = await startProxy(0, {
    adapter: options.adapter ?? postgresAdapter,
    upstream: { name: 'up', address },
    counters: {
      count: (name, label) => {
        if (name === 'blind_sessions') blind.push(label ?? '');
      },
    },
    ...(options.policy === undefined ? {} : { policy: options.policy }),
    ...(options.maxConnections === undefined ? {} : { maxConnections: options.maxConnections }),
    openSession: (identity, id) => {
      const context = testSession({
        ...{ id, engine: identity.engine, user: identity.user, searchPath: identity.searchPath },
        ...{ scope: { upstream: 'up', database: identity.database } },
        ...{ audience: options.audience ?? 'agent', application: identity.application },
      });
      const events: string[] = [];
      sessions.push({ context, events });
      return { context, handler: recorder(events, options) };
    },
  });
  return {
    proxy,
    sessions,
    through(url = 'postgres://trust_user@127.0.0.1/shop') {
      const changed = new URL(url);
      changed.hostname = '127.0.0.1';
      changed.port = String(proxy.port);
      return changed.href;
    },
    blind,
  };
}

function recorder(events: string[], options: WatchOptions) {
  const { wantsSuccess = true, failedBefore = new Set<string>() } = options;
  return {
    wantsSuccess,
    failed(failure: StatementFailure): Note | null {
      const what = `${failure.error.code} <${failure.statement?.text() ?? '?'}>`;
      const cancel = failure.isCancelRequested ? ' cancel' : '';
      events.push(`failed ${what} ${failure.phase} k=${failure.completedBefore} ${failure.before}${cancel}`);
      if (failedBefore.has(what)) return wireNote;
      failedBefore.add(what);
      return null;
    },
    settled: (after: string) => void events.push(`settled ${after}`),
    succeeded: (success: { readonly statement: { text(): string }; readonly index: number }) =>
      void events.push(`ok <${success.statement.text()}> ${success.index}`),
    schemaChanged: () => void events.push('schema changed'),
    noteAttached: () => void events.push('note'),
    bypassed: (reason: string) => void events.push(`bypassed ${reason}`),
    warned: (count: number) => void events.push(`warned ${count}`),
    close: () => void events.push('closed'),
  };
}

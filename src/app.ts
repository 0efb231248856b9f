/**
 * The composition root: configuration in, a running proxy out. The only importer of adapters.
 *
 * Order of starting: memory (locked and read), catalog pollers, listeners, admin. Everything started leaves a release
 * behind; stopping runs them backwards, the memory last, so that what the sessions learned is written.
 */
import { mongodbAdapter } from '../adapters/mongodb/adapter.js';
import { mysqlAdapter } from '../adapters/mysql/adapter.js';
import { postgresAdapter } from '../adapters/postgres/adapter.js';
import { audienceOf, type Config, type ListenerConfig } from './config/config.js';
import { planReload, type ReloadPlan } from './config/reload.js';
import type { DatabaseAdapter, EngineSupport, LegPolicy, SessionIdentity } from './core/adapter.js';
import { limits } from './core/limits.js';
import { isLoopbackHost } from './core/loopback.js';
import type { MemoryIndex } from './core/memory/memory-index.js';
import { type Backend, defaultLexicalOptions, type Engine } from './core/verdict.js';
import { AdminServer, type Readiness } from './http/admin-server.js';
import { MemoryRuntime } from './memory-runtime.js';
import { CounterSet } from './observe/counters.js';
import { HealthLog } from './observe/health-log.js';
import { type Logger, setLogLevel } from './observe/log.js';
import { createMetrics } from './observe/metrics.js';
import { CancelKeys } from './proxy/cancel-keys.js';
import { HeldCatalogs } from './proxy/held-catalogs.js';
import { Listener } from './proxy/listener.js';
import { ownCertificate } from './proxy/own-certificate.js';
import type { SchemaPollers } from './proxy/schema-pollers.js';
import type { OpenedSession } from './proxy/session-environment.js';
import { LiveSessionContext } from './session-context.js';
import type { EventQueue } from './storage/event-queue.js';

export const adapters: readonly DatabaseAdapter[] = [postgresAdapter, mysqlAdapter, mongodbAdapter];

/** The adapter for a connection URL, by its scheme. */
export function adapterFor(url: string): DatabaseAdapter | null {
  const scheme = /^[a-z][a-z0-9+.-]*:/i.exec(url)?.[0].toLowerCase() ?? '';
  return adapters.find(({ urlSchemes }) => urlSchemes.includes(scheme)) ?? null;
}

/** What belongs to an engine as records name it; null for one this version does not know. */
export function engineSupport(engine: Engine): (EngineSupport & { readonly backend: Backend }) | null {
  for (const { engines, backend } of adapters) {
    const support = engines.find((each) => each.engine === engine);
    if (support !== undefined) return { ...support, backend };
  }
  return null;
}

export interface StartedApp {
  readonly listeners: readonly { readonly name: string; readonly host: string; readonly port: number }[];
  /** Where /metrics is served; null without an admin server. */
  readonly admin: { readonly host: string; readonly port: number } | null;
}

export interface App {
  /**
   * Resolves when every listener accepts and each upstream's catalog is read or has had its time. Rejects with a
   * `TwiceshyError` after undoing what was done. Call once.
   */
  start(): Promise<StartedApp>;
  /** Drains, then releases everything. Never rejects; the same promise each time. */
  stop(): Promise<void>;
  /** Cuts open sessions off, so that a `stop` under way ends soon. */
  stopNow(): void;
  /** Takes over what can be changed while running and logs what cannot. */
  reload(config: Config): ReloadPlan;
  readonly isStopping: boolean;
}

export function createApp(config: Config, deps: { readonly log: Logger }): App {
  return new ProxyApp(config, deps.log);
}

type Release = () => Promise<void> | void;

class ProxyApp implements App {
  readonly #log: Logger;
  readonly #health: HealthLog;
  readonly #counters = new CounterSet();
  readonly #listeners: Listener[] = [];
  /** By upstream: a client may send its cancel by another listener than its session's. */
  readonly #cancelKeys = new Map<string, CancelKeys>();
  readonly #releases: Release[] = [];
  /** Replaced as a whole by `reload`; sessions look things up in it when they need them. */
  #config: Config;
  #starting: Promise<unknown> = Promise.resolve();
  #stopping: Promise<void> | null = null;
  #interruptWaiting: () => void = () => undefined;
  #isAccepting = false;
  /** Hands what the sink and the queue hold to the store. */
  #writeOut: () => Promise<void> = () => Promise.resolve();

  constructor(config: Config, log: Logger) {
    this.#config = config;
    this.#log = log;
    this.#health = new HealthLog(log);
  }

  get isStopping(): boolean {
    return this.#stopping !== null;
  }

  start(): Promise<StartedApp> {
    const starting = this.#start().catch(async (error: unknown) => {
      await this.#releaseAll();
      throw error;
    });
    this.#starting = starting.catch(() => undefined);
    return starting;
  }

  stop(): Promise<void> {
    this.#stopping ??= this.#stop();
    return this.#stopping;
  }

  stopNow(): void {
    for (const listener of this.#listeners) listener.destroyAll();
  }

  reload(config: Config): ReloadPlan {
    const plan = planReload(this.#config, config);
    const { memory, admin, upstreams } = this.#config;
    const listeners = this.#config.listeners.map((running) => {
      const wanted = config.listeners.find(({ name }) => name === running.name);
      return wanted === undefined
        ? running
        : { ...running, audience: wanted.audience, audiences: wanted.audiences };
    });
    this.#config = { ...config, memory, admin, upstreams, listeners };
    setLogLevel(this.#log, config.log.level);
    this.#log.info({ applied: plan.applied }, 'Configuration reloaded.');
    if (plan.refused.length > 0) {
      this.#log.warn({ keys: plan.refused }, 'These changes need a restart; they stay as they were.');
    }
    return plan;
  }

  async #start(): Promise<StartedApp> {
    const runtime = await this.#openMemory();
    this.#writeOut = () => runtime.writeOut();
    const listeners = [];
    for (const listener of this.#config.listeners) listeners.push(await this.#listen(listener, runtime));
    const admin = await this.#serveAdmin(runtime);
    this.#isAccepting = true;
    await this.#awaitCatalogs(runtime.pollers);
    return { listeners, admin };
  }

  async #stop(): Promise<void> {
    this.#interruptWaiting();
    await this.#starting;
    this.#isAccepting = false;
    await Promise.all(this.#listeners.map((listener) => listener.close()));
    this.#log.info({ sessions: this.#openSessions() }, 'Stopping: no new clients, open sessions may end.');
    // Whoever waits less long than the drain takes kills the process: what is known by now should be on the disk.
    await this.#writeOut();
    await Promise.all(
      this.#listeners.map((listener) => listener.drain(this.#config.shutdown.drainTimeoutMs)),
    );
    this.stopNow();
    await this.#releaseAll();
    this.#log.info('Stopped.');
  }

  async #releaseAll(): Promise<void> {
    for (let release = this.#releases.pop(); release !== undefined; release = this.#releases.pop()) {
      try {
        await release();
      } catch (error) {
        this.#health.release(error);
      }
    }
  }

  async #openMemory(): Promise<MemoryRuntime> {
    const { folder, fsync } = this.#config.memory;
    const runtime = await MemoryRuntime.open({
      ...{ folder, fsync },
      engines: adapters.flatMap(({ engines }) => engines),
      upstreams: new Map(this.#config.upstreams.map((upstream) => [upstream.name, upstream])),
      counters: this.#counters,
      health: this.#health,
      policy: () => this.#config.recall,
    });
    this.#releases.push(() => runtime.close());
    this.#log.info({ folder, records: runtime.memory.size }, 'Memory opened.');
    return runtime;
  }

  async #listen(
    config: ListenerConfig,
    runtime: MemoryRuntime,
  ): Promise<{ name: string; host: string; port: number }> {
    const { name, host, port, upstream } = config;
    const policy = config.makesOwnCertificate ? await this.#withOwnCertificate(config) : config.policy;
    const listener = new Listener({
      ...{ name, host, port, upstream, adapter: upstream.adapter, policy },
      maxConnections: config.maxConnections,
      handshakeTimeoutMs: config.handshakeTimeoutMs,
      connectTimeoutMs: limits.connectTimeoutMs,
      cancelKeys: this.#cancelKeysOf(upstream.name),
      counters: this.#counters,
      log: this.#log,
      openSession: (identity, id) => this.#openSession(config, identity, id, runtime),
    });
    const bound = await listener.listen();
    this.#listeners.push(listener);
    this.#releases.push(() => {
      listener.destroyAll();
      return listener.close();
    });
    const open = { listener: name, host: bound.host, port: bound.port, upstream: upstream.name };
    if (isLoopbackHost(bound.host)) this.#log.info(open, 'Listening.');
    else this.#log.warn(open, 'Listening where the network can reach it.');
    return { name, host: bound.host, port: bound.port };
  }

  /** Clients without TLS are served all the same, so a certificate that cannot be made stops nothing. */
  async #withOwnCertificate({ name, policy }: ListenerConfig): Promise<LegPolicy> {
    try {
      return { ...policy, clientTls: { ...(await ownCertificate()), isRequired: false, isOwn: true } };
    } catch {
      this.#log.warn({ listener: name }, 'No certificate could be made: TLS is not offered to clients.');
      return policy;
    }
  }

  #cancelKeysOf(upstream: string): CancelKeys {
    const known = this.#cancelKeys.get(upstream) ?? new CancelKeys();
    this.#cancelKeys.set(upstream, known);
    return known;
  }

  #openSession(
    listener: ListenerConfig,
    identity: SessionIdentity,
    id: string,
    { sink, pollers }: MemoryRuntime,
  ): OpenedSession {
    const { name, adapter } = listener.upstream;
    const current = () => this.#config.listeners.find((each) => each.name === listener.name) ?? listener;
    const support = adapter.engines.find(({ engine }) => engine === identity.engine);
    const catalogs = new HeldCatalogs(pollers, () => performance.now());
    const context = new LiveSessionContext({
      ...{ id, backend: adapter.backend, upstream: name, identity },
      initialLexical: support?.initialLexical ?? defaultLexicalOptions,
      audienceOf: (session) => audienceOf(current(), session),
      serverLexical: (scope) => pollers.current(scope)?.lexical ?? null,
      onScope: (scope) => catalogs.use(scope),
    });
    return {
      context,
      handler: sink.openSession(context),
      // Not before the server let the client in: anyone can name databases.
      onReady: () => catalogs.open(context.scope),
      onClosed: () => catalogs.close(),
    };
  }

  async #serveAdmin({ memory, queue, pollers }: MemoryRuntime): Promise<StartedApp['admin']> {
    if (this.#config.admin === null) return null;
    const registry = createMetrics(this.#counters, {
      openSessions: () => this.#listeners.map(({ name, sessions }) => [name, sessions]),
      recordsByStatus: () => Object.entries(memory.countByStatus()),
      queuedEvents: () => queue.depth,
      catalogs: () => pollers.states().map(({ scope, ...state }) => ({ ...scope, ...state })),
    });
    const server = new AdminServer({
      ...this.#config.admin,
      readiness: () => this.#readiness(memory, queue, pollers),
      metrics: async () => ({ contentType: registry.contentType, body: await registry.metrics() }),
    });
    const bound = await server.listen();
    this.#releases.unshift(() => server.close());
    if (isLoopbackHost(bound.host)) this.#log.info(bound, 'Admin listening.');
    else this.#log.warn(bound, 'Admin listening where the network can reach it, without authentication.');
    return bound;
  }

  /** The memory's troubles are shown and do not count: taking traffic away would not help anyone. */
  #readiness(memory: MemoryIndex, queue: EventQueue, pollers: SchemaPollers): Readiness {
    return {
      isReady: this.#isAccepting,
      details: {
        state: this.#isAccepting ? 'accepting' : this.isStopping ? 'stopping' : 'starting',
        listeners: this.#listeners.map(({ name, sessions }) => ({ name, sessions })),
        memory: {
          records: memory.size,
          writes: queue.isFailing ? 'failing' : 'ok',
          queued: queue.depth,
        },
        catalogs: pollers.states().map(({ scope, state, blindSpot }) => ({
          ...{ ...scope, state },
          ...(blindSpot === null ? {} : { blindSpot }),
        })),
      },
    };
  }

  /**
   * Clients are served meanwhile; only `ready` waits, so that the first failure after it can be recorded. A server that
   * does not answer is not waited for.
   */
  async #awaitCatalogs(pollers: SchemaPollers): Promise<void> {
    const interrupted = new Promise<void>((resolve) => {
      this.#interruptWaiting = resolve;
    });
    const waits = this.#config.upstreams.map(async ({ name, address }) => {
      const scope = { upstream: name, database: address.database };
      const { database } = pollers.catalogOf(scope);
      const failed = new Promise<false>((resolve) => {
        pollers.onRead((read, model) => {
          if (model === null && read.upstream === name && read.database === database) resolve(false);
        });
      });
      const isRead = await Promise.race([pollers.ready(scope, limits.catalogReadyWaitMs), failed]);
      if (!isRead && !this.isStopping) {
        this.#log.warn(scope, 'Catalog not read yet: nothing is recalled until it is.');
      }
    });
    await Promise.race([Promise.all(waits), interrupted]);
  }

  #openSessions(): number {
    return this.#listeners.reduce((sum, { sessions }) => sum + sessions, 0);
  }
}

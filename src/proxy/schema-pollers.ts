/**
 * The schema models of every database in use, one poller a database, and the `SchemaSource` the sink asks. Bounded:
 * a new database takes the place of one that nobody is connected to, and is refused, counted, where there is none.
 */
import type { CatalogReader, UpstreamAddress, UpstreamTls } from '../core/adapter.js';
import type { Counters } from '../core/counters.js';
import { limits } from '../core/limits.js';
import type { RefreshReason, SchemaModel, SchemaSource } from '../core/schema/model.js';
import type { Scope } from '../core/verdict.js';
import { CatalogPoller, type CatalogStatus } from './catalog-poller.js';
import { type PollerClock, systemClock } from './poller-clock.js';

/** What of an upstream the pollers need. */
export interface PolledUpstream {
  readonly adapter: {
    readonly catalogCovers: 'database' | 'server';
    openCatalog(address: UpstreamAddress, tls: UpstreamTls, database: string): Promise<CatalogReader>;
  };
  readonly address: UpstreamAddress;
  readonly tls: UpstreamTls;
}

export interface SchemaPollersOptions {
  /** By the upstream's name in scopes. */
  readonly upstreams: ReadonlyMap<string, PolledUpstream>;
  readonly counters: Counters;
  readonly clock?: PollerClock;
  /** Told when a database's catalog begins to fail and when it is read again (`failure` null): one log line each. */
  onHealth?(scope: Scope, failure: unknown): void;
  /** Told once of what the account that reads a catalog is not shown, and again when that changes (null: nothing). */
  onBlindSpot?(scope: Scope, blindSpot: string | null): void;
}

interface Polled {
  readonly scope: Scope;
  readonly poller: CatalogPoller;
  /** Named by the operator: shown and kept whatever becomes of it. Others are named by clients. */
  isConfigured: boolean;
  /** As last told. */
  blindSpot: string | null;
}

/** Stands for every database of a server whose catalog is read as a whole. */
const wholeServer = '*';

type ReadListener = (scope: Scope, model: SchemaModel | null) => void;

export class SchemaPollers implements SchemaSource {
  readonly #options: SchemaPollersOptions;
  readonly #pollers = new Map<string, Polled>();
  readonly #listeners = new Set<ReadListener>();
  readonly #failing = new Set<string>();
  #isClosed = false;

  constructor(options: SchemaPollersOptions) {
    this.#options = options;
  }

  /**
   * Reads the catalog of a database named in the configuration, if that has not begun; watching is `sessionOpened`. A
   * server's catalog is watched from here on: its connection stands in nobody's way, being in no database, and whoever
   * comes for one statement after a while finds a model that is known to be right.
   */
  firstSeen(scope: Scope): void {
    const polled = this.#polled(scope);
    if (polled === null || polled.isConfigured) return;
    polled.isConfigured = true;
    if (polled.scope.database === wholeServer) polled.poller.hold();
  }

  /** Watches the database until the answer is called, when the session has ended. */
  sessionOpened(scope: Scope): () => void {
    const polled = this.#polled(scope);
    if (polled === null) return () => undefined;
    const release = polled.poller.hold();
    return () => {
      release();
      this.#forgetUnknown(polled);
    };
  }

  catalogOf(scope: Scope): Scope {
    if (scope.database === wholeServer) return scope;
    const covers = this.#options.upstreams.get(scope.upstream)?.adapter.catalogCovers;
    return covers === 'server' ? { upstream: scope.upstream, database: wholeServer } : scope;
  }

  current(scope: Scope): SchemaModel | null {
    const poller = this.#known(scope)?.poller;
    if (poller === undefined) return null;
    poller.confirmUnwatched();
    return poller.model;
  }

  isDirty(scope: Scope): boolean {
    return this.#known(scope)?.poller.isDirty ?? false;
  }

  isInDoubt(scope: Scope): boolean {
    return this.#known(scope)?.poller.isInDoubt ?? false;
  }

  refresh(scope: Scope, reason: RefreshReason): void {
    this.#polled(scope)?.poller.refresh(reason);
  }

  onRead(listener: ReadListener): void {
    this.#listeners.add(listener);
  }

  /** True once the database has a model; false after `timeoutMs` without one. */
  ready(scope: Scope, timeoutMs: number): Promise<boolean> {
    this.firstSeen(scope);
    if (this.current(scope) !== null) return Promise.resolve(true);
    const clock = this.#options.clock ?? systemClock;
    const wanted = keyOf(this.catalogOf(scope));
    const release = this.sessionOpened(scope);
    return new Promise((resolve) => {
      const settle = (isReady: boolean): void => {
        release();
        this.#listeners.delete(listener);
        cancelTimer();
        resolve(isReady);
      };
      const listener: ReadListener = (read, model) => {
        if (model !== null && keyOf(read) === wanted) settle(true);
      };
      const cancelTimer = clock.after(timeoutMs, () => settle(false));
      this.#listeners.add(listener);
    });
  }

  /** For /metrics and /readyz. */
  states(): readonly (CatalogStatus & { readonly scope: Scope })[] {
    return [...this.#pollers.values()].map(({ scope, poller }) => ({ scope, ...poller.status() }));
  }

  /** Resolves when every connection is gone. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#pollers.values()].map(({ poller }) => poller.stop()));
  }

  #known(scope: Scope): Polled | undefined {
    return this.#pollers.get(keyOf(this.catalogOf(scope)));
  }

  #polled(of: Scope): Polled | null {
    const scope = this.catalogOf(of);
    // A session in no database: connecting to one of an empty name would reach the user's.
    if (scope.database === '') return null;
    const key = keyOf(scope);
    const known = this.#pollers.get(key);
    if (known !== undefined) return known;
    const upstream = this.#options.upstreams.get(scope.upstream);
    if (upstream === undefined || this.#isClosed || !this.#hasRoom()) {
      this.#options.counters.count('catalog_databases_refused');
      return null;
    }
    const { adapter, address, tls } = upstream;
    const poller = new CatalogPoller({
      open: () => adapter.openCatalog(address, tls, scope.database),
      onRead: (model) => this.#announce(scope, key, model),
      counters: this.#options.counters,
      clock: this.#options.clock ?? systemClock,
    });
    const polled = { scope, poller, isConfigured: false, blindSpot: null };
    this.#pollers.set(key, polled);
    return polled;
  }

  /** A name that clients gave and no database answered to is not kept: it would take the place of one that exists. */
  #forgetUnknown(polled: Polled): void {
    const { scope, poller, isConfigured } = polled;
    const key = keyOf(scope);
    if (isConfigured || poller.isHeld || poller.model !== null || this.#pollers.get(key) !== polled) return;
    // A session shorter than the first look must not end it: the next one would begin, and end, another.
    if (poller.status().state === 'starting') return;
    this.#pollers.delete(key);
    this.#failing.delete(key);
    void poller.stop();
  }

  #tellBlindSpot(polled: Polled): void {
    const { blindSpot } = polled.poller.status();
    if (blindSpot === polled.blindSpot) return;
    polled.blindSpot = blindSpot;
    this.#options.onBlindSpot?.(polled.scope, blindSpot);
  }

  /** Makes room where it can: the oldest database without a session is forgotten, and read again when it returns. */
  #hasRoom(): boolean {
    if (this.#pollers.size < limits.maxPolledDatabases) return true;
    for (const [key, { poller, isConfigured }] of this.#pollers) {
      if (poller.isHeld || isConfigured) continue;
      this.#pollers.delete(key);
      this.#failing.delete(key);
      void poller.stop();
      return true;
    }
    return false;
  }

  #announce(scope: Scope, key: string, model: SchemaModel | null): void {
    const wasFailing = this.#failing.has(key);
    if (model === null) this.#failing.add(key);
    else this.#failing.delete(key);
    if (wasFailing !== (model === null)) {
      this.#options.onHealth?.(
        scope,
        model === null ? this.#pollers.get(key)?.poller.status().failure : null,
      );
    }
    for (const listener of [...this.#listeners]) listener(scope, model);
    const polled = this.#pollers.get(key);
    if (polled === undefined) return;
    if (model === null) this.#forgetUnknown(polled);
    else this.#tellBlindSpot(polled);
  }
}

function keyOf({ upstream, database }: Scope): string {
  return `${upstream}\0${database}`;
}

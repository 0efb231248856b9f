/**
 * Keeps the schema model of one database current: reads once, then probes, and reads again when the probe moved.
 *
 * Invariants: one look (open, probe, perhaps read) at a time; a refresh asked during a look causes another after it;
 * the traffic never waits for any of it. A connection to the database is held only while someone holds the poller (a
 * client's session does) and shortly after, because a database with a connection can be neither dropped nor renamed
 * nor used as a template, and a proxy must not be what stands in the way.
 */
import type { CatalogReader } from '../core/adapter.js';
import type { Counters } from '../core/counters.js';
import { limits } from '../core/limits.js';
import type { DeclaredSchema } from '../core/schema/declared-schema.js';
import type { RefreshReason, SchemaModel } from '../core/schema/model.js';
import { SchemaBuilder } from '../core/schema/schema.js';
import type { PollerClock } from './poller-clock.js';
import { RereadSchedule } from './reread-schedule.js';

/** `resting`: known, and nobody is there to watch it for. */
export type CatalogState = 'starting' | 'current' | 'refreshing' | 'resting' | 'failing' | 'stopped';

export interface CatalogStatus {
  readonly state: CatalogState;
  /** Milliseconds since the model was last found to be right; null before the first read. */
  readonly ageMs: number | null;
  readonly lastReadMs: number | null;
  readonly tableCount: number;
  readonly failuresInARow: number;
  /** Why the last look failed; null once one succeeded. */
  readonly failure: unknown;
  /** What the account that read it last was not shown, as the reader puts it; null where that is nothing. */
  readonly blindSpot: string | null;
}

export interface CatalogPollerOptions {
  open(): Promise<CatalogReader>;
  /** After each refresh: the model, or null when it failed. Must not throw. */
  onRead(model: SchemaModel | null): void;
  readonly counters: Counters;
  readonly clock: PollerClock;
}

type Step = 'refresh' | 'probe' | 'let-go';

export class CatalogPoller {
  readonly #options: CatalogPollerOptions;
  #reader: CatalogReader | null = null;
  #model: DeclaredSchema | null = null;
  #probed: string | null = null;
  /** Refreshes asked for so far, those among them that want a read whatever the probe says, and those answered. */
  #asked = 1;
  #readAsked = 1;
  #ddlAsked = 0;
  #answered = 0;
  /** The last refresh asked for because the model may be wrong, and not only because an error made one wonder. */
  #doubted = 0;
  /** The refreshes that the last failed look was for: without a holder it is not tried again for them. */
  #attempted = 0;
  #holders = 0;
  #isLooking = false;
  #isStopped = false;
  #cancelTimer: (() => void) | null = null;
  #failures = 0;
  #failure: unknown = null;
  #failedAt = 0;
  #retryAt = 0;
  #releasedAt: number;
  #confirmedAt: number | null = null;
  #lookEndedAt = Number.NEGATIVE_INFINITY;
  #lookTookMs = 0;
  #readTookMs: number | null = null;
  #blindSpot: string | null = null;
  readonly #reread = new RereadSchedule();

  /** Begins with the first read at once. */
  constructor(options: CatalogPollerOptions) {
    this.#options = options;
    this.#releasedAt = options.clock.now();
    this.#schedule();
  }

  get model(): SchemaModel | null {
    return this.#model;
  }

  /** True from a refresh asked until a look that began after the ask has succeeded. */
  get isDirty(): boolean {
    return this.#asked > this.#answered;
  }

  /** True where the model may be wrong and the look that will tell has not succeeded yet. */
  get isInDoubt(): boolean {
    return this.#doubted > this.#answered;
  }

  get isHeld(): boolean {
    return this.#holders > 0;
  }

  /** Watches until the answer is called; where nobody did, the model is made sure of first. */
  hold(): () => void {
    this.#holders += 1;
    // Whoever comes has just reached the server: a long wait has lost its reason.
    this.#retryAt = Math.min(this.#retryAt, this.#failedAt + limits.catalogBackoffMinMs);
    if (this.#holders === 1) this.refresh('first_seen');
    else this.#schedule();
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.#holders -= 1;
      this.#releasedAt = this.#options.clock.now();
      if (this.#holders === 0) this.#schedule();
    };
  }

  /** `asked` reads in any case; for other reasons a probe that has not moved is answer enough. */
  refresh(reason: RefreshReason): void {
    if (this.#isStopped) return;
    this.#asked += 1;
    if (reason === 'asked') this.#readAsked = this.#asked;
    if (reason === 'ddl_seen') this.#ddlAsked = this.#asked;
    // An open reader was probed a moment ago; without one, anything may have happened since.
    if (reason === 'ddl_seen' || (reason === 'first_seen' && this.#reader === null))
      this.#doubted = this.#asked;
    this.#schedule();
  }

  /**
   * Someone goes by the model. Where nobody holds the poller that may be one of long ago: it is used this once, and made
   * sure of for the next time.
   */
  confirmUnwatched(): void {
    if (this.isHeld || this.#model === null) return;
    const isUnderWay = this.#asked > Math.max(this.#answered, this.#attempted);
    if (isUnderWay || this.#options.clock.now() - (this.#confirmedAt ?? 0) < limits.catalogTurnMs) return;
    this.refresh('first_seen');
  }

  status(): CatalogStatus {
    const { clock } = this.#options;
    return {
      state: this.#state(),
      ageMs: this.#confirmedAt === null ? null : clock.now() - this.#confirmedAt,
      lastReadMs: this.#readTookMs,
      tableCount: this.#model?.tableCount ?? 0,
      failuresInARow: this.#failures,
      failure: this.#failure,
      blindSpot: this.#blindSpot,
    };
  }

  /** Resolves when the connection is gone; one that is being opened closes by itself. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancelTimer?.();
    await this.#closeReader();
  }

  #state(): CatalogState {
    if (this.#isStopped) return 'stopped';
    if (this.#failures > 0) return 'failing';
    if (this.#model === null) return 'starting';
    if (this.isDirty) return 'refreshing';
    return this.#reader === null ? 'resting' : 'current';
  }

  /** Sets the one timer for whatever is due next. */
  #schedule(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = null;
    if (this.#isStopped || this.#isLooking) return;
    const due = this.#nextStep();
    if (due === null) return;
    this.#cancelTimer = this.#options.clock.after(due.delayMs, () => {
      this.#cancelTimer = null;
      void this.#runStep(due.step);
    });
  }

  /** Null: nothing is due until someone asks. */
  #nextStep(): { readonly step: Step; readonly delayMs: number } | null {
    const now = this.#options.clock.now();
    const refreshMs = this.#refreshDelayMs(now);
    if (this.isHeld) {
      if (refreshMs !== null) return { step: 'refresh', delayMs: refreshMs };
      return { step: 'probe', delayMs: Math.max(limits.catalogProbeMs, this.#retryAt - now) };
    }
    if (this.#reader !== null) {
      const letGoMs = Math.max(0, this.#releasedAt + limits.catalogLingerMs - now);
      // A refresh that has to wait does so without a connection: after a long read it waits for long.
      if (refreshMs === null || refreshMs > letGoMs) return { step: 'let-go', delayMs: letGoMs };
    }
    return refreshMs === null ? null : { step: 'refresh', delayMs: refreshMs };
  }

  /** Null where no refresh is asked for, or nobody is there to try a failed one again for. */
  #refreshDelayMs(now: number): number | null {
    if (!this.isDirty || !(this.isHeld || this.#asked > this.#attempted)) return null;
    // The first ask is served at once, those that follow it together, and never at the cost of all the time.
    const restMs = Math.max(limits.catalogDebounceMs, this.#lookTookMs * limits.catalogReadRest);
    return Math.max(0, this.#retryAt - now, this.#lookEndedAt + restMs - now);
  }

  async #runStep(step: Step): Promise<void> {
    this.#isLooking = true;
    const asked = this.#asked;
    try {
      if (step === 'refresh') await this.#refreshNow();
      else if (step === 'probe') await this.#probeNow();
      else await this.#closeReader();
      this.#failures = 0;
      this.#failure = null;
    } catch (cause) {
      this.#attempted = asked;
      await this.#failed(cause, step === 'refresh');
    }
    this.#isLooking = false;
    if (this.#isStopped) await this.#closeReader();
    this.#schedule();
  }

  async #probeNow(): Promise<void> {
    const { clock } = this.#options;
    // A new connection has no look of its own to compare with, and must not be late.
    const isThorough = this.#reader === null;
    const reader = await this.#openReader();
    const probed = await reader.probe(isThorough);
    this.#countProbe(probed);
    const isMoved = probed !== this.#probed;
    if (!isMoved) this.#confirmedAt = clock.now();
    const isWanted = isMoved || this.#isRereadDue(reader);
    if (isWanted && !this.#reread.isDamped(clock.now())) this.refresh('probe_moved');
  }

  async #refreshNow(): Promise<void> {
    const { clock } = this.#options;
    const startedAt = clock.now();
    const covered = this.#asked;
    const reader = await this.#openReader();
    // Before the read: what changes in between moves the next probe.
    const probed = await reader.probe(true);
    this.#countProbe(probed);
    const isMoved = probed !== this.#probed;
    const isEarly = reader.isProbeEarly === true;
    if (isMoved && isEarly) this.#reread.probeMoved(startedAt);
    const isAsked = this.#readAsked > this.#answered || (isEarly && this.#ddlAsked > this.#answered);
    if (isMoved || isAsked || this.#isRereadDue(reader)) {
      const isChanged = await this.#read(await this.#withRightsOfNow(reader));
      this.#probed = probed;
      const askedBy = isAsked ? 'others' : isMoved ? 'probe' : 'time';
      if (isEarly) this.#reread.wasRead({ startedAt, endedAt: clock.now(), askedBy, isChanged });
    }
    this.#answered = covered;
    this.#confirmedAt = clock.now();
    this.#lookEndedAt = clock.now();
    this.#lookTookMs = this.#lookEndedAt - startedAt;
    if (!this.#isStopped) this.#options.onRead(this.#model);
  }

  /** Where a probe moves as a change begins, only time says when to look for its end. */
  #isRereadDue(reader: CatalogReader): boolean {
    return reader.isProbeEarly === true && this.#reread.isDue(this.#options.clock.now());
  }

  /** What an account was given since it logged in, it has from the next time on. */
  async #withRightsOfNow(reader: CatalogReader): Promise<CatalogReader> {
    const isBlind = reader.blindSpot !== undefined && reader.blindSpot !== null;
    // The first read just logged in.
    if (!isBlind || this.#model === null) return reader;
    await this.#closeReader();
    return this.#openReader();
  }

  /** True where something had changed. */
  async #read(reader: CatalogReader): Promise<boolean> {
    const { clock, counters } = this.#options;
    const startedAt = clock.now();
    const input = await reader.read();
    const before = this.#model;
    const builder = new SchemaBuilder(before);
    for (const [index, table] of input.tables.entries()) {
      // Hashing thousands of tables takes long enough for clients to notice.
      if (index % limits.catalogTablesPerSlice === limits.catalogTablesPerSlice - 1) await clock.yield();
      builder.add(table);
    }
    const model = builder.finish(input, (before?.version ?? 0) + 1);
    const isChanged = before === null || !model.equals(before);
    if (isChanged) this.#model = model;
    counters.count('catalog_reads', isChanged ? 'changed' : 'unchanged');
    this.#blindSpot = reader.blindSpot ?? null;
    this.#readTookMs = clock.now() - startedAt;
    return isChanged;
  }

  #countProbe(probed: string): void {
    this.#options.counters.count('catalog_probes', probed === this.#probed ? 'still' : 'moved');
  }

  async #openReader(): Promise<CatalogReader> {
    this.#reader ??= await this.#options.open();
    if (this.#isStopped) throw new Error('The poller was stopped');
    return this.#reader;
  }

  async #closeReader(): Promise<void> {
    const reader = this.#reader;
    this.#reader = null;
    await reader?.close();
  }

  async #failed(cause: unknown, isRefresh: boolean): Promise<void> {
    const { clock, counters, onRead } = this.#options;
    await this.#closeReader();
    if (this.#isStopped) return;
    this.#failures += 1;
    this.#failure = cause;
    const backoffMs = limits.catalogBackoffMinMs * 2 ** Math.min(this.#failures - 1, 30);
    this.#failedAt = clock.now();
    this.#retryAt = this.#failedAt + Math.min(backoffMs, limits.catalogBackoffMaxMs);
    counters.count(isRefresh ? 'catalog_reads' : 'catalog_probes', 'failed');
    if (isRefresh) onRead(null);
  }
}

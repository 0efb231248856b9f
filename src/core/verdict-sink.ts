/**
 * The one place through which every verdict goes: sessions report here, the memory learns here, notes come from here.
 *
 * Everything a session calls is synchronous, in memory and guarded; what is to be stored leaves through `emit`, which
 * must not wait and must not throw.
 */
import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { VerdictHandler } from './adapter.js';
import type { Counters } from './counters.js';
import { limits } from './limits.js';
import type { MemoryIndex } from './memory/memory-index.js';
import type { MemoryEvent } from './memory/record.js';
import { Recall, type RecallOptions } from './recall/recall.js';
import type { SchemaModel, SchemaSource } from './schema/model.js';
import { AwaitingCatalog } from './sink/awaiting-catalog.js';
import { judgeSuccess } from './sink/judge-success.js';
import { type EngineParts, keyFailure } from './sink/observed-failure.js';
import { Outbox } from './sink/outbox.js';
import { ScopeWatch } from './sink/scope-watch.js';
import { SessionSink } from './sink/session-sink.js';
import type { FailureTicket, SinkCore, SinkPolicy, SuccessToJudge } from './sink/sink-core.js';
import type { Engine, Scope, SessionContext } from './verdict.js';

export type { EngineParts, SinkPolicy };

export interface VerdictSinkDeps {
  readonly memory: MemoryIndex;
  readonly schemas: SchemaSource;
  readonly counters: Counters;
  /** Takes an event for the store; bounded, never waits. */
  emit(event: MemoryEvent): void;
  /** What belongs to an engine; a session of an engine without parts is not watched. */
  engine(engine: Engine): EngineParts | undefined;
  /** Milliseconds since the epoch. */
  now(): number;
  /** Read each time it is needed; default: notes on, no holdback. */
  policy?(): SinkPolicy;
  /** For the benchmark's ablations. */
  readonly recall?: Partial<RecallOptions>;
}

/** A session's handler; `close` settles what is open when the session ends. */
export type SessionHandler = VerdictHandler & { close(): void };

const defaultPolicy: SinkPolicy = {
  isEnabled: true,
  holdback: 0,
  notesPerSession: limits.maxNotesPerRecordPerSession,
};

export class VerdictSink {
  readonly #core: SinkCore;
  readonly #watches = new Map<string, ScopeWatch<SuccessToJudge>>();

  constructor(deps: VerdictSinkDeps) {
    const { memory, schemas, counters } = deps;
    this.#core = {
      ...{ memory, schemas, counters },
      outbox: new Outbox(memory, (event) => deps.emit(event)),
      recall: new Recall(deps.recall),
      awaiting: new AwaitingCatalog(counters),
      attempts: new LRUCache({ max: limits.maxRetriedWrites }),
      engine: (engine) => deps.engine(engine),
      policy: () => deps.policy?.() ?? defaultPolicy,
      watch: (scope) => this.#watch(scope),
      now: () => deps.now(),
    };
    schemas.onRead((scope, model) => this.#guard(() => this.#schemaRead(scope, model)));
  }

  /** The handler of one session; `context` is kept and read anew at each verdict. */
  openSession(context: SessionContext): SessionHandler {
    const parts = this.#core.engine(context.engine);
    if (parts === undefined) return unwatched;
    return new SessionSink(this.#core, context, parts, isHeldBack(context.id, this.#core.policy().holdback));
  }

  /** Writes the counts summed up since the last time and lets go of what waited too long. Call on a timer. */
  flush(): void {
    this.#guard(() => {
      const now = this.#core.now();
      this.#core.awaiting.expire(now);
      this.#core.outbox.flush(now);
    });
  }

  /** Writes everything, for the end of the process; sessions must be closed before. */
  close(): void {
    this.#guard(() => {
      this.#core.awaiting.close();
      this.#core.outbox.close(this.#core.now());
    });
  }

  #schemaRead(scope: Pick<Scope, 'upstream' | 'database'>, model: SchemaModel | null): void {
    if (model === null) return;
    const { awaiting, outbox, schemas } = this.#core;
    const watch = this.#watch(scope);
    const isDirty = schemas.isDirty(scope);
    for (const { observed, ticket } of awaiting.take(watch.key)) {
      const { facts, resolved } = keyFailure(observed, model);
      const { record, isNew } = outbox.recordFailure(facts, observed, isDirty ? watch.key : null);
      this.#core.counters.count(isNew ? 'failures_recorded' : 'failures_observed');
      keyTicket(ticket, record, resolved.names, outbox);
    }
    // A refresh asked for during this read is still to come; only then is it known what holds.
    if (isDirty) return;
    outbox.schemaRead(watch.key, model);
    for (const success of watch.schemaRead()) judgeSuccess(this.#core, success, model);
  }

  #watch(scope: Pick<Scope, 'upstream' | 'database'>): ScopeWatch<SuccessToJudge> {
    const { upstream, database } = this.#core.schemas.catalogOf(scope);
    const key = `${upstream}\0${database}`;
    let watch = this.#watches.get(key);
    if (watch === undefined) {
      watch = new ScopeWatch(key);
      this.#watches.set(key, watch);
    }
    return watch;
  }

  #guard(run: () => void): void {
    try {
      run();
    } catch {
      this.#core.counters.count('bypassed', 'sink_error');
    }
  }
}

function keyTicket(
  ticket: FailureTicket,
  record: Parameters<FailureTicket['onKeyed']>[0],
  tables: readonly string[],
  outbox: Outbox,
): void {
  ticket.record = record;
  if (ticket.isSettled) outbox.settle(record, ticket.after);
  ticket.onKeyed(record, tables);
}

/** True for a fixed share of sessions, chosen by a hash so that the choice does not follow order or time. */
function isHeldBack(sessionId: string, share: number): boolean {
  if (share <= 0) return false;
  return createHash('sha256').update(sessionId).digest().readUInt32BE(0) / 2 ** 32 < share;
}

const unwatched: SessionHandler = {
  wantsSuccess: false,
  failed: () => null,
  settled: () => undefined,
  succeeded: () => undefined,
  schemaChanged: () => undefined,
  noteAttached: () => undefined,
  bypassed: () => undefined,
  warned: () => undefined,
  close: () => undefined,
};

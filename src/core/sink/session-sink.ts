/**
 * One session's way into the memory. Every entry point is guarded: whatever goes wrong in here is counted and the
 * statement goes on as if nobody had watched.
 */
import type { BypassReason, VerdictHandler } from '../adapter.js';
import { type Classification, type FailureClass, isRecorded } from '../failure/failure-class.js';
import { limits } from '../limits.js';
import { Ledger, type LedgerOutcome, type ResolvedStatement } from '../memory/ledger.js';
import type { MemoryPartition } from '../memory/partition.js';
import type { FailureFacts, MemoryRecord } from '../memory/record.js';
import { templateInput } from '../notes/input.js';
import type { Note } from '../notes/note.js';
import { renderNote } from '../notes/render.js';
import type { Recalled } from '../recall/recall.js';
import type { ResolvedTables, SchemaModel } from '../schema/model.js';
import type { StatementShape } from '../shape/shape.js';
import type {
  Scope,
  ServerError,
  SessionContext,
  StatementFailure,
  StatementSuccess,
  TransactionState,
} from '../verdict.js';
import { eventOf, judgeSuccess } from './judge-success.js';
import { NoteBudget } from './note-budget.js';
import { type EngineParts, keyFailure, type ObservedFailure, observeFailure } from './observed-failure.js';
import type { ScopeWatch } from './scope-watch.js';
import type { AttemptAnswer, FailureTicket, SinkCore, SuccessToJudge } from './sink-core.js';

const none: AttemptAnswer = { note: null };

export class SessionSink implements VerdictHandler {
  readonly #core: SinkCore;
  readonly #context: SessionContext;
  readonly #parts: EngineParts;
  /** Looked up when first needed: before the login, anyone can name a database. */
  #knownPartition: MemoryPartition | null = null;
  #knownWatch: ScopeWatch<SuccessToJudge> | null = null;
  /** The scope that the two above belong to. */
  #knownScope: Scope;
  readonly #isHeldBack: boolean;
  readonly #ledger = new Ledger();
  readonly #budget = new NoteBudget();
  /** Tables changed by this session's DDL that other sessions do not see yet. */
  #uncommittedTables: readonly string[] = [];
  #ticket: FailureTicket | null = null;

  constructor(core: SinkCore, context: SessionContext, parts: EngineParts, isHeldBack: boolean) {
    this.#core = core;
    this.#context = context;
    this.#knownScope = context.scope;
    this.#parts = parts;
    this.#isHeldBack = isHeldBack;
  }

  get #partition(): MemoryPartition {
    this.#followScope();
    if (this.#knownPartition !== null) return this.#knownPartition;
    const { scope, engine, backend } = this.#context;
    this.#knownPartition = this.#core.memory.partition(scope, engine, backend);
    return this.#knownPartition;
  }

  get #watch(): ScopeWatch<SuccessToJudge> {
    this.#followScope();
    this.#knownWatch ??= this.#core.watch(this.#context.scope);
    return this.#knownWatch;
  }

  #followScope(): void {
    if (this.#context.scope === this.#knownScope) return;
    this.#knownScope = this.#context.scope;
    this.#knownPartition = null;
    this.#knownWatch = null;
  }

  get wantsSuccess(): boolean {
    return this.#partition.liveCount > 0 || !this.#ledger.isEmpty;
  }

  wantsSuccessOf(verb: string, table: string): boolean {
    if (!this.#ledger.isEmpty) return true;
    const partition = this.#partition;
    return partition.liveCount > 0 && partition.concerns(verb, table, this.#knownScope.database);
  }

  failed(failure: StatementFailure): Note | null {
    const { attempt } = failure;
    if (attempt === undefined) return this.#guard(() => this.#failed(failure), null);
    return this.#guard(() => this.#failedAgain(attempt) ?? this.#failedFirst(attempt, failure), none).note;
  }

  /** What the first try was answered, the driver kept to itself: it is due now, and the record has had its count. */
  #failedAgain(attempt: string): AttemptAnswer | undefined {
    const answer = this.#core.attempts.get(attempt);
    if (answer === undefined) return undefined;
    this.#settle('unknown');
    this.#core.counters.count('failures_not_recorded', 'retry');
    return answer;
  }

  #failedFirst(attempt: string, failure: StatementFailure): AttemptAnswer {
    const answer = { note: this.#failed(failure) };
    this.#core.attempts.set(attempt, answer);
    return answer;
  }

  settled(after: TransactionState): void {
    this.#guard(() => this.#settle(after), undefined);
  }

  succeeded(success: StatementSuccess): void {
    this.#guard(() => this.#succeeded(success), undefined);
  }

  schemaChanged(): void {
    this.#guard(() => {
      this.#watch.tablesChanged(this.#uncommittedTables);
      this.#core.outbox.tablesChanged(this.#watch.key, this.#uncommittedTables);
      this.#uncommittedTables = [];
      this.#core.schemas.refresh(this.#context.scope, 'ddl_seen');
    }, undefined);
  }

  noteAttached(note: Note): void {
    this.#guard(() => {
      this.#budget.shown(note.recordId);
      this.#ledger.shown(note.recordId);
      this.#core.counters.count('notes_attached', this.#core.memory.byId(note.recordId)?.class ?? 'unknown');
    }, undefined);
  }

  bypassed(reason: BypassReason): void {
    this.#guard(() => this.#core.counters.count('bypassed', reason), undefined);
  }

  warned(count: number): void {
    this.#guard(() => this.#core.counters.count('statement_warnings', undefined, count), undefined);
  }

  close(): void {
    this.#guard(() => {
      this.#settle('closed');
      this.#ledger.clear();
    }, undefined);
  }

  #failed(failure: StatementFailure): Note | null {
    const { counters, schemas } = this.#core;
    const { scope } = this.#context;
    this.#settle('unknown');
    if (failure.before === 'idle') this.#uncommittedTables = [];
    const { error, phase, isCancelRequested, statement } = failure;
    const classification = this.#parts.classify({ error, phase, isCancelRequested });
    counters.count('statements_failed', classification.class);
    if (!isRecordable(classification)) {
      if (classification.class === 'schema_moved') schemas.refresh(scope, 'drift_suspected');
      counters.count('failures_not_recorded', classification.class);
      return null;
    }
    if (classification.class === 'unclassified') counters.count('failures_unclassified', error.code);
    if (classification.suggestsDrift) schemas.refresh(scope, 'drift_suspected');
    if (statement === null) return this.#drop('statement_text_unknown');
    const observed = observeFailure(
      { ...failure, statement },
      classification,
      this.#context,
      this.#parts.shaper,
      this.#core.now(),
    );
    if (observed === null) return this.#drop('statement_not_found');
    const model = schemas.current(scope);
    if (model === null) return this.#awaitCatalog(observed);
    const isInTransaction = failure.before === 'open' || failure.before === 'aborted';
    return this.#keyed(observed, error, model, isInTransaction);
  }

  #drop(reason: string): null {
    this.#core.counters.count('failures_dropped', reason);
    return null;
  }

  #awaitCatalog(observed: ObservedFailure): null {
    const { awaiting, counters, schemas } = this.#core;
    counters.count('recalls', 'no_catalog');
    const ticket: FailureTicket = {
      record: null,
      after: 'unknown',
      isSettled: false,
      onKeyed: (record, tables) => {
        this.#ledger.failed(record, resolvedStatement(observed.statement, tables), null, observed.at);
      },
    };
    this.#ticket = ticket;
    awaiting.add(this.#watch.key, observed, ticket);
    schemas.refresh(this.#context.scope, 'first_seen');
    return null;
  }

  #keyed(
    observed: ObservedFailure,
    error: ServerError,
    model: SchemaModel,
    isInTransaction: boolean,
  ): Note | null {
    const { memory, schemas } = this.#core;
    const { facts, resolved } = keyFailure(observed, model);
    // It was found by the server and is not in the model: made by a statement that does not look like DDL, perhaps.
    if (resolved.hasAbsent) schemas.refresh(this.#context.scope, 'drift_suspected');
    const due = this.#recall(observed, facts, resolved);
    if (memory.byId(facts.id) === undefined && memory.size >= limits.maxRecords)
      return this.#drop('memory_full');
    const record = this.#record(observed, facts);
    const noted = due !== null && this.#isShowable(due.record) ? due.record : null;
    const ignored = this.#ledger.failed(
      record,
      resolvedStatement(observed.statement, resolved.names),
      noted,
      observed.at,
    );
    if (ignored !== null) this.#feedback(ignored, 'ignored');
    if (due === null || noted === null) return null;
    const { searchPath, user } = observed;
    const occasion = { how: due.how, error, shape: facts.shape, searchPath, user };
    // A model in doubt may name columns that are gone: then the note says what holds without it.
    const input = this.#core.schemas.isInDoubt(this.#context.scope)
      ? templateInput(noted, [], null, isInTransaction, occasion)
      : templateInput(noted, resolved.tables, model, isInTransaction, occasion);
    return renderNote(this.#parts.templates[noted.class], input, this.#parts.shownWords);
  }

  /** The record whose note is due, before this failure is added to the memory. */
  #recall(observed: ObservedFailure, facts: FailureFacts, resolved: ResolvedTables): Recalled | null {
    const { counters, recall } = this.#core;
    const recalled = recall.afterError(this.#partition, {
      shape: facts.shape,
      holes: facts.holes,
      verb: facts.verb,
      isTruncated: observed.statement.isTruncated,
      tables: resolved.names,
      fingerprint: facts.fingerprint,
      class: facts.class,
      code: facts.code,
      object: facts.object,
      now: observed.at,
    });
    counters.count('recalls', recalled?.how ?? 'none');
    if (recalled === null) return null;
    const isChangedHere = resolved.names.some((name) => this.#uncommittedTables.includes(name));
    if (isChangedHere || this.#watch.isInDoubt(recalled.record.id, resolved.names)) {
      counters.count('notes_withheld', 'schema_moving');
      return null;
    }
    return recalled;
  }

  #record(observed: ObservedFailure, facts: FailureFacts): MemoryRecord {
    const { counters, outbox, schemas } = this.#core;
    const awaited = schemas.isDirty(this.#context.scope) ? this.#watch.key : null;
    const { record, isNew } = outbox.recordFailure(facts, observed, awaited);
    counters.count(isNew ? 'failures_recorded' : 'failures_observed');
    this.#watch.failed(record.id);
    this.#ticket = { record, after: 'unknown', isSettled: false, onKeyed: () => undefined };
    return record;
  }

  #isShowable(record: MemoryRecord): boolean {
    const { isEnabled, notesPerSession } = this.#core.policy();
    if (!isEnabled) return this.#withhold('disabled');
    if (this.#isHeldBack) return this.#withhold('holdback');
    return this.#budget.allows(record, notesPerSession) || this.#withhold('budget');
  }

  #withhold(reason: string): false {
    this.#core.counters.count('notes_withheld', reason);
    return false;
  }

  #settle(after: TransactionState): void {
    const ticket = this.#ticket;
    if (ticket === null) return;
    this.#ticket = null;
    ticket.after = after;
    ticket.isSettled = true;
    if (ticket.record !== null) this.#core.outbox.settle(ticket.record, after);
  }

  #succeeded(success: StatementSuccess): void {
    const { schemas } = this.#core;
    const { scope, user, searchPath, lexical } = this.#context;
    const { statement: text } = success;
    const shapes = this.#parts.shaper.shape(text.text(), lexical, text.isTruncated);
    const statement = shapes.statements[success.index];
    if (statement === undefined) return;
    // A new block: what an earlier one changed was committed and reported, or never was.
    if (statement.verb === 'begin' || statement.verb === 'start') this.#uncommittedTables = [];
    const isDdl = statement.verbFamily === 'ddl';
    const isKnown = this.#partition.exact(statement.shape).length > 0;
    if (!isDdl && !isKnown && this.#ledger.isEmpty) return;
    const model = schemas.current(scope);
    if (model === null) return;
    const { names, hasAbsent } = model.resolve(statement.tables, searchPath, user);
    if (hasAbsent && !isDdl) schemas.refresh(scope, 'drift_suspected');
    if (isDdl)
      this.#uncommittedTables = [...this.#uncommittedTables, ...names].slice(-limits.maxTablesPerStatement);
    const outcomes = this.#ledger.succeeded(resolvedStatement(statement, names), this.#core.now());
    const contradicts = outcomes.find((outcome) => outcome.kind === 'unchanged') ?? null;
    for (const outcome of outcomes) this.#follow(outcome);
    if (!isKnown) return;
    const { shape, holes, tables } = statement;
    const toJudge = { partition: this.#partition, shape, holes, tables, searchPath, user, contradicts };
    // What ran under a schema that is still being read says nothing of records of the one before.
    if (!schemas.isDirty(scope)) judgeSuccess(this.#core, toJudge, model);
    else if (!this.#watch.defer(toJudge)) this.#core.counters.count('bypassed', 'successes_over_limit');
  }

  #follow(outcome: LedgerOutcome): void {
    const { counters, memory, outbox } = this.#core;
    if (outcome.kind === 'feedback') this.#feedback(outcome.record, outcome.feedback);
    if (outcome.kind !== 'resolved') return;
    const record = memory.byId(outcome.record.id);
    // The first resolution was found closest to the failure; later ones only lie further off.
    if (record === undefined || record.resolution !== null) return;
    outbox.apply({ ...eventOf(this.#core, record, 'resolved'), resolution: outcome.resolution });
    counters.count('resolutions');
  }

  #feedback(record: MemoryRecord, kind: 'ignored' | 'confirmed' | 'contradicted'): void {
    this.#core.outbox.apply({ ...eventOf(this.#core, record, 'feedback'), kind, count: 1 });
    this.#core.counters.count('feedback', kind);
  }

  #guard<Result>(run: () => Result, otherwise: Result): Result {
    try {
      return run();
    } catch {
      this.#countFault();
      return otherwise;
    }
  }

  #countFault(): void {
    try {
      this.#core.counters.count('bypassed', 'sink_error');
    } catch {
      // Not even counting works; the statement still goes on.
    }
  }
}

function isRecordable(
  classification: Classification,
): classification is Classification & { readonly class: FailureClass } {
  return isRecorded(classification.class);
}

function resolvedStatement(statement: StatementShape, tables: readonly string[]): ResolvedStatement {
  const { shape, holes, verb, verbFamily } = statement;
  return { shape, holes, verb, verbFamily, tables };
}

/** A sink over a real shaper, classifier and schema, with the clock, the catalog and the store in the test's hand. */
import { classify } from '../../../../adapters/postgres/classify.js';
import { postgresDialect } from '../../../../adapters/postgres/dialect.js';
import { noteTemplates } from '../../../../adapters/postgres/note-templates.js';
import type { Counters } from '../../../../src/core/counters.js';
import { foldEvents } from '../../../../src/core/memory/fold.js';
import { MemoryIndex } from '../../../../src/core/memory/memory-index.js';
import type { MemoryEvent, MemoryRecord } from '../../../../src/core/memory/record.js';
import type { Note } from '../../../../src/core/notes/note.js';
import type { SchemaModel, SchemaSource } from '../../../../src/core/schema/model.js';
import { buildSchema, type TableInput } from '../../../../src/core/schema/schema.js';
import { createShaper } from '../../../../src/core/shape/shaper.js';
import type {
  Scope,
  ServerError,
  SessionContext,
  StatementFailure,
  TransactionState,
} from '../../../../src/core/verdict.js';
import { type SinkPolicy, VerdictSink } from '../../../../src/core/verdict-sink.js';
import { testSession } from '../../../support/session-context.js';

export const shop: Scope = { upstream: 'shop', database: 'shop' };

export function table(
  name: string,
  columns: string,
  constraints: TableInput['constraints'] = [],
): TableInput {
  return {
    schema: 'public',
    name,
    kind: 'table',
    columns: columns.split(' ').map((column) => ({ name: column, type: 'text', isNotNull: false })),
    constraints,
  };
}

const emailKey = {
  kind: 'unique',
  name: 'users_email_key',
  columns: ['email'],
  definition: 'UNIQUE (email)',
} as const;

export const users = table('users', 'id email name', [emailKey]);
export const orders = table('orders', 'id user_id total');

/** A catalog that is read when the test says so. */
export class FakeSchemas implements SchemaSource {
  refreshes: string[] = [];
  readonly #models = new Map<string, SchemaModel>();
  readonly #dirty = new Set<string>();
  readonly #doubted = new Set<string>();
  readonly #listeners: ((scope: Scope, model: SchemaModel | null) => void)[] = [];
  #version = 0;

  catalogOf(scope: Scope): Scope {
    return scope;
  }

  current(scope: Scope): SchemaModel | null {
    return this.#models.get(scope.database) ?? null;
  }

  isDirty(scope: Scope): boolean {
    return this.#dirty.has(scope.database);
  }

  isInDoubt(scope: Scope): boolean {
    return this.#doubted.has(scope.database);
  }

  refresh(scope: Scope, reason: string): void {
    this.refreshes.push(reason);
    this.#dirty.add(scope.database);
    if (reason === 'ddl_seen' || reason === 'first_seen') this.#doubted.add(scope.database);
  }

  onRead(listener: (scope: Scope, model: SchemaModel | null) => void): void {
    this.#listeners.push(listener);
  }

  /** A read of these tables completes; `isStillDirty`: a refresh was asked for meanwhile. */
  read(tables: readonly TableInput[], scope = shop, isStillDirty = false): void {
    const model = buildSchema({ tables, defaultSearchPath: ['public'] }, ++this.#version);
    this.#models.set(scope.database, model);
    if (!isStillDirty) {
      this.#dirty.delete(scope.database);
      this.#doubted.delete(scope.database);
    }
    for (const listener of this.#listeners) listener(scope, model);
  }

  readFailed(scope = shop): void {
    for (const listener of this.#listeners) listener(scope, null);
  }
}

export class CountingCounters implements Counters {
  readonly counts = new Map<string, number>();

  count(name: string, label?: string, by = 1): void {
    const key = label === undefined ? name : `${name}:${label}`;
    this.counts.set(key, (this.counts.get(key) ?? 0) + by);
  }

  of(key: string): number {
    return this.counts.get(key) ?? 0;
  }
}

export interface Fixture {
  readonly memory: MemoryIndex;
  readonly schemas: FakeSchemas;
  readonly counters: CountingCounters;
  readonly sink: VerdictSink;
  readonly events: MemoryEvent[];
  policy: SinkPolicy;
  now: number;
  /** What the written log folds to. */
  stored(): MemoryRecord[];
  open(over?: Partial<SessionContext>): TestSession;
  only(): MemoryRecord;
}

/** With the users and orders tables read, unless `tables` is null. */
export function fixture(tables: readonly TableInput[] | null = [users, orders]): Fixture {
  const memory = new MemoryIndex();
  const schemas = new FakeSchemas();
  const counters = new CountingCounters();
  const events: MemoryEvent[] = [];
  const shaper = createShaper(postgresDialect);
  const parts = { classify, templates: noteTemplates, shaper };
  let sessions = 0;
  const made: Fixture = {
    ...{ memory, schemas, counters, events },
    policy: { isEnabled: true, holdback: 0, notesPerSession: 3 },
    now: Date.parse('2026-11-01T00:00:00.000Z'),
    sink: new VerdictSink({
      ...{ memory, schemas, counters },
      emit: (event) => void events.push(structuredClone(event)),
      engine: (engine) => (engine === 'postgresql' ? parts : undefined),
      now: () => made.now,
      policy: () => made.policy,
    }),
    stored: () => [...foldEvents(events).values()],
    open: (over = {}) => {
      const context = testSession({ id: `session-${++sessions}`, application: 'psql', ...over });
      return new TestSession(context, made.sink.openSession(context));
    },
    only: () => {
      const [record, ...others] = memory.records();
      if (record === undefined || others.length > 0) throw new Error(`${memory.size} records, not one`);
      return record;
    },
  };
  if (tables !== null) schemas.read(tables);
  return made;
}

/** A session that reports as an adapter does. */
export class TestSession {
  readonly context: SessionContext;
  readonly handler: ReturnType<VerdictSink['openSession']>;

  constructor(context: SessionContext, handler: ReturnType<VerdictSink['openSession']>) {
    this.context = context;
    this.handler = handler;
  }

  /** Fails and settles; a note is put on the wire. */
  fail(
    text: string,
    error: Partial<ServerError> & { code: string },
    over: Partial<StatementFailure> = {},
    after: TransactionState = 'idle',
  ): Note | null {
    const note = this.handler.failed({
      statement: { text: () => text, isTruncated: false },
      completedBefore: 0,
      phase: 'execute',
      error: { message: '', ...error },
      before: 'idle',
      isCancelRequested: false,
      ...over,
    });
    if (note !== null) this.handler.noteAttached(note);
    this.handler.settled(after);
    return note;
  }

  succeed(text: string, index = 0): void {
    this.handler.succeeded({ statement: { text: () => text, isTruncated: false }, index });
  }

  /** A statement that changes the schema, committed on its own. */
  ddl(text: string): void {
    if (this.handler.wantsSuccess) this.succeed(text);
    this.handler.schemaChanged();
  }
}

export const insertUser = "insert into users (email, name) values ('a@example.org', 'A')";
export const duplicateEmail = {
  code: '23505',
  message: 'duplicate key value violates unique constraint "users_email_key"',
  detail: 'Key (email)=(a@example.org) already exists.',
  schema: 'public',
  table: 'users',
  constraint: 'users_email_key',
};
export const noColumn = (text: string, name: string) => ({
  code: '42703',
  message: `column "${name}" does not exist`,
  position: text.indexOf(name) + 1,
  routine: 'errorMissingColumn',
});

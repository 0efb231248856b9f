/** The product's own path from a failure to a recalled record, without sockets: classify, shape, key, recall. */
import { mongodbAdapter } from '../../adapters/mongodb/adapter.js';
import { mysqlAdapter } from '../../adapters/mysql/adapter.js';
import { postgresAdapter } from '../../adapters/postgres/adapter.js';
import type { FailureClass } from '../../src/core/failure/failure-class.js';
import { unrecordedClasses } from '../../src/core/failure/failure-class.js';
import { MemoryIndex } from '../../src/core/memory/memory-index.js';
import type { FailureFacts, MemoryRecord } from '../../src/core/memory/record.js';
import { Recall, type RecallOptions } from '../../src/core/recall/recall.js';
import { keyFailure, observeFailure } from '../../src/core/sink/observed-failure.js';
import type { Engine, SessionContext } from '../../src/core/verdict.js';
import type { FailureCase } from './case.js';

const engines = new Map(
  [postgresAdapter, mysqlAdapter, mongodbAdapter]
    .flatMap((adapter) => adapter.engines)
    .map((support) => [support.engine, { ...support, shaper: support.createShaper() }]),
);
const start = Date.parse('2026-01-01T00:00:00Z');

export interface Keyed {
  readonly class: FailureClass;
  readonly facts: FailureFacts;
}

/** Null for what is never recorded (a cancel, a consequence, the environment). */
export function keyCase(failure: FailureCase): Keyed | null {
  const { classify, shaper, initialLexical } = partsOf(failure.readAs);
  const classification = classify({
    error: failure.error,
    phase: 'execute',
    isCancelRequested: failure.isCancelRequested,
  });
  const failureClass = classification.class;
  if ((unrecordedClasses as readonly string[]).includes(failureClass)) return null;
  const context: SessionContext = {
    id: 'eval',
    engine: failure.engine,
    backend: failure.backend,
    scope: failure.scope,
    user: 'app',
    audience: 'agent',
    application: '',
    lexical: initialLexical,
    setLexical: () => undefined,
    searchPath: failure.searchPath,
  };
  const observed = observeFailure(
    {
      statement: { text: () => failure.text, isTruncated: false },
      completedBefore: failure.completedBefore,
      phase: 'execute',
      error: failure.error,
      before: 'idle',
      isCancelRequested: failure.isCancelRequested,
    },
    { ...classification, class: failureClass as FailureClass },
    context,
    shaper,
    start,
  );
  if (observed === null) return null;
  return { class: observed.class, facts: keyFailure(observed, failure.schema).facts };
}

function partsOf(engine: Engine) {
  const parts = engines.get(engine);
  if (parts === undefined) throw new Error(`No adapter speaks with ${engine}`);
  return parts;
}

export class MemoryUnderTest {
  readonly #index = new MemoryIndex();
  readonly #recall: Recall;
  #clock = start;

  constructor(options: Partial<RecallOptions> = {}) {
    this.#recall = new Recall(options);
  }

  learn(keyed: Keyed): void {
    this.#clock += 1000;
    const at = new Date(this.#clock).toISOString();
    this.#index.apply({ v: 1, event: 'failure', at, ...keyed.facts });
  }

  /** The record recalled for a failure that has just been declared, or null. */
  ask(keyed: Keyed): MemoryRecord | null {
    const { facts } = keyed;
    const partition = this.#index.partition(facts.scope, facts.engine, facts.backend);
    const query = {
      shape: facts.shape,
      holes: facts.holes,
      verb: facts.verb,
      isTruncated: facts.isTruncated === true,
      tables: facts.tables,
      fingerprint: facts.fingerprint,
      now: this.#clock,
      class: facts.class,
      code: facts.code,
      object: facts.object,
    };
    return this.#recall.afterError(partition, query)?.record ?? null;
  }
}

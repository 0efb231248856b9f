/**
 * What the process says of its own troubles, one line for each change and none for each event: the store, the queue
 * before it, the catalogs. Takes the reports of those parts by their structure and knows none of them.
 */
import type { Scope } from '../core/verdict.js';
import type { Logger } from './log.js';

interface StoreReport {
  readonly kind: string;
  readonly message: string;
  readonly error?: Error;
}

interface QueueChange {
  readonly state: 'failing' | 'recovered';
  readonly error: Error | null;
  readonly queued: number;
  readonly dropped: number;
}

export class HealthLog {
  readonly #log: Logger;

  constructor(log: Logger) {
    this.#log = log;
  }

  store({ kind, message, error }: StoreReport): void {
    const isTrouble = kind !== 'compacted' && kind !== 'healed';
    this.#log[isTrouble ? 'warn' : 'info']({ kind, ...factsOf(error) }, message);
  }

  queue({ state, error, queued, dropped }: QueueChange): void {
    const facts = { queued, dropped, ...factsOf(error) };
    if (state === 'recovered') this.#log.info(facts, 'The memory takes writes again.');
    else this.#log.error(facts, 'The memory takes no writes; traffic goes on.');
  }

  /** `failure` null: the catalog is read again. */
  catalog(scope: Scope, failure: unknown): void {
    if (failure === null) this.#log.info({ ...scope }, 'Catalog read again.');
    else
      this.#log.warn({ ...scope, ...factsOf(failure) }, 'Catalog cannot be read; nothing new is recalled.');
  }

  /** `blindSpot` null: the account is shown everything by now. */
  blindSpot(scope: Scope, blindSpot: string | null): void {
    if (blindSpot === null) this.#log.info({ ...scope }, 'Catalog seen as a whole.');
    else this.#log.warn({ ...scope, reason: blindSpot }, 'Catalog seen in part.');
  }

  /** A release at shutdown that failed. */
  release(error: unknown): void {
    this.#log.error(factsOf(error), 'Not released cleanly.');
  }
}

const maxReasonLength = 300;

/** Code and sentence of an error from our own connections and files; never from a client's statement. */
function factsOf(error: unknown): { readonly code?: string; readonly reason?: string } {
  if (!(error instanceof Error)) return {};
  const cause = error.cause instanceof Error ? error.cause : error;
  const code = 'code' in cause ? { code: String(cause.code) } : {};
  return { ...code, reason: cause.message.slice(0, maxReasonLength) };
}

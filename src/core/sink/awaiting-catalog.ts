/**
 * Failures that cannot be keyed because their database's catalog has not been read yet. Bounded in number and time;
 * what does not fit or comes too late is dropped and counted.
 */
import type { Counters } from '../counters.js';
import { limits } from '../limits.js';
import type { ObservedFailure } from './observed-failure.js';

interface Waiting<Ticket> {
  readonly scopeKey: string;
  readonly observed: ObservedFailure;
  /** What the session holds of it. */
  readonly ticket: Ticket;
}

export class AwaitingCatalog<Ticket> {
  readonly #counters: Counters;
  #waiting: Waiting<Ticket>[] = [];

  constructor(counters: Counters) {
    this.#counters = counters;
  }

  add(scopeKey: string, observed: ObservedFailure, ticket: Ticket): void {
    this.expire(observed.at);
    if (this.#waiting.length >= limits.maxFailuresAwaitingCatalog) {
      this.#counters.count('failures_dropped', 'waiting_for_catalog_full');
      return;
    }
    this.#waiting.push({ scopeKey, observed, ticket });
  }

  /** Takes out what waits for this scope, oldest first. */
  take(scopeKey: string): readonly Waiting<Ticket>[] {
    if (this.#waiting.length === 0) return [];
    const taken = this.#waiting.filter((one) => one.scopeKey === scopeKey);
    if (taken.length > 0) this.#waiting = this.#waiting.filter((one) => one.scopeKey !== scopeKey);
    return taken;
  }

  expire(now: number): void {
    const isOverdue = (one: Waiting<Ticket>) => now - one.observed.at > limits.maxAwaitCatalogMs;
    const overdue = this.#waiting.filter(isOverdue).length;
    if (overdue === 0) return;
    this.#waiting = this.#waiting.filter((one) => !isOverdue(one));
    this.#counters.count('failures_dropped', 'no_catalog', overdue);
  }

  /** Drops everything, counted; for the end of the process. */
  close(): void {
    if (this.#waiting.length > 0)
      this.#counters.count('failures_dropped', 'no_catalog', this.#waiting.length);
    this.#waiting = [];
  }
}

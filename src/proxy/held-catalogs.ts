/**
 * The catalogs that one session has watched: those of the databases it used last. Most sessions stay in one database;
 * those of document databases name one with every command.
 *
 * Invariants: nothing is held before the session is ready or after it is closed; never more than
 * `limits.maxCatalogsPerSession`; a session that goes around more databases than that takes turns no faster than
 * `limits.catalogTurnMs`, because each turn may cost the server a connection. A database it does not hold is looked at
 * when something happens in it (`SchemaPollers.current`).
 */
import { limits } from '../core/limits.js';
import type { Scope } from '../core/verdict.js';

/** The part of `SchemaPollers` this needs. */
export interface WatchedCatalogs {
  catalogOf(scope: Scope): Scope;
  /** Watches the database until the answer is called. */
  sessionOpened(scope: Scope): () => void;
}

interface Held {
  readonly release: () => void;
  usedAt: number;
}

export class HeldCatalogs {
  readonly #catalogs: WatchedCatalogs;
  readonly #now: () => number;
  /** By the database of the catalog, the one used longest ago first. */
  readonly #held = new Map<string, Held>();
  #isOpen = false;

  /** `now`: a monotonic clock in milliseconds. */
  constructor(catalogs: WatchedCatalogs, now: () => number) {
    this.#catalogs = catalogs;
    this.#now = now;
  }

  /** The server let the session in, and it is in `scope`. */
  open(scope: Scope): void {
    this.#isOpen = true;
    this.use(scope);
  }

  /** The session has gone to `scope`; not to be called for every statement. */
  use(scope: Scope): void {
    if (!this.#isOpen) return;
    const { database } = this.#catalogs.catalogOf(scope);
    if (database === '') return;
    const now = this.#now();
    const known = this.#held.get(database);
    if (known !== undefined) {
      this.#held.delete(database);
      this.#held.set(database, known);
      known.usedAt = now;
    } else if (this.#hasRoom(now)) {
      this.#held.set(database, { release: this.#catalogs.sessionOpened(scope), usedAt: now });
    }
  }

  close(): void {
    this.#isOpen = false;
    for (const { release } of this.#held.values()) release();
    this.#held.clear();
  }

  #hasRoom(now: number): boolean {
    if (this.#held.size < limits.maxCatalogsPerSession) return true;
    for (const [database, { release, usedAt }] of this.#held) {
      if (now - usedAt < limits.catalogTurnMs) return false;
      this.#held.delete(database);
      release();
      return true;
    }
    return false;
  }
}

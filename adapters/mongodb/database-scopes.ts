/** One scope for each database that a connection's commands name, so that the same database is the same object. */
import { limits } from '../../src/core/limits.js';
import type { Scope } from '../../src/core/verdict.js';

/** Servers take no longer name. */
const maxDatabaseBytes = 63;

export class DatabaseScopes {
  readonly #upstream: string;
  readonly #known = new Map<string, Scope>();
  /** The database named last, which nearly every command names again. */
  #lastName = Buffer.alloc(0);
  #last: Scope | null = null;

  constructor(upstream: string) {
    this.#upstream = upstream;
  }

  /** Of the database whose name is `bytes[start, end)`; null where that can be no name. */
  read(bytes: Buffer, start: number, end: number): Scope | null {
    const last = this.#lastName;
    if (this.#last !== null && last.length === end - start && last.compare(bytes, start, end) === 0)
      return this.#last;
    if (end <= start || end - start > maxDatabaseBytes) return null;
    this.#lastName = Buffer.from(bytes.subarray(start, end));
    this.#last = this.of(this.#lastName.toString('utf8'));
    return this.#last;
  }

  of(database: string): Scope {
    let scope = this.#known.get(database);
    if (scope !== undefined) return scope;
    if (this.#known.size >= limits.maxKnownDatabases) this.#known.clear();
    scope = { upstream: this.#upstream, database };
    this.#known.set(database, scope);
    return scope;
  }
}

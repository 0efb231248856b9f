/**
 * What the sink knows of one database between a schema change seen on the wire and the next read of its catalog: in
 * that time records of the changed tables may belong to a schema that is gone.
 */
import { limits } from '../limits.js';

export class ScopeWatch<Deferred> {
  readonly key: string;
  readonly #changedTables = new Set<string>();
  readonly #failedSince = new Set<string>();
  #deferred: Deferred[] = [];

  constructor(key: string) {
    this.key = key;
  }

  /** These tables, named as resolved in the schema last read, have been changed. */
  tablesChanged(tables: readonly string[]): void {
    if (tables.length === 0) return;
    for (const table of tables) this.#changedTables.add(table);
    this.#failedSince.clear();
  }

  /** The record failed; should its tables have been changed, it did so under the new schema. */
  failed(recordId: string): void {
    if (this.#changedTables.size > 0) this.#failedSince.add(recordId);
  }

  /** True where the record dates from before a change of one of its tables that has not been read yet. */
  isInDoubt(recordId: string, tables: readonly string[]): boolean {
    if (this.#changedTables.size === 0 || this.#failedSince.has(recordId)) return false;
    return tables.some((table) => this.#changedTables.has(table));
  }

  /** Keeps what can be judged only under the schema being read; false when there is no room. */
  defer(item: Deferred): boolean {
    if (this.#deferred.length >= limits.maxDeferredSuccesses) return false;
    this.#deferred.push(item);
    return true;
  }

  /** The schema is known again; returns what waited for it. */
  schemaRead(): readonly Deferred[] {
    this.#changedTables.clear();
    this.#failedSince.clear();
    const deferred = this.#deferred;
    this.#deferred = [];
    return deferred;
  }
}

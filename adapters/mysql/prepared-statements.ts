/**
 * Which text a prepared statement stands for: by id (COM_STMT_PREPARE) and by name (`PREPARE name FROM …`), which know
 * nothing of each other.
 *
 * Invariant: what the server has confirmed and nothing else, in the order of its answers.
 */
import { limits } from '../../src/core/limits.js';
import type { Statement } from './statement.js';

/** MariaDB: the id that means the statement prepared last, for clients that do not wait for its own. */
const lastPreparedId = 0xffff_ffff;

export class PreparedStatements {
  /** Names are strings in lower case, ids are numbers. */
  readonly #statements = new Map<number | string, Statement>();
  #last: Statement | null = null;
  #lastId = lastPreparedId;
  #textBytes = 0;

  byId(id: number): Statement | null {
    return id === lastPreparedId ? this.#last : (this.#statements.get(id) ?? null);
  }

  byName(name: string): Statement | null {
    return this.#statements.get(name.toLowerCase()) ?? null;
  }

  /** The server answered a COM_STMT_PREPARE. False when a bound is reached: the id is then unknown. */
  prepared(id: number, statement: Statement): boolean {
    this.#last = statement;
    this.#lastId = id;
    return this.#keep(id, statement);
  }

  /** The server refused a COM_STMT_PREPARE: no statement is the last one any more. */
  prepareFailed(): void {
    this.#last = null;
    this.#lastId = lastPreparedId;
  }

  /** A PREPARE statement has run; null where its text is not known. False when a bound is reached. */
  named(name: string, statement: Statement | null): boolean {
    if (statement !== null) return this.#keep(name.toLowerCase(), statement);
    this.#forget(name.toLowerCase());
    return true;
  }

  /** The server has come to a COM_STMT_CLOSE. */
  closed(id: number): void {
    if (id === lastPreparedId || id === this.#lastId) {
      this.#forget(this.#lastId);
      this.prepareFailed();
    } else this.#forget(id);
  }

  deallocated(name: string): void {
    this.#forget(name.toLowerCase());
  }

  clear(): void {
    this.#statements.clear();
    this.#textBytes = 0;
    this.prepareFailed();
  }

  #keep(key: number | string, statement: Statement): boolean {
    this.#forget(key);
    if (this.#statements.size >= limits.maxPreparedStatements) return false;
    if (this.#textBytes + statement.byteLength > limits.maxPreparedTextBytes) return false;
    this.#statements.set(key, statement);
    this.#textBytes += statement.byteLength;
    return true;
  }

  #forget(key: number | string): void {
    const old = this.#statements.get(key);
    if (old === undefined) return;
    this.#statements.delete(key);
    this.#textBytes -= old.byteLength;
  }
}

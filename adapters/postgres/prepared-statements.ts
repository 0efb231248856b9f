/**
 * Which text a prepared statement or portal name stands for (docs 55.2.3).
 *
 * Invariant: what the server has confirmed and nothing else. Names change when the server's answer comes, in the order
 * of its answers, so that a message skipped after an error, or sent ahead, has no effect before its time.
 */
import { limits } from '../../src/core/limits.js';
import type { Statement } from './statement.js';

/** The names in a Bind (both), or in a Describe, Execute or Close (the one it means). */
export interface Names {
  readonly portal: string | null;
  readonly statement: string | null;
}

const unnamedPortal: Names = { portal: '', statement: null };
const unnamedStatement: Names = { portal: null, statement: '' };
const unnamedBoth: Names = { portal: '', statement: '' };

/** The names of a Bind. */
export function bindNames(portal: string, statement: string): Names {
  return portal === '' && statement === '' ? unnamedBoth : { portal, statement };
}

/** The name in a Describe, Execute or Close. */
export function nameOf(isPortal: boolean, name: string): Names {
  if (name === '') return isPortal ? unnamedPortal : unnamedStatement;
  return isPortal ? { portal: name, statement: null } : { portal: null, statement: name };
}

export class PreparedStatements {
  readonly #statements = new Map<string, Statement>();
  readonly #portals = new Map<string, Statement | null>();
  #unnamedStatement: Statement | null = null;
  #unnamedPortal: Statement | null = null;
  #textBytes = 0;

  statement(name: string): Statement | null {
    return name === '' ? this.#unnamedStatement : (this.#statements.get(name) ?? null);
  }

  portal(name: string): Statement | null {
    return name === '' ? this.#unnamedPortal : (this.#portals.get(name) ?? null);
  }

  /** What an error at a message with these names is about: the statement in a Bind, else the one that is named. */
  find(names: Names): Statement | null {
    if (names.statement !== null) return this.statement(names.statement);
    return names.portal === null ? null : this.portal(names.portal);
  }

  /** The server took the Parse. False when a bound is reached: the name is then unknown. */
  parsed(statement: Statement): boolean {
    if (statement.name !== '') return this.prepared(statement.name, statement);
    this.#unnamedStatement = statement;
    return true;
  }

  /** The name stands for this text, by Parse or by a PREPARE statement. False when a bound is reached. */
  prepared(name: string, statement: Statement): boolean {
    this.#forget(name);
    if (this.#statements.size >= limits.maxPreparedStatements) return false;
    if (this.#textBytes + statement.byteLength > limits.maxPreparedTextBytes) return false;
    this.#statements.set(name, statement);
    this.#textBytes += statement.byteLength;
    return true;
  }

  /** The server took the Bind. False when a bound is reached. */
  bound(names: Names): boolean {
    const statement = this.statement(names.statement ?? '');
    const portal = names.portal ?? '';
    if (portal === '') {
      this.#unnamedPortal = statement;
      return true;
    }
    if (!this.#portals.has(portal) && this.#portals.size >= limits.maxPortals) return false;
    this.#portals.set(portal, statement);
    return true;
  }

  /** The server took the Close. */
  closed(names: Names): void {
    if (names.statement === '') this.#unnamedStatement = null;
    else if (names.statement !== null) this.#forget(names.statement);
    else if (names.portal === '') this.#unnamedPortal = null;
    else if (names.portal !== null) this.#portals.delete(names.portal);
  }

  /** A failing Parse destroys the unnamed statement before it fails. */
  unnamedParseFailed(): void {
    this.#unnamedStatement = null;
  }

  /** A simple query replaces the unnamed statement and portal. */
  dropUnnamed(): void {
    this.#unnamedStatement = null;
    this.#unnamedPortal = null;
  }

  /** Portals end with their transaction. */
  transactionEnded(): void {
    this.#unnamedPortal = null;
    if (this.#portals.size > 0) this.#portals.clear();
  }

  deallocate(name: string): void {
    this.#forget(name);
  }

  /** The unnamed statement is not among those that DEALLOCATE ALL means. */
  deallocateAll(): void {
    this.#statements.clear();
    this.#textBytes = 0;
  }

  #forget(name: string): void {
    const old = this.#statements.get(name);
    if (old === undefined) return;
    this.#statements.delete(name);
    this.#textBytes -= old.byteLength;
  }
}

/**
 * Which text a prepared statement or portal name stands for (docs 55.2.3). Names are taken when the client sends a
 * message and given back when the server turns out not to have run it, so that pipelined messages find them.
 */
import { limits } from '../../src/core/limits.js';
import type { Statement } from './statement.js';

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

  /** False when a bound is reached: the name is then unknown. */
  parse(statement: Statement): boolean {
    const { name } = statement;
    if (name === '') {
      this.#unnamedStatement = statement;
      return true;
    }
    const old = this.#statements.get(name) ?? null;
    const textBytes = this.#textBytes + statement.byteLength - (old?.byteLength ?? 0);
    if (
      (old === null && this.#statements.size >= limits.maxPreparedStatements) ||
      textBytes > limits.maxPreparedTextBytes
    ) {
      this.#forget(name);
      return false;
    }
    statement.replaced = old;
    this.#statements.set(name, statement);
    this.#textBytes = textBytes;
    return true;
  }

  /** A PREPARE statement has run: the name is taken as it stands. */
  prepareBySql(name: string, statement: Statement): void {
    if (this.#statements.size >= limits.maxPreparedStatements) return;
    this.#forget(name);
    this.#statements.set(name, statement);
    this.#textBytes += statement.byteLength;
  }

  /** The server took the Parse: what the name stood for before is gone. */
  confirmParse(statement: Statement): void {
    statement.replaced = null;
  }

  /** The server refused or skipped the Parse: the name stands for what it stood for before. */
  undoParse(statement: Statement): void {
    const { name, replaced } = statement;
    if (name === '') {
      if (this.#unnamedStatement === statement) this.#unnamedStatement = null;
    } else if (this.#statements.get(name) === statement) {
      this.#forget(name);
      if (replaced !== null) this.#remember(name, replaced);
    }
  }

  /** False when a bound is reached. */
  bind(portal: string, statement: Statement | null): boolean {
    if (portal === '') {
      this.#unnamedPortal = statement;
      return true;
    }
    if (!this.#portals.has(portal) && this.#portals.size >= limits.maxPortals) return false;
    this.#portals.set(portal, statement);
    return true;
  }

  /** Returns what the name stood for, so that a skipped Close can be undone. */
  closeStatement(name: string): Statement | null {
    const old = this.statement(name);
    if (name === '') this.#unnamedStatement = null;
    else this.#forget(name);
    return old;
  }

  undoClose(statement: Statement): void {
    if (this.statement(statement.name) === null) this.#remember(statement.name, statement);
  }

  closePortal(name: string): void {
    if (name === '') this.#unnamedPortal = null;
    else this.#portals.delete(name);
  }

  /** A simple query replaces the unnamed statement and portal. */
  dropUnnamed(): void {
    this.#unnamedStatement = null;
    this.#unnamedPortal = null;
  }

  /** Portals end with their transaction. */
  transactionEnded(): void {
    if (this.#portals.size > 0) this.#portals.clear();
  }

  deallocateAll(): void {
    this.#statements.clear();
    this.#textBytes = 0;
    this.dropUnnamed();
  }

  #remember(name: string, statement: Statement): void {
    if (name === '') {
      this.#unnamedStatement = statement;
      return;
    }
    this.#statements.set(name, statement);
    this.#textBytes += statement.byteLength;
  }

  #forget(name: string): void {
    const old = this.#statements.get(name);
    if (old === undefined) return;
    this.#statements.delete(name);
    this.#textBytes -= old.byteLength;
  }
}

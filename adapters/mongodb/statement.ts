/** The text of a command a client sent, made canonical from its bytes when someone asks; values are never part of it. */
import type { StatementText } from '../../src/core/verdict.js';
import { type CommandBytes, type CommandText, commandText } from './command-text.js';

/** Refers to the bytes of its request: valid until the request's last verdict. */
export class Statement implements StatementText {
  readonly #command: CommandBytes;
  #made: CommandText | null = null;

  constructor(command: CommandBytes) {
    this.#command = command;
  }

  text(): string {
    return this.#text.text;
  }

  get isTruncated(): boolean {
    return this.#text.isTruncated;
  }

  /** Of an operation that names its own database, that one. */
  get database(): string | null {
    return this.#text.database;
  }

  get #text(): CommandText {
    this.#made ??= commandText(this.#command);
    return this.#made;
  }
}

/** What stands for a command whose bytes hold credentials, and are not kept. */
export class FixedStatement implements StatementText {
  readonly isTruncated = false;
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  text(): string {
    return this.#text;
  }
}

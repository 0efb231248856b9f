/**
 * SQL on a database that does not speak it, as one session of the memory: a refusal of the compiler and an error of the
 * server are verdicts like any other, and get their notes.
 *
 * Invariant: what the server said is thrown as the driver's own error object; only its text may have grown.
 */
import { limits } from '../core/limits.js';
import type { Note } from '../core/notes/note.js';
import type { ServerError, SessionContext, StatementFailure, StatementText } from '../core/verdict.js';
import type { SessionHandler } from '../core/verdict-sink.js';
import { SqlRefusedError } from './sql-refused-error.js';

export interface SqlRefusal {
  readonly kind: 'refused';
  readonly code: string;
  /** Says what was refused and where, without values. */
  readonly message: string;
  readonly position: number | null;
}

/** The database behind the session. */
export interface SqlSurface<Command extends { readonly kind: string }, Result> {
  compile(text: string, params: readonly unknown[]): Command | SqlRefusal;
  run(command: Command): Promise<Result>;
  /** What the server refused within an error of its driver; empty where it was not the server. */
  failuresOf(error: unknown): readonly { readonly error: ServerError }[];
}

export class SqlSession<Command extends { readonly kind: string }, Result> {
  readonly #surface: SqlSurface<Command, Result>;
  readonly #context: SessionContext;
  readonly #handler: SessionHandler;

  constructor(surface: SqlSurface<Command, Result>, context: SessionContext, handler: SessionHandler) {
    this.#surface = surface;
    this.#context = context;
    this.#handler = handler;
  }

  /** Rejects with a `SqlRefusedError`, or with the driver's error. */
  async sql(text: string, params: readonly unknown[] = []): Promise<Result> {
    const statement = statementOf(text);
    const compiled = this.#surface.compile(text, params);
    if (isRefusal(compiled)) {
      const { code, message, position } = compiled;
      const error = { code, message, ...(position !== null && { position }) };
      let attached: Note | null = null;
      this.#failed(statement, error, 'parse', (note) => {
        attached = note;
        return true;
      });
      throw new SqlRefusedError(compiled, attached, this.#context.audience);
    }
    try {
      const result = await this.#surface.run(compiled);
      if (this.#handler.wantsSuccess) this.#handler.succeeded({ statement, index: 0 });
      return result;
    } catch (error) {
      for (const failure of this.#surface.failuresOf(error)) {
        this.#failed(statement, failure.error, 'execute', (note) => this.#attach(note, error));
      }
      throw error;
    }
  }

  close(): void {
    this.#handler.close();
  }

  /** `attach` is called with the note where there is one, and says whether it put it anywhere. */
  #failed(
    statement: StatementText,
    error: ServerError,
    phase: StatementFailure['phase'],
    attach: (note: Note) => boolean,
  ): void {
    const note = this.#handler.failed({
      ...{ statement, error, phase },
      completedBefore: 0,
      before: 'idle',
      isCancelRequested: false,
    });
    if (note !== null && attach(note)) this.#handler.noteAttached(note);
    this.#handler.settled('idle');
  }

  /** Of several failures of one statement, the first speaks. */
  #attach(note: Note, error: unknown): boolean {
    if (!(error instanceof Error) || 'note' in error) return false;
    Object.defineProperty(error, 'note', { value: note.long, enumerable: true });
    if (this.#context.audience === 'agent') error.message = `${error.message}\n${note.short}`;
    return true;
  }
}

function statementOf(text: string): StatementText {
  const isTruncated = text.length > limits.maxStatementBytes;
  const kept = isTruncated ? text.slice(0, limits.maxStatementBytes) : text;
  return { text: () => kept, isTruncated };
}

function isRefusal(compiled: { readonly kind: string }): compiled is SqlRefusal {
  return compiled.kind === 'refused';
}

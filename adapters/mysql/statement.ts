/** The text of a statement the client sent, with what its first words say; a multi-statement text in its parts. */
import type { SessionContext } from '../../src/core/verdict.js';
import { KeptText } from '../../src/wire/kept-text.js';
import { type Decoder, utf8Decoder } from '../../src/wire/text-decoders.js';
import { readStatementKind, type StatementKind, skipBlanks, statementKind } from './statement-kind.js';
import { type StatementPart, splitStatements } from './statement-parts.js';

/** Whose modes the text is read by; asked only where there is something to split. */
type Reader = Pick<SessionContext, 'lexical'>;

export class Statement extends KeptText {
  readonly #decoder: Decoder;
  #kind: StatementKind | null = null;
  #parts: readonly StatementPart[] | null = null;
  /** What the parts' bounds count in. */
  #source: Buffer | null = null;

  private constructor(bytes: Buffer, start: number, end: number, isTruncated: boolean, decoder: Decoder) {
    super(bytes, start, end, isTruncated, decoder);
    this.#decoder = decoder;
  }

  /** Refers to `bytes`, which stay alive until the verdict. */
  static ofQuery(
    bytes: Buffer,
    start: number,
    end: number,
    isTruncated: boolean,
    decoder: Decoder,
  ): Statement {
    return new Statement(bytes, start, end, isTruncated, decoder);
  }

  /** May live as long as the session: copies. */
  static prepared(
    bytes: Buffer,
    start: number,
    end: number,
    isTruncated: boolean,
    decoder: Decoder,
  ): Statement {
    const copy = Buffer.from(bytes.subarray(start, end));
    return new Statement(copy, 0, copy.length, isTruncated, decoder);
  }

  /** A statement known by its text alone. */
  static synthetic(text: string): Statement {
    const bytes = Buffer.from(text);
    return new Statement(bytes, 0, bytes.length, false, utf8Decoder);
  }

  /** Of the first statement in the text. */
  get kind(): StatementKind {
    this.#kind ??= readStatementKind(this.bytes, this.start, this.end);
    return this.#kind;
  }

  /** Of the statement with this index; `other` beyond the last one that is known. */
  kindOf(index: number, session: Reader): StatementKind {
    return index === 0 ? this.kind : (this.#partsBy(session)[index]?.kind ?? statementKind.other);
  }

  /**
   * Text of the statement with this index from its first word on, without comments before it and a semicolon behind it;
   * without a session the whole text is taken for one statement. Empty beyond the last one that is known.
   */
  sentence(index: number, session: Reader | null): string {
    if (session === null) return decodeFrom(this.bytes, this.start, this.end, this.#decoder);
    const part = this.#partsBy(session)[index];
    if (part === undefined || this.#source === null) return '';
    const decoder = this.#source === this.bytes ? this.#decoder : utf8Decoder;
    return decodeFrom(this.#source, part.start, part.end, decoder);
  }

  #partsBy(session: Reader): readonly StatementPart[] {
    if (this.#parts !== null) return this.#parts;
    const { lexical } = session;
    if (this.#decoder.keepsAscii) {
      this.#source = this.bytes;
      this.#parts = splitStatements(this.bytes, this.start, this.end, lexical);
    } else {
      // The second byte of a character may look like a quote's end.
      this.#source = Buffer.from(this.text());
      this.#parts = splitStatements(this.#source, 0, this.#source.length, lexical);
    }
    return this.#parts;
  }
}

function decodeFrom(bytes: Buffer, start: number, end: number, decoder: Decoder): string {
  return decoder.decode(bytes, skipBlanks(bytes, start, end), end);
}

/** The text of a statement the client sent, with what its first words say; a text of several statements in its parts. */
import { createSplitter, type StatementBounds, type TextSplitter } from '../../src/core/shape/splitter.js';
import type { Engine, SessionContext } from '../../src/core/verdict.js';
import { KeptText } from '../../src/wire/kept-text.js';
import { type Decoder, utf8Decoder } from '../../src/wire/text-decoders.js';
import { mariadbDialect, mysqlDialect } from './dialect.js';
import { readStatementKind, type StatementKind, skipBlanks } from './statement-kind.js';

/** Whose modes the text is read by; asked only where there is something to split. */
type Reader = Pick<SessionContext, 'engine' | 'lexical'>;

export class Statement extends KeptText {
  readonly #decoder: Decoder;
  #kind: StatementKind | null = null;
  #bounds: readonly StatementBounds[] | null = null;

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
    if (index === 0) return this.kind;
    const sentence = Buffer.from(this.sentence(index, session));
    return readStatementKind(sentence, 0, sentence.length);
  }

  /**
   * Text of the statement with this index from its first word on, without comments before it and a semicolon behind it;
   * without a session the whole text is taken for one statement. Empty beyond the last one that is known.
   */
  sentence(index: number, session: Reader | null): string {
    if (session === null)
      return this.#decoder.decode(this.bytes, skipBlanks(this.bytes, this.start, this.end), this.end);
    const text = this.text();
    this.#bounds ??= splitterOf(session.engine)(text, session.lexical);
    const bounds = this.#bounds[index];
    return bounds === undefined ? '' : text.slice(bounds.start, bounds.end);
  }
}

const splitters = new Map<Engine, TextSplitter>();

/** Made when a text of several statements first comes: most processes never see one. */
function splitterOf(engine: Engine): TextSplitter {
  let splitter = splitters.get(engine);
  if (splitter === undefined) {
    splitter = createSplitter(engine === 'mariadb' ? mariadbDialect : mysqlDialect);
    splitters.set(engine, splitter);
  }
  return splitter;
}

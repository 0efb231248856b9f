/** Text a client sent: bytes kept as they came, decoded when someone asks. */
import type { StatementText } from '../core/verdict.js';
import type { Decoder } from './text-decoders.js';

export class KeptText implements StatementText {
  protected readonly bytes: Buffer;
  protected readonly start: number;
  protected readonly end: number;
  readonly isTruncated: boolean;
  readonly #decoding: Pick<Decoder, 'decode'>;
  #text: string | null = null;

  /** `decoding` is asked at the first `text()`. Refers to `bytes`, which stay alive as long as it does: whoever keeps it for long hands over a copy. */
  protected constructor(
    bytes: Buffer,
    start: number,
    end: number,
    isTruncated: boolean,
    decoding: Pick<Decoder, 'decode'>,
  ) {
    this.bytes = bytes;
    this.start = start;
    this.end = end;
    this.isTruncated = isTruncated;
    this.#decoding = decoding;
  }

  get byteLength(): number {
    return this.end - this.start;
  }

  text(): string {
    this.#text ??= this.#decoding.decode(this.bytes, this.start, this.end);
    return this.#text;
  }
}

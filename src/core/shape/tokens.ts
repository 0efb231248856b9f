/**
 * The tokens of one text, side by side in typed arrays that are reused from text to text: valid until the next `reset`.
 * Comments and white space leave no token. Reading beyond the last token gives `end`.
 */
export const kinds = {
  end: 0,
  /** Unquoted name or keyword. */
  word: 1,
  /** Quoted name. */
  quoted: 2,
  string: 3,
  binary: 4,
  number: 5,
  parameter: 6,
  operator: 7,
  comma: 8,
  dot: 9,
  openParen: 10,
  closeParen: 11,
  openBracket: 12,
  closeBracket: 13,
  semicolon: 14,
  /** Start and end of an optimizer hint, whose content follows as tokens. */
  openHint: 15,
  closeHint: 16,
  /** What no statement can hold. */
  other: 17,
} as const;

const firstCapacity = 1024;

export class Tokens {
  text = '';
  count = 0;
  private capacity = firstCapacity;
  private kindOf = new Uint8Array(firstCapacity);
  private startOf = new Int32Array(firstCapacity);
  private endOf = new Int32Array(firstCapacity);
  private wordOf = new Uint16Array(firstCapacity);
  private bitsOf = new Uint8Array(firstCapacity);

  reset(text: string): void {
    this.text = text;
    this.count = 0;
  }

  push(kind: number, start: number, end: number, word: number, bits: number): void {
    const at = this.count;
    if (at === this.capacity) this.grow();
    this.kindOf[at] = kind;
    this.startOf[at] = start;
    this.endOf[at] = end;
    this.wordOf[at] = word;
    this.bitsOf[at] = bits;
    this.count = at + 1;
  }

  kind(index: number): number {
    return index < this.count ? (this.kindOf[index] ?? kinds.end) : kinds.end;
  }

  start(index: number): number {
    return index < this.count ? (this.startOf[index] ?? 0) : this.text.length;
  }

  end(index: number): number {
    return index < this.count ? (this.endOf[index] ?? 0) : this.text.length;
  }

  /** Entry of an unquoted word in the word table; 0 for a plain name and for every other kind. */
  word(index: number): number {
    return index < this.count && this.kindOf[index] === kinds.word ? (this.wordOf[index] ?? 0) : 0;
  }

  /** Entry of a word or of the content of a quoted name in the word table, 0 when it is no keyword. */
  entry(index: number): number {
    return this.wordOf[index] ?? 0;
  }

  /** Character bits of a word or of the content of a quoted name. */
  bits(index: number): number {
    return this.bitsOf[index] ?? 0;
  }

  /** Takes a token for a literal: its text must not come out. */
  hide(index: number): void {
    this.kindOf[index] = kinds.string;
  }

  /** Drops the tokens from `index` on. */
  cut(index: number): void {
    if (index < this.count) this.count = index;
  }

  /** Makes the token reach to the end of the text, and the last one. */
  extend(index: number): void {
    this.endOf[index] = this.text.length;
    this.cut(index + 1);
  }

  isName(index: number): boolean {
    const kind = this.kind(index);
    return kind === kinds.word || kind === kinds.quoted;
  }

  slice(index: number): string {
    return this.text.slice(this.start(index), this.end(index));
  }

  private grow(): void {
    this.capacity *= 2;
    const grown = <T extends Uint8Array | Int32Array | Uint16Array>(from: T, to: T): T => {
      to.set(from);
      return to;
    };
    this.kindOf = grown(this.kindOf, new Uint8Array(this.capacity));
    this.startOf = grown(this.startOf, new Int32Array(this.capacity));
    this.endOf = grown(this.endOf, new Int32Array(this.capacity));
    this.wordOf = grown(this.wordOf, new Uint16Array(this.capacity));
    this.bitsOf = grown(this.bitsOf, new Uint8Array(this.capacity));
  }
}

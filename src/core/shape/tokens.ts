/**
 * The tokens of one text, side by side in typed arrays that are reused from text to text: valid until the next `reset`.
 * Comments and white space leave no token. Reading a little beyond the last token gives `end`.
 */
import { roles } from './roles.js';

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

/** One token in 32 bits: kind 5, character bits 7, role 7, entry of the word table 13. */
const kindMask = 0x1f;
const bitsShift = 5;
const roleShift = 12;
const entryShift = 19;
const sevenBits = 0x7f;
const roleMask = sevenBits << roleShift;
/** Kinds, one bit each, that give a statement its structure. */
const structuralKinds =
  (1 << kinds.comma) |
  (1 << kinds.openParen) |
  (1 << kinds.closeParen) |
  (1 << kinds.semicolon) |
  (1 << kinds.openHint);

const firstCapacity = 1024;
/** Tokens that may be looked at beyond the last. */
const margin = 8;

export class Tokens {
  text = '';
  count = 0;
  /** A text without one is one statement. */
  hasSemicolon = false;
  /** How many tokens stand before the last comment; -1 without one. */
  beforeComment = -1;
  private capacity = firstCapacity;
  private info = new Int32Array(firstCapacity + margin);
  private startOf = new Int32Array(firstCapacity + margin);
  private endOf = new Int32Array(firstCapacity + margin);

  reset(text: string): void {
    this.text = text;
    this.count = 0;
    this.hasSemicolon = false;
    this.beforeComment = -1;
  }

  noteComment(): void {
    this.beforeComment = this.count;
  }

  push(kind: number, start: number, end: number): void {
    const at = this.count;
    if (at === this.capacity) this.grow();
    this.info[at] = kind;
    this.startOf[at] = start;
    this.endOf[at] = end;
    this.count = at + 1;
  }

  /** A word or quoted name: its entry and role in the word table, and what characters it has. */
  pushName(kind: number, start: number, end: number, entry: number, role: number, bits: number): void {
    const at = this.count;
    if (at === this.capacity) this.grow();
    this.info[at] = kind | (bits << bitsShift) | (role << roleShift) | (entry << entryShift);
    this.startOf[at] = start;
    this.endOf[at] = end;
    this.count = at + 1;
  }

  /** Makes what is beyond the last token read as `end`. */
  close(): void {
    this.info.fill(kinds.end, this.count, this.count + margin);
  }

  kind(index: number): number {
    return (this.info[index] ?? kinds.end) & kindMask;
  }

  start(index: number): number {
    return index < this.count ? (this.startOf[index] ?? 0) : this.text.length;
  }

  end(index: number): number {
    return index < this.count ? (this.endOf[index] ?? 0) : this.text.length;
  }

  /** Role of an unquoted keyword, and of a name that was marked; `roles.none` for every other token. */
  role(index: number): number {
    return ((this.info[index] ?? 0) >> roleShift) & sevenBits;
  }

  /** Entry of an unquoted word in the word table; 0 for a plain name and for every other kind. */
  word(index: number): number {
    const info = this.info[index] ?? 0;
    return (info & kindMask) === kinds.word ? info >>> entryShift : 0;
  }

  /** Entry of a word or of the content of a quoted name in the word table, 0 when it is no keyword. */
  entry(index: number): number {
    return (this.info[index] ?? 0) >>> entryShift;
  }

  /** Character bits of a word or of the content of a quoted name. */
  bits(index: number): number {
    return ((this.info[index] ?? 0) >> bitsShift) & sevenBits;
  }

  /** True for a token that has no role and neither opens, closes nor separates anything. */
  isInert(index: number): boolean {
    const info = this.info[index] ?? 0;
    return (info & roleMask) === 0 && ((structuralKinds >> (info & kindMask)) & 1) === 0;
  }

  /** Takes a token for a literal: its text must not come out. */
  hide(index: number): void {
    this.info[index] = kinds.string;
  }

  /** The same for what stands in the place of a value and is written like a name. */
  hideName(index: number): void {
    this.info[index] = kinds.string | (1 << bitsShift);
  }

  /** Takes a name for that of a table, though it be spelled like a keyword. */
  markTable(index: number): void {
    const info = this.info[index] ?? 0;
    const kept = (info & kindMask) === kinds.word ? (1 << roleShift) - 1 : ~roleMask;
    this.info[index] = (info & kept) | (roles.tableName << roleShift);
  }

  /** Drops the tokens from `index` on. */
  cut(index: number): void {
    if (index >= this.count) return;
    this.count = index;
    this.close();
  }

  /** Makes the token reach to the end of the text, and the last one. */
  extend(index: number): void {
    this.endOf[index] = this.text.length;
    this.cut(index + 1);
  }

  /** Index of the first token of a statement that is no semicolon: a syntax error may begin with some. */
  first(from: number, to: number): number {
    let first = from;
    while (first < to && this.kind(first) === kinds.semicolon) first++;
    return first;
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
    this.info = this.grown(this.info);
    this.startOf = this.grown(this.startOf);
    this.endOf = this.grown(this.endOf);
  }

  private grown(from: Int32Array): Int32Array<ArrayBuffer> {
    const to = new Int32Array(this.capacity + margin);
    to.set(from);
    return to;
  }
}

/**
 * The shape under construction, as UTF-8 bytes, and the kinds of its holes. Lists are collapsed here, item by item as
 * they are written, so that a list of ten thousand items never exists as a list.
 */
import { limits } from '../limits.js';

export const holeKinds = {
  string: 's',
  number: 'n',
  boolean: 'b',
  null: 'z',
  parameter: 'p',
  binary: 'x',
  name: 'm',
  various: 'v',
} as const;

export type HoleKind = (typeof holeKinds)[keyof typeof holeKinds];

/** Items of one list, while it is open. Places are byte offsets: the end of what was written before. */
export interface OpenList {
  start: number;
  itemStart: number;
  /** Count of holes before the item. */
  itemHoles: number;
  /** Where the hole stands that all literal items share; -1 before the first. */
  sharedHole: number;
  /** End and first hole of the item that was kept first, which most others equal. */
  firstEnd: number;
  firstHoles: number;
  /** Other items kept, with the place of their first hole. */
  seen: Map<string, number> | null;
}

const space = 0x20;
const plus = 0x2b;
const comma = 0x2c;
const hole = 0x3f;
const commaBytes = 2;
/** A unit of text is three bytes at most, or ` ?+` where it is a literal, or a doubled quote: with a space before it, four. */
const maxBytesPerUnit = 4;
const encoder = new TextEncoder();

export class ShapeOutput {
  private bytes = Buffer.allocUnsafe(4096);
  private size = 0;
  private isAscii = true;
  private readonly holes: HoleKind[] = [];
  private holeCount = 0;

  /** Begins a shape of a text of `length` UTF-16 units; room is made once, so that writing need not look. */
  reset(length: number): void {
    const needed = length * maxBytesPerUnit + 16;
    if (this.bytes.length < needed) this.bytes = Buffer.allocUnsafe(Math.max(needed, this.bytes.length * 2));
    this.size = 0;
    this.holeCount = 0;
    this.isAscii = true;
  }

  /** Adds one token. */
  write(token: string): void {
    this.space();
    this.append(token);
  }

  /** Adds a token of one ASCII character. */
  writeCode(code: number): void {
    this.space();
    this.appendCode(code);
  }

  /** Begins a token, whose text is appended. */
  space(): void {
    if (this.size > 0) this.appendCode(space);
  }

  append(text: string): void {
    const { length } = text;
    const { bytes } = this;
    let at = this.size;
    for (let i = 0; i < length; i++) {
      const code = text.charCodeAt(i);
      if (code > 0x7f) {
        this.isAscii = false;
        this.size += encoder.encodeInto(text, bytes.subarray(this.size)).written;
        return;
      }
      bytes[at++] = code;
    }
    this.size = at;
  }

  appendCode(code: number): void {
    this.bytes[this.size++] = code;
  }

  /** Appends a part of a text that is known to be ASCII, in lower case where asked. */
  appendAscii(text: string, start: number, end: number, isFolded: boolean): void {
    const { bytes } = this;
    let at = this.size;
    for (let i = start; i < end; i++) {
      const code = text.charCodeAt(i);
      bytes[at++] = isFolded && code >= 0x41 && code <= 0x5a ? code | 0x20 : code;
    }
    this.size = at;
  }

  hole(kind: HoleKind): void {
    this.writeCode(hole);
    this.holes[this.holeCount++] = kind;
  }

  text(): { shape: string; holes: string } {
    let holes = '';
    for (let i = 0; i < this.holeCount; i++) holes += this.holes[i];
    return { shape: this.decode(0, this.size), holes };
  }

  openList(): OpenList {
    const start = this.size;
    const itemHoles = this.holeCount;
    return { start, itemStart: start, itemHoles, sharedHole: -1, firstEnd: -1, firstHoles: 0, seen: null };
  }

  /**
   * Ends the current item; it goes, with the comma before it, when the list has one like it.
   * `isShared`: literal items become one `?+` (rows and other items keep their form).
   */
  endItem(list: OpenList, isShared: boolean): void {
    const length = this.size - list.itemStart;
    const holeCount = this.holeCount - list.itemHoles;
    // a space and the hole
    if (isShared && holeCount === 1 && length === 2) {
      if (list.sharedHole < 0) {
        list.sharedHole = list.itemHoles;
        this.appendCode(plus);
      } else {
        this.fold(list, list.sharedHole, 1);
      }
    } else if (length > 0) {
      this.endLongItem(list, holeCount);
    }
  }

  /** Begins the item after a comma that has been written. */
  startItem(list: OpenList): void {
    list.itemStart = this.size;
    list.itemHoles = this.holeCount;
  }

  /** Takes the current item, which is not complete, and the comma before it out again; false when it is the first. */
  dropIncomplete(list: OpenList): boolean {
    if (list.itemStart === list.start) return false;
    this.drop(list);
    return true;
  }

  dropTrailingComma(): void {
    const { bytes, size } = this;
    if (size >= commaBytes && bytes[size - 1] === comma && bytes[size - 2] === space) this.size -= commaBytes;
  }

  private endLongItem(list: OpenList, holeCount: number): void {
    const { start, itemStart, firstEnd } = list;
    if (firstEnd < 0 && itemStart === start) {
      list.firstEnd = this.size;
      list.firstHoles = list.itemHoles;
      return;
    }
    if (firstEnd - start === this.size - itemStart && this.equals(start, itemStart, this.size)) {
      this.fold(list, list.firstHoles, holeCount);
      return;
    }
    const text = this.decode(itemStart, this.size);
    list.seen ??= new Map();
    const known = list.seen.get(text);
    if (known !== undefined) this.fold(list, known, holeCount);
    else if (list.seen.size < limits.maxDistinctListItems) list.seen.set(text, list.itemHoles);
  }

  private equals(first: number, start: number, end: number): boolean {
    const { bytes } = this;
    for (let i = start; i < end; i++) {
      if (bytes[i] !== bytes[first + i - start]) return false;
    }
    return true;
  }

  /** Drops the current item in favour of an equal one whose holes begin at `into`. */
  private fold(list: OpenList, into: number, count: number): void {
    const { holes } = this;
    for (let i = 0; i < count; i++) {
      if (holes[into + i] !== holes[list.itemHoles + i]) holes[into + i] = holeKinds.various;
    }
    this.drop(list);
  }

  private drop(list: OpenList): void {
    this.size = list.itemStart > list.start ? list.itemStart - commaBytes : list.itemStart;
    this.holeCount = list.itemHoles;
  }

  private decode(start: number, end: number): string {
    return this.bytes.toString(this.isAscii ? 'latin1' : 'utf8', start, end);
  }
}

/**
 * The shape under construction: tokens and the kinds of its holes. Lists are collapsed here, item by item as they are
 * written, so that a list of ten thousand items never exists as a list.
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

export const holeToken = '?';
export const holeListToken = '?+';

/** Items of one list, while it is open. */
export interface OpenList {
  /** Where the list and its current item begin, in tokens and in holes. */
  start: number;
  itemStart: number;
  itemHoles: number;
  /** Where the hole stands that all literal items share; -1 before the first. */
  sharedHole: number;
  /** Place of the item that was kept first, which most others equal: no text is made to compare with it. */
  firstEnd: number;
  firstHoles: number;
  /** Other items kept, with the place of their first hole. */
  seen: Map<string, number> | null;
}

export class ShapeOutput {
  private readonly tokens: string[] = [];
  private readonly holes: HoleKind[] = [];

  reset(): void {
    this.tokens.length = 0;
    this.holes.length = 0;
  }

  write(token: string): void {
    this.tokens.push(token);
  }

  hole(kind: HoleKind): void {
    this.tokens.push(holeToken);
    this.holes.push(kind);
  }

  last(): string | undefined {
    return this.tokens.at(-1);
  }

  dropLast(): void {
    this.tokens.pop();
  }

  text(): { shape: string; holes: string } {
    return { shape: this.tokens.join(' '), holes: this.holes.join('') };
  }

  openList(): OpenList {
    const start = this.tokens.length;
    const itemHoles = this.holes.length;
    return { start, itemStart: start, itemHoles, sharedHole: -1, firstEnd: -1, firstHoles: 0, seen: null };
  }

  /**
   * Ends the current item; it goes, with the comma before it, when the list has one like it.
   * `isShared`: literal items become one `?+` (rows and other items keep their form).
   */
  endItem(list: OpenList, isShared: boolean): void {
    const { tokens, holes } = this;
    const size = tokens.length - list.itemStart;
    const holeCount = holes.length - list.itemHoles;
    if (isShared && size === 1 && holeCount === 1) {
      if (list.sharedHole < 0) {
        list.sharedHole = list.itemHoles;
        tokens[list.itemStart] = holeListToken;
      } else {
        this.fold(list, list.sharedHole, 1);
      }
    } else if (size > 0) {
      this.endLongItem(list, holeCount);
    }
  }

  /** Begins the item after a comma that has been written. */
  startItem(list: OpenList): void {
    list.itemStart = this.tokens.length;
    list.itemHoles = this.holes.length;
  }

  /** Takes the current item, which is not complete, and the comma before it out again; false when it is the first. */
  dropIncomplete(list: OpenList): boolean {
    if (list.itemStart === list.start) return false;
    this.drop(list);
    return true;
  }

  private endLongItem(list: OpenList, holeCount: number): void {
    const { tokens } = this;
    if (list.firstEnd < 0 && list.itemStart === list.start) {
      list.firstEnd = tokens.length;
      list.firstHoles = list.itemHoles;
      return;
    }
    if (this.equalsFirst(list)) {
      this.fold(list, list.firstHoles, holeCount);
      return;
    }
    const text = tokens.slice(list.itemStart).join(' ');
    list.seen ??= new Map();
    const known = list.seen.get(text);
    if (known !== undefined) this.fold(list, known, holeCount);
    else if (list.seen.size < limits.maxDistinctListItems) list.seen.set(text, list.itemHoles);
  }

  private equalsFirst(list: OpenList): boolean {
    const { tokens } = this;
    const { start, firstEnd, itemStart } = list;
    if (firstEnd - start !== tokens.length - itemStart) return false;
    for (let i = itemStart; i < tokens.length; i++) {
      if (tokens[i] !== tokens[start + i - itemStart]) return false;
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
    const hasComma = list.itemStart > list.start;
    this.tokens.length = hasComma ? list.itemStart - 1 : list.itemStart;
    this.holes.length = list.itemHoles;
  }
}

/**
 * The shape under construction: tokens and the kinds of its holes. Lists are collapsed here, item by item as they are
 * written, so that a list of ten thousand items never exists as a list.
 */
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
  /** Items seen that are more than one hole, with the place of their first hole. */
  seen: Map<string, number> | null;
}

export class ShapeOutput {
  readonly tokens: string[] = [];
  readonly holes: HoleKind[] = [];

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

  openList(): OpenList {
    const start = this.tokens.length;
    const itemHoles = this.holes.length;
    return { start, itemStart: start, itemHoles, sharedHole: -1, seen: null };
  }

  /**
   * Ends the current item; it goes, with the comma before it, when the list has one like it.
   * `isShared`: literal items become one `?+` (rows and other items keep their form).
   */
  endItem(list: OpenList, isShared: boolean, maxDistinct: number): void {
    const { tokens, holes } = this;
    const size = tokens.length - list.itemStart;
    const holeCount = holes.length - list.itemHoles;
    if (isShared && size === 1 && holeCount === 1) {
      if (list.sharedHole < 0) {
        list.sharedHole = list.itemHoles;
        tokens[list.itemStart] = holeListToken;
        return;
      }
      this.merge(list.sharedHole, list.itemHoles, 1);
      this.drop(list);
      return;
    }
    if (size === 0) return;
    const text = tokens.slice(list.itemStart).join(' ');
    list.seen ??= new Map();
    const first = list.seen.get(text);
    if (first !== undefined) {
      this.merge(first, list.itemHoles, holeCount);
      this.drop(list);
    } else if (list.seen.size < maxDistinct) {
      list.seen.set(text, list.itemHoles);
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

  private drop(list: OpenList): void {
    const hasComma = list.itemStart > list.start;
    this.tokens.length = hasComma ? list.itemStart - 1 : list.itemStart;
    this.holes.length = list.itemHoles;
  }

  private merge(into: number, from: number, count: number): void {
    for (let i = 0; i < count; i++) {
      if (this.holes[into + i] !== this.holes[from + i]) this.holes[into + i] = holeKinds.various;
    }
  }
}

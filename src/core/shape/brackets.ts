/**
 * What stands open while a statement is written: parentheses and brackets, and the lists in them that collapse. Bounded
 * in depth; brackets deeper than that are written as they are.
 */
import { limits } from '../limits.js';
import type { OpenList, ShapeOutput } from './output.js';

const comma = 0x2c;

/** What is between two brackets. */
export interface Frame {
  /** Items of an IN list or array, which collapse. */
  list: OpenList | null;
  /** A row of VALUES: it keeps its arity. */
  isRow: boolean;
  /** The rows of a VALUES that stands directly in this frame. */
  rows: OpenList | null;
  /** Inside ORDER BY or GROUP BY: bare integers are ordinals. */
  isSorting: boolean;
  /** Which names in the wrong quotes its items may be. */
  quoted: QuotedItems;
  /** Behind BETWEEN, then behind the AND that belongs to it. */
  range: 'none' | 'from' | 'to';
}

/** Nothing, values that are not made like names (arguments of a function), or any name (right of a comparison). */
export type QuotedItems = 'names' | 'odd values' | 'values';

const newFrame = (): Frame => ({
  list: null,
  isRow: false,
  rows: null,
  isSorting: false,
  quoted: 'names',
  range: 'none',
});

export class Brackets {
  /** The innermost frame that is followed. */
  frame: Frame = newFrame();
  private readonly output: ShapeOutput;
  private readonly frames: Frame[] = [this.frame];
  private depth = 0;
  /** Brackets open beyond the depth that is followed. */
  private overflow = 0;
  private listCount = 0;

  constructor(output: ShapeOutput) {
    this.output = output;
  }

  reset(): void {
    this.depth = 0;
    this.overflow = 0;
    this.listCount = 0;
    this.frame = this.frameAt(0);
  }

  /** Opens a bracket that has been written. */
  open(isRow: boolean, isList: boolean, quoted: QuotedItems): void {
    if (this.depth + 1 >= limits.maxShapeDepth) {
      this.overflow++;
      return;
    }
    this.depth++;
    this.frame = this.frameAt(this.depth);
    this.frame.isRow = isRow;
    this.frame.quoted = quoted;
    if (isList && this.listCount < limits.maxShapeListDepth) {
      this.frame.list = this.output.openList();
      this.listCount++;
    }
  }

  /** Closes the innermost bracket, before its closing is written; true when that ends a row of VALUES. */
  close(): boolean {
    if (this.overflow > 0) {
      this.overflow--;
      return false;
    }
    if (this.depth === 0) return false;
    const { list, isRow } = this.frame;
    if (list !== null) {
      this.output.endItem(list, true);
      this.listCount--;
    }
    this.depth--;
    this.frame = this.frames[this.depth] ?? this.frame;
    return isRow && this.frame.rows !== null;
  }

  /** Writes a comma, which ends an item where there are items. */
  comma(): void {
    const { list } = this.frame;
    if (list === null || this.overflow > 0) {
      this.output.writeCode(comma);
      return;
    }
    this.output.endItem(list, true);
    this.output.writeCode(comma);
    this.output.startItem(list);
  }

  /** VALUES has been written and its first row follows. */
  openRows(): void {
    if (this.overflow === 0) this.frame.rows = this.output.openList();
  }

  /** A row has been written, closing parenthesis included. */
  endRow(hasNext: boolean): void {
    const { rows } = this.frame;
    if (rows === null) return;
    this.output.endItem(rows, false);
    if (hasNext) {
      this.output.writeCode(comma);
      this.output.startItem(rows);
    } else {
      this.frame.rows = null;
    }
  }

  /** What is still open at the end. A truncated list ends at its last whole item, so the cut's place does not show. */
  finish(isTruncated: boolean): void {
    const { output } = this;
    if (!isTruncated) {
      const { list } = this.frame;
      if (list !== null) output.endItem(list, true);
      return;
    }
    for (let depth = 0; depth <= this.depth; depth++) {
      const frame = this.frames[depth];
      if (frame?.rows && output.dropIncomplete(frame.rows)) return;
      if (frame?.list && output.dropIncomplete(frame.list)) return;
    }
    output.dropTrailingComma();
  }

  private frameAt(depth: number): Frame {
    const known = this.frames[depth];
    if (known === undefined) {
      const frame = newFrame();
      this.frames[depth] = frame;
      return frame;
    }
    known.list = null;
    known.isRow = false;
    known.rows = null;
    known.isSorting = false;
    known.quoted = 'names';
    known.range = 'none';
    return known;
  }
}

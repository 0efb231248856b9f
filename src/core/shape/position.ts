/** Where a statement's writing stands: what was written last, and what may follow it. */
import { roles } from './roles.js';
import { kinds } from './tokens.js';

export class Position {
  /** The token written last; `end` before the first. */
  kind: number = kinds.end;
  role: number = roles.none;
  /** The role of the token before it. */
  roleBefore: number = roles.none;
  /** What was written last completes an operand: a sign after it is binary, NULL after it no value. */
  isOperandEnded = false;
  /** The operator written last. */
  lastOperator = 0;

  reset(): void {
    this.kind = kinds.end;
    this.role = roles.none;
    this.roleBefore = roles.none;
    this.isOperandEnded = false;
  }

  /** Notes what was just written; returns `next`. */
  passed(next: number, kind: number, role: number, isOperandEnded: boolean): number {
    this.kind = kind;
    this.roleBefore = this.role;
    this.role = role;
    this.isOperandEnded = isOperandEnded;
    return next;
  }
}

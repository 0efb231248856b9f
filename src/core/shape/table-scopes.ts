/** Where in a statement the table finder is: one scope a parenthesis, with the CTEs that are known in it. */
import { limits } from '../limits.js';
import { roles } from './roles.js';

/** What the next name would be. */
export const expects = {
  nothing: 0,
  /** An item of FROM: a table unless a parenthesis follows, which makes it a function. */
  fromItem: 1,
  /** A table whatever follows: columns may. */
  target: 2,
  /** A column, whose table is everything before the last dot. */
  column: 3,
  /** The name of a CTE. */
  cte: 4,
} as const;

export interface Scope {
  expects: number;
  /** What a comma makes us expect again. */
  listOf: number;
  /** The role of the word that opened the query here: decides what FROM and USING mean. */
  query: number;
  /** A JOIN whose ON or USING is still to come. */
  isJoining: boolean;
  isWithList: boolean;
  isRecursive: boolean;
  /** CTE that becomes known when this scope closes. */
  cteName: string | null;
  /** CTEs known when this scope opened. */
  knownCtes: number;
}

const newScope = (): Scope => ({
  expects: expects.nothing,
  listOf: expects.nothing,
  query: roles.none,
  isJoining: false,
  isWithList: false,
  isRecursive: false,
  cteName: null,
  knownCtes: 0,
});

export class TableScopes {
  /** The innermost scope that is followed. */
  scope: Scope = newScope();
  depth = 0;
  private readonly scopes: Scope[] = [this.scope];
  /** Parentheses open beyond the depth that is followed. */
  private overflow = 0;
  private readonly ctes: string[] = [];
  private pendingCte: string | null = null;

  reset(): void {
    this.depth = 0;
    this.overflow = 0;
    this.ctes.length = 0;
    this.pendingCte = null;
    this.scope = this.scopeAt(0);
  }

  /** A parenthesis opens after the word of role `before`. */
  open(before: number): void {
    if (this.depth + 1 >= limits.maxShapeDepth) {
      this.overflow++;
      return;
    }
    const outer = this.scope;
    this.depth++;
    const inner = this.scopeAt(this.depth);
    if (outer.expects === expects.fromItem || before === roles.inherits) {
      inner.expects = outer.expects;
      inner.listOf = outer.expects;
      outer.expects = expects.nothing;
    }
    if (this.pendingCte !== null && (before === roles.as || before === roles.materialized)) {
      inner.cteName = this.pendingCte;
      this.pendingCte = null;
    }
    inner.knownCtes = this.ctes.length;
    this.scope = inner;
  }

  close(): void {
    if (this.overflow > 0) {
      this.overflow--;
      return;
    }
    if (this.depth === 0) return;
    const { cteName, knownCtes } = this.scope;
    this.ctes.length = knownCtes;
    this.depth--;
    this.scope = this.scopes[this.depth] ?? this.scope;
    if (cteName !== null) this.ctes.push(cteName);
  }

  /** A CTE's name has been read; one that is not recursive sees the table of its own name in its body. */
  nameCte(name: string): void {
    if (this.scope.isRecursive) this.ctes.push(name);
    else this.pendingCte = name;
  }

  isCte(name: string): boolean {
    return this.ctes.includes(name);
  }

  expect(what: number, isList: boolean): void {
    this.scope.expects = what;
    this.scope.listOf = isList ? what : expects.nothing;
  }

  /** A statement begins with the word of role `query`; `roles.none` forgets the last. */
  begin(query: number): void {
    const { scope } = this;
    scope.query = query;
    scope.expects = expects.nothing;
    scope.listOf = expects.nothing;
    scope.isJoining = false;
    scope.isWithList = false;
  }

  private scopeAt(depth: number): Scope {
    let scope = this.scopes[depth];
    if (scope === undefined) {
      scope = newScope();
      this.scopes[depth] = scope;
      return scope;
    }
    scope.expects = expects.nothing;
    scope.listOf = expects.nothing;
    scope.query = roles.none;
    scope.isJoining = false;
    scope.isWithList = false;
    scope.isRecursive = false;
    scope.cteName = null;
    scope.knownCtes = 0;
    return scope;
  }
}

/**
 * Words of the MySQL family that change nothing, each where the grammar is certain: they are left out of a shape, or put
 * into it where most people write them.
 *
 * Invariant: what is written is read the same way again.
 */
import type { Position } from './position.js';
import { roles } from './roles.js';
import { kinds, type Tokens } from './tokens.js';
import type { WordTable } from './words.js';

const insertModifiers = new Set(['low_priority', 'high_priority', 'delayed', 'ignore']);
const transactionVerbs = new Set(['begin', 'commit', 'rollback']);
const maxModifiers = 3;

export class OptionalWords {
  private readonly tokens: Tokens;
  private readonly words: WordTable;
  private first = 0;
  private to = 0;
  private verb = '';

  constructor(tokens: Tokens, words: WordTable) {
    this.tokens = tokens;
    this.words = words;
  }

  /** Begins the statement [from, to) of this verb. */
  begin(from: number, to: number, verb: string): void {
    this.first = this.tokens.first(from, to);
    this.to = to;
    this.verb = verb;
  }

  /** True for a word, such as INNER before JOIN, that is left out. */
  isIdle(i: number, position: Position): boolean {
    const next = this.roleAt(i + 1);
    switch (this.text(i)) {
      case 'inner':
        return next === roles.join;
      case 'outer': {
        const before = this.text(i - 1);
        return next === roles.join && (before === 'left' || before === 'right');
      }
      case 'asc':
        return position.isOperandEnded && this.endsSortKey(i + 1);
      case 'distinct':
        return this.isBehindUnion(position) && (this.startsQuery(next) || this.opensAt(i + 1));
      case 'work':
        return i === this.first + 1 && transactionVerbs.has(this.text(this.first));
      default:
        return false;
    }
  }

  /** The word that is written for the one at `i`; empty where it is its own. */
  instead(i: number): string {
    switch (this.text(i)) {
      case 'desc':
      case 'describe':
      case 'explain':
        return i === this.first && (this.verb === 'describe' || this.verb === 'explain') ? this.verb : '';
      case 'tables':
        return i > this.first && i <= this.first + 2 && this.verb === 'drop table' ? 'table' : '';
      default:
        return '';
    }
  }

  /** The role of a word left out behind the one at `i`: INTO of INSERT, TABLE of TRUNCATE; `roles.none` where none is. */
  missing(i: number): number {
    // names of tables have been marked, and of nothing else behind these words
    if (this.roleAt(i + 1) !== roles.tableName) return roles.none;
    if (i === this.first && this.tokens.role(i) === roles.truncate) return roles.table;
    let at = i;
    while (at > i - maxModifiers && insertModifiers.has(this.text(at))) at--;
    const role = this.tokens.role(at);
    return role === roles.insert || role === roles.replace ? roles.into : roles.none;
  }

  private endsSortKey(i: number): boolean {
    if (i >= this.to) return true;
    switch (this.tokens.kind(i)) {
      case kinds.comma:
      case kinds.closeParen:
      case kinds.semicolon:
        return true;
      default: {
        const role = this.tokens.role(i);
        return role === roles.limit || role === roles.for || role === roles.rows || role === roles.lock;
      }
    }
  }

  private isBehindUnion({ role }: Position): boolean {
    return role === roles.union || role === roles.except || role === roles.intersect;
  }

  private startsQuery(role: number): boolean {
    return role === roles.select || role === roles.values || role === roles.table;
  }

  private opensAt(i: number): boolean {
    return i < this.to && this.tokens.kind(i) === kinds.openParen;
  }

  private roleAt(index: number): number {
    return index < this.to ? this.tokens.role(index) : roles.none;
  }

  private text(index: number): string {
    return this.words.text(this.tokens.word(index));
  }
}

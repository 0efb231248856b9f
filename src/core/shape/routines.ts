/**
 * Where a statement of the MySQL family ends: at its semicolon, or behind the body it holds. CREATE PROCEDURE, FUNCTION,
 * TRIGGER, EVENT and PACKAGE have bodies; in MariaDB compound statements stand alone too (BEGIN NOT ATOMIC, IF, LOOP …).
 *
 * The words of compound statements are names and functions as well (`if(a, b, c)`, `select begin, end`), so they count
 * only where a statement may start. What is broken ends at the next semicolon or not at all, as it would for the server.
 * https://dev.mysql.com/doc/refman/9.7/en/sql-compound-statements.html
 */
import { kinds, type Tokens } from './tokens.js';
import type { WordTable } from './words.js';

/** What stands open, innermost last. */
const opened = {
  package: 0,
  block: 1,
  if: 2,
  case: 3,
  /** CASE in an expression: THEN and ELSE start no statement in it. */
  caseExpression: 4,
  loop: 5,
  /** WHILE or FOR, whose DO is still to come. */
  head: 6,
  /** REPEAT behind its UNTIL. */
  until: 7,
} as const;

const objects = new Set(['procedure', 'function', 'trigger', 'event', 'package']);
/** Words between CREATE and the kind of a stored object; behind DEFINER an account stands too. */
const prefixes = new Set(['or', 'replace', 'aggregate', 'definer']);
const compounds = new Set(['if', 'case', 'loop', 'repeat', 'while', 'for']);
/** Words that start a statement, and so end the head of a routine or the conditions of a handler. */
const starters = new Set(
  `alter call close commit create delete do drop execute fetch insert leave open prepare release replace resignal return
  rollback savepoint select set signal start table truncate update values with`.split(/\s+/),
);
/** Behind these SET is part of a type or of a character set. */
const beforeSet = new Set(['character', 'char', 'returns', 'int', 'charset']);

const maxPrefixTokens = 16;

export class RoutineReader {
  private readonly tokens: Tokens;
  private readonly words: WordTable;
  private readonly hasBlocks: boolean;
  private readonly stack: number[] = [];
  /** A statement may start at the token at hand. */
  private isStart = false;
  /** In the head of a routine, or between DECLARE HANDLER and its statement. */
  private isHead = false;
  private isDeclare = false;
  /** In an event's or trigger's head, which has words of statements in it: what ends it. */
  private headEnd: string | null = null;
  private depth = 0;

  /** `hasBlocks`: compound statements may stand alone. */
  constructor(tokens: Tokens, words: WordTable, hasBlocks: boolean) {
    this.tokens = tokens;
    this.words = words;
    this.hasBlocks = hasBlocks;
  }

  /** Index of the semicolon behind the statement that starts at `from`; `to` where there is none. */
  end(from: number, to: number): number {
    const start = this.bodyStart(from, to);
    if (start < 0) return this.semicolon(from, to);
    for (let i = start; i < to; i++) {
      if (this.tokens.kind(i) === kinds.semicolon) {
        if (this.stack.length === 0) return i;
        this.startStatement();
      } else {
        i = this.token(i);
      }
    }
    return to;
  }

  private semicolon(from: number, to: number): number {
    let i = from;
    while (i < to && this.tokens.kind(i) !== kinds.semicolon) i++;
    return i;
  }

  /** Index from which the statement is read for a body; -1 for one that has none. */
  private bodyStart(from: number, to: number): number {
    this.stack.length = 0;
    this.startStatement();
    const start = this.hasBlocks ? this.afterSettings(from, to) : from;
    const first = this.text(start);
    if (this.hasBlocks) {
      if (compounds.has(first)) return start;
      if (first === 'begin' && this.text(start + 1) === 'not') return start;
    }
    if (first !== 'create' && first !== 'alter') return -1;
    const object = this.object(start + 1, to);
    if (object < 0) return -1;
    this.openHead(this.text(object));
    return object + 1;
  }

  /** Index of the statement that SET STATEMENT … FOR runs, or `from`. */
  private afterSettings(from: number, to: number): number {
    if (this.text(from) !== 'set' || this.text(from + 1) !== 'statement') return from;
    for (let i = from + 2; i < to && this.tokens.kind(i) !== kinds.semicolon; i++) {
      if (this.text(i) === 'for') return i + 1;
    }
    return from;
  }

  /** Index of the word that tells what CREATE or ALTER is about, if that has a body. */
  private object(from: number, to: number): number {
    let hasDefiner = false;
    const last = Math.min(to, from + maxPrefixTokens);
    for (let i = from; i < last; i++) {
      const text = this.text(i);
      if (objects.has(text)) return i;
      if (text === 'definer') hasDefiner = true;
      else if (!hasDefiner && !prefixes.has(text)) return -1;
      if (this.tokens.kind(i) === kinds.semicolon) return -1;
    }
    return -1;
  }

  private openHead(object: string): void {
    if (object === 'package') {
      this.stack.push(opened.package);
      this.isStart = true;
      return;
    }
    this.isStart = false;
    this.isHead = true;
    this.headEnd = object === 'event' ? 'do' : object === 'trigger' ? 'row' : null;
    this.depth = 0;
  }

  private startStatement(): void {
    this.isStart = true;
    this.isHead = false;
    this.isDeclare = false;
    this.headEnd = null;
    this.depth = 0;
  }

  /** Reads the token at `i`; returns the last index it has used. */
  private token(i: number): number {
    const { tokens } = this;
    switch (tokens.kind(i)) {
      case kinds.word:
      case kinds.quoted: {
        // a label keeps the start it stands at
        if (this.isStart && this.isColon(i + 1)) return i + 1;
        const text = this.text(i);
        if (text !== '') return this.word(i, text);
        this.isStart = false;
        break;
      }
      case kinds.openParen:
        this.depth++;
        this.isStart = false;
        break;
      case kinds.closeParen:
        if (this.depth > 0) this.depth--;
        this.isStart = false;
        break;
      default:
        this.isStart = false;
    }
    return i;
  }

  private isColon(index: number): boolean {
    const { tokens } = this;
    return tokens.kind(index) === kinds.operator && tokens.slice(index) === ':';
  }

  private word(i: number, text: string): number {
    const mayOpen = this.isStart || (this.isHead && this.depth === 0 && !this.isOutside(i, text));
    switch (text) {
      case 'begin':
        return mayOpen ? this.begin(i) : this.pass(i);
      case 'if':
        return mayOpen ? this.open(i, opened.if) : this.pass(i);
      case 'case':
        if (mayOpen) return this.open(i, opened.case);
        this.stack.push(opened.caseExpression);
        return this.pass(i);
      case 'loop':
      case 'repeat':
        if (!mayOpen) return this.pass(i);
        this.stack.push(opened.loop);
        this.startStatement();
        return i;
      case 'while':
      case 'for':
        return mayOpen && !(text === 'for' && this.isDeclare) ? this.open(i, opened.head) : this.pass(i);
      case 'end':
        return this.close(i);
      default:
        this.clause(i, text, mayOpen);
        return i;
    }
  }

  /** Words within a head that are not the body's: `create procedure if not exists`, all before DO of an event. */
  private isOutside(i: number, text: string): boolean {
    if (this.headEnd !== null) {
      if (text === this.headEnd) this.headEnd = null;
      return true;
    }
    return objects.has(this.text(i - 1));
  }

  private clause(i: number, text: string, mayOpen: boolean): void {
    const top = this.stack.at(-1);
    switch (text) {
      case 'then':
      case 'else':
        this.isStart = top !== opened.caseExpression;
        return;
      case 'do':
        if (top === opened.head && !this.isStart) {
          this.stack[this.stack.length - 1] = opened.loop;
          this.isStart = true;
          return;
        }
        // the body of an event
        if (this.isHead && !this.isStart && !mayOpen) {
          this.startStatement();
          return;
        }
        break;
      case 'until':
        if (top === opened.loop && this.isStart) this.stack[this.stack.length - 1] = opened.until;
        break;
      case 'declare':
        this.isDeclare = this.isStart;
        break;
      case 'handler':
        this.isHead = this.isDeclare;
        break;
      case 'procedure':
      case 'function':
        if (top === opened.package && this.depth === 0) {
          this.openHead(text);
          return;
        }
        break;
      default:
    }
    if (mayOpen && starters.has(text) && !(text === 'set' && beforeSet.has(this.text(i - 1))))
      this.isHead = false;
    this.isStart = false;
  }

  private begin(i: number): number {
    // what a package does at first shares its END
    if (this.stack.at(-1) !== opened.package || this.isHead) this.stack.push(opened.block);
    this.startStatement();
    return this.text(i + 1) === 'not' && this.text(i + 2) === 'atomic' ? i + 2 : i;
  }

  private open(i: number, what: number): number {
    this.stack.push(what);
    this.startStatement();
    return this.pass(i);
  }

  /** A word that is no structure, or has been taken for some. */
  private pass(i: number): number {
    this.isStart = false;
    return i;
  }

  private close(i: number): number {
    const top = this.stack.at(-1);
    const isEnd = top === opened.caseExpression || top === opened.until || this.isStart;
    this.isStart = false;
    if (!isEnd || top === undefined) return i;
    this.stack.pop();
    return top !== opened.caseExpression && compounds.has(this.text(i + 1)) ? i + 1 : i;
  }

  /** Text of an unquoted keyword; empty for everything else. */
  private text(index: number): string {
    return this.words.text(this.tokens.word(index));
  }
}

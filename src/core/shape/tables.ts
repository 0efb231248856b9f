/**
 * The tables a statement names: what stands where the grammar wants a table, without CTE names and functions. Works on
 * tokens; where a word could be either, the words around it decide, so `extract(year from ts)` names no table.
 */
import { limits } from '../limits.js';
import type { TableName } from '../schema/model.js';
import type { NameReader } from './names.js';
import { roles } from './roles.js';
import {
  isOtherObject,
  namesObjects,
  type Place,
  readDefinedOn,
  readDefinition,
} from './table-definitions.js';
import { expects, TableScopes } from './table-scopes.js';
import { kinds, type Tokens } from './tokens.js';
import { type WordTable, wordTraits } from './words.js';

export class TableFinder {
  private readonly tokens: Tokens;
  private readonly words: WordTable;
  private readonly names: NameReader;
  private readonly scopes = new TableScopes();
  private place: Place;
  private to = 0;
  private tables: TableName[] = [];

  constructor(tokens: Tokens, words: WordTable, names: NameReader) {
    this.tokens = tokens;
    this.words = words;
    this.names = names;
    this.place = { tokens, scopes: this.scopes, verb: '', from: 0 };
  }

  /** Tables of the statement [from, to) in order of appearance; `verb` as read by verb.ts. */
  find(from: number, to: number, verb: string): readonly TableName[] {
    this.place = { tokens: this.tokens, scopes: this.scopes, verb, from };
    this.to = to;
    this.tables = [];
    this.scopes.reset();
    const { scopes, tokens } = this;
    for (let i = from; i < to; ) {
      if (scopes.scope.expects === expects.nothing && tokens.isInert(i)) i++;
      else i = this.token(i);
    }
    return this.tables;
  }

  private token(i: number): number {
    const { scope } = this.scopes;
    switch (this.tokens.kind(i)) {
      case kinds.word:
        return this.word(i);
      case kinds.quoted:
        return scope.expects === expects.nothing ? this.skipName(i) : this.expectedName(i);
      case kinds.openParen:
        this.scopes.open(this.roleAt(i - 1));
        return i + 1;
      case kinds.closeParen:
        this.scopes.close();
        return i + 1;
      case kinds.comma:
        scope.expects = scope.isWithList ? expects.cte : scope.listOf;
        return i + 1;
      case kinds.semicolon:
        this.scopes.begin(roles.none);
        return i + 1;
      default:
        return i + 1;
    }
  }

  private word(i: number): number {
    const { tokens } = this;
    const { scope } = this.scopes;
    const entry = tokens.word(i);
    if (scope.expects !== expects.nothing) {
      if (entry === 0) return this.expectedName(i);
      const next = this.keywordForName(i, entry);
      if (next > 0) return next;
    }
    if (entry === 0 || tokens.kind(i + 1) === kinds.dot) return this.skipName(i);
    const role = tokens.role(i);
    if (role !== roles.none) this.keyword(i, role);
    return i + 1;
  }

  /** A keyword where a name is expected: a name itself, noise before one, or (0) the end of the expectation. */
  private keywordForName(i: number, entry: number): number {
    const { words } = this;
    const { scope } = this.scopes;
    const role = this.tokens.role(i);
    const nextRole = this.tokens.role(i + 1);
    const isReserved = (words.traits(entry) & wordTraits.reserved) !== 0;
    if (isReserved) {
      const isNoise = role === roles.only || role === roles.table || isNoiseWord(words.text(entry));
      if (isNoise) return i + 1;
      scope.expects = expects.nothing;
      return 0;
    }
    if (this.tokens.kind(i + 1) === kinds.dot) return this.expectedName(i);
    switch (role) {
      case roles.if:
        if (nextRole === roles.not) return i + 3;
        if (nextRole === roles.exists) return i + 2;
        break;
      case roles.recursive:
        if (scope.expects === expects.cte) {
          scope.isRecursive = true;
          return i + 1;
        }
        break;
      case roles.temp:
      case roles.temporary:
      case roles.unlogged:
        if (this.tokens.isName(i + 1)) return i + 1;
        break;
      case roles.rows:
        if (nextRole === roles.from) {
          this.scopes.scope.expects = expects.fromItem;
          return i + 2;
        }
        break;
      case roles.set:
      case roles.values:
        scope.expects = expects.nothing;
        return 0;
      default:
    }
    const isObjectKind =
      namesObjects(this.place.verb) && this.tokens.isName(i + 1) && isOtherObject(words.text(entry));
    if (isObjectKind) {
      scope.expects = expects.nothing;
      scope.listOf = expects.nothing;
      return 0;
    }
    return this.expectedName(i);
  }

  private keyword(i: number, role: number): void {
    const { scope } = this.scopes;
    switch (role) {
      case roles.select:
        this.scopes.begin(roles.select);
        break;
      case roles.from:
        if (this.isTableFrom(i)) this.scopes.expect(expects.fromItem, true);
        else scope.listOf = expects.nothing;
        break;
      case roles.join:
      case roles.straight_join:
        scope.expects = expects.fromItem;
        scope.isJoining = true;
        break;
      case roles.using:
        if (scope.isJoining) scope.isJoining = false;
        else if (scope.query === roles.delete || scope.query === roles.merge)
          this.scopes.expect(expects.fromItem, true);
        break;
      case roles.on:
        if (scope.isJoining) scope.isJoining = false;
        else if (this.scopes.depth === 0) readDefinedOn(this.place, i);
        break;
      case roles.into:
        this.into(i);
        break;
      case roles.update:
        if (this.startsStatement(i) && this.roleAt(i + 1) !== roles.set) {
          this.scopes.begin(roles.update);
          this.scopes.expect(expects.target, true);
        }
        break;
      case roles.delete:
        if (this.roleAt(i + 1) === roles.from || this.startsStatement(i)) this.scopes.begin(roles.delete);
        break;
      case roles.insert:
      case roles.merge:
      case roles.replace:
        if (this.startsStatement(i)) this.scopes.begin(role);
        break;
      case roles.with:
        this.with(i);
        break;
      case roles.where:
      case roles.group:
      case roles.having:
      case roles.order:
      case roles.limit:
      case roles.offset:
      case roles.fetch:
      case roles.for:
      case roles.window:
      case roles.union:
      case roles.except:
      case roles.intersect:
      case roles.set:
      case roles.returning:
      case roles.values:
        scope.listOf = expects.nothing;
        scope.isWithList = false;
        break;
      default:
        readDefinition(this.place, i, role, this.roleAt(i - 1));
    }
  }

  private into(i: number): void {
    const before = this.roleAt(i - 1);
    const isTarget = before === roles.insert || before === roles.merge || before === roles.replace;
    if (isTarget || this.scopes.scope.query !== roles.none) this.scopes.expect(expects.target, false);
  }

  private with(i: number): void {
    const name = this.roleAt(i + 1) === roles.recursive && this.tokens.isName(i + 2) ? i + 2 : i + 1;
    if (!this.tokens.isName(name) || this.roleAt(name) === roles.ordinality) return;
    const isBody = this.tokens.kind(name + 1) === kinds.openParen || this.roleAt(name + 1) === roles.as;
    if (!isBody) return;
    this.scopes.scope.isWithList = true;
    this.scopes.scope.isRecursive = false;
    this.scopes.scope.expects = expects.cte;
  }

  private isTableFrom(i: number): boolean {
    const before = this.roleAt(i - 1);
    if (before === roles.distinct) {
      const earlier = this.roleAt(i - 2);
      return earlier !== roles.is && earlier !== roles.not;
    }
    const { query } = this.scopes.scope;
    if (query === roles.select || query === roles.delete || query === roles.update) return true;
    return this.place.verb === 'create statistics' && this.scopes.depth === 0;
  }

  /** True for a word that begins a statement: the first, or one within another statement. */
  private startsStatement(i: number): boolean {
    if (i === this.place.from) return true;
    switch (this.tokens.kind(i - 1)) {
      case kinds.openParen:
      case kinds.closeParen:
      case kinds.semicolon:
      case kinds.closeHint:
        return true;
      case kinds.word: {
        const role = this.roleAt(i - 1);
        return (
          role === roles.explain ||
          role === roles.analyze ||
          role === roles.verbose ||
          role === roles.as ||
          role === roles.instead ||
          role === roles.also ||
          role === roles.do ||
          role === roles.atomic
        );
      }
      default:
        return false;
    }
  }

  /** A table, a CTE's name or a column, with its dots; returns the index after it. */
  private expectedName(i: number): number {
    const { scope } = this.scopes;
    const expected = scope.expects;
    scope.expects = expects.nothing;
    const after = this.skipName(i);
    if (expected === expects.cte) {
      this.cteName(i, after);
      return after;
    }
    const isFunction = expected === expects.fromItem && this.tokens.kind(after) === kinds.openParen;
    if (!isFunction || after >= this.to) {
      this.add(i, expected === expects.column ? after - 2 : after, expected === expects.fromItem);
    }
    return after;
  }

  private cteName(i: number, after: number): void {
    const isDefined = this.tokens.kind(after) === kinds.openParen || this.roleAt(after) === roles.as;
    if (after !== i + 1 || !isDefined) return;
    this.scopes.nameCte(this.names.name(i));
  }

  /** The last two parts of the name [start, end). */
  private add(start: number, end: number, mayBeCte: boolean): void {
    const last = end - 1;
    if (last < start || !this.tokens.isName(last) || this.tables.length >= limits.maxTablesPerStatement)
      return;
    const name = this.names.keptName(last);
    const schema = last - 2 >= start ? this.names.keptName(last - 2) : null;
    if (schema === null && mayBeCte && this.scopes.isCte(name)) return;
    if (this.tables.some((table) => table.name === name && table.schema === schema)) return;
    this.tables.push({ schema, name });
  }

  private skipName(i: number): number {
    const { tokens } = this;
    let after = i + 1;
    while (after + 1 < this.to && tokens.kind(after) === kinds.dot && tokens.isName(after + 1)) after += 2;
    return after;
  }

  private roleAt(index: number): number {
    return index < this.place.from || index >= this.to ? roles.none : this.tokens.role(index);
  }
}

/** Reserved words between a clause's word and its table. */
const isNoiseWord = (text: string): boolean =>
  text === 'lateral' ||
  text === 'concurrently' ||
  text === 'verbose' ||
  text === 'freeze' ||
  text === 'full' ||
  text === 'analyze' ||
  text === 'analyse';

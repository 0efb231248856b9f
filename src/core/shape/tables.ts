/**
 * The tables a statement names: what stands where the grammar wants a table, without CTE names and functions. Works on
 * tokens; where a word could be either, the words around it decide, so `extract(year from ts)` names no table.
 */
import type { TableName } from '../schema/model.js';
import { indexHintEnd, isSelectOption, periodEnd, startMysql, startsBehind } from './mysql-tables.js';
import type { NameReader } from './names.js';
import { roles } from './roles.js';
import type { Dialect } from './shape.js';
import { type Place, readDefinedOn, readDefinition } from './table-definitions.js';
import { TableList } from './table-list.js';
import { expects, TableScopes } from './table-scopes.js';
import { kinds, type Tokens } from './tokens.js';
import type { WordTable } from './words.js';

export class TableFinder {
  private readonly tokens: Tokens;
  private readonly words: WordTable;
  private readonly list: TableList;
  private readonly scopes = new TableScopes();
  private readonly isMysql: boolean;
  private place: Place;
  private to = 0;
  /** How many tables were known when the last DELETE began. */
  private beforeDelete = 0;

  constructor(dialect: Dialect, tokens: Tokens, words: WordTable, names: NameReader) {
    this.tokens = tokens;
    this.words = words;
    this.isMysql = dialect.grammar === 'mysql';
    this.place = this.placeOf('', 0);
    this.list = new TableList(this.place, names);
  }

  private placeOf(verb: string, from: number): Place {
    const { tokens, words, scopes, isMysql } = this;
    return { tokens, words, scopes, isMysql, verb, from };
  }

  /** Tables of the statement [from, to) in order of appearance; `verb` as read by verb.ts. */
  find(from: number, to: number, verb: string): readonly TableName[] {
    this.place = this.placeOf(verb, from);
    this.to = to;
    this.list.begin(this.place, to);
    this.scopes.reset();
    const { scopes, tokens, list } = this;
    if (this.isMysql) {
      if (verb === 'show') return list.shown();
      if (verb === 'alter table' || verb === 'create table') list.noteRelated(from);
    }
    for (let i = this.isMysql ? startMysql(this.place, to) : from; i < to; ) {
      if (scopes.scope.expects === expects.nothing && tokens.isInert(i)) i++;
      else i = this.token(i);
    }
    return list.tables;
  }

  private token(i: number): number {
    const { scope } = this.scopes;
    switch (this.tokens.kind(i)) {
      case kinds.word:
        return this.word(i);
      case kinds.quoted:
        return scope.expects === expects.nothing ? this.list.after(i) : this.list.expected(i);
      case kinds.openParen:
        this.scopes.open(this.roleAt(i - 1));
        return i + 1;
      case kinds.closeParen:
        this.scopes.close();
        if (this.isMysql && this.scopes.scope.listOf === expects.fromItem) this.list.noteAlias(i + 1);
        return i + 1;
      case kinds.comma:
        scope.expects = scope.isWithList ? expects.cte : scope.listOf;
        return i + 1;
      case kinds.semicolon:
        this.scopes.begin(roles.none);
        return i + 1;
      case kinds.openHint:
        return this.afterHint(i);
      default:
        return i + 1;
    }
  }

  private word(i: number): number {
    const { tokens } = this;
    const { scope } = this.scopes;
    const entry = tokens.word(i);
    if (scope.expects !== expects.nothing) {
      if (entry === 0) return this.list.expected(i);
      const next = this.list.expectedKeyword(i, entry);
      if (next > 0) return next;
    }
    if (entry === 0 || tokens.kind(i + 1) === kinds.dot) return this.list.after(i);
    const role = tokens.role(i);
    if (role === roles.none) return i + 1;
    if (this.isMysql) {
      const next = this.mysqlKeyword(i, role);
      if (next > i) return next;
    }
    this.keyword(i, role);
    return i + 1;
  }

  /** A word that means something else in the MySQL family: index after what it covers; `i` where it does not. */
  private mysqlKeyword(i: number, role: number): number {
    const { scopes, place } = this;
    const { scope } = scopes;
    switch (role) {
      case roles.index:
      case roles.key:
        return indexHintEnd(place, i, this.to);
      case roles.for:
        return periodEnd(place, i);
      case roles.straight_join:
        return isSelectOption(place, i) ? i + 1 : i;
      case roles.insert:
      case roles.replace:
        if (this.tokens.kind(i + 1) === kinds.openParen || !this.startsStatement(i)) return i + 1;
        scopes.begin(role);
        scopes.expect(expects.target, false);
        return i + 1;
      case roles.update:
        if (!this.startsStatement(i) || this.roleAt(i + 1) === roles.set) return i + 1;
        scopes.begin(roles.update);
        // a CTE may be among them
        scopes.expect(expects.fromItem, true);
        return i + 1;
      case roles.delete:
        this.beforeDelete = this.list.tables.length;
        this.list.noteAliases(i + 1);
        return i;
      case roles.of:
        // FOR UPDATE OF, FOR SHARE OF
        if (this.roleAt(i - 1) === roles.update || this.words.text(this.tokens.word(i - 1)) === 'share')
          this.list.noteAliases(i + 1);
        return i;
      case roles.as:
        // the row of INSERT … VALUES … AS name
        if (scope.query === roles.insert) this.list.noteAlias(i);
        return i;
      case roles.using:
        // what stood behind FROM may be aliases of what follows
        if (!scope.isJoining && scope.query === roles.delete) this.list.tables.length = this.beforeDelete;
        return i;
      case roles.into:
        // SELECT … INTO names variables
        if (scope.query === roles.insert || scope.query === roles.replace)
          scopes.expect(expects.target, false);
        return i + 1;
      case roles.table:
        if (i === place.from || !(this.startsStatement(i) || this.isBehindUnion(i))) return i;
        scopes.begin(roles.select);
        scopes.expect(expects.target, false);
        return i + 1;
      default:
        return i;
    }
  }

  private isBehindUnion(i: number): boolean {
    const last = this.roleAt(i - 1);
    const before = last === roles.distinct ? this.roleAt(i - 2) : last;
    return (
      before === roles.union ||
      before === roles.except ||
      before === roles.intersect ||
      (before === roles.all && this.scopes.scope.query !== roles.none)
    );
  }

  private afterHint(open: number): number {
    let i = open + 1;
    while (i < this.to && this.tokens.kind(i) !== kinds.closeHint) i++;
    return i + 1;
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
          (this.isMysql && startsBehind(this.place, i)) ||
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

  private roleAt(index: number): number {
    return index < this.place.from || index >= this.to ? roles.none : this.tokens.role(index);
  }
}

/**
 * The tables a statement names: what stands where the grammar wants a table, without CTE names and functions. Works on
 * tokens; where a word could be either, the words around it decide, so `extract(year from ts)` names no table.
 */
import { limits } from '../limits.js';
import type { TableName } from '../schema/model.js';
import {
  indexHintEnd,
  isSelectOption,
  periodEnd,
  shownTable,
  startMysql,
  startsBehind,
} from './mysql-tables.js';
import type { NameReader } from './names.js';
import { roles } from './roles.js';
import type { Dialect } from './shape.js';
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

const atCode = 0x40;

export class TableFinder {
  private readonly tokens: Tokens;
  private readonly words: WordTable;
  private readonly names: NameReader;
  private readonly scopes = new TableScopes();
  private place: Place;
  private to = 0;
  private tables: TableName[] = [];
  private readonly isMysql: boolean;
  /** How many tables were known when the last DELETE began. */
  private beforeDelete = 0;

  constructor(dialect: Dialect, tokens: Tokens, words: WordTable, names: NameReader) {
    this.tokens = tokens;
    this.words = words;
    this.names = names;
    this.isMysql = dialect.hasMysqlTables;
    this.place = this.placeOf('', 0);
  }

  private placeOf(verb: string, from: number): Place {
    const { tokens, words, scopes, isMysql } = this;
    return { tokens, words, scopes, isMysql, verb, from };
  }

  /** Tables of the statement [from, to) in order of appearance; `verb` as read by verb.ts. */
  find(from: number, to: number, verb: string): readonly TableName[] {
    this.place = this.placeOf(verb, from);
    this.to = to;
    this.tables = [];
    this.scopes.reset();
    const { scopes, tokens } = this;
    if (verb === 'show' && this.isMysql) return this.shown();
    for (let i = this.isMysql ? startMysql(this.place, to) : from; i < to; ) {
      if (scopes.scope.expects === expects.nothing && tokens.isInert(i)) i++;
      else i = this.token(i);
    }
    return this.tables;
  }

  private shown(): readonly TableName[] {
    const { name, schema } = shownTable(this.place, this.to);
    if (name < 0 || name >= this.to || !this.tokens.isName(name)) return this.tables;
    const end = this.skipName(name);
    if (schema >= 0 && schema < this.to && this.tokens.isName(schema)) {
      this.push(this.names.keptName(schema), this.names.keptName(end - 1));
      this.mark(schema, schema + 1);
      this.mark(name, end);
    } else this.add(name, end, false);
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
      if (entry === 0) return this.expectedName(i);
      const next = this.keywordForName(i, entry);
      if (next > 0) return next;
    }
    if (entry === 0 || tokens.kind(i + 1) === kinds.dot) return this.skipName(i);
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
        this.beforeDelete = this.tables.length;
        return i;
      case roles.using:
        // what stood behind FROM may be aliases of what follows
        if (!scope.isJoining && scope.query === roles.delete) this.tables.length = this.beforeDelete;
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
    const before = this.roleAt(i - 1);
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

  /** A keyword where a name is expected: a name itself, noise before one, or (0) the end of the expectation. */
  private keywordForName(i: number, entry: number): number {
    const { words } = this;
    const { scope } = this.scopes;
    const role = this.tokens.role(i);
    const nextRole = this.tokens.role(i + 1);
    if (role === roles.if && nextRole === roles.not) return i + 3;
    if (role === roles.if && nextRole === roles.exists) return i + 2;
    if (role === roles.recursive && scope.expects === expects.cte) {
      scope.isRecursive = true;
      return i + 1;
    }
    const isReserved = (words.traits(entry) & wordTraits.reserved) !== 0;
    if (isReserved) {
      const isNoise = role === roles.only || role === roles.table || isNoiseWord(words.text(entry));
      if (isNoise) return i + 1;
      scope.expects = expects.nothing;
      return 0;
    }
    if (this.tokens.kind(i + 1) === kinds.dot) return this.expectedName(i);
    switch (role) {
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

  /** A table, a CTE's name or a column, with its dots; returns the index after it. */
  private expectedName(i: number): number {
    const { scope } = this.scopes;
    const expected = scope.expects;
    if (this.isMysql && this.isBraceWord(i)) return i + 1;
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
    this.scopes.nameCte(this.names.keptName(i));
  }

  /** The last two parts of the name [start, end). */
  private add(start: number, end: number, mayBeCte: boolean): void {
    const last = end - 1;
    if (last < start || !this.tokens.isName(last) || this.tables.length >= limits.maxTablesPerStatement)
      return;
    if (this.isMysql && (this.isWildcard(end) || this.isVariable(start))) return;
    const name = this.names.keptName(last);
    const schema = last - 2 >= start ? this.names.keptName(last - 2) : null;
    this.mark(start, end);
    if (schema === null && mayBeCte && this.scopes.isCte(name)) return;
    this.push(schema, name);
  }

  /** Where the case of names counts, a table's is kept though it be spelled like a keyword. */
  private mark(start: number, end: number): void {
    if (!this.isMysql) return;
    for (let i = start; i < end; i++) {
      if (this.tokens.isName(i)) this.tokens.markTable(i);
    }
  }

  /** `db.*` in GRANT. */
  private isWildcard(end: number): boolean {
    return end < this.to && this.tokens.kind(end) === kinds.dot;
  }

  private isVariable(i: number): boolean {
    return this.tokens.text.charCodeAt(this.tokens.start(i)) === atCode;
  }

  /** `{ oj t1 left outer join t2 … }`, as ODBC writes it. */
  private isBraceWord(i: number): boolean {
    const { tokens } = this;
    return i > 0 && tokens.kind(i - 1) === kinds.other && tokens.slice(i - 1) === '{' && tokens.isName(i + 1);
  }

  private push(schema: string | null, name: string): void {
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
  text === 'low_priority' ||
  text === 'high_priority' ||
  text === 'delayed' ||
  text === 'ignore' ||
  text === 'analyze' ||
  text === 'analyse';

/**
 * The tables a statement names: what stands where the grammar wants a table, without CTE names and functions. Works on
 * tokens; where a word could be either, the words around it decide, so `extract(year from ts)` names no table.
 */
import { limits } from '../limits.js';
import type { TableName } from '../schema/model.js';
import type { NameReader } from './names.js';
import { roles } from './roles.js';
import { kinds, type Tokens } from './tokens.js';
import { type WordTable, wordTraits } from './words.js';

/** What the next name would be. */
const expects = {
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

interface Scope {
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

/** Kinds of object that GRANT, REVOKE and COMMENT may name instead of a table. */
const otherObjects = new Set(
  `aggregate cast collation conversion constraint database domain extension event function index language large operator parameter
  policy procedure publication role routine rule schema sequence server statistics subscription tablespace text
  transform trigger type`.split(/\s+/),
);

export class TableFinder {
  private readonly tokens: Tokens;
  private readonly words: WordTable;
  private readonly names: NameReader;
  private readonly scopes: Scope[] = [newScope()];
  private depth = 0;
  private overflow = 0;
  private scope: Scope = newScope();
  private verb = '';
  private from = 0;
  private to = 0;
  private ctes: string[] = [];
  private pendingCte: string | null = null;
  private tables: TableName[] = [];

  constructor(tokens: Tokens, words: WordTable, names: NameReader) {
    this.tokens = tokens;
    this.words = words;
    this.names = names;
  }

  /** Tables of the statement [from, to) in order of appearance; `verb` as read by verb.ts. */
  find(from: number, to: number, verb: string): readonly TableName[] {
    this.verb = verb;
    this.from = from;
    this.to = to;
    this.ctes = [];
    this.pendingCte = null;
    this.tables = [];
    this.depth = 0;
    this.overflow = 0;
    this.scope = this.scopeAt(0);
    for (let i = from; i < to; ) i = this.token(i);
    return this.tables;
  }

  private token(i: number): number {
    const { scope } = this;
    switch (this.tokens.kind(i)) {
      case kinds.word:
        return this.word(i);
      case kinds.quoted:
        return scope.expects === expects.nothing ? this.skipName(i) : this.expectedName(i);
      case kinds.openParen:
        this.open(i);
        return i + 1;
      case kinds.closeParen:
        this.close();
        return i + 1;
      case kinds.comma:
        scope.expects = scope.isWithList ? expects.cte : scope.listOf;
        return i + 1;
      case kinds.semicolon:
        this.reset(scope);
        return i + 1;
      default:
        return i + 1;
    }
  }

  private word(i: number): number {
    const { scope, tokens } = this;
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
    const { scope, words } = this;
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
          this.scope.expects = expects.fromItem;
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
      this.isPrivilege() && this.tokens.isName(i + 1) && otherObjects.has(words.text(entry));
    if (isObjectKind) {
      scope.expects = expects.nothing;
      scope.listOf = expects.nothing;
      return 0;
    }
    return this.expectedName(i);
  }

  private isPrivilege(): boolean {
    return (
      this.verb === 'grant' || this.verb === 'revoke' || this.verb === 'comment' || this.verb === 'security'
    );
  }

  private keyword(i: number, role: number): void {
    const { scope } = this;
    switch (role) {
      case roles.select:
        this.query(roles.select);
        break;
      case roles.from:
        if (this.isTableFrom(i)) this.expect(expects.fromItem, true);
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
          this.expect(expects.fromItem, true);
        break;
      case roles.on:
        if (scope.isJoining) scope.isJoining = false;
        else if (this.depth === 0) this.definedOn(i);
        break;
      case roles.into:
        this.into(i);
        break;
      case roles.update:
        if (this.startsStatement(i) && this.roleAt(i + 1) !== roles.set) {
          this.query(roles.update);
          this.expect(expects.target, true);
        }
        break;
      case roles.delete:
        if (this.roleAt(i + 1) === roles.from || this.startsStatement(i)) this.query(roles.delete);
        break;
      case roles.insert:
      case roles.merge:
      case roles.replace:
        if (this.startsStatement(i)) this.query(role);
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
        this.definition(i, role);
    }
  }

  /** Words of definitions and commands. */
  private definition(i: number, role: number): void {
    const { scope, verb } = this;
    switch (role) {
      case roles.table:
        this.tableWord(i);
        break;
      case roles.view:
        if (this.depth === 0 && verb.endsWith('view')) this.expect(expects.target, verb.startsWith('drop'));
        else if (verb === 'refresh' || verb === 'comment') this.expect(expects.target, false);
        break;
      case roles.references:
        if (this.tokens.isName(i + 1)) this.expect(expects.target, false);
        break;
      case roles.truncate:
      case roles.lock:
      case roles.copy:
      case roles.vacuum:
      case roles.analyze:
      case roles.analyse:
        if (i === this.from) this.expect(expects.target, role !== roles.copy);
        break;
      case roles.partition:
        if (verb !== 'alter table') break;
        if (this.roleAt(i - 1) === roles.attach || this.roleAt(i - 1) === roles.detach) {
          this.expect(expects.target, false);
        }
        break;
      case roles.of:
        if (verb === 'create table' && this.roleAt(i - 1) === roles.partition)
          this.expect(expects.target, false);
        break;
      case roles.inherit:
        if (verb.startsWith('alter')) this.expect(expects.target, false);
        break;
      case roles.inherits:
        this.expect(expects.target, false);
        break;
      case roles.like:
        if (verb.startsWith('create') && this.depth === 1 && scope.query === roles.none) {
          const before = this.tokens.kind(i - 1);
          if (before === kinds.openParen || before === kinds.comma) this.expect(expects.target, false);
        }
        break;
      case roles.column:
        if (verb === 'comment' && this.roleAt(i - 1) === roles.on) this.expect(expects.column, false);
        break;
      case roles.to:
        if (verb === 'create rule' && this.depth === 0 && scope.query === roles.none) {
          this.expect(expects.target, false);
        }
        scope.listOf = expects.nothing;
        break;
      default:
    }
  }

  private tableWord(i: number): void {
    if (this.roleAt(i - 1) === roles.returns) return;
    const { verb } = this;
    const isSingle = verb.startsWith('create') || verb.startsWith('alter') || verb.startsWith('import');
    const isList = !isSingle || verb.endsWith('publication');
    this.expect(expects.target, isList && this.depth === 0);
  }

  /** ON of a definition names its table: CREATE INDEX … ON t, GRANT … ON t, COMMENT ON TRIGGER x ON t. */
  private definedOn(i: number): void {
    const { verb } = this;
    switch (verb) {
      case 'grant':
      case 'revoke':
        this.expect(expects.target, true);
        break;
      case 'comment':
        if (i > this.from + 1) this.expect(expects.target, false);
        break;
      case 'create index':
      case 'create trigger':
      case 'drop trigger':
      case 'alter trigger':
      case 'create policy':
      case 'drop policy':
      case 'alter policy':
      case 'drop rule':
      case 'alter rule':
        if (this.scope.query === roles.none) this.expect(expects.target, false);
        break;
      default:
    }
  }

  private into(i: number): void {
    const before = this.roleAt(i - 1);
    const isTarget = before === roles.insert || before === roles.merge || before === roles.replace;
    if (isTarget || this.scope.query !== roles.none) this.expect(expects.target, false);
  }

  private with(i: number): void {
    const name = this.roleAt(i + 1) === roles.recursive && this.tokens.isName(i + 2) ? i + 2 : i + 1;
    if (!this.tokens.isName(name) || this.roleAt(name) === roles.ordinality) return;
    const isBody = this.tokens.kind(name + 1) === kinds.openParen || this.roleAt(name + 1) === roles.as;
    if (!isBody) return;
    this.scope.isWithList = true;
    this.scope.isRecursive = false;
    this.scope.expects = expects.cte;
  }

  private isTableFrom(i: number): boolean {
    const before = this.roleAt(i - 1);
    if (before === roles.distinct) {
      const earlier = this.roleAt(i - 2);
      return earlier !== roles.is && earlier !== roles.not;
    }
    const { query } = this.scope;
    if (query === roles.select || query === roles.delete || query === roles.update) return true;
    return this.verb === 'create statistics' && this.depth === 0;
  }

  /** True for a word that begins a statement: the first, or one within another statement. */
  private startsStatement(i: number): boolean {
    if (i === this.from) return true;
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
    const { scope } = this;
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
    const name = this.names.name(i);
    // a CTE that is not recursive sees the table of its own name
    if (this.scope.isRecursive) this.ctes.push(name);
    else this.pendingCte = name;
  }

  /** The last two parts of the name [start, end). */
  private add(start: number, end: number, mayBeCte: boolean): void {
    const last = end - 1;
    if (last < start || !this.tokens.isName(last) || this.tables.length >= limits.maxTablesPerStatement)
      return;
    const name = this.names.name(last);
    const schema = last - 2 >= start ? this.names.name(last - 2) : null;
    if (schema === null && mayBeCte && this.ctes.includes(name)) return;
    if (this.tables.some((table) => table.name === name && table.schema === schema)) return;
    this.tables.push({ schema, name });
  }

  private skipName(i: number): number {
    const { tokens } = this;
    let after = i + 1;
    while (after + 1 < this.to && tokens.kind(after) === kinds.dot && tokens.isName(after + 1)) after += 2;
    return after;
  }

  private query(role: number): void {
    const { scope } = this;
    scope.query = role;
    scope.expects = expects.nothing;
    scope.listOf = expects.nothing;
    scope.isWithList = false;
    scope.isJoining = false;
  }

  private expect(what: number, isList: boolean): void {
    this.scope.expects = what;
    this.scope.listOf = isList ? what : expects.nothing;
  }

  private roleAt(index: number): number {
    return index < this.from || index >= this.to ? roles.none : this.tokens.role(index);
  }

  private open(i: number): void {
    const outer = this.scope;
    if (this.depth + 1 >= limits.maxShapeDepth) {
      this.overflow++;
      return;
    }
    this.depth++;
    const inner = this.scopeAt(this.depth);
    const before = this.roleAt(i - 1);
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

  private close(): void {
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

  private reset(scope: Scope): void {
    scope.expects = expects.nothing;
    scope.listOf = expects.nothing;
    scope.query = roles.none;
    scope.isJoining = false;
    scope.isWithList = false;
  }

  private scopeAt(depth: number): Scope {
    const scope = this.scopes[depth] ?? newScope();
    this.scopes[depth] = scope;
    this.reset(scope);
    scope.isRecursive = false;
    scope.cteName = null;
    scope.knownCtes = 0;
    return scope;
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

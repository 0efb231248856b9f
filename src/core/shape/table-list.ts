/**
 * The tables of one statement, and what is done with a word where one is expected: it is a table, a CTE's name, a column, noise
 * before a name, or the end of the expectation.
 */
import { limits } from '../limits.js';
import type { TableName } from '../schema/model.js';
import { shownTable } from './mysql-tables.js';
import type { NameReader } from './names.js';
import { roles } from './roles.js';
import { isOtherObject, namesObjects, type Place } from './table-definitions.js';
import { expects } from './table-scopes.js';
import { kinds, type Tokens } from './tokens.js';
import { wordTraits } from './words.js';

const atCode = 0x40;

export class TableList {
  /** In order of appearance, without duplicates. */
  tables: TableName[] = [];
  private readonly tokens: Tokens;
  private readonly names: NameReader;
  private place: Place;
  private to = 0;

  constructor(place: Place, names: NameReader) {
    this.tokens = place.tokens;
    this.place = place;
    this.names = names;
  }

  /** Begins the list of the statement at `place` that ends before `to`. */
  begin(place: Place, to: number): void {
    this.place = place;
    this.to = to;
    this.tables = [];
  }

  /** A keyword where a name is expected: a name itself, noise before one, or (0) the end of the expectation. */
  expectedKeyword(i: number, entry: number): number {
    const { words, scopes } = this.place;
    const { scope } = scopes;
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
    if (this.tokens.kind(i + 1) === kinds.dot) return this.expected(i);
    switch (role) {
      case roles.temp:
      case roles.temporary:
      case roles.unlogged:
        if (this.tokens.isName(i + 1)) return i + 1;
        break;
      case roles.rows:
        if (nextRole === roles.from) {
          this.place.scopes.scope.expects = expects.fromItem;
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
    return this.expected(i);
  }

  /** A table, a CTE's name or a column, with its dots; returns the index after it. */
  expected(i: number): number {
    const { scope } = this.place.scopes;
    const expected = scope.expects;
    if (this.place.isMysql && this.isBraceWord(i)) return i + 1;
    scope.expects = expects.nothing;
    const after = this.after(i);
    if (expected === expects.cte) {
      this.cteName(i, after);
      return after;
    }
    const isFunction = expected === expects.fromItem && this.tokens.kind(after) === kinds.openParen;
    if (!isFunction || after >= this.to) {
      this.add(i, expected === expects.column ? after - 2 : after, expected === expects.fromItem);
      if (this.place.isMysql && expected === expects.fromItem) this.noteAlias(after);
    }
    return after;
  }

  private cteName(i: number, after: number): void {
    const isDefined = this.tokens.kind(after) === kinds.openParen || this.roleAt(after) === roles.as;
    if (after !== i + 1 || !isDefined) return;
    this.mark(i, after);
    this.place.scopes.nameCte(this.names.keptName(i));
  }

  /** The last two parts of the name [start, end). */
  private add(start: number, end: number, mayBeCte: boolean): void {
    const last = end - 1;
    if (last < start || !this.tokens.isName(last)) return;
    if (this.place.isMysql && (this.isWildcard(end) || this.isVariable(start))) return;
    const isFull = this.tables.length >= limits.maxTablesPerStatement;
    const name = isFull ? '' : this.names.keptName(last);
    const schema = !isFull && last - 2 >= start ? this.names.keptName(last - 2) : null;
    this.mark(start, end);
    if (isFull) return;
    if (schema === null && mayBeCte && this.place.scopes.isCte(name)) return;
    this.push(schema, name);
  }

  /** `[AS] name` at `i`, behind an item of FROM: its case counts as a table's does. */
  noteAlias(i: number): void {
    const { tokens } = this;
    const hasAs = this.roleAt(i) === roles.as;
    const at = hasAs ? i + 1 : i;
    if (at >= this.to || !tokens.isName(at)) return;
    // without AS a word of the grammar may be grammar
    if (!hasAs && tokens.entry(at) > 0) return;
    const isReserved = (this.place.words.traits(tokens.word(at)) & wordTraits.reserved) !== 0;
    if (!isReserved) this.mark(at, at + 1);
  }

  /** Tables or aliases in DELETE `a, b` FROM and FOR UPDATE OF `a, b`, which start at `from`. */
  noteAliases(from: number): void {
    const { tokens } = this;
    for (let i = from; i < this.to; i++) {
      const kind = tokens.kind(i);
      if (tokens.isName(i)) {
        if (tokens.role(i) !== roles.none && tokens.role(i) !== roles.tableName) return;
        if (tokens.entry(i) === 0) this.mark(i, i + 1);
      } else if (kind !== kinds.comma && kind !== kinds.dot && kind !== kinds.operator) return;
    }
  }

  /** ALTER TABLE … RENAME [TO] t, and UNION = (t1, t2) of a table that merges others. */
  noteRelated(from: number): void {
    const { tokens } = this;
    const { words } = this.place;
    for (let i = from; i < this.to; i++) {
      if (this.roleAt(i) === roles.union) {
        const open = tokens.kind(i + 1) === kinds.operator ? i + 2 : i + 1;
        if (tokens.kind(open) === kinds.openParen) this.noteAliases(open + 1);
      } else if (words.text(tokens.word(i)) === 'rename') {
        const next = this.roleAt(i + 1);
        const isJoined = next === roles.to || next === roles.as || tokens.kind(i + 1) === kinds.operator;
        const name = isJoined ? i + 2 : i + 1;
        if (name < this.to && tokens.isName(name) && tokens.entry(name) === 0)
          this.mark(name, this.after(name));
      }
    }
  }

  /** Where the case of names counts, a table's is kept though it be spelled like a keyword. */
  private mark(start: number, end: number): void {
    if (!this.place.isMysql) return;
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

  after(i: number): number {
    const { tokens } = this;
    let after = i + 1;
    while (after + 1 < this.to && tokens.kind(after) === kinds.dot && tokens.isName(after + 1)) after += 2;
    return after;
  }

  shown(): readonly TableName[] {
    const { name, schema } = shownTable(this.place, this.to);
    if (name < 0 || name >= this.to || !this.tokens.isName(name)) return this.tables;
    const end = this.after(name);
    if (schema >= 0 && schema < this.to && this.tokens.isName(schema)) {
      this.push(this.names.keptName(schema), this.names.keptName(end - 1));
      this.mark(schema, schema + 1);
      this.mark(name, end);
    } else this.add(name, end, false);
    return this.tables;
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

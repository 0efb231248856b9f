/**
 * The shaper of one dialect: text in, canonical statements out. Owns the cache and the order of the passes:
 * tokens, statements, then for each statement its verb, its tables and its canonical text.
 *
 * Work is linear in the text and nothing throws, whatever the text. One shaper serves all sessions of its dialect:
 * everything is synchronous, and the token arrays are reused from call to call.
 */
import { limits } from '../limits.js';
import type { LexicalOptions } from '../verdict.js';
import { Canonical } from './canonical.js';
import { Lexer } from './lexer.js';
import { NameReader } from './names.js';
import type { Dialect, Shaper, StatementShape, TextShape, TokenAt } from './shape.js';
import { createShapeCache, type ShapeCache } from './shape-cache.js';
import { type StatementRange, StatementSplitter } from './statements.js';
import { TableFinder } from './tables.js';
import { TokenFinder, utf16Index } from './token-at.js';
import { Tokens } from './tokens.js';
import { VerbReader } from './verb.js';
import { WordTable } from './words.js';

export function createShaper(dialect: Dialect): Shaper {
  return new CachingShaper(dialect);
}

class CachingShaper implements Shaper {
  private readonly tokens = new Tokens();
  private readonly lexer: Lexer;
  private readonly splitter: StatementSplitter;
  private readonly names: NameReader;
  private readonly verbs: VerbReader;
  private readonly canonical: Canonical;
  private readonly tables: TableFinder;
  private readonly finder: TokenFinder;
  /** One cache for each combination of options met, as the same text may read differently. */
  private readonly caches = new Map<number, ShapeCache>();

  constructor(dialect: Dialect) {
    const { tokens } = this;
    const words = new WordTable(dialect);
    this.lexer = new Lexer(dialect, words, tokens);
    this.splitter = new StatementSplitter(dialect, tokens, words);
    this.names = new NameReader(dialect, words, tokens);
    this.verbs = new VerbReader(dialect, tokens, words);
    this.canonical = new Canonical(dialect, tokens, words, this.names);
    this.tables = new TableFinder(dialect, tokens, words, this.names);
    this.finder = new TokenFinder(tokens, words, this.names);
  }

  shape(text: string, options: LexicalOptions, isTruncated: boolean): TextShape {
    if (isTruncated || text.length > limits.maxCachedShapeTextBytes) {
      return this.compute(text, options, isTruncated);
    }
    const cache = this.cacheFor(options);
    const known = cache.get(text);
    if (known !== undefined) return known;
    const made = this.compute(text, options, false);
    cache.set(text, made);
    return made;
  }

  tokenAt(text: string, options: LexicalOptions, position: number): TokenAt | null {
    const index = utf16Index(text, position);
    if (index < 0 || index > limits.maxStatementBytes) return null;
    const isCut = text.length > limits.maxStatementBytes;
    const ranges = this.read(isCut ? text.slice(0, limits.maxStatementBytes) : text, options, isCut);
    let verbAt = '';
    for (const { from, to } of ranges) {
      if (from === to) continue;
      const { verb } = this.verbs.read(from, to);
      if (this.tokens.start(from) <= index) verbAt = verb;
      // both mark tokens: names of tables, and what stands for a value
      this.tables.find(from, to, verb);
      this.canonical.write(from, to, verb, isCut);
    }
    this.names.beginStatement(verbAt);
    return this.finder.at(index, ranges);
  }

  private compute(text: string, options: LexicalOptions, isTruncated: boolean): TextShape {
    const isCut = text.length > limits.maxStatementBytes;
    const ranges = this.read(
      isCut ? text.slice(0, limits.maxStatementBytes) : text,
      options,
      isTruncated || isCut,
    );
    const { trace } = this.lexer;
    const statements = ranges.map((range, index) =>
      this.statement(range, (isTruncated || isCut) && index === ranges.length - 1),
    );
    if (statements.length === 0) statements.push(emptyStatement(isTruncated || isCut, 0));
    return { statements, trace };
  }

  private read(text: string, options: LexicalOptions, isTruncated: boolean): StatementRange[] {
    this.lexer.lex(text, options, isTruncated);
    this.names.begin(options);
    return this.splitter.split(limits.maxMultiStatements);
  }

  private statement({ from, to }: StatementRange, isTruncated: boolean): StatementShape {
    const { tokens } = this;
    if (from === to) return emptyStatement(isTruncated, tokens.text.length);
    const { verb, family } = this.verbs.read(from, to);
    // before writing, which hides names that look like values
    const tables = this.tables.find(from, to, verb);
    this.names.beginStatement(verb);
    const { shape, holes } = this.canonical.write(from, to, verb, isTruncated);
    return {
      shape,
      holes,
      verb,
      verbFamily: family,
      tables,
      isTruncated,
      start: tokens.start(from),
      end: tokens.end(to - 1),
    };
  }

  private cacheFor(options: LexicalOptions): ShapeCache {
    const key =
      (options.isStandardConformingStrings ? 1 : 0) |
      (options.isAnsiQuotes ? 2 : 0) |
      (options.isBackslashLiteral ? 4 : 0) |
      (options.isNameCaseIgnored ? 8 : 0);
    let cache = this.caches.get(key);
    if (cache === undefined) {
      cache = createShapeCache();
      this.caches.set(key, cache);
    }
    return cache;
  }
}

const emptyStatement = (isTruncated: boolean, at: number): StatementShape => ({
  shape: '',
  holes: '',
  verb: '',
  verbFamily: 'other',
  tables: [],
  isTruncated,
  start: at,
  end: at,
});

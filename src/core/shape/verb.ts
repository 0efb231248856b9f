/** What a statement does: its verb, and the family of statements that may replace it. */
import type { Dialect, VerbFamily } from './shape.js';
import { kinds, type Tokens } from './tokens.js';
import type { WordTable } from './words.js';

export interface Verb {
  readonly verb: string;
  readonly family: VerbFamily;
}

/** Words between CREATE, ALTER or DROP and the kind of object. */
const modifiers = new Set(
  `or replace global local temp temporary unlogged unique recursive constraint trusted procedural default algorithm
  definer invoker if not exists aggregate fulltext spatial online offline ignore sql security merge temptable undefined
  undo`.split(/\s+/),
);
/** Kinds of object of two words. */
const twoWordKinds = new Set([
  ...['materialized', 'foreign', 'event', 'access', 'text', 'user', 'package', 'reference', 'resource'],
  'logfile',
]);
const secondWords = new Set([
  ...[
    'view',
    'table',
    'data',
    'trigger',
    'method',
    'search',
    'mapping',
    'wrapper',
    'body',
    'system',
    'group',
  ],
]);
/** What may stand between CREATE and the kind of object beside words: `definer = 'root'@'localhost'`. */
const maxPrefixTokens = 16;

const families: Readonly<Record<string, VerbFamily>> = {
  select: 'read',
  values: 'read',
  table: 'read',
  show: 'read',
  fetch: 'read',
  move: 'read',
  declare: 'read',
  explain: 'read',
  insert: 'insert',
  replace: 'insert',
  update: 'update',
  delete: 'delete',
  truncate: 'delete',
  merge: 'merge',
  copy: 'copy',
  call: 'call',
  do: 'call',
  execute: 'call',
  create: 'ddl',
  alter: 'ddl',
  drop: 'ddl',
  comment: 'ddl',
  grant: 'ddl',
  revoke: 'ddl',
  reassign: 'ddl',
  security: 'ddl',
  import: 'ddl',
  rename: 'ddl',
  refresh: 'ddl',
};

const mainVerbs = new Set(['select', 'insert', 'update', 'delete', 'merge', 'values', 'table', 'replace']);
const explainOptions = new Set(['', 'verbose', 'format', 'extended', 'partitions']);
/** Words behind DESCRIBE that make it EXPLAIN. */
const explainedBy = new Set(['format', 'extended', 'partitions', 'analyze', 'for']);
/** Verbs of the MySQL family that mean something only with the word behind them. */
const twoWordVerbs = new Set(['load data', 'load xml', 'load index', 'rename table', 'rename user']);

export class VerbReader {
  private readonly tokens: Tokens;
  private readonly words: WordTable;
  private readonly families: Readonly<Record<string, VerbFamily>>;
  private readonly isMysql: boolean;

  constructor(dialect: Dialect, tokens: Tokens, words: WordTable) {
    this.tokens = tokens;
    this.words = words;
    this.families = { ...families, ...dialect.verbFamilies };
    this.isMysql = dialect.grammar === 'mysql';
  }

  /** Reads the verb of the statement [from, to); empty for a statement without a word in front. */
  read(from: number, to: number): Verb {
    const { tokens } = this;
    let first = tokens.first(from, to);
    while (first < to && (tokens.kind(first) === kinds.openParen || tokens.kind(first) === kinds.openHint)) {
      first = tokens.kind(first) === kinds.openParen ? first + 1 : this.afterHint(first, to);
    }
    const text = this.text(first, to);
    switch (text) {
      case 'with':
        return this.plain(this.mainVerb(first + 1, to, 'with'));
      case 'explain':
        // of a table
        if (this.isMysql && tokens.isName(first + 1) && tokens.word(first + 1) === 0 && first + 1 < to)
          return this.plain('describe');
        return this.explained(first + 1, to);
      case 'create':
      case 'alter':
      case 'drop':
        return this.object(text, first + 1, to);
      default:
        return this.isMysql ? this.mysql(text, first, to) : this.plain(text);
    }
  }

  private plain(verb: string): Verb {
    return { verb, family: this.families[verb] ?? 'other' };
  }

  private mysql(text: string, first: number, to: number): Verb {
    switch (text) {
      case 'desc':
      case 'describe':
        return this.startsMain(first + 1, to) ? this.plain('explain') : this.plain('describe');
      case 'analyze': {
        // ANALYZE of a statement runs it
        const main = this.mainAt(first + 1, to);
        const family = main < to && this.text(main, to) !== 'table' ? this.read(main, to).family : 'other';
        return { verb: 'analyze', family };
      }
      case 'begin':
        return this.plain(this.text(first + 1, to) === 'not' ? 'begin not atomic' : 'begin');
      case 'set':
        return this.text(first + 1, to) === 'statement' ? this.inner(first + 2, to) : this.plain('set');
      default: {
        const second = this.text(first + 1, to);
        const both = `${text} ${second === 'tables' ? 'table' : second}`;
        return this.plain(twoWordVerbs.has(both) ? both : text);
      }
    }
  }

  /** SET STATEMENT a = b FOR statement. */
  private inner(from: number, to: number): Verb {
    for (let i = from; i < to; i++) {
      // it does not nest
      if (this.text(i, to) === 'for')
        return this.text(i + 1, to) === 'set' ? this.plain('set') : this.read(i + 1, to);
    }
    return this.plain('set');
  }

  /** EXPLAIN of a statement, and not of a table. */
  private startsMain(from: number, to: number): boolean {
    const text = this.text(from, to);
    return text === 'with' || explainedBy.has(text) || mainVerbs.has(text);
  }

  private afterHint(open: number, to: number): number {
    let i = open;
    while (i < to && this.tokens.kind(i) !== kinds.closeHint) i++;
    return i + 1;
  }

  /** The statement that follows the CTEs; `otherwise` when there is none. */
  private mainVerb(from: number, to: number, otherwise: string): string {
    const main = this.mainAt(from, to);
    return main < to ? this.text(main, to) : otherwise;
  }

  private mainAt(from: number, to: number): number {
    const { tokens } = this;
    let depth = 0;
    for (let i = from; i < to; i++) {
      const kind = tokens.kind(i);
      if (kind === kinds.openParen) depth++;
      else if (kind === kinds.closeParen) depth--;
      else if (depth === 0 && kind === kinds.word && mainVerbs.has(this.text(i, to))) return i;
    }
    return to;
  }

  /** EXPLAIN only reads, unless it runs the statement. */
  private explained(from: number, to: number): Verb {
    const { tokens } = this;
    let isRun = false;
    let depth = 0;
    for (let i = from; i < to; i++) {
      const kind = tokens.kind(i);
      if (kind === kinds.openParen) depth++;
      else if (kind === kinds.closeParen) depth--;
      const text = this.text(i, to);
      if (text === 'analyze' || text === 'analyse') isRun = true;
      else if (depth === 0 && !explainOptions.has(text) && tokens.kind(i - 1) !== kinds.operator) {
        return { verb: 'explain', family: isRun && text !== 'explain' ? this.read(i, to).family : 'read' };
      }
    }
    return { verb: 'explain', family: 'read' };
  }

  private object(verb: string, from: number, to: number): Verb {
    const { tokens } = this;
    const last = Math.min(to, from + maxPrefixTokens);
    let i = from;
    // what follows DEFINER and ALGORITHM is no object
    let hasValue = false;
    for (; i < last; i++) {
      const text = this.text(i, to);
      if (tokens.kind(i) === kinds.operator) hasValue = true;
      const isPrefix =
        modifiers.has(text) || tokens.kind(i - 1) === kinds.operator || (hasValue && text === '');
      if (!isPrefix && tokens.kind(i) !== kinds.operator) break;
    }
    const named = i < last ? this.text(i, to) : '';
    const object = named === 'tables' ? 'table' : named;
    if (object === '') return { verb, family: 'ddl' };
    if (object === 'prepare') return this.plain('deallocate');
    const second = this.text(i + 1, to);
    const full =
      twoWordKinds.has(object) && secondWords.has(second)
        ? `${verb} ${object} ${second}`
        : `${verb} ${object}`;
    return { verb: full, family: this.families[full] ?? 'ddl' };
  }

  private text(index: number, to: number): string {
    return index < to ? this.words.text(this.tokens.word(index)) : '';
  }
}

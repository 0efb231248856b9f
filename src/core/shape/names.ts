/** Names as a shape writes them: folded, quoted only where that matters, without control characters. */

import type { LexicalOptions } from '../verdict.js';
import { bitsOf, characterBits, isDigit } from './characters.js';
import type { ShapeOutput } from './output.js';
import { roles } from './roles.js';
import type { Dialect } from './shape.js';
import { kinds, type Tokens } from './tokens.js';
import { hashStep, type WordTable, wordTraits } from './words.js';

const { upper, digit, spacer, odd, beyondAscii } = characterBits;

const atCode = 0x40;

/** Shorter names have no part that collapses. */
const shortestVolatile = 6;

/** Reads names out of tokens; one per shaper. */
export class NameReader {
  private readonly dialect: Dialect;
  private readonly words: WordTable;
  private readonly tokens: Tokens;
  private readonly mark: string;
  private readonly markCode: number;
  private readonly room: Uint8Array;
  private foldsUnquoted = false;
  private foldsQuoted = false;
  private foldsColumns = false;

  constructor(dialect: Dialect, words: WordTable, tokens: Tokens) {
    this.dialect = dialect;
    this.words = words;
    this.tokens = tokens;
    this.mark = dialect.hasBacktickIdentifiers ? '`' : '"';
    this.markCode = this.mark.charCodeAt(0);
    this.room = new Uint8Array(dialect.maxNameBytes);
  }

  /** Reads the names of the next text by these options. */
  begin(options: LexicalOptions): void {
    const isUnquotedOnly = this.dialect.foldsNames === 'unquoted';
    this.foldsUnquoted = isUnquotedOnly || options.isNameCaseIgnored;
    this.foldsQuoted = !isUnquotedOnly && options.isNameCaseIgnored;
  }

  /** Reads the names of a statement of this verb, whose tables have been marked. */
  beginStatement(verb: string): void {
    this.foldsColumns = this.dialect.foldsNames === 'by option' && foldingVerbs.has(verb);
  }

  /** True where the case of a name never matters: it is no table's, and where it is dotted it stands last. */
  isCaseIdle(index: number): boolean {
    return this.foldsColumns && this.tokens.role(index) !== roles.tableName;
  }

  /** The name as the database knows it, for keeping: it does not keep the statement's text in memory. */
  keptName(index: number): string {
    const isQuoted = this.tokens.kind(index) === kinds.quoted;
    return ` ${this.read(index, isQuoted ? this.foldsQuoted : this.foldsUnquoted)}`.slice(1);
  }

  /** The name without its quotes, folded as asked. */
  private read(index: number, isFolded: boolean): string {
    const { tokens } = this;
    const bits = tokens.bits(index);
    const slice = tokens.slice(index);
    if (tokens.kind(index) === kinds.quoted) {
      const isSimple = (bits & odd) === 0 && slice.charCodeAt(0) === slice.charCodeAt(slice.length - 1);
      const name = this.fit(isSimple ? slice.slice(1, -1) : unquote(slice));
      return isFolded && (bits & (upper | beyondAscii)) !== 0 ? foldAll(name) : name;
    }
    if (!isFolded) return this.fit(slice);
    if ((bits & (upper | beyondAscii)) === 0) return this.fit(slice);
    const isBeyondAscii = (bits & beyondAscii) !== 0;
    if (isBeyondAscii && this.dialect.foldsNames === 'by option') return this.fit(foldAll(slice));
    return this.fit(foldAscii(slice, isBeyondAscii));
  }

  /**
   * Adds the name to the token being written. Most are copied from the text, without a string being made. `isCalled`: it
   * is the name of a function or another whose case never matters.
   */
  append(output: ShapeOutput, index: number, isCalled = false): void {
    const { tokens, dialect } = this;
    const { text } = tokens;
    const start = tokens.start(index);
    const end = tokens.end(index);
    const bits = tokens.bits(index);
    const isShort =
      end - start < shortestVolatile || ((bits & digit) === 0 && end - start <= dialect.maxNameBytes);
    const isOdd = (bits & (odd | beyondAscii)) !== 0;
    if (!isShort || isOdd || ((bits & digit) !== 0 && isDigit(text.charCodeAt(start)))) {
      output.append(this.canonical(index, isCalled));
    } else if (tokens.kind(index) === kinds.word) {
      output.appendAscii(text, start, end, this.foldsUnquoted || isCalled || tokens.entry(index) > 0);
    } else if (text.charCodeAt(start) !== this.markCode) {
      output.append(this.canonical(index, isCalled));
    } else if (this.isQuoteIdle(index)) {
      output.appendAscii(text, start + 1, end - 1, this.isQuotedFolded(index, isCalled));
    } else {
      output.appendAscii(text, start, end, this.isQuotedFolded(index, isCalled));
    }
  }

  /** Where names keep their case, one that is called or is a keyword would lose it without its quotes. */
  private isQuotedFolded(index: number, isCalled: boolean): boolean {
    if (this.foldsQuoted || this.foldsUnquoted) return this.foldsQuoted;
    const { tokens, words } = this;
    if (isCalled) return true;
    if (tokens.role(index) === roles.tableName) return false;
    const entry = tokens.entry(index);
    return entry > 0 && (words.traits(entry) & quoteTraits) === 0;
  }

  /** The name as a token of a shape; what begins with a digit is quoted, so that it is no number. */
  canonical(index: number, isCalled = false): string {
    const { tokens, mark } = this;
    const isWord = tokens.kind(index) === kinds.word;
    const entry = tokens.word(index);
    const name = entry > 0 ? this.words.text(entry) : this.read(index, this.isShownFolded(index, isCalled));
    const isClean = (tokens.bits(index) & (digit | odd | beyondAscii)) === 0;
    const shown = isClean ? name : collapseVolatile(replaceControls(name));
    if (isWord ? !isDigit(shown.charCodeAt(0)) : this.isPlain(shown)) return shown;
    // a number behind a dot is a column to the server and may have been meant for a value
    if (isWord && onlyDigits.test(shown)) return `${mark}0${mark}`;
    return mark + shown.replaceAll(mark, mark + mark) + mark;
  }

  private isShownFolded(index: number, isCalled: boolean): boolean {
    const { tokens } = this;
    if (tokens.kind(index) === kinds.quoted) return this.isQuotedFolded(index, isCalled);
    // the case of a variable never matters
    return this.foldsUnquoted || isCalled || tokens.text.charCodeAt(tokens.start(index)) === atCode;
  }

  /** True when the quotes around an ASCII name change nothing. */
  private isQuoteIdle(index: number): boolean {
    const { tokens } = this;
    const telling = spacer | (this.foldsUnquoted && !this.foldsQuoted ? upper : 0);
    if ((tokens.bits(index) & telling) !== 0 || tokens.end(index) - tokens.start(index) < 3) return false;
    if (!mayStart(tokens.text.charCodeAt(tokens.start(index) + 1))) return false;
    return (this.words.traits(tokens.entry(index)) & quoteTraits) === 0;
  }

  /** True when the name could as well stand without quotes. */
  private isPlain(name: string): boolean {
    let bits = 0;
    let hash = 0;
    for (let i = 0; i < name.length; i++) {
      const code = name.charCodeAt(i);
      bits |= bitsOf(code);
      hash = hashStep(hash, code);
    }
    const telling = spacer | odd | (this.foldsUnquoted && !this.foldsQuoted ? upper : 0);
    if ((bits & telling) !== 0 || name === '') return false;
    if (!mayStart(name.charCodeAt(0))) return false;
    return (this.words.traits(this.words.find(name, 0, name.length, hash)) & quoteTraits) === 0;
  }

  private fit(name: string): string {
    if (name.length * 3 <= this.room.length) return name;
    const { read } = encoder.encodeInto(name, this.room);
    return read === name.length ? name : name.slice(0, read);
  }
}

/**
 * Statements whose names are columns, indexes, constraints, routines and variables, whose case never matters, beside
 * tables, which are marked. In others stand names of databases, accounts and triggers, which keep theirs.
 */
const foldingVerbs = new Set([
  ...[
    'select',
    'insert',
    'replace',
    'update',
    'delete',
    'values',
    'table',
    'do',
    'call',
    'set',
    'load data',
    'load xml',
  ],
  ...['explain', 'describe', 'analyze'],
  ...['create table', 'alter table', 'create index', 'drop index', 'create view', 'alter view'],
  ...['create procedure', 'drop procedure', 'create function', 'drop function', 'create event', 'drop event'],
]);

/** Keywords that mean something else without quotes. */
const quoteTraits = wordTraits.reserved | wordTraits.restricted;

/** True for a character that an unquoted name may start with, of those that may continue it. */
const mayStart = (code: number): boolean => !isDigit(code) && code !== 0x24;

const encoder = new TextEncoder();

/** Servers fold ASCII only, whatever the encoding's own rules of case. */
const foldAscii = (name: string, isBeyondAscii: boolean): string =>
  isBeyondAscii ? name.replace(/[A-Z]+/g, (letters) => letters.toLowerCase()) : name.toLowerCase();

/** MySQL folds every letter that has one other form. */
const foldAll = (name: string): string =>
  name.replace(/\p{Lu}/gu, (letter) => {
    const folded = letter.toLowerCase();
    return folded.length === letter.length ? folded : letter;
  });

/** Content of `"…"`, `` `…` `` or `U&"…"`. */
function unquote(quoted: string): string {
  const mark = quoted.at(-1) ?? '';
  const open = quoted.indexOf(mark);
  const content = quoted.slice(open + 1, -1).replaceAll(mark + mark, mark);
  return open === 0 ? content : decodeUnicodeEscapes(content);
}

function decodeUnicodeEscapes(content: string): string {
  return content.replace(
    /\\(?:\\|([0-9a-f]{4})|\+([0-9a-f]{6}))/gi,
    (whole, short?: string, long?: string) => {
      const code = short ?? long;
      if (code === undefined) return '\\';
      const point = Number.parseInt(code, 16);
      return point <= 0x10ffff ? String.fromCodePoint(point) : whole;
    },
  );
}

const replacement = '\ufffd';

/** What would act on a terminal, a log or a reader: control, format, separator and unpaired characters. */
const replaceControls = (name: string): string => name.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, replacement);

const temporarySchema = /^pg_(toast_)?temp_\d+$/;
const uuid = /[0-9a-f]{8}([-_]?)[0-9a-f]{4}\1[0-9a-f]{4}\1[0-9a-f]{4}\1[0-9a-f]{12}/gi;
const hexRun = /[0-9a-f]{16,}/gi;
const digitRun = /\d{6,}/g;
const onlyDigits = /^\d+$/;

/** Names that programs make up as they go: the part that changes becomes `0`. */
function collapseVolatile(name: string): string {
  if (name.length < shortestVolatile) return name;
  const collapsed = name
    .replace(uuid, '0')
    .replace(hexRun, (run) => (/\d/.test(run) ? '0' : run))
    .replace(digitRun, '0');
  // Last, so that what has become such a name is one, as it would be when shaped again.
  if (!temporarySchema.test(collapsed)) return collapsed;
  return collapsed.startsWith('pg_toast') ? 'pg_toast_temp' : 'pg_temp';
}

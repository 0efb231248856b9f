/** Which unquoted words are part of the grammar where they stand; all others are names. */
import { reservedWords } from './keywords.js';
import type { Token } from './token.js';

const functionWords = new Set(['left', 'right', 'replace', 'insert']);
/** As in `timestamp with time zone`. */
const maxTypeWords = 4;
const castFollowers = new Set(['precision', 'varying', 'with', 'without', 'time', 'zone']);

/** What the words before say of a word, told token by token. */
export class GrammarWords {
  private readonly tokens: readonly Token[];
  private readonly verb: string;
  private hasSet = false;
  private hasValues = false;
  /** For each open parenthesis whether CAST opened it. */
  private readonly casts: boolean[] = [];

  constructor(tokens: readonly Token[], verb: string) {
    this.tokens = tokens;
    this.verb = verb;
  }

  get depth(): number {
    return this.casts.length;
  }

  /** To be told of every token that is handed on, in order. */
  passed(index: number): void {
    const token = this.tokens[index];
    if (token?.kind !== 'mark') return;
    if (token.text === '(') this.casts.push(this.word(index - 1) === 'cast');
    else if (token.text === ')') this.casts.pop();
  }

  /** True where the token is part of the name of a type. */
  isType(index: number): boolean {
    let first = index;
    const last = index - maxTypeWords;
    while (first > last && castFollowers.has(this.word(first)) && this.word(first - 1) !== '') first -= 1;
    for (; first <= index; first += 1) {
      const before = this.tokens[first - 1];
      if (before?.kind === 'operator' && before.text === '::') return true;
      if (this.word(first - 1) === 'as' && this.casts.at(-1) === true) return true;
    }
    return false;
  }

  isGrammar(index: number): boolean {
    const word = this.word(index);
    const before = this.word(index - 1);
    if (before === 'as') return false;
    const isCalled = this.mark(index + 1) === '(';
    if (isCalled && functionWords.has(word)) return false;
    if (reservedWords.has(word)) return word !== 'array' || this.mark(index + 1) === '[';
    switch (word) {
      case 'by':
        return before === 'group' || before === 'order';
      case 'insert':
      case 'update':
      case 'delete':
        return index === 0;
      case 'set':
        return this.once('hasSet', this.verb === 'update' && index > 1 && this.depth === 0);
      case 'values':
        return this.once('hasValues', this.verb === 'insert' && index > 2 && this.depth === 0);
      case 'nulls':
        return ['first', 'last'].includes(this.word(index + 1));
      case 'first':
      case 'last':
      case 'next':
        return before === 'nulls' || before === 'fetch';
      case 'row':
      case 'rows':
        return this.isBehindBound(index);
      case 'only':
        return (before === 'row' || before === 'rows') && this.isBehindBound(index - 1);
      case 'extract':
      case 'substring':
        return isCalled;
      case 'filter':
        return isCalled && this.mark(index - 1) === ')';
      case 'default':
        return !isCalled;
      default:
        return false;
    }
  }

  private isBehindBound(index: number): boolean {
    const isBound = ['number', 'parameter'].includes(this.tokens[index - 1]?.kind ?? '');
    return isBound && ['offset', 'first', 'next'].includes(this.word(index - 2));
  }

  private once(flag: 'hasSet' | 'hasValues', isHere: boolean): boolean {
    if (!isHere || this[flag]) return false;
    this[flag] = true;
    return true;
  }

  private word(index: number): string {
    const token = this.tokens[index];
    return token?.kind === 'word' ? token.text : '';
  }

  private mark(index: number): string {
    const token = this.tokens[index];
    return token?.kind === 'mark' ? token.text : '';
  }
}

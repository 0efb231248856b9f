/** Where the statements of a text stand, without their shapes: what whoever counts a server's answers needs. */
import { limits } from '../limits.js';
import type { LexicalOptions } from '../verdict.js';
import { Lexer } from './lexer.js';
import type { Dialect } from './shape.js';
import { StatementSplitter } from './statements.js';
import { Tokens } from './tokens.js';
import { WordTable } from './words.js';

/** UTF-16 indexes, `end` exclusive; the same where an empty statement is answered. */
export interface StatementBounds {
  readonly start: number;
  readonly end: number;
}

/** The same statements, with the same indexes, as the shaper of this dialect finds. */
export type TextSplitter = (text: string, options: LexicalOptions) => readonly StatementBounds[];

export function createSplitter(dialect: Dialect): TextSplitter {
  const tokens = new Tokens();
  const words = new WordTable(dialect);
  const lexer = new Lexer(dialect, words, tokens);
  const splitter = new StatementSplitter(dialect, tokens, words);
  return (text, options) => {
    const isCut = text.length > limits.maxStatementBytes;
    lexer.lex(isCut ? text.slice(0, limits.maxStatementBytes) : text, options, isCut);
    return splitter
      .split(limits.maxMultiStatements)
      .map(({ from, to }) =>
        from === to
          ? { start: text.length, end: text.length }
          : { start: tokens.start(from), end: tokens.end(to - 1) },
      );
  };
}

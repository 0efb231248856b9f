/** Where the statements of a text begin and end. What holds other statements in the MySQL family is in routines.ts. */
import { roles } from './roles.js';
import { RoutineReader } from './routines.js';
import type { Dialect } from './shape.js';
import { kinds, type Tokens } from './tokens.js';
import type { WordTable } from './words.js';

/** Token indexes of one statement, `to` exclusive; without the semicolon that ends it. */
export interface StatementRange {
  readonly from: number;
  readonly to: number;
}

/** Splits the texts of one dialect. */
export class StatementSplitter {
  private readonly tokens: Tokens;
  private readonly routines: RoutineReader | null;

  constructor(dialect: Dialect, tokens: Tokens, words: WordTable) {
    this.tokens = tokens;
    this.routines =
      dialect.batches === 'atomic' ? null : new RoutineReader(tokens, words, dialect.batches === 'blocks');
  }

  split(maxStatements: number): StatementRange[] {
    const { tokens, routines } = this;
    if (!tokens.hasSemicolon) return tokens.count > 0 ? [{ from: 0, to: tokens.count }] : [];
    return routines === null
      ? splitStatements(tokens, maxStatements)
      : splitBatch(tokens, routines, maxStatements);
  }
}

/**
 * As servers of the MySQL family split: at every semicolon that is not in a body. They drop semicolons at the end of the
 * text. An empty statement before that is a syntax error, in which what follows is read; one of nothing but a comment, at
 * the end, is answered like any other.
 */
function splitBatch(tokens: Tokens, routines: RoutineReader, maxStatements: number): StatementRange[] {
  const ranges: StatementRange[] = [];
  const { count, beforeComment } = tokens;
  let from = 0;
  while (from < count && ranges.length < maxStatements) {
    const first = tokens.first(from, count);
    if (first === count) {
      // semicolons at the end
      if (beforeComment > from) ranges.push({ from, to: count });
      break;
    }
    const to = routines.end(first, count);
    ranges.push({ from, to });
    from = to + 1;
  }
  const isEndEmpty = ranges.length > 0 && beforeComment >= from && tokens.first(from, count) === count;
  if (isEndEmpty && beforeComment === from && ranges.length < maxStatements) {
    ranges.push({ from: count, to: count });
  }
  return ranges;
}

/**
 * Splits at semicolons outside parentheses and outside BEGIN ATOMIC … END. Statements without a token are left out,
 * as servers do not count them. Data that follows COPY … FROM STDIN in a script is dropped from the tokens.
 */
function splitStatements(tokens: Tokens, maxStatements: number): StatementRange[] {
  const ranges: StatementRange[] = [];
  let from = 0;
  let depth = 0;
  let atomicDepth = 0;
  for (let i = 0; i < tokens.count; i++) {
    const kind = tokens.kind(i);
    if (kind === kinds.word) {
      const role = tokens.role(i);
      if (role === roles.none) continue;
      if (role === roles.begin && tokens.role(i + 1) === roles.atomic) atomicDepth++;
      else if (atomicDepth > 0 && role === roles.case) atomicDepth++;
      else if (atomicDepth > 0 && role === roles.end) atomicDepth--;
    } else if (kind === kinds.openParen) {
      depth++;
    } else if (kind === kinds.closeParen) {
      if (depth > 0) depth--;
    } else if (kind === kinds.semicolon && depth === 0 && atomicDepth === 0) {
      if (i > from) {
        if (ranges.length === maxStatements) return ranges;
        ranges.push({ from, to: i });
        if (hasInlineData(tokens, from, i)) tokens.cut(i + 1);
      }
      from = i + 1;
    }
  }
  if (tokens.count > from && ranges.length < maxStatements) ranges.push({ from, to: tokens.count });
  return ranges;
}

/** A script for psql has the rows behind the statement and a line with `\.` after them. */
function hasInlineData(tokens: Tokens, from: number, semicolon: number): boolean {
  if (tokens.role(from) !== roles.copy) return false;
  let hasStdin = false;
  for (let i = from + 1; i < semicolon && !hasStdin; i++) {
    hasStdin = tokens.role(i) === roles.stdin;
  }
  return hasStdin && tokens.text.indexOf('\n\\.', tokens.end(semicolon)) >= 0;
}

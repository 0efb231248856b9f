/** Where the statements of a text begin and end. */
import { roles } from './roles.js';
import { kinds, type Tokens } from './tokens.js';

/** Token indexes of one statement, `to` exclusive; without the semicolon. */
export interface StatementRange {
  readonly from: number;
  readonly to: number;
}

/**
 * Splits at semicolons outside parentheses and outside BEGIN ATOMIC … END. Statements without a token are left out,
 * as servers do not count them. Data that follows COPY … FROM STDIN in a script is dropped from the tokens.
 */
export function splitStatements(tokens: Tokens, maxStatements: number): StatementRange[] {
  if (!tokens.hasSemicolon) return tokens.count > 0 ? [{ from: 0, to: tokens.count }] : [];
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

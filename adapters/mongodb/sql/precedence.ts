/**
 * Where the parser binds operators otherwise than SQL does: IS is given parentheses, and comparisons in a row are refused,
 * as PostgreSQL refuses them.
 */
import type { Piece } from './pieces.js';
import { refuse } from './refusals.js';

const comparisons = new Set(['=', '<', '>', '<=', '>=', '<>', '!=', '@>', '<@']);
/** An operand of IS or of a comparison begins behind each of these. */
const boundaries = new Set(
  ', and or not where having when then else case select by on set values limit offset from between'.split(
    ' ',
  ),
);

interface Level {
  /** Index of the piece the operand begins with. */
  start: number;
  hasComparison: boolean;
}

export function withPrecedence(pieces: readonly Piece[], verb: string): readonly Piece[] {
  const opens = new Map<number, number>();
  const closes = new Set<number>();
  const levels: Level[] = [{ start: 0, hasComparison: false }];
  let isInSet = false;
  pieces.forEach((piece, index) => {
    const level = levels.at(-1) as Level;
    const { text } = piece;
    if (text === '(' || text === '[') levels.push({ start: index + 1, hasComparison: false });
    else if ((text === ')' || text === ']') && levels.length > 1) levels.pop();
    else if (text === 'is') {
      opens.set(level.start, (opens.get(level.start) ?? 0) + 1);
      closes.add(index);
      level.hasComparison = true;
    } else if (comparisons.has(text)) {
      const isAssignment = isInSet && levels.length === 1 && index === level.start + 1;
      if (level.hasComparison) {
        refuse(
          'SQL_SYNTAX',
          'Comparisons do not follow each other: put parentheses around one.',
          piece.start,
        );
      }
      if (isAssignment) level.start = index + 1;
      else level.hasComparison = true;
    } else if (boundaries.has(text) && pieces[index - 1]?.text !== 'is') {
      level.start = index + 1;
      level.hasComparison = false;
      if (verb === 'update' && levels.length === 1) isInSet = text === 'set' || (isInSet && text !== 'where');
    }
  });
  return opens.size === 0 ? pieces : withParentheses(pieces, opens, closes);
}

function withParentheses(
  pieces: readonly Piece[],
  opens: ReadonlyMap<number, number>,
  closes: ReadonlySet<number>,
): readonly Piece[] {
  return pieces.flatMap((piece, index) => {
    const { start } = piece;
    const before: Piece[] = closes.has(index) ? [{ text: ')', start, endsOperand: true }] : [];
    for (let count = opens.get(index) ?? 0; count > 0; count -= 1) {
      before.push({ text: '(', start, endsOperand: false });
    }
    return [...before, piece];
  });
}

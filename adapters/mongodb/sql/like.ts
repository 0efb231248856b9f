/** LIKE's patterns as regular expressions. */

import type { LikePattern } from './contract.js';
import { refuse } from './refusals.js';

const special = new Set('\\^$.|?*+()[]{}/#-');

/** Matches the whole text; null where the pattern or its escape character is null. */
export function likeExpression({ pattern, escape: mark }: LikePattern, index: number): string | null {
  if (pattern.kind === 'null' || mark.kind === 'null') return null;
  if (typeof pattern.value !== 'string' || typeof mark.value !== 'string') {
    refuse('SQL_INVALID', 'The pattern of LIKE and its escape character are texts.', index);
  }
  if ([...mark.value].length > 1) {
    refuse('SQL_INVALID', 'The escape character of LIKE is one character, or none.', index);
  }
  let regex = '^';
  let isEscaped = false;
  for (const character of pattern.value) {
    if (isEscaped) {
      regex += quoted(character);
      isEscaped = false;
    } else if (character === mark.value) isEscaped = true;
    else if (character === '%') regex += '.*';
    else if (character === '_') regex += '.';
    else regex += quoted(character);
  }
  if (isEscaped) refuse('SQL_INVALID', 'The pattern of LIKE ends with its escape character.', index);
  return `${regex}\\z`;
}

function quoted(character: string): string {
  if (character === '\0') return '\\x00';
  return special.has(character) ? `\\${character}` : character;
}

/** Names a client makes up for one session: savepoints, cursors, prepared statements. They say nothing of the failure. */
import { kinds, type Tokens } from './tokens.js';
import type { WordTable } from './words.js';

/**
 * Index of the made-up name in the statement [from, to) that its first word tells of; -1 without one. EXECUTE and
 * WHERE CURRENT OF can stand deeper and are found on the way.
 */
export function findMadeUpName(tokens: Tokens, words: WordTable, from: number, to: number): number {
  const textAt = (index: number): string => (index < to ? words.text(tokens.word(index)) : '');
  const nameAt = (index: number): number => (index < to && tokens.isName(index) ? index : -1);
  // a lone `release savepoint` releases one called so
  const nameAfter = (index: number, optional: string): number =>
    nameAt(textAt(index) === optional && index + 1 < to ? index + 1 : index);
  switch (textAt(from)) {
    case 'savepoint':
    case 'declare':
      return nameAt(from + 1);
    case 'release':
      return nameAfter(from + 1, 'savepoint');
    case 'rollback': {
      for (let i = from + 1; i < to && i <= from + 2; i++) {
        if (textAt(i) === 'to') return nameAfter(i + 1, 'savepoint');
      }
      return -1;
    }
    case 'close':
      return textAt(from + 1) === 'all' ? -1 : nameAt(from + 1);
    case 'deallocate': {
      const name = nameAfter(from + 1, 'prepare');
      return textAt(name) === 'all' ? -1 : name;
    }
    case 'prepare':
      return textAt(from + 1) === 'transaction' ? -1 : nameAt(from + 1);
    case 'fetch':
    case 'move': {
      const last = to - 1;
      const isName = tokens.kind(last) === kinds.word || tokens.kind(last) === kinds.quoted;
      return last > from && isName ? last : -1;
    }
    default:
      return -1;
  }
}

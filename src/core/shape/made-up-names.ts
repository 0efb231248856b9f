/** Names a client makes up for one session: savepoints, cursors, prepared statements. They say nothing of the failure. */
import { roles } from './roles.js';
import type { Tokens } from './tokens.js';
import type { WordTable } from './words.js';

/**
 * Index of the made-up name in the statement [start, to) that its first word tells of; -1 without one. EXECUTE and
 * WHERE CURRENT OF can stand deeper and are found on the way.
 */
export function findMadeUpName(tokens: Tokens, words: WordTable, start: number, to: number): number {
  const from = tokens.first(start, to);
  switch (tokens.role(from)) {
    case roles.savepoint:
    case roles.declare:
      return nameAt(tokens, from + 1, to);
    case roles.release:
      return nameAfter(tokens, from + 1, to, roles.savepoint);
    case roles.rollback: {
      const at = tokens.role(from + 1) === roles.to ? from + 1 : from + 2;
      return tokens.role(at) === roles.to ? nameAfter(tokens, at + 1, to, roles.savepoint) : -1;
    }
    case roles.close:
      return tokens.role(from + 1) === roles.all ? -1 : nameAt(tokens, from + 1, to);
    case roles.deallocate: {
      const name = nameAfter(tokens, from + 1, to, roles.prepare);
      return name >= 0 && tokens.role(name) === roles.all ? -1 : name;
    }
    case roles.prepare:
      return tokens.role(from + 1) === roles.transaction ? -1 : nameAt(tokens, from + 1, to);
    case roles.fetch:
    case roles.move:
      return to - 1 > from ? nameAt(tokens, to - 1, to) : -1;
    default:
      // DROP PREPARE
      if (tokens.role(from + 1) !== roles.prepare || words.text(tokens.word(from)) !== 'drop') return -1;
      return nameAt(tokens, from + 2, to);
  }
}

const nameAt = (tokens: Tokens, index: number, to: number): number =>
  index < to && tokens.isName(index) ? index : -1;

/** The name behind a word that may be left out; alone, the word is the name: `release savepoint`. */
const nameAfter = (tokens: Tokens, index: number, to: number, optional: number): number =>
  nameAt(tokens, tokens.role(index) === optional && index + 1 < to ? index + 1 : index, to);

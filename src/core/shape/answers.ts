/**
 * How many answers a statement of the MySQL family gets, which whoever counts the completions of a text with several
 * statements must know: the server marks each answer with "more follow", and not where a statement ends.
 */

/**
 * `one`: an OK or one result set. `until ok`: result sets, and an OK that ends them (CALL, compound statements). `unknown`:
 * one or the other, by the text of a statement that was prepared (EXECUTE).
 */
export type Answers = 'one' | 'until ok' | 'unknown';

/** By the verb of the statement's shape. */
export function answersTo(verb: string): Answers {
  switch (verb) {
    case 'call':
    case 'begin not atomic':
    case 'if':
    case 'case':
    case 'loop':
    case 'repeat':
    case 'while':
    case 'for':
      return 'until ok';
    case 'execute':
      return 'unknown';
    default:
      return 'one';
  }
}

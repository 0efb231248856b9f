/** A word and a number that stand for values of users: where a piece of them turns up, a value has come through. */

/** A letter word no message holds by itself, and digits no counter reaches. */
export const secretWord = 'Zanzibarquux';
export const secretDigits = '8675309424242';

const pieceLength = 8;

/** Lower case, because keywords and names fold; a piece of the word is as bad as all of it. */
export function leaks(text: string): boolean {
  const folded = text.toLowerCase();
  return (
    folded.includes(secretWord.slice(0, pieceLength).toLowerCase()) ||
    folded.includes(secretDigits.slice(0, pieceLength))
  );
}

/** The lines of a text that leak. */
export function leaksIn(text: string): string[] {
  return text.split('\n').filter(leaks);
}

/** The note in an error's text, from the marker on: what stands before it is the server's own. */
export function noteIn(text: string): string | null {
  const at = text.indexOf('[twiceshy ');
  return at < 0 ? null : text.slice(at);
}

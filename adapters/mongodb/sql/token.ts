/** One token of a statement. */
export interface Token {
  readonly kind: 'word' | 'quoted' | 'string' | 'number' | 'parameter' | 'operator' | 'mark';
  /** A word in lower case, a name without its quotes, a string's value; else as it is written. */
  readonly text: string;
  /** A word as it is written, which is how it names something. */
  readonly written?: string;
  readonly start: number;
  readonly end: number;
}

export function isMark(tokens: readonly Token[], index: number, mark: string): boolean {
  const token = tokens[index];
  return token?.kind === 'mark' && token.text === mark;
}

export function isWord(tokens: readonly Token[], index: number, word: string): boolean {
  const token = tokens[index];
  return token?.kind === 'word' && token.text === word;
}

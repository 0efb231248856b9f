/** Optimizer hints. They have a grammar of their own: words, brackets and values are written one by one. */
import type { NameReader } from './names.js';
import { holeKinds, type ShapeOutput } from './output.js';
import { kinds, type Tokens } from './tokens.js';

/** Writes the hint that opens at `open`; returns the index after it. */
export function writeHint(
  tokens: Tokens,
  names: NameReader,
  output: ShapeOutput,
  open: number,
  to: number,
): number {
  output.write('/*+');
  let i = open + 1;
  for (; i < to && tokens.kind(i) !== kinds.closeHint; i++) {
    const kind = tokens.kind(i);
    if (tokens.isName(i)) {
      output.space();
      names.append(output, i);
    } else if (kind === kinds.string || kind === kinds.binary) output.hole(holeKinds.string);
    else if (kind === kinds.number) output.hole(holeKinds.number);
    else if (kind === kinds.parameter) output.hole(holeKinds.parameter);
    else output.write(kind === kinds.other ? foreignText(tokens, i) : tokens.slice(i));
  }
  output.write('*/');
  return Math.min(i + 1, to);
}

/** A character that belongs to no statement; one that cannot be shown is written as a backslash. */
export function foreignText(tokens: Tokens, index: number): string {
  const text = tokens.slice(index);
  return text > ' ' && text < '\u007f' ? text : '\\';
}

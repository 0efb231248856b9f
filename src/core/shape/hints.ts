/** Optimizer hints. They have a grammar of their own: words, brackets and values are written one by one. */
import { clingingEnd, isSecretWord } from './bare-values.js';
import type { NameReader } from './names.js';
import { holeKinds, type ShapeOutput } from './output.js';
import { isAssignment } from './setting-values.js';
import { kinds, type Tokens } from './tokens.js';

/**
 * Writes the hint that opens at `open`; returns the index after it. What is quoted, and what stands behind an equals sign
 * or a word like PASSWORD, is a value.
 */
export function writeHint(
  tokens: Tokens,
  names: NameReader,
  output: ShapeOutput,
  open: number,
  to: number,
): number {
  output.write('/*+');
  let i = open + 1;
  let isValue = false;
  for (; i < to && tokens.kind(i) !== kinds.closeHint; i++) {
    const kind = tokens.kind(i);
    if (isDoubleQuoted(tokens, i) || (isValue && (tokens.isName(i) || kind === kinds.number))) {
      const end = isValue ? clingingEnd(tokens, i, to) : i + 1;
      for (let at = i; at < end; at++) tokens.hide(at);
      i = end - 1;
      output.hole(holeKinds.name);
    } else if (tokens.isName(i)) {
      output.space();
      names.append(output, i, tokens.kind(i + 1) === kinds.openParen);
    } else if (kind === kinds.string || kind === kinds.binary) output.hole(holeKinds.string);
    else if (kind === kinds.number) output.hole(holeKinds.number);
    else if (kind === kinds.parameter) output.hole(holeKinds.parameter);
    else output.write(kind === kinds.other ? foreignText(tokens, i) : tokens.slice(i));
    isValue = isAssignment(tokens, i) || isSecretWord(tokens, i);
  }
  output.write('*/');
  return Math.min(i + 1, to);
}

const isDoubleQuoted = (tokens: Tokens, index: number): boolean =>
  tokens.kind(index) === kinds.quoted && tokens.text.charCodeAt(tokens.end(index) - 1) === 0x22;

/** A character that belongs to no statement; one that cannot be shown is written as a backslash. */
export function foreignText(tokens: Tokens, index: number): string {
  const text = tokens.slice(index);
  return text > ' ' && text < '\u007f' ? text : '\\';
}

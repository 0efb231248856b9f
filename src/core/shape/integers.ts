/** Integers that are part of a statement's form, and signs that are part of a number. */
import { isDigit } from './characters.js';
import { kinds, type Tokens } from './tokens.js';

const maxModifierDigits = 5;

/** True for a plain integer of at most `maxDigits`: what is longer may be a value. */
export function isShortInteger(tokens: Tokens, index: number, maxDigits: number): boolean {
  const start = tokens.start(index);
  const end = tokens.end(index);
  if (tokens.kind(index) !== kinds.number || end - start > maxDigits) return false;
  for (let at = start; at < end; at++) {
    if (!isDigit(tokens.text.charCodeAt(at))) return false;
  }
  return true;
}

/** Index after `( 10 , 2 )` at `open`; `open` itself when it is no list of one or two short integers. */
export function modifierEnd(tokens: Tokens, open: number, to: number): number {
  if (tokens.kind(open) !== kinds.openParen || !isShortInteger(tokens, open + 1, maxModifierDigits))
    return open;
  let close = open + 2;
  if (tokens.kind(close) === kinds.comma && isShortInteger(tokens, close + 1, maxModifierDigits)) close += 2;
  return tokens.kind(close) === kinds.closeParen && close < to ? close + 1 : open;
}

/** A lone `+` or `-`. */
export function isSign(tokens: Tokens, index: number): boolean {
  if (tokens.kind(index) !== kinds.operator || tokens.end(index) - tokens.start(index) !== 1) return false;
  const code = tokens.text.charCodeAt(tokens.start(index));
  return code === 0x2d || code === 0x2b;
}

/**
 * True when the sign at `index` belongs to a number. Few signs are looked through, so that looking stays linear.
 * `hasParameters`: to a parameter too, which then is not also what a shape has for every value.
 */
export function signsNumber(tokens: Tokens, index: number, to: number, hasParameters: boolean): boolean {
  for (let next = index + 1; next < to && next < index + 4; next++) {
    const kind = tokens.kind(next);
    if (kind === kinds.number || (hasParameters && kind === kinds.parameter)) return true;
    if (!isSign(tokens, next)) return false;
  }
  return false;
}

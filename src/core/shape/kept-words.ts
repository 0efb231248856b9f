/** Words that read like values or like names and are part of a statement's form, and the other way round. */
import type { Position } from './position.js';
import { roles } from './roles.js';
import { kinds, type Tokens } from './tokens.js';

const holeCode = 0x3f;
const plusCode = 0x2b;

/**
 * NULL, TRUE and FALSE that are part of the statement's form: IS NULL, NOT NULL, DEFAULT NULL, ON DELETE SET NULL.
 * `hasOptions`: the dialect has options of that name (COPY … NULL '').
 */
export function isWordKept(
  tokens: Tokens,
  position: Position,
  i: number,
  to: number,
  role: number,
  hasOptions: boolean,
): boolean {
  const { role: before } = position;
  if (position.isOperandEnded || before === roles.is || before === roles.default) return true;
  if (before === roles.not && (role === roles.null || position.roleBefore === roles.is)) return true;
  if (role !== roles.null) return false;
  if (before === roles.set || before === roles.on) return true;
  // `?` where the text is itself a shape
  if (!hasOptions || i + 1 >= to) return false;
  const next = tokens.kind(i + 1);
  return (
    next === kinds.string ||
    (next === kinds.operator && isHoleText(tokens.text, tokens.start(i + 1), tokens.end(i + 1)))
  );
}

/** `?` or `?+` in a dialect where they are operators. */
export function isHoleText(text: string, start: number, end: number): boolean {
  if (text.charCodeAt(start) !== holeCode) return false;
  return end - start === 1 || (end - start === 2 && text.charCodeAt(start + 1) === plusCode);
}

/** EXECUTE of a prepared statement, and not of a trigger's function, a privilege or a text. */
export function startsExecute(tokens: Tokens, position: Position, i: number): boolean {
  if (!tokens.isName(i + 1)) return false;
  const next = tokens.role(i + 1);
  if (next === roles.function || next === roles.procedure || next === roles.immediate || next === roles.on) {
    return false;
  }
  const { kind, role } = position;
  if (kind === kinds.end || kind === kinds.closeParen || kind === kinds.semicolon) return true;
  return role === roles.explain || role === roles.analyze || role === roles.verbose || role === roles.as;
}

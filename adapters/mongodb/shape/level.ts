/**
 * One document or array of a command as the canonicaliser reads it, wherever it comes from: BSON where it lies, or a text
 * that was read into a tree. Elements come in order; nothing of a value is handed out unless it is asked for.
 */
import { bsonType, bsonTypeName } from '../bson/types.js';

/** What a text may hold and BSON may not. */
export const pseudoType = {
  /** A value of which no more is known: a variable, an unknown call. */
  any: 0x101,
  /** A bare word, in canonical text a name; the value of a variable elsewhere. */
  word: 0x102,
} as const;

export interface Level {
  /** The current element's: a `bsonType`, or a `pseudoType`. Valid after `next` said true. */
  readonly type: number;
  next(): boolean;
  key(): string;
  /** The current value where it is a string or a word and known; else null. */
  text(): string | null;
  /** The current value where it is a number or a boolean and known; else NaN. */
  number(): number;
  /** The options of the current value where it is a regular expression and they are known; else ''. */
  options(): string;
  /** The current document or array, read from its start; null where it is none or not to be read. Valid until the next call. */
  enter(): Level | null;
}

const holes: string[] = [];
for (const [name, type] of Object.entries(bsonType)) holes[type] = `?${name}`;
for (const type of [bsonType.double, bsonType.int32, bsonType.int64, bsonType.decimal128])
  holes[type] = '?number';
holes[bsonType.codeWithScope] = '?code';
const anyHole = '?any';

/** What stands for a value of this type. Clients that encode 5 as an integer or a double agree. */
export function holeOf(type: number): string {
  return holes[type] ?? anyHole;
}

/** The type a hole stands for: `number` is one of them; null for a name that is none. */
export function typeOfHole(name: string): number | null {
  return typesByName.get(name) ?? null;
}

const typesByName = new Map<string, number>([
  ['number', bsonType.int32],
  ['any', pseudoType.any],
]);
for (let type = 0; type < 0x100; type += 1) {
  const name = bsonTypeName(type);
  if (name !== null) typesByName.set(name, type);
}

/** Numbers, whatever their size. */
export function isNumeric(type: number): boolean {
  return holes[type] === '?number';
}

/** Places that hold one value: what of it stays. Anything unexpected is a value, and a value leaves its type only. */
import { bsonType } from '../bson/types.js';
import { knownWords, locale, regexOptions, typeAliases } from './known-words.js';
import { holeOf, isNumeric, type Level, pseudoType, typeOfHole } from './level.js';
import { expressionPath, fieldPath, nameToken } from './names.js';
import type { PlainPart } from './part.js';

/** `?string`; a bare word is the name of a type, as in `age:number`, or of a variable. */
export function valueHole(level: Level): string {
  if (level.type !== pseudoType.word) return holeOf(level.type);
  return holeOf(typeOfHole(level.text() ?? '') ?? pseudoType.any);
}

/** The token of a scalar in its place; null where it is left out. */
export function scalarToken(level: Level, part: PlainPart): string | null {
  switch (part) {
    case 'dropped':
      return null;
    case 'flag':
      return flag(level);
    case 'kept boolean':
      return level.type === bsonType.boolean ? booleanToken(level) : valueHole(level);
    case 'kept digit':
      return integerBetween(level, 0, 9);
    case 'direction':
      return direction(level);
    case 'shown':
      return shown(level);
    case 'bson type':
      return wordOf(level, typeAliases) ?? integerBetween(level, -1, 127);
    case 'known word':
      return wordOf(level, knownWords) ?? valueHole(level);
    case 'name':
      return name(level);
    case 'expression':
    case 'arguments':
      return path(level);
    case 'regex':
      return regex(level);
    case 'regex options':
      return options(level);
    case 'condition':
      return level.type === bsonType.regex ? `{ $regex ${regex(level)} }` : valueHole(level);
    case 'code':
      return isText(level) ? '?code' : valueHole(level);
    case 'locale': {
      const text = level.text();
      return text !== null && locale.test(text) ? nameToken(text) : valueHole(level);
    }
    default:
      return valueHole(level);
  }
}

function isText({ type }: Level): boolean {
  return type === bsonType.string || type === bsonType.code || type === bsonType.codeWithScope;
}

/** Servers read numbers as flags too, and take null for nothing said. */
function flag(level: Level): string | null {
  if (level.type === bsonType.null || level.type === bsonType.undefined) return null;
  if (level.type !== bsonType.boolean && !isNumeric(level.type)) return valueHole(level);
  const value = level.number();
  if (Number.isNaN(value)) return valueHole(level);
  return value === 0 ? null : 'true';
}

function booleanToken(level: Level): string {
  const value = level.number();
  return Number.isNaN(value) ? valueHole(level) : String(value !== 0);
}

function integerBetween(level: Level, least: number, most: number): string {
  const value = isNumeric(level.type) ? level.number() : Number.NaN;
  return Number.isInteger(value) && value >= least && value <= most ? String(value + 0) : valueHole(level);
}

function direction(level: Level): string {
  const value = isNumeric(level.type) ? level.number() : Number.NaN;
  if (value === 1 || value === -1) return String(value);
  return wordOf(level, knownWords) ?? valueHole(level);
}

function shown(level: Level): string {
  if (level.type === bsonType.boolean || isNumeric(level.type)) {
    const value = level.number();
    return Number.isNaN(value) ? valueHole(level) : value === 0 ? '0' : '1';
  }
  return path(level);
}

function wordOf(level: Level, words: ReadonlySet<string>): string | null {
  const text = level.text();
  return text !== null && words.has(text) ? nameToken(text) : null;
}

function name(level: Level): string {
  const text = level.text();
  if (text === null) return valueHole(level);
  if (text === '*') return nameToken(text);
  const known = text.startsWith('$') ? expressionPath(text) : fieldPath(text);
  return known === null ? holeOf(bsonType.string) : nameToken(known);
}

function path(level: Level): string {
  const text = level.text();
  if (text === null) return valueHole(level);
  const known = expressionPath(text);
  if (known !== null) return nameToken(known);
  return level.type === pseudoType.word ? valueHole(level) : holeOf(level.type);
}

/** A pattern is a value however it is written; its options are not. */
function regex(level: Level): string {
  if (level.type !== bsonType.regex) return isText(level) ? '?regex' : valueHole(level);
  const kept = sortedOptions(level.options());
  return kept === '' ? '?regex' : `?regex $options ${kept}`;
}

function options(level: Level): string | null {
  const text = level.text();
  if (text === null) return valueHole(level);
  if (text === '') return null;
  const kept = sortedOptions(text);
  return kept === '' ? holeOf(bsonType.string) : kept;
}

function sortedOptions(text: string): string {
  return regexOptions.test(text) ? [...new Set(text)].sort().join('') : '';
}

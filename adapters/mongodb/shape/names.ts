/**
 * How names stand in canonical text, and which of them are values in disguise. A key that is made of ids, dates or
 * addresses is data: `scores.507f191e810c19729de860ea` is one of as many keys as there are players.
 */
import { limits } from '../../../src/core/limits.js';

const uuid = /[0-9a-f]{8}([-_]?)[0-9a-f]{4}\1[0-9a-f]{4}\1[0-9a-f]{4}\1[0-9a-f]{12}/gi;
const hexRun = /[0-9a-f]{16,}/gi;
const digitRun = /\d{6,}/g;
const digitsOnly = /^\d{4,}$/;
/** Dates, times and numbers with their marks. */
const figuresOnly = /^[+-]?\d[\d:/_,TZ+-]{5,}$/;

/** Whether a name needs a closer look: it has a digit or an at sign, or is long. */
const isSuspect = /[\d@]/;

/** The name with all that is data in it replaced by `?`. */
export function withoutIds(name: string): string {
  if (name.length > limits.maxShownKeyLength) return '?';
  if (!isSuspect.test(name)) return name;
  if (name.includes('@')) return '?';
  return name.split('.').map(segmentWithoutIds).join('.');
}

function segmentWithoutIds(segment: string): string {
  if (digitsOnly.test(segment) || figuresOnly.test(segment)) return '?';
  return segment
    .replace(uuid, '?')
    .replace(hexRun, (run) => (/\d/.test(run) ? '?' : run))
    .replace(digitRun, '?');
}

/** What may stand bare where a key stands: no mark of the grammar, nothing that begins like an operator. */
const bareKey = /^[\p{L}\p{N}_$?][\p{L}\p{N}_$?.*@-]*$/u;
/** And where a value stands. */
const bareValue = /^(?:2d|[\p{L}_$])[\p{L}\p{N}_$?.*-]*$/u;

/** Words that mean something where a value stands. */
const valueWords: ReadonlySet<string> = new Set(
  (
    'true false null undefined True False None NaN Infinity MinKey MaxKey new function async await return ' +
    'typeof void let const var'
  ).split(' '),
);

/** A key as a token. */
export function keyToken(key: string): string {
  return bareKey.test(key) ? key : quoted(key);
}

/** A name that stands as a value, as a token. */
export function nameToken(name: string): string {
  return bareValue.test(name) && !valueWords.has(name) ? name : quoted(name);
}

/** One token of printable characters: spaces and what is beyond them are escaped. */
function quoted(text: string): string {
  return JSON.stringify(text).replace(
    /[\s\u007f-\u009f]/g,
    (space) => `\\u${space.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

const firstSegment = /^[\p{L}_?][\p{L}\p{N}_?-]*$/u;
const laterSegment = /^(?:[\p{L}_?][\p{L}\p{N}_?-]*|\d{1,3})$/u;

/** A path of field names, free of ids; null for text that is no such path. */
export function fieldPath(text: string): string | null {
  const path = withoutIds(text);
  const isPath = path
    .split('.')
    .every((segment, index) => (index === 0 ? firstSegment : laterSegment).test(segment));
  return isPath ? path : null;
}

/** `$path` or `$$variable.path`, free of ids; null for text that only begins like one. */
export function expressionPath(text: string): string | null {
  const marks = text.startsWith('$$') ? '$$' : '$';
  if (!text.startsWith(marks)) return null;
  const path = fieldPath(text.slice(marks.length));
  return path === null ? null : marks + path;
}

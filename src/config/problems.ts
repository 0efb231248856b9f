/**
 * What is wrong with a configuration, in sentences: the path of the key, what was expected, what was probably meant.
 * Invariant: no value of the configuration stands in a problem, since any of them may be a secret.
 */
import type * as z from 'zod';
import { TwiceshyError } from '../core/errors.js';
import { closestNames } from '../core/notes/names.js';
import { keysAt } from './schema.js';

export type KeyPath = readonly PropertyKey[];

export interface Problem {
  readonly path: KeyPath;
  readonly message: string;
}

/** `listeners[0].audience`; the empty path is the document itself. */
function formatPath(path: KeyPath): string {
  let out = '';
  for (const step of path) {
    if (typeof step === 'number') out += `[${step}]`;
    else out += out === '' ? printable(String(step)) : `.${printable(String(step))}`;
  }
  return out;
}

/** How problems are shown: where a path stands in the file, and what it is called where there is no file. */
export interface ProblemNames {
  lineOf(path: KeyPath): number | null;
  /** Replacements for the beginnings of formatted paths (a flag for a key). */
  readonly aliases: Readonly<Record<string, string>>;
}

/** Makes one error of all problems, a line each. */
export function configError(
  source: string,
  problems: readonly Problem[],
  names: ProblemNames,
): TwiceshyError {
  const lines = problems.map(({ path, message }) => {
    const formatted = formatPath(path);
    const alias = Object.keys(names.aliases).find((key) => formatted.startsWith(key));
    const where = alias === undefined ? formatted : names.aliases[alias];
    const line = names.lineOf(path);
    return `${source}: ${where === '' ? '' : `${where}: `}${message}${line === null ? '' : ` (line ${line})`}`;
  });
  return new TwiceshyError('CONFIG_INVALID', [...new Set(lines)].join('\n'));
}

/** Reads the validator's findings; `input` is looked at only to tell a missing key and a misspelt word. */
export function problemsOf(issues: readonly z.core.$ZodIssue[], input: unknown): Problem[] {
  return issues.flatMap((issue) => problemsOfIssue(issue, input));
}

function problemsOfIssue(issue: z.core.$ZodIssue, input: unknown): Problem[] {
  const path = issue.path;
  switch (issue.code) {
    case 'unrecognized_keys':
      return issue.keys.map((key) => ({ path: [...path, key], message: unknownKey(path, key) }));
    case 'invalid_key':
      return [{ path, message: 'a name here must not be empty' }];
    default: {
      const value = valueAt(input, path);
      const isMissing = value === undefined;
      const expected = expectation(issue);
      if (isMissing) return [{ path, message: `missing; expected ${expected}` }];
      const meant = issue.code === 'invalid_value' ? suggestion(value, issue.values) : '';
      return [{ path, message: `expected ${expected}${got(issue, value)}${meant}` }];
    }
  }
}

function unknownKey(path: KeyPath, key: string): string {
  const known = keysAt(path) ?? [];
  const [closest] = closestNames(key, known, 1);
  if (closest !== undefined) return `unknown key; did you mean ${closest}?`;
  return `unknown key; expected one of ${known.join(', ')}`;
}

function suggestion(value: unknown, allowed: readonly unknown[]): string {
  if (typeof value !== 'string') return '';
  const [closest] = closestNames(value, allowed.map(String), 1);
  return closest === undefined ? '' : `; did you mean ${closest}?`;
}

function expectation(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'invalid_value':
      return `one of ${issue.values.map(String).join(', ')}`;
    case 'invalid_type':
      return typeWords[issue.expected] ?? issue.expected;
    case 'invalid_union':
      return 'host:port or false';
    case 'too_small':
      if (issue.origin === 'array') return 'at least one entry';
      return issue.origin === 'string' ? 'text that is not empty' : `a number of at least ${issue.minimum}`;
    case 'too_big':
      if (issue.origin === 'array') return `at most ${issue.maximum} entries`;
      return `a number of at most ${issue.maximum}`;
    default:
      return 'another value';
  }
}

const typeWords: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  object: 'a mapping of keys',
  record: 'a mapping of names',
  array: 'a list',
};

/** The type found, where the type is what is wrong; never the value. */
function got(issue: z.core.$ZodIssue, value: unknown): string {
  if (issue.code !== 'invalid_type') return '';
  if (value === null) return ', found nothing';
  if (Array.isArray(value)) return ', found a list';
  if (typeof value === 'object') return ', found a mapping';
  if (issue.expected === 'string') return `, found a ${typeof value}: put it in quotes`;
  return `, found ${typeWords[typeof value] ?? typeof value}`;
}

function valueAt(input: unknown, path: KeyPath): unknown {
  let value = input;
  for (const step of path) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = Reflect.get(value, step);
  }
  return value;
}

/** A key may hold anything a file can hold: what a terminal would obey is shown as a question mark. */
function printable(key: string): string {
  return Array.from(key.slice(0, 60), (char) => (/[\p{Cc}\p{Cf}]/u.test(char) ? '?' : char)).join('');
}

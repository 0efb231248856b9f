/**
 * An external corpus: a JSON Lines file, one failure a line, with at least `statement` and `sqlstate`; `file` groups
 * failures that share a database, `message`, `detail`, `hint`, `routine` are used where present. Nothing of it is
 * stored. Its schemas are unknown: every table counts as absent, so that only shape, code and object decide.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { buildSchema } from '../../src/core/schema/schema.js';
import type { ServerError } from '../../src/core/verdict.js';
import type { FailureCase } from './case.js';

const text = z.string().nullish();
const row = z.object({
  statement: z.string(),
  sqlstate: z.string(),
  file: text,
  message: text,
  detail: text,
  hint: text,
  routine: text,
});

const emptySchema = buildSchema({ tables: [], defaultSearchPath: ['public'] }, 1);

export interface ExternalCorpus {
  readonly path: string;
  readonly cases: readonly FailureCase[];
  readonly sha256: string;
}

/** Throws with the line's number when a line is not such an object. */
export function readExternalCorpus(path: string): ExternalCorpus {
  const bytes = readFileSync(path);
  const cases: FailureCase[] = [];
  for (const [index, line] of bytes.toString('utf8').split('\n').entries()) {
    if (line.trim() === '') continue;
    try {
      cases.push(toCase(row.parse(JSON.parse(line))));
    } catch (cause) {
      throw new Error(`${path}:${index + 1}: not a failure with "statement" and "sqlstate"`, { cause });
    }
  }
  return { path, cases, sha256: createHash('sha256').update(bytes).digest('hex') };
}

function toCase(failure: z.infer<typeof row>): FailureCase {
  const error = { code: failure.sqlstate, message: failure.message ?? '' } as {
    -readonly [K in keyof ServerError]: ServerError[K];
  };
  if (failure.detail != null) error.detail = failure.detail;
  if (failure.hint != null) error.hint = failure.hint;
  if (failure.routine != null) error.routine = failure.routine;
  return {
    text: failure.statement,
    error,
    completedBefore: 0,
    isCancelRequested: false,
    scope: { upstream: 'external', database: failure.file ?? 'external' },
    backend: 'relational',
    engine: 'postgresql',
    readAs: 'postgresql',
    searchPath: null,
    schema: emptySchema,
  };
}

/**
 * The same statement in other words: what a repeat may change without being another statement. Works on text alone,
 * knowing nothing of the lexer under test; where it cannot tell, it leaves the text as it is.
 */
export const rewordings: Readonly<Record<string, (sql: string) => string>> = {
  spacing: (sql) => outsideQuotes(sql, (part) => part.replaceAll(/\s+/g, '\n   ')),
  case: (sql) => outsideQuotes(sql, (part) => part.toUpperCase()),
  comments: (sql) => `/* asked again */ ${sql}\n-- the end`,
  literals: (sql) =>
    isPlainlyQuoted(sql)
      ? sql.replaceAll(/'[^']+'/g, (literal) => (/^'[\w ]+'$/.test(literal) ? "'zz'" : literal))
      : sql,
};

function isPlainlyQuoted(sql: string): boolean {
  return !/[\\$"]|--|\/\*|''|[eubxn&]'/i.test(sql);
}

function outsideQuotes(sql: string, change: (part: string) => string): string {
  if (!isPlainlyQuoted(sql)) return sql;
  return sql
    .split(/('[^']*')/)
    .map((part, index) => (index % 2 === 0 ? change(part) : part))
    .join('');
}

/**
 * What each code of MongoDB 4.4 to 8.x, and of servers that speak its protocol, means to the memory: its class, and two
 * facts about it. Reviewed row by row against the server's own list of names (error_codes.yml) and the texts at the places
 * that raise the numbers, and where it can be had cheaply against a FerretDB that raised it.
 *
 * `structural`: raised before any document or value was looked at, so it depends on the command, the schema and the rights
 * alone. Keys and the types of literals are part of the command. State of a session (a transaction, a cursor) is neither, and
 * such codes are not structural. `drift`: the catalog held in memory may be out of date.
 *
 * Left out: what is said between servers, of sharding and replication, of client-side encryption and of stream processing.
 * The text refines some codes, and our own compiler has codes too: see classify.ts.
 */
import type { FailureClass, UnrecordedClass } from '../../src/core/failure/failure-class.js';
import { expressionRows } from './error-codes-expressions.js';
import { namedRows } from './error-codes-named.js';
import { stageRows } from './error-codes-stages.js';

/** One code as the memory sees it. */
export interface ErrorCode {
  /** `codeName`, as the server sends it; null for a code that is not in the table. */
  readonly name: string | null;
  readonly class: FailureClass | UnrecordedClass;
  readonly isStructural: boolean;
  readonly suggestsDrift: boolean;
  /** For a code of one place in the source: what that place wants, in one or two sentences. */
  readonly wanted: string | null;
}

function readRows(): ReadonlyMap<string, ErrorCode> {
  const codes = new Map<string, ErrorCode>();
  for (const [code, [name, verdict, ...flags]] of Object.entries(namedRows)) {
    const isStructural = flags.includes('structural');
    codes.set(code, {
      name,
      class: verdict,
      isStructural,
      suggestsDrift: flags.includes('drift'),
      wanted: null,
    });
  }
  for (const [wanted, verdict, flag, places] of [...stageRows, ...expressionRows]) {
    for (const code of places.split(' ')) {
      const row = { name: `Location${code}`, class: verdict, isStructural: flag !== null, wanted };
      codes.set(code, { ...row, suggestsDrift: false });
    }
  }
  return new Map([...codes].sort(([a], [b]) => Number(a) - Number(b)));
}

const codes = readRows();

const unknown: ErrorCode = {
  name: null,
  class: 'unclassified',
  isStructural: false,
  suggestsDrift: false,
  wanted: null,
};

/** Every code of the table, in ascending order. */
export const errorCodes: readonly string[] = [...codes.keys()];

/** What `code` means before its text is looked at; `unclassified` where it is not in the table. */
export function readErrorCode(code: string): ErrorCode {
  return codes.get(code) ?? unknown;
}

/**
 * What each error number of MySQL 8.0 to 9.x and MariaDB 10.6 to 12.x means to the memory: its class, and two facts about
 * it. Reviewed row by row against the vendors' own lists (share/messages_to_clients.txt, sql/share/errmsg-utf8.txt) and,
 * where it can be had cheaply, against a server that raised it. The number alone says nothing: from 1900 on most mean one
 * thing to one product and another to the other, and SQLSTATE is too coarse (1052, an ambiguous column, has that of
 * constraints).
 *
 * `structural`: raised before any value or row was looked at, so it depends on the statement, the schema, the rights and
 * sql_mode alone. State of a session (a transaction, LOCK TABLES, a cursor) is neither, and such codes are not structural.
 * `drift`: the catalog held in memory may be out of date; a second read is cheap, a record keyed wrongly is not.
 *
 * Left out: replication, plugins, storage engines that nobody uses by accident, and warnings. SQLSTATE and text refine some
 * codes: see classify.ts.
 */
import type { FailureClass, UnrecordedClass } from '../../src/core/failure/failure-class.js';
import { mariadbRows } from './error-codes-mariadb.js';
import { mysqlRows } from './error-codes-mysql.js';
import { type ErrorRows, sharedRows } from './error-codes-shared.js';
import type { NegotiatedTerms } from './negotiated.js';

/** The products this adapter speaks with. */
export type Flavour = NegotiatedTerms['engine'];

/** One error number as the memory sees it. */
export interface ErrorCode {
  /** The vendor's name in lower case, without `ER_`; null for a number that is not in the table. */
  readonly name: string | null;
  readonly class: FailureClass | UnrecordedClass;
  readonly isStructural: boolean;
  readonly suggestsDrift: boolean;
}

function readRows(own: ErrorRows): ReadonlyMap<string, ErrorCode> {
  return new Map(
    Object.entries({ ...sharedRows, ...own }).map(([code, [name, verdict, ...flags]]) => [
      code,
      {
        name,
        class: verdict,
        isStructural: flags.includes('structural'),
        suggestsDrift: flags.includes('drift'),
      },
    ]),
  );
}

const codes: Readonly<Record<Flavour, ReadonlyMap<string, ErrorCode>>> = {
  mysql: readRows(mysqlRows),
  mariadb: readRows(mariadbRows),
};

const unknown: ErrorCode = {
  name: null,
  class: 'unclassified',
  isStructural: false,
  suggestsDrift: false,
};

/** Every number of one product's table, in ascending order. */
export function errorCodesOf(flavour: Flavour): readonly string[] {
  return [...codes[flavour].keys()];
}

/** What `code` means before SQLSTATE and text are looked at; `unclassified` where it is not in the table. */
export function readErrorCode(code: string, flavour: Flavour): ErrorCode {
  return codes[flavour].get(code) ?? unknown;
}

/**
 * The exact half of recall: what must be equal before a record may be compared at all. Scope, backend and engine are
 * settled by the partition a query looks in; here is the schema, the life of the record and the error itself.
 */
import type { FailureClass, NamedObject } from '../failure/failure-class.js';
import type { MemoryRecord, RecordFingerprint } from '../memory/record.js';
import { isConstraintBound } from '../memory/record-id.js';
import { isExpired } from '../memory/views.js';

/** `tables`: the statement's own tables (the product); `database`: the whole database (for the ablation). */
export type FingerprintScope = 'tables' | 'database';

/**
 * True where the record's world is the statement's world. A changed table silences the record, and its fingerprint
 * coming back revives it; classes bound to constraints need those to be unchanged too.
 */
export function matchesFingerprint(
  record: MemoryRecord,
  fingerprint: RecordFingerprint,
  scope: FingerprintScope = 'tables',
): boolean {
  if (scope === 'database') return record.fingerprint.database === fingerprint.database;
  if (record.fingerprint.tables !== fingerprint.tables) return false;
  return !isConstraintBound(record.class) || record.fingerprint.constraints === fingerprint.constraints;
}

/** True while the record may speak, whatever the schema. `now` is in milliseconds since the epoch. */
export function maySpeak(record: MemoryRecord, now: number): boolean {
  return record.status === 'live' && !isExpired(record, now);
}

/** What an error must share with a record. */
export interface ErrorIdentity {
  readonly class: FailureClass;
  readonly code: string;
  readonly object: NamedObject | null;
}

/** Same class and code, and the same named object where both name one. */
export function matchesError(record: MemoryRecord, error: ErrorIdentity): boolean {
  return record.code === error.code && record.class === error.class && sharesObject(record, error.object);
}

function sharesObject(record: MemoryRecord, object: NamedObject | null): boolean {
  if (record.object === null || object === null) return true;
  if (record.object.kind !== object.kind) return false;
  return record.object.name === object.name || (mindsNoCase(record) && isSameFolded(record.object, object));
}

/** In the MySQL family names of columns, keys, constraints and routines never mind case; those of tables may. */
function mindsNoCase({ engine, object }: MemoryRecord): boolean {
  return (engine === 'mysql' || engine === 'mariadb') && object?.kind !== 'table';
}

function isSameFolded(a: NamedObject, b: NamedObject): boolean {
  return a.name.length === b.name.length && a.name.toLowerCase() === b.name.toLowerCase();
}

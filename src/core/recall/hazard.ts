/** Whether a record speaks before a statement has run, when no error has confirmed yet that it will fail. */
import type { MemoryRecord } from '../memory/record.js';

/** Share of this shape's runs that failed, as far as it was counted; 0 to 1. */
export function hazard(record: MemoryRecord): number {
  const runs = record.failures + record.successes;
  return runs === 0 ? 0 : record.failures / runs;
}

/**
 * True where the literals' kinds let a structural failure come again: one letter a hole, equal, a parameter (`p`) and
 * NULL (`z`) standing for any. Some failures do not depend on literals at all.
 */
export function holesAllow(record: MemoryRecord, holes: string): boolean {
  if (record.holes === holes || isBlindToLiterals(record)) return true;
  if (record.holes.length !== holes.length) return false;
  for (let index = 0; index < holes.length; index++) {
    const known = record.holes[index] ?? '';
    const asked = holes[index] ?? '';
    if (known !== asked && !isWild(known) && !isWild(asked)) return false;
  }
  return true;
}

function isWild(kind: string): boolean {
  return kind === 'p' || kind === 'z';
}

/** A missing table, a name taken, a right not granted: the same whatever values stand beside it. */
function isBlindToLiterals(record: MemoryRecord): boolean {
  switch (record.class) {
    case 'permission':
    case 'duplicate_object':
    case 'read_only':
      return true;
    case 'undefined_object':
      return record.object !== null && (record.object.kind === 'table' || record.object.kind === 'column');
    default:
      return false;
  }
}

/** What holds now: views over folded records. Nothing here changes a record. */
import type { MemoryRecord } from './record.js';

/**
 * Live: not retracted, superseded, deleted or under review, not past its review date, and its fingerprint still that
 * of the schema, which `isCurrent` decides (default: yes). A stale record that `isCurrent` accepts again is live again.
 * `now` is in milliseconds since the epoch.
 */
export function isLive(
  record: MemoryRecord,
  now: number,
  isCurrent: (record: MemoryRecord) => boolean = () => true,
): boolean {
  return record.status === 'live' && !isExpired(record, now) && isCurrent(record);
}

/** Past the moment up to which a reviewer let it hold. A date that cannot be read is no expiry. */
export function isExpired(record: MemoryRecord, now: number): boolean {
  return record.reviewBy !== null && Date.parse(record.reviewBy) <= now;
}

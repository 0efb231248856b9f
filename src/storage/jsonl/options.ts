/** What a JSONL store can be told, and what it tells. */
import type { Counters } from '../../core/counters.js';
import type { LockOptions } from './lock.js';

/** When appended events are handed to the disk; see docs/store-format.md for what each survives. */
export type FsyncPolicy = 'always' | 'interval' | 'never';

/** Something worth a log line; holds no text of records. */
export interface StoreReport {
  readonly kind:
    | 'healed'
    | 'folder_made_private'
    | 'folder_open'
    | 'log_restored'
    | 'log_replaced'
    | 'log_resized'
    | 'log_missing'
    | 'lines_passed_over'
    | 'events_refused'
    | 'sync_failed'
    | 'compacted'
    | 'compaction_failed'
    | 'lock_lost';
  readonly message: string;
  readonly error?: Error;
}

export interface JsonlOptions {
  readonly fsync?: FsyncPolicy;
  readonly fsyncIntervalMs?: number;
  /** Observations are merged by themselves once they are many; `false` leaves it to `compact()`. */
  readonly isCompactedByItself?: boolean;
  readonly compactMinBytes?: number;
  readonly onReport?: (report: StoreReport) => void;
  readonly counters?: Counters;
  readonly lock?: LockOptions;
  readonly now?: () => number;
}

export interface CompactReport {
  readonly bytesBefore: number;
  readonly bytesAfter: number;
}

/**
 * Finding the record for a statement: exact first, then similar, each behind the gate. Precision comes before recall:
 * where the memory holds this very shape but took it out of sight, nothing similar speaks in its place.
 */
import { limits } from '../limits.js';
import type { Bucket, MemoryPartition } from '../memory/partition.js';
import type { MemoryRecord, RecordFingerprint } from '../memory/record.js';
import {
  type ErrorIdentity,
  type FingerprintScope,
  matchesError,
  matchesFingerprint,
  maySpeak,
} from './gate.js';
import { hazard, holesAllow } from './hazard.js';
import { type Measure, ShapeComparer, tokenCount } from './similarity.js';

/** A statement as recall sees it, its tables resolved in the schema. */
export interface StatementQuery {
  readonly shape: string;
  readonly holes: string;
  readonly verb: string;
  readonly isTruncated: boolean;
  /** As in `ResolvedTables.names`. */
  readonly tables: readonly string[];
  /** Null where no schema is at hand: the records' own are believed, and only the exact shape is looked for. */
  readonly fingerprint: RecordFingerprint | null;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

export type FailureQuery = StatementQuery & ErrorIdentity;

/** What the benchmark varies; the product uses `defaultRecallOptions`. */
export interface RecallOptions {
  readonly measure: Measure;
  readonly fingerprint: FingerprintScope;
  readonly useCodeGate: boolean;
  readonly threshold: number;
}

const defaultRecallOptions: RecallOptions = {
  measure: 'bigram',
  fingerprint: 'tables',
  useCodeGate: true,
  threshold: limits.similarityThreshold,
};

export interface Recalled {
  readonly record: MemoryRecord;
  readonly how: 'exact' | 'similar';
  /** 1 for exact. */
  readonly similarity: number;
}

/** A record admitted by everything but its shape. */
type Admission = (record: MemoryRecord) => boolean;

export class Recall {
  readonly options: RecallOptions;
  readonly #comparer = new ShapeComparer();

  constructor(options: Partial<RecallOptions> = {}) {
    this.options = { ...defaultRecallOptions, ...options };
  }

  /** The record of an error that has just been declared, or null. */
  afterError(partition: MemoryPartition, query: FailureQuery): Recalled | null {
    const { useCodeGate } = this.options;
    const isSameError: Admission = (record) =>
      this.#passes(record, query) && (!useCodeGate || matchesError(record, query));
    let best: MemoryRecord | null = null;
    let isSilenced = false;
    for (const record of partition.exact(query.shape)) {
      if (!isSameError(record)) continue;
      if (!maySpeak(record, query.now)) isSilenced = true;
      else if (best === null || isCloser(record, best, query)) best = record;
    }
    if (best !== null) return { record: best, how: 'exact', similarity: 1 };
    if (isSilenced) return null;
    return this.#similar(partition, query, isSameError, (bucket) => {
      return !useCodeGate || (bucket.code === query.code && bucket.class === query.class);
    });
  }

  /** The record that says a statement is likely to fail, before it has run; or null. */
  beforeRun(partition: MemoryPartition, query: StatementQuery): Recalled | null {
    const isDue: Admission = (record) => this.#passes(record, query) && speaksBefore(record, query.holes);
    let best: MemoryRecord | null = null;
    let isSilenced = false;
    for (const record of partition.exact(query.shape)) {
      if (!this.#passes(record, query)) continue;
      if (!maySpeak(record, query.now)) isSilenced = true;
      else if (speaksBefore(record, query.holes) && (best === null || isGraver(record, best))) best = record;
    }
    if (best !== null) return { record: best, how: 'exact', similarity: 1 };
    return isSilenced ? null : this.#similar(partition, query, isDue, () => true);
  }

  #passes(record: MemoryRecord, query: StatementQuery): boolean {
    if (query.fingerprint === null) return true;
    return matchesFingerprint(record, query.fingerprint, this.options.fingerprint);
  }

  #similar(
    partition: MemoryPartition,
    query: StatementQuery,
    isAdmitted: Admission,
    isBucketAdmitted: (bucket: Bucket) => boolean,
  ): Recalled | null {
    if (!isComparable(query)) return null;
    const { measure, threshold } = this.options;
    this.#comparer.ask(query.shape, measure);
    let best: MemoryRecord | null = null;
    let bestScore = 0;
    let compared = 0;
    let scanned = 0;
    for (const bucket of partition.buckets(query.tables)) {
      if (bucket.verb !== query.verb || !isBucketAdmitted(bucket)) continue;
      for (let index = bucket.records.length - 1; index >= 0; index--) {
        if (++scanned > limits.maxSimilarityScanned) return similarResult(best, bestScore);
        const record = bucket.records[index];
        if (record === undefined || record.isTruncated === true) continue;
        if (!maySpeak(record, query.now) || !isAdmitted(record)) continue;
        const score = this.#comparer.score(record.shape, Math.max(threshold, bestScore));
        if (score > 0 && isBetter(score, record, bestScore, best)) {
          best = record;
          bestScore = score;
        }
        if (++compared >= limits.maxSimilarityCandidates) return similarResult(best, bestScore);
      }
    }
    return similarResult(best, bestScore);
  }
}

function similarResult(record: MemoryRecord | null, similarity: number): Recalled | null {
  return record === null ? null : { record, how: 'similar', similarity };
}

/** Shapes cut at the lexer's bound, very short and very long ones are matched exactly or not at all. */
function isComparable(query: StatementQuery): boolean {
  if (query.isTruncated || query.fingerprint === null) return false;
  const tokens = tokenCount(query.shape);
  return tokens >= limits.minSimilarityTokens && tokens <= limits.maxSimilarityTokens;
}

function speaksBefore(record: MemoryRecord, holes: string): boolean {
  if (record.isStructural) return holesAllow(record, holes);
  return hazard(record) >= limits.preflightHazardThreshold;
}

/** Of two records of the same shape: the one that names the same object, then the newest. */
function isCloser(record: MemoryRecord, best: MemoryRecord, query: FailureQuery): boolean {
  if (query.object !== null && (record.object === null) !== (best.object === null))
    return record.object !== null;
  return record.lastAt > best.lastAt;
}

/** Of two records of the same shape that both speak: the certain one, then the more likely, then the newest. */
function isGraver(record: MemoryRecord, best: MemoryRecord): boolean {
  if (record.isStructural !== best.isStructural) return record.isStructural;
  const difference = hazard(record) - hazard(best);
  return difference === 0 ? record.lastAt > best.lastAt : difference > 0;
}

function isBetter(
  score: number,
  record: MemoryRecord,
  bestScore: number,
  best: MemoryRecord | null,
): boolean {
  return score > bestScore || (score === bestScore && best !== null && record.lastAt > best.lastAt);
}
